/* QUERY_INFO request, [MS-SMB2] 2.2.37, and the input of its quota form, 2.2.37.1. */
#include "wire/smb2/query_info.h"

#include "wire/smb2/body.h"

enum { REQ_FIXED = 40, QUOTA_FIXED = 16 };

bool smb2_query_info_req_decode(struct bytes msg, struct smb2_query_info_req *out)
{
        struct cursor c = smb2_body_get(msg, 41);
        struct smb2_query_info_req q = {0};
        q.info_type = cur_u8(&c);
        q.file_info_class = cur_u8(&c);
        q.output_buffer_length = cur_u32(&c);
        uint16_t off = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved */
        uint32_t len = cur_u32(&c);
        q.additional_information = cur_u32(&c);
        q.flags = cur_u32(&c);
        q.file_id = smb2_file_id_get(&c);
        q.input = cur_window(&c, off, len, SMB2_HEADER_LEN + REQ_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_query_info_req_encode(struct writer *w, size_t hdr_at,
                                const struct smb2_query_info_req *in)
{
        smb2_body_put(w, hdr_at, 41);
        wr_u8(w, in->info_type);
        wr_u8(w, in->file_info_class);
        wr_u32(w, in->output_buffer_length);
        wr_u16(w, in->input.n ? SMB2_HEADER_LEN + REQ_FIXED : 0);
        wr_u16(w, 0); /* Reserved */
        smb2_len32_put(w, in->input.n);
        wr_u32(w, in->additional_information);
        wr_u32(w, in->flags);
        smb2_file_id_put(w, in->file_id);
        wr_bytes(w, in->input);
        if (in->input.n == 0)
                wr_u8(w, 0); /* StructureSize counts one byte of Buffer */
}

bool smb2_query_quota_info_decode(struct bytes input, struct smb2_query_quota_info *out)
{
        struct cursor c = cur_of(input);
        struct smb2_query_quota_info q = {0};
        q.return_single = cur_u8(&c) != 0;
        q.restart_scan = cur_u8(&c) != 0;
        cur_skip(&c, 2); /* Reserved */
        uint32_t list_len = cur_u32(&c);
        uint32_t sid_len = cur_u32(&c);
        uint32_t sid_off = cur_u32(&c); /* from the start of SidBuffer */
        if (!cur_ok(&c) || (list_len != 0 && sid_len != 0))
                return false;
        q.sid_list = cur_window(&c, QUOTA_FIXED, list_len, QUOTA_FIXED, 1);
        q.start_sid = cur_window(&c, (uint64_t)QUOTA_FIXED + sid_off, sid_len, QUOTA_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_query_quota_info_encode(struct writer *w, const struct smb2_query_quota_info *in)
{
        assert(in->sid_list.n == 0 || in->start_sid.n == 0);
        wr_u8(w, in->return_single);
        wr_u8(w, in->restart_scan);
        wr_u16(w, 0); /* Reserved */
        smb2_len32_put(w, in->sid_list.n);
        smb2_len32_put(w, in->start_sid.n);
        wr_u32(w, 0); /* StartSidOffset */
        wr_bytes(w, in->sid_list);
        wr_bytes(w, in->start_sid);
}
