/* One operation of a front end on the file service, run to its one completion.
 *
 * The caller embeds a struct fs_op, fills run, done and exec, and starts it on its loop. run() is
 * tried on the loop with FS_NOWAIT; FS_AGAIN sends it to a worker; FS_PARKED leaves it waiting
 * until the file service wakes it, then run() starts over. done() is called exactly once, on the
 * loop, never from inside fs_op_start unless run() completed at once (the return value tells). The
 * memory is the caller's again only in done().
 */
#ifndef FREVO_FS_OP_H
#define FREVO_FS_OP_H

#include "base/exec.h"
#include "fs/fs.h"

enum fs_op_flags {
        FS_OP_WORKER = 1u << 0, /* known to block: never tried on the loop */
};

struct fs_op {
        /* Calls fs_...(..., how, &op->waiter). Any thread. */
        enum fs_err (*run)(struct fs_op *op, unsigned how);
        /* On the loop. */
        void (*done)(struct fs_op *op, enum fs_err e);
        /* On the loop, at most once, when the operation parks: a front may tell its client that it
         * will take a while. NULL: not interested. */
        void (*parked)(struct fs_op *op);
        struct exec *exec;
        unsigned flags;
        /* private from here */
        struct fs_waiter waiter;
        struct task task;
        enum fs_err result;
        _Atomic int state;
        bool cancelled, told_parked;
        bool *done_inside; /* fs_op_start's answer, while it runs */
};

/* True: done() has run already, inside this call. */
bool fs_op_start(struct fs_op *op);
/* On the loop. Asks for an early end: a parked operation completes with FS_CANCELLED; one that is
 * running completes as it would. done() still comes exactly once, later or inside this call. */
void fs_op_cancel(struct fs_op *op);

#endif
