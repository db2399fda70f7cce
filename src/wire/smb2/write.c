/* WRITE, [MS-SMB2] 2.2.21 and 2.2.22. */
#include "wire/smb2/write.h"

#include "wire/smb2/body.h"

/* Everything but the data's window, which the callers check against what they have. */
static bool req_fixed_decode(struct bytes msg, struct smb2_write_req *out)
{
        struct cursor c = smb2_body_get(msg, 49);
        struct smb2_write_req q = {0};
        q.data_offset = cur_u16(&c);
        q.length = cur_u32(&c);
        q.offset = cur_u64(&c);
        q.file_id = smb2_file_id_get(&c);
        q.channel = cur_u32(&c);
        q.remaining_bytes = cur_u32(&c);
        cur_skip(&c, 2 + 2); /* WriteChannelInfo: only for RDMA, which is not spoken */
        q.flags = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

bool smb2_write_req_decode(struct bytes msg, struct smb2_write_req *out)
{
        struct smb2_write_req q;
        struct cursor c = cur_of(msg);
        if (!req_fixed_decode(msg, &q))
                return false;
        q.data = cur_window(&c, q.data_offset, q.length, SMB2_HEADER_LEN + SMB2_WRITE_REQ_HEAD_LEN,
                            1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

bool smb2_write_req_decode_head(struct bytes msg, size_t msg_len, struct smb2_write_req *out)
{
        struct smb2_write_req q;
        if (!req_fixed_decode(msg, &q))
                return false;
        if (q.length > 0 && (q.data_offset < SMB2_HEADER_LEN + SMB2_WRITE_REQ_HEAD_LEN ||
                             q.data_offset > msg_len || q.length > msg_len - q.data_offset))
                return false;
        *out = q;
        return true;
}

void smb2_write_req_encode_head(struct writer *w, size_t hdr_at, const struct smb2_write_req *in,
                                uint32_t data_len)
{
        smb2_body_put(w, hdr_at, 49);
        wr_u16(w, SMB2_HEADER_LEN + SMB2_WRITE_REQ_HEAD_LEN);
        wr_u32(w, data_len);
        wr_u64(w, in->offset);
        smb2_file_id_put(w, in->file_id);
        wr_u32(w, in->channel);
        wr_u32(w, in->remaining_bytes);
        wr_zero(w, 2 + 2); /* WriteChannelInfo */
        wr_u32(w, in->flags);
}

void smb2_write_req_encode(struct writer *w, size_t hdr_at, const struct smb2_write_req *in)
{
        smb2_write_req_encode_head(w, hdr_at, in, (uint32_t)in->data.n);
        wr_bytes(w, in->data);
}

bool smb2_write_rsp_decode(struct bytes msg, struct smb2_write_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 17);
        struct smb2_write_rsp r = {0};
        cur_skip(&c, 2); /* Reserved */
        r.count = cur_u32(&c);
        cur_skip(&c, 4 + 2 + 2); /* Remaining, WriteChannelInfo: reserved */
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void smb2_write_rsp_encode(struct writer *w, const struct smb2_write_rsp *in)
{
        wr_u16(w, 17);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, in->count);
        wr_zero(w, 4 + 2 + 2); /* Remaining, WriteChannelInfo */
}
