/* CLOSE, [MS-SMB2] 2.2.15 and 2.2.16. */
#include "wire/smb2/close.h"

#include "wire/smb2/body.h"

bool smb2_close_req_decode(struct bytes msg, struct smb2_close_req *out)
{
        struct cursor c = smb2_body_get(msg, 24);
        struct smb2_close_req q = {0};
        q.flags = cur_u16(&c);
        cur_skip(&c, 4); /* Reserved */
        q.file_id = smb2_file_id_get(&c);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_close_req_encode(struct writer *w, const struct smb2_close_req *in)
{
        wr_u16(w, 24);
        wr_u16(w, in->flags);
        wr_u32(w, 0); /* Reserved */
        smb2_file_id_put(w, in->file_id);
}

bool smb2_close_rsp_decode(struct bytes msg, struct smb2_close_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 60);
        struct smb2_close_rsp r = {0};
        r.flags = cur_u16(&c);
        cur_skip(&c, 4); /* Reserved */
        r.creation_time_ft = (int64_t)cur_u64(&c);
        r.last_access_time_ft = (int64_t)cur_u64(&c);
        r.last_write_time_ft = (int64_t)cur_u64(&c);
        r.change_time_ft = (int64_t)cur_u64(&c);
        r.allocation_size = cur_u64(&c);
        r.end_of_file = cur_u64(&c);
        r.file_attributes = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void smb2_close_rsp_encode(struct writer *w, const struct smb2_close_rsp *in)
{
        wr_u16(w, 60);
        wr_u16(w, in->flags);
        wr_u32(w, 0); /* Reserved */
        wr_u64(w, (uint64_t)in->creation_time_ft);
        wr_u64(w, (uint64_t)in->last_access_time_ft);
        wr_u64(w, (uint64_t)in->last_write_time_ft);
        wr_u64(w, (uint64_t)in->change_time_ft);
        wr_u64(w, in->allocation_size);
        wr_u64(w, in->end_of_file);
        wr_u32(w, in->file_attributes);
}
