/* TREE_DISCONNECT, [MS-SMB2] 3.3.5.8. The tree is gone at once; the reply follows when its opens
 * are closed. */
#include "front/smb2/commands.h"
#include "front/smb2/tree.h"

#include "front/smb2/call.h"
#include "wire/smb2/tree_disconnect.h"

static enum fs_err close_run(struct fs_op *op, unsigned how)
{
        return smb2_closing_run(smb2_call_of(op)->state, how);
}

static void close_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        smb2_closing_fini(c->state);
        struct writer *w = smb2_reply_begin(c, 4);
        if (!w)
                return;
        smb2_tree_disconnect_rsp_encode(w);
        smb2_reply_done(c, STATUS_SUCCESS);
}

void smb2_tree_disconnect(struct smb2_call *c)
{
        struct smb2_closing *k = arena_alloc(c->arena, sizeof *k);
        if (!smb2_tree_disconnect_req_decode(c->msg) || !k) {
                smb2_fail(c, k ? STATUS_INVALID_PARAMETER : STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        smb2_closing_init(k);
        c->state = k;
        smb2_tree_end(c->tree, k);
        smb2_call_start(c, close_run, close_done, 0);
}
