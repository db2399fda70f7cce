/* NEGOTIATE, [MS-SMB2] 2.2.3 and 2.2.4. Which dialect wins is not decided here. */
#include "wire/smb2/negotiate.h"

#include "wire/smb2/body.h"

enum {
        REQ_FIXED = 36, /* bytes of the body in front of Dialects */
        RSP_FIXED = 64, /* bytes of the body in front of Buffer */
        LIST_ALIGN = 8,
};

/* The list has no length of its own: it may use all that is left of the message. */
static bool contexts_at(struct cursor *c, uint32_t off, uint16_t count, size_t not_before,
                        struct smb2_negotiate_contexts *out)
{
        if (count == 0)
                return true;
        if (off >= c->b.n)
                return false;
        struct bytes list = cur_window(c, off, c->b.n - off, not_before, LIST_ALIGN);
        return cur_ok(c) && smb2_negotiate_contexts_decode(list, count, out);
}

bool smb2_negotiate_req_has_dialect(const struct smb2_negotiate_req *q, uint16_t dialect)
{
        for (unsigned i = 0; i < q->dialect_count; i++)
                if (q->dialects[i] == dialect)
                        return true;
        return false;
}

bool smb2_negotiate_req_decode(struct bytes msg, struct smb2_negotiate_req *out)
{
        struct cursor c = smb2_body_get(msg, 36);
        struct smb2_negotiate_req q = {0};
        q.dialect_count = cur_u16(&c);
        q.security_mode = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved */
        q.capabilities = cur_u32(&c);
        q.client_guid = smb2_guid_get(&c);
        uint32_t list_off = cur_u32(&c); /* with the next two: ClientStartTime before 3.1.1 */
        uint16_t list_count = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved2 */
        if (!cur_ok(&c) || q.dialect_count == 0 || q.dialect_count > LIMIT_DIALECTS)
                return false;
        for (unsigned i = 0; i < q.dialect_count; i++)
                q.dialects[i] = cur_u16(&c);
        if (!cur_ok(&c))
                return false;
        q.has_contexts = smb2_negotiate_req_has_dialect(&q, SMB2_DIALECT_311);
        if (q.has_contexts &&
            !contexts_at(&c, list_off, list_count,
                         SMB2_HEADER_LEN + REQ_FIXED + 2 * q.dialect_count, &q.contexts))
                return false;
        *out = q;
        return true;
}

void smb2_negotiate_req_encode(struct writer *w, size_t hdr_at, const struct smb2_negotiate_req *in)
{
        assert(in->dialect_count <= LIMIT_DIALECTS);
        smb2_body_put(w, hdr_at, 36);
        wr_u16(w, (uint16_t)in->dialect_count);
        wr_u16(w, in->security_mode);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, in->capabilities);
        smb2_guid_put(w, in->client_guid);
        size_t off_mark = wr_u32_later(w);
        size_t count_mark = wr_u16_later(w);
        wr_u16(w, 0); /* Reserved2 */
        for (unsigned i = 0; i < in->dialect_count; i++)
                wr_u16(w, in->dialects[i]);
        if (!in->has_contexts)
                return;
        wr_align_from(w, hdr_at, LIST_ALIGN);
        wr_fill_u32(w, off_mark, (uint32_t)(w->at - hdr_at));
        wr_fill_u16(w, count_mark, smb2_negotiate_contexts_encode(w, hdr_at, &in->contexts));
}

bool smb2_negotiate_rsp_decode(struct bytes msg, struct smb2_negotiate_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 65);
        struct smb2_negotiate_rsp r = {0};
        r.security_mode = cur_u16(&c);
        r.dialect_revision = cur_u16(&c);
        uint16_t list_count = cur_u16(&c);
        r.server_guid = smb2_guid_get(&c);
        r.capabilities = cur_u32(&c);
        r.max_transact_size = cur_u32(&c);
        r.max_read_size = cur_u32(&c);
        r.max_write_size = cur_u32(&c);
        r.system_time_ft = (int64_t)cur_u64(&c);
        r.server_start_time_ft = (int64_t)cur_u64(&c);
        uint16_t off = cur_u16(&c);
        uint16_t len = cur_u16(&c);
        uint32_t list_off = cur_u32(&c);
        r.security_buffer = cur_window(&c, off, len, SMB2_HEADER_LEN + RSP_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        if (r.dialect_revision == SMB2_DIALECT_311 &&
            !contexts_at(&c, list_off, list_count, SMB2_HEADER_LEN + RSP_FIXED, &r.contexts))
                return false;
        *out = r;
        return true;
}

void smb2_negotiate_rsp_encode(struct writer *w, size_t hdr_at, const struct smb2_negotiate_rsp *in)
{
        smb2_body_put(w, hdr_at, 65);
        wr_u16(w, in->security_mode);
        wr_u16(w, in->dialect_revision);
        size_t count_mark = wr_u16_later(w);
        smb2_guid_put(w, in->server_guid);
        wr_u32(w, in->capabilities);
        wr_u32(w, in->max_transact_size);
        wr_u32(w, in->max_read_size);
        wr_u32(w, in->max_write_size);
        wr_u64(w, (uint64_t)in->system_time_ft);
        wr_u64(w, (uint64_t)in->server_start_time_ft);
        wr_u16(w, SMB2_HEADER_LEN + RSP_FIXED);
        smb2_len16_put(w, in->security_buffer.n);
        size_t off_mark = wr_u32_later(w);
        wr_bytes(w, in->security_buffer);
        if (in->dialect_revision != SMB2_DIALECT_311)
                return;
        wr_align_from(w, hdr_at, LIST_ALIGN);
        wr_fill_u32(w, off_mark, (uint32_t)(w->at - hdr_at));
        wr_fill_u16(w, count_mark, smb2_negotiate_contexts_encode(w, hdr_at, &in->contexts));
}
