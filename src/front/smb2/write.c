/* WRITE, [MS-SMB2] 3.3.5.13. Translates WRITE; the file work is fs_write(), straight from the
 * frame's buffer, which lives as long as the call. */
#include "front/smb2/front.h"

#include "front/smb2/call.h"
#include "front/smb2/commands.h"
#include "rpc/pipe.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/write.h"

static enum fs_err write_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        const struct smb2_write_req *q = c->state;
        bool through = (q->flags & SMB2_WRITEFLAG_WRITE_THROUGH) != 0 ||
                       (fs_open_options(c->open->file) & FS_OPT_WRITE_THROUGH) != 0;
        return fs_write(c->open->file, q->data.p, q->data.n, q->offset, through, how);
}

static void reply(struct smb2_call *c, uint32_t count)
{
        struct smb2_write_rsp r = {.count = count};
        struct writer *w = smb2_reply_begin(c, 32);
        if (!w)
                return;
        smb2_write_rsp_encode(w, &r);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static void write_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        const struct smb2_write_req *q = c->state;
        if (e != FS_OK)
                smb2_fail_fs(c, e);
        else
                reply(c, (uint32_t)q->data.n);
}

static void write_pipe(struct smb2_call *c, const struct smb2_write_req *q)
{
        enum rpc_result e = rpc_pipe_write(c->open->pipe, q->data);
        if (e == RPC_DONE)
                reply(c, (uint32_t)q->data.n);
        else
                smb2_fail(c, smb2_status_of_rpc(e));
}

void smb2_write(struct smb2_call *c)
{
        struct smb2_write_req *q = c->state = arena_alloc(c->arena, sizeof *q);
        if (!q) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        if (!smb2_write_req_decode(c->msg, q) || q->length > smb2_call_config(c)->max_io ||
            q->offset > INT64_MAX ||
            (smb2_call_dialect(c) >= SMB2_DIALECT_300 && q->channel != SMB2_CHANNEL_NONE)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        if (c->open->pipe)
                write_pipe(c, q);
        else if (fs_open_is_dir(c->open->file))
                smb2_fail(c, STATUS_INVALID_DEVICE_REQUEST);
        else
                smb2_call_start(c, write_run, write_done, 0);
}
