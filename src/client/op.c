/* See op.h: the life of an operation, its result's memory, and waiting for it. */
#include "client/op.h"

#include <errno.h>

#include "base/limits.h"

/* ---- life -------------------------------------------------------------------------------------
 */

void *op_new(struct frevo_ctx *c, struct frevo_share *s, size_t n, frevo_done done, void *arg)
{
        struct frevo_op *op = calloc(1, n);
        if (!op)
                return NULL;
        op->ctx = c;
        op->share = s ? share_ref(s) : NULL;
        op->done = done;
        op->arg = arg;
        list_add_last(&c->ops, &op->link);
        return op;
}

struct frevo_op *op_start(struct frevo_op *op)
{
        op->send(op);
        return op;
}

/* What done() sees, and behind it who holds the data: frevo_data_keep() finds the one by the other.
 */
struct shown_result {
        struct frevo_result r;
        struct buf *buf;
        void *mem;
};

void op_report(struct frevo_op *op, const struct frevo_result *r)
{
        struct shown_result shown = {.r = *r, .buf = op->data_buf, .mem = op->data_mem};
        op->data_buf = NULL;
        op->data_mem = NULL;
        op->done(op->arg, &shown.r);
        buf_unref(shown.buf);
        free(shown.mem);
}

void op_finish(struct frevo_op *op, const struct frevo_result *r)
{
        struct frevo_result last = *r; /* r may lie in op or in what done() frees */
        list_remove(&op->link);
        op_report(op, &last);
        if (op->fini)
                op->fini(op);
        if (op->share)
                share_unref(op->share);
        free(op);
}

static void finish_now(struct task *t)
{
        struct frevo_op *op = container_of(t, struct frevo_op, soon);
        op_finish(op, &op->early);
}

struct frevo_op *op_finish_soon(struct frevo_op *op, int err)
{
        op->early = (struct frevo_result){.err = err, .ntstatus = STATUS_INVALID};
        op->soon.run = finish_now;
        loop_post(op->ctx->loop, &op->soon);
        return op;
}

struct frevo_op *op_failed(struct frevo_ctx *c, int err, frevo_done done, void *arg)
{
        struct frevo_op *op = op_new(c, NULL, sizeof *op, done, arg);
        return op ? op_finish_soon(op, err) : NULL;
}

void frevo_cancel(struct frevo_op *op)
{
        if (op->cancelled)
                return;
        op->cancelled = true;
        if (op->cancel)
                op->cancel(op);
}

/* ---- what went wrong --------------------------------------------------------------------------
 */

struct frevo_result op_trouble(const struct client_req *q)
{
        if (q->err)
                return (struct frevo_result){.err = q->err, .ntstatus = STATUS_INVALID};
        return (struct frevo_result){.err = status_errno(q->status), .ntstatus = q->status};
}

bool op_may_resend(struct frevo_op *op, int err, bool is_idempotent)
{
        bool lost = err == ENOTCONN || (err == ECONNRESET && is_idempotent);
        if (!lost || op->cancelled || !share_is_retrying(op->share) || op->resent >= LIMIT_RESENDS)
                return false;
        op->resent++;
        return true;
}

/* ---- results that are kept --------------------------------------------------------------------
 */

struct frevo_data {
        struct buf *buf;
        void *mem;
};

struct frevo_data *frevo_data_keep(const struct frevo_result *r)
{
        struct shown_result *shown = container_of((void *)(uintptr_t)r, struct shown_result, r);
        struct frevo_data *d = calloc(1, sizeof *d);
        if (!d)
                return NULL;
        if (shown->buf)
                d->buf = buf_ref(shown->buf);
        d->mem = shown->mem;
        shown->mem = NULL;
        return d;
}

void frevo_data_free(struct frevo_data *d)
{
        if (!d)
                return;
        buf_unref(d->buf);
        free(d->mem);
        free(d);
}

/* ---- the synchronous half ---------------------------------------------------------------------
 */

void op_wait_done(void *arg, const struct frevo_result *r)
{
        struct op_wait *w = arg;
        w->over = true;
        w->r = *r;
        if (r->data && !(w->kept = frevo_data_keep(r)))
                w->r = (struct frevo_result){.err = ENOMEM, .ntstatus = STATUS_INVALID};
}

int op_wait(struct frevo_ctx *c, struct frevo_op *op, struct op_wait *w)
{
        if (!op)
                w->r = (struct frevo_result){.err = ENOMEM, .ntstatus = STATUS_INVALID};
        while (op && !w->over)
                frevo_wait(c, -1);
        return w->r.err;
}

void op_wait_fini(struct op_wait *w)
{
        frevo_data_free(w->kept);
        w->kept = NULL;
}

int op_wait_over(struct frevo_ctx *c, struct frevo_op *op, struct op_wait *w)
{
        int err = op_wait(c, op, w);
        op_wait_fini(w);
        return err;
}

int op_wait_data(struct frevo_ctx *c, struct frevo_op *op, struct op_wait *w, void **ret,
                 size_t *ret_n)
{
        int err = op_wait(c, op, w);
        uint8_t *copy = err ? NULL : malloc(w->r.n + 1);
        if (copy) {
                if (w->r.n)
                        memcpy(copy, w->r.data, w->r.n);
                copy[w->r.n] = 0;
                *ret = copy;
                *ret_n = w->r.n;
        } else if (!err) {
                err = ENOMEM;
        }
        op_wait_fini(w);
        return err;
}
