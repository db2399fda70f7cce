/* ECHO, [MS-SMB2] 2.2.28 and 2.2.29: messages without content. */
#ifndef FREVO_WIRE_SMB2_ECHO_H
#define FREVO_WIRE_SMB2_ECHO_H

#include "wire/smb2/empty_body.h"

static inline bool smb2_echo_req_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_echo_req_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}
static inline bool smb2_echo_rsp_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_echo_rsp_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}

#endif
