/* CREATE, [MS-SMB2] 2.2.13 and 2.2.14. The context list is handed out as a window; create_context.h
 * reads it. */
#include "wire/smb2/create.h"

#include "wire/smb2/body.h"

enum {
        REQ_FIXED = 56,
        RSP_FIXED = 88,
        CONTEXTS_ALIGN = 8,
};

bool smb2_create_req_decode(struct bytes msg, struct smb2_create_req *out)
{
        struct cursor c = smb2_body_get(msg, 57);
        struct smb2_create_req q = {0};
        cur_skip(&c, 1); /* SecurityFlags: reserved */
        q.requested_oplock_level = cur_u8(&c);
        q.impersonation_level = cur_u32(&c);
        cur_skip(&c, 8 + 8); /* SmbCreateFlags and Reserved */
        q.desired_access = cur_u32(&c);
        q.file_attributes = cur_u32(&c);
        q.share_access = cur_u32(&c);
        q.create_disposition = cur_u32(&c);
        q.create_options = cur_u32(&c);
        uint16_t name_off = cur_u16(&c);
        uint16_t name_len = cur_u16(&c);
        uint32_t list_off = cur_u32(&c);
        uint32_t list_len = cur_u32(&c);
        q.name = cur_window(&c, name_off, name_len, SMB2_HEADER_LEN + REQ_FIXED, 1);
        q.contexts =
                cur_window(&c, list_off, list_len, SMB2_HEADER_LEN + REQ_FIXED, CONTEXTS_ALIGN);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_create_req_encode(struct writer *w, size_t hdr_at, const struct smb2_create_req *in)
{
        smb2_body_put(w, hdr_at, 57);
        wr_u8(w, 0); /* SecurityFlags */
        wr_u8(w, in->requested_oplock_level);
        wr_u32(w, in->impersonation_level);
        wr_zero(w, 8 + 8); /* SmbCreateFlags and Reserved */
        wr_u32(w, in->desired_access);
        wr_u32(w, in->file_attributes);
        wr_u32(w, in->share_access);
        wr_u32(w, in->create_disposition);
        wr_u32(w, in->create_options);
        wr_u16(w, SMB2_HEADER_LEN + REQ_FIXED);
        smb2_len16_put(w, in->name.n);
        size_t off_mark = wr_u32_later(w);
        smb2_len32_put(w, in->contexts.n);
        wr_bytes(w, in->name);
        if (in->contexts.n) {
                wr_align_from(w, hdr_at, CONTEXTS_ALIGN);
                wr_fill_u32(w, off_mark, (uint32_t)(w->at - hdr_at));
                wr_bytes(w, in->contexts);
        } else if (in->name.n == 0) {
                wr_u8(w, 0); /* Buffer has at least one byte in requests */
        }
}

bool smb2_create_rsp_decode(struct bytes msg, struct smb2_create_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 89);
        struct smb2_create_rsp r = {0};
        r.oplock_level = cur_u8(&c);
        r.flags = cur_u8(&c);
        r.create_action = cur_u32(&c);
        r.creation_time_ft = (int64_t)cur_u64(&c);
        r.last_access_time_ft = (int64_t)cur_u64(&c);
        r.last_write_time_ft = (int64_t)cur_u64(&c);
        r.change_time_ft = (int64_t)cur_u64(&c);
        r.allocation_size = cur_u64(&c);
        r.end_of_file = cur_u64(&c);
        r.file_attributes = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved2 */
        r.file_id = smb2_file_id_get(&c);
        uint32_t list_off = cur_u32(&c);
        uint32_t list_len = cur_u32(&c);
        r.contexts =
                cur_window(&c, list_off, list_len, SMB2_HEADER_LEN + RSP_FIXED, CONTEXTS_ALIGN);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

/* Returns where CreateContextsOffset stands. */
static size_t rsp_fixed_encode(struct writer *w, size_t hdr_at, const struct smb2_create_rsp *in)
{
        smb2_body_put(w, hdr_at, 89);
        wr_u8(w, in->oplock_level);
        wr_u8(w, in->flags);
        wr_u32(w, in->create_action);
        wr_u64(w, (uint64_t)in->creation_time_ft);
        wr_u64(w, (uint64_t)in->last_access_time_ft);
        wr_u64(w, (uint64_t)in->last_write_time_ft);
        wr_u64(w, (uint64_t)in->change_time_ft);
        wr_u64(w, in->allocation_size);
        wr_u64(w, in->end_of_file);
        wr_u32(w, in->file_attributes);
        wr_u32(w, 0); /* Reserved2 */
        smb2_file_id_put(w, in->file_id);
        size_t fields_at = wr_u32_later(w);
        wr_u32(w, 0); /* CreateContextsLength, so far */
        return fields_at;
}

void smb2_create_rsp_encode(struct writer *w, size_t hdr_at, const struct smb2_create_rsp *in)
{
        size_t fields_at = rsp_fixed_encode(w, hdr_at, in);
        if (in->contexts.n == 0)
                return;
        wr_fill_u32(w, fields_at, SMB2_HEADER_LEN + RSP_FIXED);
        wr_fill_u32(w, fields_at + 4, (uint32_t)in->contexts.n);
        wr_bytes(w, in->contexts);
}

/* The fixed part ends at a multiple of 8 from the header, so the list needs no padding in front. */
void smb2_create_rsp_begin(struct writer *w, size_t hdr_at, const struct smb2_create_rsp *in,
                           struct smb2_create_context_writer *cw)
{
        static_assert((SMB2_HEADER_LEN + RSP_FIXED) % CONTEXTS_ALIGN == 0, "list is aligned");
        size_t fields_at = rsp_fixed_encode(w, hdr_at, in);
        smb2_create_context_begin(cw, w);
        cw->has_fields = true;
        cw->hdr_at = hdr_at;
        cw->fields_at = fields_at;
}
