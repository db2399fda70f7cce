/* FLUSH, [MS-SMB2] 3.3.5.11: what was written is on disk when the reply goes out. */
#include "wire/smb2/flush.h"
#include "front/smb2/call.h"
#include "front/smb2/commands.h"

static enum fs_err flush_run(struct fs_op *op, unsigned how)
{
        (void)how; /* only ever runs on a worker */
        return fs_flush(smb2_call_of(op)->open->file);
}

static void reply(struct smb2_call *c)
{
        struct writer *w = smb2_reply_begin(c, 8);
        if (!w)
                return;
        smb2_flush_rsp_encode(w);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static void flush_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        if (e != FS_OK)
                smb2_fail_fs(c, e);
        else
                reply(c);
}

void smb2_flush(struct smb2_call *c)
{
        struct smb2_flush_req q;
        if (!smb2_flush_req_decode(c->msg, &q))
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else if (c->open->file)
                smb2_call_start(c, flush_run, flush_done, FS_OP_WORKER);
        else
                reply(c); /* a pipe holds nothing back */
}
