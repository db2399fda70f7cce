/* CANCEL, [MS-SMB2] 2.2.30: messages without content. */
#ifndef FREVO_WIRE_SMB2_CANCEL_H
#define FREVO_WIRE_SMB2_CANCEL_H

#include "wire/smb2/empty_body.h"

static inline bool smb2_cancel_req_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_cancel_req_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}

#endif
