/* SESSION_SETUP, [MS-SMB2] 2.2.5 and 2.2.6. The tokens inside are of wire/spnego and wire/ntlm. */
#include "wire/smb2/session_setup.h"

#include "wire/smb2/body.h"

enum { REQ_FIXED = 24, RSP_FIXED = 8 };

bool smb2_session_setup_req_decode(struct bytes msg, struct smb2_session_setup_req *out)
{
        struct cursor c = smb2_body_get(msg, 25);
        struct smb2_session_setup_req q = {0};
        q.flags = cur_u8(&c);
        q.security_mode = cur_u8(&c);
        q.capabilities = cur_u32(&c);
        q.channel = cur_u32(&c);
        uint16_t off = cur_u16(&c);
        uint16_t len = cur_u16(&c);
        q.previous_session_id = cur_u64(&c);
        q.security_buffer = cur_window(&c, off, len, SMB2_HEADER_LEN + REQ_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_session_setup_req_encode(struct writer *w, size_t hdr_at,
                                   const struct smb2_session_setup_req *in)
{
        smb2_body_put(w, hdr_at, 25);
        wr_u8(w, in->flags);
        wr_u8(w, in->security_mode);
        wr_u32(w, in->capabilities);
        wr_u32(w, in->channel);
        wr_u16(w, SMB2_HEADER_LEN + REQ_FIXED);
        smb2_len16_put(w, in->security_buffer.n);
        wr_u64(w, in->previous_session_id);
        wr_bytes(w, in->security_buffer);
}

bool smb2_session_setup_rsp_decode(struct bytes msg, struct smb2_session_setup_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 9);
        struct smb2_session_setup_rsp r = {0};
        r.session_flags = cur_u16(&c);
        uint16_t off = cur_u16(&c);
        uint16_t len = cur_u16(&c);
        r.security_buffer = cur_window(&c, off, len, SMB2_HEADER_LEN + RSP_FIXED, 1);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void smb2_session_setup_rsp_encode(struct writer *w, size_t hdr_at,
                                   const struct smb2_session_setup_rsp *in)
{
        smb2_body_put(w, hdr_at, 9);
        wr_u16(w, in->session_flags);
        wr_u16(w, SMB2_HEADER_LEN + RSP_FIXED);
        smb2_len16_put(w, in->security_buffer.n);
        wr_bytes(w, in->security_buffer);
}
