/* What NEGOTIATE decides, for those who ask about it later. */
#ifndef FREVO_FRONT_SMB2_NEGOTIATE_H
#define FREVO_FRONT_SMB2_NEGOTIATE_H

#include "front/smb2/call.h"
#include "wire/smb2/fsctl.h"

/* The multi-protocol request, which comes as SMB 1 ([MS-SMB2] 3.3.5.3): c is a call made up for it,
 * whose msg is the whole SMB 1 message. Answers or drops the connection. */
void smb2_negotiate_smb1(struct smb2_call *c);

/* FSCTL_VALIDATE_NEGOTIATE_INFO ([MS-SMB2] 3.3.5.15.12): true, and *ret is the answer, when q is
 * what this connection negotiated. False: somebody meddled; the connection was dropped and the call
 * ended. */
bool smb2_negotiate_validate(struct smb2_call *c, const struct validate_negotiate_info_req *q,
                             struct validate_negotiate_info_rsp *ret);

#endif
