/* OPLOCK_BREAK, [MS-SMB2] 3.3.5.22. No oplock and no lease is ever granted, so every acknowledgment
 * is for one that the client does not hold. */
#include "wire/smb2/oplock_break.h"
#include "front/smb2/call.h"
#include "front/smb2/commands.h"

void smb2_oplock_break(struct smb2_call *c)
{
        struct smb2_oplock_break oplock;
        struct smb2_lease_break lease;
        if (smb2_oplock_break_decode(c->msg, &oplock)) /* 3.3.5.22.1: no such break is under way */
                smb2_fail(c, STATUS_INVALID_OPLOCK_PROTOCOL);
        else if (smb2_lease_break_decode(c->msg, &lease)) /* 3.3.5.22.2: unknown lease key */
                smb2_fail(c, STATUS_OBJECT_NAME_NOT_FOUND);
        else
                smb2_fail(c, STATUS_INVALID_PARAMETER);
}
