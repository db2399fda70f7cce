/* Negotiate contexts: a count and a chain of {type, length, reserved, data}, each starting at a
 * multiple of 8 from the header ([MS-SMB2] 2.2.3.1). */
#include "wire/smb2/negotiate_context.h"

#include <assert.h>

#include "base/cursor.h"

enum { CONTEXT_ALIGN = 8 };

bool smb2_algorithms_has(const struct smb2_algorithms *a, uint16_t id)
{
        for (unsigned i = 0; i < a->count; i++)
                if (a->id[i] == id)
                        return true;
        return false;
}

struct smb2_algorithms smb2_algorithms_one(uint16_t id)
{
        return (struct smb2_algorithms){.present = true, .count = 1, .id = {id}};
}

/* The `count` ids at the cursor. A second list of the same kind is refused ([MS-SMB2] 3.3.5.4). */
static void algorithms_get(struct cursor *c, unsigned count, struct smb2_algorithms *a)
{
        if (a->present || count == 0 || count > LIMIT_NEG_ALGORITHMS) {
                cur_fail(c);
                return;
        }
        a->present = true;
        a->count = count;
        for (unsigned i = 0; i < count; i++)
                a->id[i] = cur_u16(c);
}

static bool preauth_decode(struct bytes data, struct smb2_negotiate_contexts *n)
{
        struct cursor c = cur_of(data);
        unsigned count = cur_u16(&c);
        size_t salt_len = cur_u16(&c);
        algorithms_get(&c, count, &n->preauth);
        n->preauth_salt = cur_bytes(&c, salt_len);
        return cur_ok(&c);
}

static bool compression_decode(struct bytes data, struct smb2_negotiate_contexts *n)
{
        struct cursor c = cur_of(data);
        unsigned count = cur_u16(&c);
        cur_skip(&c, 2); /* Padding */
        n->compression_flags = cur_u32(&c);
        algorithms_get(&c, count, &n->compression);
        return cur_ok(&c);
}

static bool rdma_transform_decode(struct bytes data, struct smb2_negotiate_contexts *n)
{
        struct cursor c = cur_of(data);
        unsigned count = cur_u16(&c);
        cur_skip(&c, 2 + 4); /* Reserved1, Reserved2 */
        algorithms_get(&c, count, &n->rdma_transform);
        return cur_ok(&c);
}

static bool list_decode(struct bytes data, struct smb2_algorithms *a)
{
        struct cursor c = cur_of(data);
        unsigned count = cur_u16(&c);
        algorithms_get(&c, count, a);
        return cur_ok(&c);
}

static bool transport_decode(struct bytes data, struct smb2_negotiate_contexts *n)
{
        struct cursor c = cur_of(data);
        n->transport_flags = cur_u32(&c);
        n->has_transport = true;
        return cur_ok(&c);
}

static bool context_decode(uint16_t type, struct bytes data, struct smb2_negotiate_contexts *n)
{
        switch (type) {
        case SMB2_PREAUTH_INTEGRITY_CAPABILITIES:
                return preauth_decode(data, n);
        case SMB2_ENCRYPTION_CAPABILITIES:
                return list_decode(data, &n->encryption);
        case SMB2_COMPRESSION_CAPABILITIES:
                return compression_decode(data, n);
        case SMB2_NETNAME_NEGOTIATE_CONTEXT_ID:
                n->netname = data;
                return true;
        case SMB2_TRANSPORT_CAPABILITIES:
                return transport_decode(data, n);
        case SMB2_RDMA_TRANSFORM_CAPABILITIES:
                return rdma_transform_decode(data, n);
        case SMB2_SIGNING_CAPABILITIES:
                return list_decode(data, &n->signing);
        case SMB2_CONTEXTTYPE_RESERVED:
                n->has_posix = true;
                n->posix = data;
                return true;
        default:
                return true; /* to be ignored, [MS-SMB2] 3.3.5.4 */
        }
}

bool smb2_negotiate_contexts_decode(struct bytes list, uint16_t count,
                                    struct smb2_negotiate_contexts *out)
{
        struct cursor c = cur_of(list);
        struct smb2_negotiate_contexts n = {0};
        if (count > LIMIT_NEG_CONTEXTS)
                return false;
        for (uint16_t i = 0; i < count; i++) {
                if (i > 0)
                        cur_align(&c, CONTEXT_ALIGN); /* the list itself starts aligned */
                uint16_t type = cur_u16(&c);
                uint16_t len = cur_u16(&c);
                cur_skip(&c, 4); /* Reserved */
                struct bytes data = cur_bytes(&c, len);
                if (!cur_ok(&c) || !context_decode(type, data, &n))
                        return false;
        }
        *out = n;
        return true;
}

