/* See transfer.h. */
#include "client/transfer.h"

#include <errno.h>

static void piece_start(struct transfer *t, struct piece *p)
{
        p->busy = true;
        t->busy++;
        file_req_start(&p->r);
}

/* The next part for a piece that has nothing to do; false: there is none. */
static bool next_part(struct transfer *t, struct piece *p)
{
        if (t->trouble.err || t->op.cancelled || t->next >= t->end)
                return false;
        uint64_t left = t->end - t->next;
        p->at = t->next;
        p->n = left < t->piece_max ? (uint32_t)left : t->piece_max;
        t->next += p->n;
        piece_start(t, p);
        return true;
}

static void fail(struct transfer *t, int err, uint32_t status)
{
        if (!t->trouble.err)
                t->trouble = (struct frevo_result){.err = err, .ntstatus = status};
}

/* A piece was answered. True: it goes on with what is left of it. */
static bool goes_on(struct transfer *t, struct piece *p)
{
        uint32_t n = 0;
        int err = t->took(p, &n);
        if (err == PIECE_AGAIN)
                return !t->trouble.err && !t->op.cancelled;
        if (err) {
                fail(t, err, p->r.q.status);
                return false;
        }
        if (n >= p->n)
                return false;
        if (t->ends_short) {
                if (p->at + n < t->end)
                        t->end = p->at + n;
                return false;
        }
        if (n == 0) { /* no progress, and no reason given */
                fail(t, EIO, p->r.q.status);
                return false;
        }
        p->at += n;
        p->n -= n;
        return !t->trouble.err && !t->op.cancelled;
}

static void piece_done(struct file_req *r)
{
        struct piece *p = piece_of(r);
        struct transfer *t = p->of;
        p->busy = false;
        t->busy--;
        if (r->q.err) {
                fail(t, r->q.err, STATUS_INVALID);
        } else if (goes_on(t, p)) {
                piece_start(t, p);
                return;
        }
        if (next_part(t, p) || t->busy)
                return;
        if (t->next < t->end)
                fail(t, ECANCELED, STATUS_INVALID);
        t->finish(t);
}

void transfer_go(struct transfer *t)
{
        for (unsigned i = 0; i < t->n_pieces; i++)
                (void)next_part(t, &t->pieces[i]); /* there is one for each */
}

static void transfer_send(struct frevo_op *op)
{
        transfer_go(transfer_of(op));
}

void transfer_cancel(struct frevo_op *op)
{
        struct transfer *t = transfer_of(op);
        for (unsigned i = 0; i < t->n_pieces; i++)
                if (t->pieces[i].busy)
                        file_req_cancel(&t->pieces[i].r);
}

static void transfer_fini(struct frevo_op *op)
{
        struct transfer *t = transfer_of(op);
        if (t->fini)
                t->fini(t);
        file_unref(t->file);
        free(t->pieces);
}

void *transfer_new(struct frevo_file *f, size_t n, frevo_done done, void *arg)
{
        struct transfer *t = op_new(f->share->ctx, f->share, n, done, arg);
        if (!t)
                return NULL;
        t->op.send = transfer_send;
        t->op.cancel = transfer_cancel;
        t->op.fini = transfer_fini;
        t->file = file_ref(f);
        t->window = TRANSFER_WINDOW;
        return t;
}

struct frevo_op *transfer_start(struct transfer *t)
{
        uint64_t n = t->n / t->piece_max + (t->n % t->piece_max ? 1 : 0);
        t->end = t->n;
        if (n == 0)
                return op_finish_soon(&t->op, 0);
        unsigned pieces = n < t->window ? (unsigned)n : t->window;
        t->pieces = calloc(pieces, sizeof *t->pieces);
        if (!t->pieces)
                return op_finish_soon(&t->op, ENOMEM);
        t->n_pieces = pieces;
        for (unsigned i = 0; i < t->n_pieces; i++) {
                struct piece *p = &t->pieces[i];
                p->of = t;
                p->r.op = &t->op;
                p->r.file = t->file;
                p->r.send = t->send;
                p->r.done = piece_done;
                p->r.repeatable = t->repeatable;
        }
        return op_start(&t->op);
}
