/* See op.h. Every decision about an operation is taken on its loop, so that cancel, completion and
 * retry cannot meet; the one thing that other threads do to it is wake(), and `state` is where wake
 * and loop meet:
 *
 *   RUNNING  run() is under way, or its result is on the way to the loop
 *   PARKED   waits for wake()
 *   WOKEN    wake() came before the loop knew that the operation waits
 */
#include "fs/op.h"

#include <assert.h>
#include <stdatomic.h>

enum op_state { RUNNING, PARKED, WOKEN };

static bool settle(struct fs_op *op, enum fs_err e);

static struct fs_op *op_of_task(struct task *t)
{
        return container_of(t, struct fs_op, task);
}

static void finish(struct fs_op *op, enum fs_err e)
{
        if (op->done_inside)
                *op->done_inside = true;
        op->done(op, e); /* op may be gone from here */
}

/* ---- on a worker ---- */

static void result_task(struct task *t)
{
        struct fs_op *op = op_of_task(t);
        (void)settle(op, op->result);
}

static void worker_task(struct task *t)
{
        struct fs_op *op = op_of_task(t);
        op->result = op->run(op, 0);
        assert(op->result != FS_AGAIN);
        op->task.run = result_task;
        exec_on_loop(op->exec, &op->task);
}

static void to_worker(struct fs_op *op)
{
        op->task.run = worker_task;
        exec_on_worker(op->exec, &op->task);
}

/* ---- on the loop ---- */

/* Runs it here; true when it is done. */
static bool attempt(struct fs_op *op)
{
        if (op->cancelled) {
                finish(op, FS_CANCELLED);
                return true;
        }
        atomic_store(&op->state, RUNNING);
        if (op->flags & FS_OP_WORKER) {
                to_worker(op);
                return false;
        }
        return settle(op, op->run(op, FS_NOWAIT));
}

static void retry_task(struct task *t)
{
        (void)attempt(op_of_task(t));
}

/* Any thread, with no lock held. The loop is told, and tries again. */
static void op_wake(struct fs_waiter *w)
{
        struct fs_op *op = container_of(w, struct fs_op, waiter);
        int s = RUNNING;
        if (atomic_compare_exchange_strong(&op->state, &s, WOKEN))
                return; /* the loop will see it when it wants to wait */
        assert(s == PARKED);
        op->task.run = retry_task;
        exec_on_loop(op->exec, &op->task);
}

static bool park(struct fs_op *op)
{
        int s = RUNNING;
        if (!atomic_compare_exchange_strong(&op->state, &s, PARKED))
                return attempt(op); /* woken already */
        if (op->cancelled && fs_waiter_cancel(&op->waiter)) {
                finish(op, FS_CANCELLED);
                return true;
        }
        /* Woken or not: whatever comes next comes to this loop later. */
        if (op->parked && !op->told_parked && !op->cancelled) {
                bool done = false, *outer = op->done_inside;
                op->told_parked = true;
                op->done_inside = &done;
                op->parked(op); /* may cancel, and so finish */
                if (done) {
                        if (outer)
                                *outer = true;
                        return true;
                }
                op->done_inside = outer;
        }
        return false;
}

/* What run() said. True when that was the end. */
static bool settle(struct fs_op *op, enum fs_err e)
{
        if (e == FS_PARKED)
                return park(op);
        if (e == FS_AGAIN) {
                to_worker(op);
                return false;
        }
        finish(op, e);
        return true;
}

bool fs_op_start(struct fs_op *op)
{
        bool done = false;
        op->waiter = (struct fs_waiter){.wake = op_wake};
        op->cancelled = op->told_parked = false;
        op->done_inside = &done;
        if (!attempt(op) && !done)
                op->done_inside = NULL;
        return done;
}

void fs_op_cancel(struct fs_op *op)
{
        op->cancelled = true;
        /* Not parked: running, and then it completes; or woken, and then the retry sees the flag.
         */
        if (atomic_load(&op->state) == PARKED && fs_waiter_cancel(&op->waiter))
                finish(op, FS_CANCELLED);
}
