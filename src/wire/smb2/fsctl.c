/* Payloads of the control codes that [MS-SMB2] defines itself, 2.2.31.1 to 2.2.31.4 and 2.2.32.1
 * to 2.2.32.6. */
#include "wire/smb2/fsctl.h"

#include <assert.h>

#include "base/cursor.h"

enum {
        INTERFACE_LEN = 152, /* Next .. SockAddr_Storage */
        INTERFACE_ALIGN = 8,
        SOCKADDR_LEN = 128,
};

bool srv_copychunk_copy_decode(struct bytes input, struct srv_copychunk_copy *out)
{
        struct cursor c = cur_of(input);
        cur_copy(&c, out->source_key, sizeof out->source_key);
        out->chunk_count = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved */
        if (!cur_ok(&c))
                return false;
        if (out->chunk_count > LIMIT_COPY_CHUNKS)
                return true;
        for (uint32_t i = 0; i < out->chunk_count; i++) {
                out->chunks[i].source_offset = cur_u64(&c);
                out->chunks[i].target_offset = cur_u64(&c);
                out->chunks[i].length = cur_u32(&c);
                cur_skip(&c, 4); /* Reserved */
        }
        return cur_ok(&c);
}

void srv_copychunk_copy_encode(struct writer *w, const struct srv_copychunk_copy *in)
{
        assert(in->chunk_count <= LIMIT_COPY_CHUNKS);
        wr_bytes(w, bytes_of(in->source_key, sizeof in->source_key));
        wr_u32(w, in->chunk_count);
        wr_u32(w, 0); /* Reserved */
        for (uint32_t i = 0; i < in->chunk_count; i++) {
                wr_u64(w, in->chunks[i].source_offset);
                wr_u64(w, in->chunks[i].target_offset);
                wr_u32(w, in->chunks[i].length);
                wr_u32(w, 0); /* Reserved */
        }
}

