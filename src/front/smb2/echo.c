/* ECHO, [MS-SMB2] 3.3.5.17. */
#include "wire/smb2/echo.h"
#include "front/smb2/call.h"
#include "front/smb2/commands.h"

void smb2_echo(struct smb2_call *c)
{
        if (!smb2_echo_req_decode(c->msg)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        struct writer *w = smb2_reply_begin(c, 4);
        if (!w)
                return;
        smb2_echo_rsp_encode(w);
        smb2_reply_done(c, STATUS_SUCCESS);
}
