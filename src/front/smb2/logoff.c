/* LOGOFF, [MS-SMB2] 3.3.5.6. The session is out of all tables at once, so nothing new can use it;
 * the reply follows when its opens are closed. Calls in flight keep what they hold. */
#include "front/smb2/commands.h"
#include "front/smb2/session.h"

#include "base/log.h"
#include "front/smb2/chain.h"
#include "wire/smb2/logoff.h"

static void logoff_reply(struct smb2_call *c)
{
        struct writer *w = smb2_reply_begin(c, 4);
        if (!w)
                return;
        smb2_logoff_rsp_encode(w);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static enum fs_err close_run(struct fs_op *op, unsigned how)
{
        return smb2_closing_run(smb2_call_of(op)->state, how);
}

static void close_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        smb2_closing_fini(c->state);
        logoff_reply(c);
}

void smb2_logoff(struct smb2_call *c)
{
        struct smb2_closing *k = arena_alloc(c->arena, sizeof *k);
        if (!smb2_logoff_req_decode(c->msg) || !k) {
                smb2_fail(c, k ? STATUS_INVALID_PARAMETER : STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        smb2_closing_init(k);
        c->state = k;
        log_info("%s signed out from %s",
                 c->session->identity.anonymous ? "(anonymous)" : c->session->identity.user,
                 c->conn->peer);
        smb2_session_end(c->session, k);
        smb2_call_start(c, close_run, close_done, 0);
}
