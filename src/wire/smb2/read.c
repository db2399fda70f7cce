/* READ, [MS-SMB2] 2.2.19 and 2.2.20. */
#include "wire/smb2/read.h"

#include "wire/smb2/body.h"

enum { REQ_FIXED = 48 };

bool smb2_read_req_decode(struct bytes msg, struct smb2_read_req *out)
{
        struct cursor c = smb2_body_get(msg, 49);
        struct smb2_read_req q = {0};
        q.padding = cur_u8(&c);
        q.flags = cur_u8(&c);
        q.length = cur_u32(&c);
        q.offset = cur_u64(&c);
        q.file_id = smb2_file_id_get(&c);
        q.minimum_count = cur_u32(&c);
        q.channel = cur_u32(&c);
        q.remaining_bytes = cur_u32(&c);
        uint16_t info_off = cur_u16(&c);
        uint16_t info_len = cur_u16(&c);
        if (q.channel != SMB2_CHANNEL_NONE)
                q.channel_info = cur_window(&c, info_off, info_len, SMB2_HEADER_LEN + REQ_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_read_req_encode(struct writer *w, size_t hdr_at, const struct smb2_read_req *in)
{
        smb2_body_put(w, hdr_at, 49);
        wr_u8(w, in->padding);
        wr_u8(w, in->flags);
        wr_u32(w, in->length);
        wr_u64(w, in->offset);
        smb2_file_id_put(w, in->file_id);
        wr_u32(w, in->minimum_count);
        wr_u32(w, in->channel);
        wr_u32(w, in->remaining_bytes);
        wr_u16(w, in->channel_info.n ? SMB2_HEADER_LEN + REQ_FIXED : 0);
        smb2_len16_put(w, in->channel_info.n);
        wr_bytes(w, in->channel_info);
        if (in->channel_info.n == 0)
                wr_u8(w, 0); /* StructureSize counts one byte of Buffer, and servers look for it */
}

bool smb2_read_rsp_decode(struct bytes msg, struct smb2_read_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 17);
        struct smb2_read_rsp r = {0};
        uint8_t off = cur_u8(&c);
        cur_skip(&c, 1); /* Reserved */
        uint32_t len = cur_u32(&c);
        r.data_remaining = cur_u32(&c);
        r.flags = cur_u32(&c);
        r.data = cur_window(&c, off, len, SMB2_HEADER_LEN + SMB2_READ_RSP_HEAD_LEN, 1);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void smb2_read_rsp_encode_head(struct writer *w, size_t hdr_at, const struct smb2_read_rsp *in,
                               uint32_t data_len)
{
        smb2_body_put(w, hdr_at, 17);
        wr_u8(w, SMB2_HEADER_LEN + SMB2_READ_RSP_HEAD_LEN);
        wr_u8(w, 0); /* Reserved */
        wr_u32(w, data_len);
        wr_u32(w, in->data_remaining);
        wr_u32(w, in->flags);
}

void smb2_read_rsp_encode(struct writer *w, size_t hdr_at, const struct smb2_read_rsp *in)
{
        smb2_read_rsp_encode_head(w, hdr_at, in, (uint32_t)in->data.n);
        wr_bytes(w, in->data);
}
