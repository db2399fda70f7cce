/* See late_close.h. */
#include "front/smb2/late_close.h"

#include "base/log.h"
#include "fs/op.h"

struct late_close {
        struct fs_op op;
        struct fs_open *file;
};

static enum fs_err late_run(struct fs_op *op, unsigned how)
{
        return fs_close(container_of(op, struct late_close, op)->file, how);
}

static void late_done(struct fs_op *op, enum fs_err e)
{
        struct late_close *l = container_of(op, struct late_close, op);
        if (e != FS_OK && e != FS_CLOSED) /* there is nobody left to tell */
                log_warn("closing a file of an ended session: %s", fs_err_text(e));
        fs_open_unref(l->file);
        free(l);
}

void smb2_late_close(struct exec *exec, struct fs_open *o)
{
        struct late_close *l = calloc(1, sizeof *l);
        if (!l) {
                (void)fs_close(o, 0); /* as in late_done */
                fs_open_unref(o);
                return;
        }
        l->file = o;
        l->op.run = late_run;
        l->op.done = late_done;
        l->op.exec = exec;
        l->op.flags = FS_OP_WORKER;
        (void)fs_op_start(&l->op); /* on a worker: never done inside */
}