/* ---- encoding ---- */

struct list_writer {
        struct writer *w;
        size_t hdr_at;
        size_t len_mark, data_at; /* of the context being written */
        uint16_t count;
};

static void context_open(struct list_writer *l, uint16_t type)
{
        wr_align_from(l->w, l->hdr_at, CONTEXT_ALIGN);
        wr_u16(l->w, type);
        l->len_mark = wr_u16_later(l->w);
        wr_u32(l->w, 0); /* Reserved */
        l->data_at = l->w->at;
        l->count++;
}

static void context_close(struct list_writer *l)
{
        size_t n = l->w->at - l->data_at;
        if (n > UINT16_MAX)
                l->w->full = true;
        wr_fill_u16(l->w, l->len_mark, (uint16_t)n);
}

static void ids_put(struct writer *w, const struct smb2_algorithms *a)
{
        assert(a->count <= LIMIT_NEG_ALGORITHMS);
        for (unsigned i = 0; i < a->count; i++)
                wr_u16(w, a->id[i]);
}

static void preauth_encode(struct list_writer *l, const struct smb2_negotiate_contexts *n)
{
        if (!n->preauth.present)
                return;
        context_open(l, SMB2_PREAUTH_INTEGRITY_CAPABILITIES);
        wr_u16(l->w, (uint16_t)n->preauth.count);
        wr_u16(l->w, (uint16_t)n->preauth_salt.n);
        ids_put(l->w, &n->preauth);
        wr_bytes(l->w, n->preauth_salt);
        context_close(l);
}

static void list_encode(struct list_writer *l, uint16_t type, const struct smb2_algorithms *a)
{
        if (!a->present)
                return;
        context_open(l, type);
        wr_u16(l->w, (uint16_t)a->count);
        ids_put(l->w, a);
        context_close(l);
}

static void compression_encode(struct list_writer *l, const struct smb2_negotiate_contexts *n)
{
        if (!n->compression.present)
                return;
        context_open(l, SMB2_COMPRESSION_CAPABILITIES);
        wr_u16(l->w, (uint16_t)n->compression.count);
        wr_u16(l->w, 0); /* Padding */
        wr_u32(l->w, n->compression_flags);
        ids_put(l->w, &n->compression);
        context_close(l);
}

static void rdma_transform_encode(struct list_writer *l, const struct smb2_negotiate_contexts *n)
{
        if (!n->rdma_transform.present)
                return;
        context_open(l, SMB2_RDMA_TRANSFORM_CAPABILITIES);
        wr_u16(l->w, (uint16_t)n->rdma_transform.count);
        wr_zero(l->w, 2 + 4); /* Reserved1, Reserved2 */
        ids_put(l->w, &n->rdma_transform);
        context_close(l);
}

static void bytes_encode(struct list_writer *l, uint16_t type, struct bytes data)
{
        context_open(l, type);
        wr_bytes(l->w, data);
        context_close(l);
}

uint16_t smb2_negotiate_contexts_encode(struct writer *w, size_t hdr_at,
                                        const struct smb2_negotiate_contexts *in)
{
        struct list_writer l = {.w = w, .hdr_at = hdr_at};
        preauth_encode(&l, in);
        list_encode(&l, SMB2_ENCRYPTION_CAPABILITIES, &in->encryption);
        compression_encode(&l, in);
        list_encode(&l, SMB2_SIGNING_CAPABILITIES, &in->signing);
        rdma_transform_encode(&l, in);
        if (in->has_transport) {
                context_open(&l, SMB2_TRANSPORT_CAPABILITIES);
                wr_u32(w, in->transport_flags);
                context_close(&l);
        }
        if (in->netname.n)
                bytes_encode(&l, SMB2_NETNAME_NEGOTIATE_CONTEXT_ID, in->netname);
        if (in->has_posix)
                bytes_encode(&l, SMB2_CONTEXTTYPE_RESERVED, in->posix);
        return l.count;
}
