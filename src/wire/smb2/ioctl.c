/* IOCTL, [MS-SMB2] 2.2.31 and 2.2.32. */
#include "wire/smb2/ioctl.h"

#include "wire/smb2/body.h"

enum { REQ_FIXED = 56, OUTPUT_ALIGN = 8 };

bool smb2_ioctl_req_decode(struct bytes msg, struct smb2_ioctl_req *out)
{
        const size_t buffer_at = SMB2_HEADER_LEN + REQ_FIXED;
        struct cursor c = smb2_body_get(msg, 57);
        struct smb2_ioctl_req q = {0};
        cur_skip(&c, 2); /* Reserved */
        q.ctl_code = cur_u32(&c);
        q.file_id = smb2_file_id_get(&c);
        uint32_t in_off = cur_u32(&c);
        uint32_t in_len = cur_u32(&c);
        q.max_input_response = cur_u32(&c);
        uint32_t out_off = cur_u32(&c);
        uint32_t out_len = cur_u32(&c);
        q.max_output_response = cur_u32(&c);
        q.flags = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved2 */
        q.input = cur_window(&c, in_off, in_len, buffer_at, 1);
        q.output = cur_window(&c, out_off, out_len, buffer_at, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_ioctl_req_encode(struct writer *w, size_t hdr_at, const struct smb2_ioctl_req *in)
{
        smb2_body_put(w, hdr_at, 57);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, in->ctl_code);
        smb2_file_id_put(w, in->file_id);
        wr_u32(w, in->input.n ? SMB2_HEADER_LEN + REQ_FIXED : 0);
        smb2_len32_put(w, in->input.n);
        wr_u32(w, in->max_input_response);
        size_t out_mark = wr_u32_later(w);
        smb2_len32_put(w, in->output.n);
        wr_u32(w, in->max_output_response);
        wr_u32(w, in->flags);
        wr_u32(w, 0); /* Reserved2 */
        wr_bytes(w, in->input);
        if (in->output.n == 0)
                return;
        wr_align_from(w, hdr_at, OUTPUT_ALIGN);
        wr_fill_u32(w, out_mark, (uint32_t)(w->at - hdr_at));
        wr_bytes(w, in->output);
}

bool smb2_ioctl_rsp_decode(struct bytes msg, struct smb2_ioctl_rsp *out)
{
        const size_t buffer_at = SMB2_HEADER_LEN + SMB2_IOCTL_RSP_HEAD_LEN;
        struct cursor c = smb2_body_get(msg, 49);
        struct smb2_ioctl_rsp r = {0};
        cur_skip(&c, 2); /* Reserved */
        r.ctl_code = cur_u32(&c);
        r.file_id = smb2_file_id_get(&c);
        uint32_t in_off = cur_u32(&c);
        uint32_t in_len = cur_u32(&c);
        uint32_t out_off = cur_u32(&c);
        uint32_t out_len = cur_u32(&c);
        r.flags = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved2 */
        r.input = cur_window(&c, in_off, in_len, buffer_at, 1);
        r.output = cur_window(&c, out_off, out_len, buffer_at, 1);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

static void rsp_fixed_encode(struct writer *w, size_t hdr_at, const struct smb2_ioctl_rsp *in,
                             size_t input_len, size_t output_len)
{
        const size_t buffer_at = SMB2_HEADER_LEN + SMB2_IOCTL_RSP_HEAD_LEN;
        size_t out_at = buffer_at + input_len;
        out_at += (OUTPUT_ALIGN - out_at % OUTPUT_ALIGN) % OUTPUT_ALIGN;
        smb2_body_put(w, hdr_at, 49);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, in->ctl_code);
        smb2_file_id_put(w, in->file_id);
        wr_u32(w, (uint32_t)buffer_at);
        smb2_len32_put(w, input_len);
        smb2_len32_put(w, out_at);
        smb2_len32_put(w, output_len);
        wr_u32(w, in->flags);
        wr_u32(w, 0); /* Reserved2 */
}

void smb2_ioctl_rsp_encode_head(struct writer *w, size_t hdr_at, const struct smb2_ioctl_rsp *in,
                                uint32_t output_len)
{
        rsp_fixed_encode(w, hdr_at, in, 0, output_len);
}

void smb2_ioctl_rsp_encode(struct writer *w, size_t hdr_at, const struct smb2_ioctl_rsp *in)
{
        rsp_fixed_encode(w, hdr_at, in, in->input.n, in->output.n);
        wr_bytes(w, in->input);
        wr_align_from(w, hdr_at, OUTPUT_ALIGN);
        wr_bytes(w, in->output);
}