bool srv_copychunk_response_decode(struct bytes output, struct srv_copychunk_response *out)
{
        struct cursor c = cur_of(output);
        struct srv_copychunk_response r = {0};
        r.chunks_written = cur_u32(&c);
        r.chunk_bytes_written = cur_u32(&c);
        r.total_bytes_written = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void srv_copychunk_response_encode(struct writer *w, const struct srv_copychunk_response *in)
{
        wr_u32(w, in->chunks_written);
        wr_u32(w, in->chunk_bytes_written);
        wr_u32(w, in->total_bytes_written);
}

bool srv_resume_key_decode(struct bytes output, struct srv_resume_key *out)
{
        struct cursor c = cur_of(output);
        struct srv_resume_key k;
        cur_copy(&c, k.b, sizeof k.b);
        cur_skip(&c, 4); /* ContextLength: the context itself has no use */
        if (!cur_ok(&c))
                return false;
        *out = k;
        return true;
}

void srv_resume_key_encode(struct writer *w, const struct srv_resume_key *in)
{
        wr_bytes(w, bytes_of(in->b, sizeof in->b));
        wr_u32(w, 0); /* ContextLength */
        wr_u32(w, 0); /* Windows sends four zero bytes of Context all the same */
}

bool network_resiliency_request_decode(struct bytes input, uint32_t *ret_timeout_ms)
{
        struct cursor c = cur_of(input);
        uint32_t timeout_ms = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved */
        if (!cur_ok(&c))
                return false;
        *ret_timeout_ms = timeout_ms;
        return true;
}

void network_resiliency_request_encode(struct writer *w, uint32_t timeout_ms)
{
        wr_u32(w, timeout_ms);
        wr_u32(w, 0); /* Reserved */
}

bool validate_negotiate_info_req_decode(struct bytes input, struct validate_negotiate_info_req *out)
{
        struct cursor c = cur_of(input);
        struct validate_negotiate_info_req q = {0};
        q.capabilities = cur_u32(&c);
        q.guid = smb2_guid_get(&c);
        q.security_mode = cur_u16(&c);
        q.dialect_count = cur_u16(&c);
        if (!cur_ok(&c) || q.dialect_count > LIMIT_DIALECTS)
                return false;
        for (unsigned i = 0; i < q.dialect_count; i++)
                q.dialects[i] = cur_u16(&c);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void validate_negotiate_info_req_encode(struct writer *w,
                                        const struct validate_negotiate_info_req *in)
{
        assert(in->dialect_count <= LIMIT_DIALECTS);
        wr_u32(w, in->capabilities);
        smb2_guid_put(w, in->guid);
        wr_u16(w, in->security_mode);
        wr_u16(w, (uint16_t)in->dialect_count);
        for (unsigned i = 0; i < in->dialect_count; i++)
                wr_u16(w, in->dialects[i]);
}

bool validate_negotiate_info_rsp_decode(struct bytes output,
                                        struct validate_negotiate_info_rsp *out)
{
        struct cursor c = cur_of(output);
        struct validate_negotiate_info_rsp r = {0};
        r.capabilities = cur_u32(&c);
        r.guid = smb2_guid_get(&c);
        r.security_mode = cur_u16(&c);
        r.dialect = cur_u16(&c);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void validate_negotiate_info_rsp_encode(struct writer *w,
                                        const struct validate_negotiate_info_rsp *in)
{
        wr_u32(w, in->capabilities);
        smb2_guid_put(w, in->guid);
        wr_u16(w, in->security_mode);
        wr_u16(w, in->dialect);
}

/* SOCKADDR_STORAGE, 2.2.32.5.1: SOCKADDR_IN or SOCKADDR_IN6 by Family, padded. */
static void sockaddr_get(struct cursor *c, struct network_interface_info *n)
{
        struct cursor a = cur_of(cur_bytes(c, SOCKADDR_LEN));
        n->family = cur_u16(&a);
        n->port = cur_u16be(&a);
        if (n->family == NETWORK_INTERFACE_IPV4) {
                cur_copy(&a, n->address, 4);
        } else if (n->family == NETWORK_INTERFACE_IPV6) {
                cur_skip(&a, 4); /* FlowInfo */
                cur_copy(&a, n->address, sizeof n->address);
                n->scope_id = cur_u32(&a);
        }
}

static void sockaddr_put(struct writer *w, const struct network_interface_info *n)
{
        size_t start = w->at;
        wr_u16(w, n->family);
        wr_u16be(w, n->port);
        if (n->family == NETWORK_INTERFACE_IPV4) {
                wr_bytes(w, bytes_of(n->address, 4));
        } else if (n->family == NETWORK_INTERFACE_IPV6) {
                wr_u32(w, 0); /* FlowInfo */
                wr_bytes(w, bytes_of(n->address, sizeof n->address));
                wr_u32(w, n->scope_id);
        }
        if (wr_ok(w))
                wr_zero(w, SOCKADDR_LEN - (w->at - start));
}

bool network_interface_info_next(struct bytes *rest, struct network_interface_info *out, bool *bad)
{
        struct bytes entry;
        if (!cur_chain_next(rest, &entry, INTERFACE_LEN, INTERFACE_ALIGN, bad))
                return false;
        struct cursor c = cur_of(entry);
        struct network_interface_info n = {0};
        cur_skip(&c, 4); /* Next */
        n.if_index = cur_u32(&c);
        n.capability = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved */
        n.link_speed = cur_u64(&c);
        sockaddr_get(&c, &n);
        if (!cur_ok(&c)) {
                *bad = true;
                return false;
        }
        *out = n;
        return true;
}

void network_interface_info_encode(struct writer *w, size_t *last_at,
                                   const struct network_interface_info *in)
{
        static_assert(INTERFACE_LEN % INTERFACE_ALIGN == 0, "entries follow without padding");
        if (*last_at != SIZE_MAX)
                wr_fill_u32(w, *last_at, (uint32_t)(w->at - *last_at));
        *last_at = w->at;
        wr_u32(w, 0); /* Next, until another one comes */
        wr_u32(w, in->if_index);
        wr_u32(w, in->capability);
        wr_u32(w, 0); /* Reserved */
        wr_u64(w, in->link_speed);
        sockaddr_put(w, in);
}

bool srv_snapshot_array_decode(struct bytes output, struct srv_snapshot_array *out)
{
        struct cursor c = cur_of(output);
        struct srv_snapshot_array a = {0};
        a.number_of_snapshots = cur_u32(&c);
        a.number_of_snapshots_returned = cur_u32(&c);
        a.snapshot_array_size = cur_u32(&c);
        if (a.number_of_snapshots_returned != 0)
                a.snapshots = cur_bytes(&c, a.snapshot_array_size);
        if (!cur_ok(&c))
                return false;
        *out = a;
        return true;
}

void srv_snapshot_array_encode(struct writer *w, const struct srv_snapshot_array *in)
{
        wr_u32(w, in->number_of_snapshots);
        wr_u32(w, in->number_of_snapshots_returned);
        wr_u32(w, in->snapshot_array_size);
        wr_bytes(w, in->snapshots);
}
