/* SET_INFO, [MS-SMB2] 2.2.39 and 2.2.40. */
#include "wire/smb2/set_info.h"

#include "wire/smb2/body.h"

enum { REQ_FIXED = 32 };

bool smb2_set_info_req_decode(struct bytes msg, struct smb2_set_info_req *out)
{
        struct cursor c = smb2_body_get(msg, 33);
        struct smb2_set_info_req q = {0};
        q.info_type = cur_u8(&c);
        q.file_info_class = cur_u8(&c);
        uint32_t len = cur_u32(&c);
        uint16_t off = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved */
        q.additional_information = cur_u32(&c);
        q.file_id = smb2_file_id_get(&c);
        q.buffer = cur_window(&c, off, len, SMB2_HEADER_LEN + REQ_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_set_info_req_encode(struct writer *w, size_t hdr_at, const struct smb2_set_info_req *in)
{
        smb2_body_put(w, hdr_at, 33);
        wr_u8(w, in->info_type);
        wr_u8(w, in->file_info_class);
        smb2_len32_put(w, in->buffer.n);
        wr_u16(w, SMB2_HEADER_LEN + REQ_FIXED);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, in->additional_information);
        smb2_file_id_put(w, in->file_id);
        wr_bytes(w, in->buffer);
}

bool smb2_set_info_rsp_decode(struct bytes msg)
{
        struct cursor c = smb2_body_get(msg, 2);
        return cur_ok(&c);
}

void smb2_set_info_rsp_encode(struct writer *w)
{
        wr_u16(w, 2);
}
