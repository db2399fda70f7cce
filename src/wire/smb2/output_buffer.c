/* StructureSize 9, offset, length, buffer: the replies of QUERY_DIRECTORY, CHANGE_NOTIFY and
 * QUERY_INFO, [MS-SMB2] 2.2.34, 2.2.36, 2.2.38. */
#include "wire/smb2/output_buffer.h"

#include "wire/smb2/body.h"

bool smb2_output_buffer_decode(struct bytes msg, struct bytes *out)
{
        struct cursor c = smb2_body_get(msg, 9);
        uint16_t off = cur_u16(&c);
        uint32_t len = cur_u32(&c);
        struct bytes b = cur_window(&c, off, len, SMB2_HEADER_LEN + SMB2_OUTPUT_BUFFER_HEAD_LEN, 1);
        if (!cur_ok(&c))
                return false;
        *out = b;
        return true;
}

void smb2_output_buffer_encode_head(struct writer *w, size_t hdr_at, uint32_t output_len)
{
        smb2_body_put(w, hdr_at, 9);
        wr_u16(w, output_len ? SMB2_HEADER_LEN + SMB2_OUTPUT_BUFFER_HEAD_LEN : 0);
        wr_u32(w, output_len);
}

void smb2_output_buffer_encode(struct writer *w, size_t hdr_at, struct bytes output)
{
        smb2_output_buffer_encode_head(w, hdr_at, (uint32_t)output.n);
        wr_bytes(w, output);
}

size_t smb2_output_buffer_begin(struct writer *w, size_t hdr_at)
{
        smb2_body_put(w, hdr_at, 9);
        wr_u16(w, SMB2_HEADER_LEN + SMB2_OUTPUT_BUFFER_HEAD_LEN);
        return wr_u32_later(w);
}

void smb2_output_buffer_end(struct writer *w, size_t mark)
{
        if (wr_ok(w))
                wr_fill_u32(w, mark, (uint32_t)(w->at - (mark + 4)));
}
