/* QUERY_DIRECTORY request, [MS-SMB2] 2.2.33. */
#include "wire/smb2/query_directory.h"

#include "wire/smb2/body.h"

enum { REQ_FIXED = 32 };

bool smb2_query_directory_req_decode(struct bytes msg, struct smb2_query_directory_req *out)
{
        struct cursor c = smb2_body_get(msg, 33);
        struct smb2_query_directory_req q = {0};
        q.file_information_class = cur_u8(&c);
        q.flags = cur_u8(&c);
        q.file_index = cur_u32(&c);
        q.file_id = smb2_file_id_get(&c);
        uint16_t off = cur_u16(&c);
        uint16_t len = cur_u16(&c);
        q.output_buffer_length = cur_u32(&c);
        q.file_name = cur_window(&c, off, len, SMB2_HEADER_LEN + REQ_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_query_directory_req_encode(struct writer *w, size_t hdr_at,
                                     const struct smb2_query_directory_req *in)
{
        smb2_body_put(w, hdr_at, 33);
        wr_u8(w, in->file_information_class);
        wr_u8(w, in->flags);
        wr_u32(w, in->file_index);
        smb2_file_id_put(w, in->file_id);
        wr_u16(w, in->file_name.n ? SMB2_HEADER_LEN + REQ_FIXED : 0);
        smb2_len16_put(w, in->file_name.n);
        wr_u32(w, in->output_buffer_length);
        wr_bytes(w, in->file_name);
        if (in->file_name.n == 0)
                wr_u8(w, 0); /* StructureSize counts one byte of Buffer */
}
