/* TREE_CONNECT, [MS-SMB2] 2.2.9 and 2.2.10. */
#include "wire/smb2/tree_connect.h"

#include "wire/smb2/body.h"

enum { REQ_FIXED = 8 };

/* With the extension of 3.1.1, {context offset, count, reserved} stand between the fixed part and
 * the path; PathOffset counts from the header all the same (2.2.9), so nothing else is needed. */
bool smb2_tree_connect_req_decode(struct bytes msg, struct smb2_tree_connect_req *out)
{
        struct cursor c = smb2_body_get(msg, 9);
        struct smb2_tree_connect_req q = {0};
        q.flags = cur_u16(&c);
        uint16_t off = cur_u16(&c);
        uint16_t len = cur_u16(&c);
        q.path = cur_window(&c, off, len, SMB2_HEADER_LEN + REQ_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_tree_connect_req_encode(struct writer *w, size_t hdr_at,
                                  const struct smb2_tree_connect_req *in)
{
        smb2_body_put(w, hdr_at, 9);
        wr_u16(w, in->flags & (uint16_t)~SMB2_TREE_CONNECT_FLAG_EXTENSION_PRESENT);
        wr_u16(w, SMB2_HEADER_LEN + REQ_FIXED);
        smb2_len16_put(w, in->path.n);
        wr_bytes(w, in->path);
}

bool smb2_tree_connect_rsp_decode(struct bytes msg, struct smb2_tree_connect_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 16);
        struct smb2_tree_connect_rsp r = {0};
        r.share_type = cur_u8(&c);
        cur_skip(&c, 1); /* Reserved */
        r.share_flags = cur_u32(&c);
        r.capabilities = cur_u32(&c);
        r.maximal_access = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void smb2_tree_connect_rsp_encode(struct writer *w, size_t hdr_at,
                                  const struct smb2_tree_connect_rsp *in)
{
        smb2_body_put(w, hdr_at, 16);
        wr_u8(w, in->share_type);
        wr_u8(w, 0); /* Reserved */
        wr_u32(w, in->share_flags);
        wr_u32(w, in->capabilities);
        wr_u32(w, in->maximal_access);
}
