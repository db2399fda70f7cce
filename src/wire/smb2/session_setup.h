/* SESSION_SETUP, [MS-SMB2] 2.2.5 and 2.2.6. */
#ifndef FREVO_WIRE_SMB2_SESSION_SETUP_H
#define FREVO_WIRE_SMB2_SESSION_SETUP_H

#include "wire/smb2/dialect.h"
#include "wire/smb2/header.h"

enum smb2_session_setup_flags { SMB2_SESSION_FLAG_BINDING = 0x01 };

enum smb2_session_flags {
        SMB2_SESSION_FLAG_IS_GUEST = 0x0001,
        SMB2_SESSION_FLAG_IS_NULL = 0x0002,
        SMB2_SESSION_FLAG_ENCRYPT_DATA = 0x0004,
};

struct smb2_session_setup_req {
        uint8_t flags;         /* enum smb2_session_setup_flags */
        uint8_t security_mode; /* enum smb2_security_mode */
        uint32_t capabilities; /* only SMB2_GLOBAL_CAP_DFS has a meaning here */
        uint32_t channel;
        uint64_t previous_session_id;
        struct bytes security_buffer;
};

struct smb2_session_setup_rsp {
        uint16_t session_flags; /* enum smb2_session_flags */
        struct bytes security_buffer;
};

bool smb2_session_setup_req_decode(struct bytes msg, struct smb2_session_setup_req *out);
void smb2_session_setup_req_encode(struct writer *w, size_t hdr_at,
                                   const struct smb2_session_setup_req *in);
bool smb2_session_setup_rsp_decode(struct bytes msg, struct smb2_session_setup_rsp *out);
void smb2_session_setup_rsp_encode(struct writer *w, size_t hdr_at,
                                   const struct smb2_session_setup_rsp *in);

#endif
