/* CANCEL, [MS-SMB2] 3.3.5.16. Asks the call that AsyncId or MessageId names to end early; that call
 * answers, CANCEL never does. Clients disagree on the MessageId of a CANCEL with an AsyncId (0 or
 * that of the request), so with one only the AsyncId counts. */
#include "front/smb2/chain.h"
#include "front/smb2/commands.h"
#include "front/smb2/dispatch.h"

void smb2_cancel(struct smb2_call *c)
{
        uint64_t async_id = smb2_header_is_async(&c->hdr) ? c->hdr.async_id : 0;
        struct smb2_call *target = smb2_chains_find(c->conn, async_id, c->hdr.message_id);
        if (target && target != c && target->hdr.session_id == c->hdr.session_id)
                smb2_call_cancel(target);
        smb2_call_end_silently(c);
}
