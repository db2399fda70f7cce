/* LOGOFF, [MS-SMB2] 2.2.7 and 2.2.8: messages without content. */
#ifndef FREVO_WIRE_SMB2_LOGOFF_H
#define FREVO_WIRE_SMB2_LOGOFF_H

#include "wire/smb2/empty_body.h"

static inline bool smb2_logoff_req_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_logoff_req_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}
static inline bool smb2_logoff_rsp_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_logoff_rsp_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}

#endif
