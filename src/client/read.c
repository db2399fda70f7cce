/* READ, [MS-SMB2] 3.2.4.6. What fits one request is handed out where it arrived; longer reads are
 * put together in one place. */
#include <errno.h>

#include "client/transfer.h"
#include "wire/smb2/read.h"
#include "wire/smb2/status.h"

#define READ_ROOM 56u

struct read_op {
        struct transfer t;
        uint64_t off;
        uint8_t *into; /* NULL: the reply's own buffer will do */
        bool owns_into;
        struct bytes got; /* where that is the case */
};

static struct read_op *read_of(struct transfer *t)
{
        return container_of(t, struct read_op, t);
}

static void read_send(struct file_req *r)
{
        struct piece *p = piece_of(r);
        struct client_batch b;
        struct smb2_read_req q = {
                .length = p->n,
                .offset = read_of(p->of)->off + p->at,
                .file_id = r->file->id,
        };
        if (file_req_begin(r, &b, SMB2_READ, READ_ROOM, p->n))
                smb2_read_req_encode(&b.w, r->q.hdr_at, &q);
        client_batch_send(&b);
}

static int read_took(struct piece *p, uint32_t *ret_n)
{
        struct read_op *o = read_of(p->of);
        const struct client_req *q = &p->r.q;
        struct smb2_read_rsp r;
        if (q->status == STATUS_END_OF_FILE)
                return 0;
        /* A message longer than asked for comes with a warning, from pipes. */
        if (q->status != STATUS_SUCCESS && q->status != STATUS_BUFFER_OVERFLOW) {
                int err = status_errno(q->status);
                return err ? err : EPROTO;
        }
        if (!smb2_read_rsp_decode(q->msg, &r) || r.data.n > p->n)
                return EPROTO;
        *ret_n = (uint32_t)r.data.n;
        if (o->into) {
                if (r.data.n)
                        memcpy(o->into + p->at, r.data.p, r.data.n);
                return 0;
        }
        o->got = r.data;
        o->t.op.data_buf = buf_ref(q->owner);
        return 0;
}

static void read_finish(struct transfer *t)
{
        struct read_op *o = read_of(t);
        struct frevo_result r = t->trouble;
        if (!r.err) {
                r.data = o->into ? o->into : o->got.p;
                r.n = (size_t)t->end;
                if (o->owns_into)
                        t->op.data_mem = o->into;
                o->owns_into = false;
        }
        op_finish(&t->op, &r);
}

static void read_fini(struct transfer *t)
{
        if (read_of(t)->owns_into)
                free(read_of(t)->into);
}

static struct frevo_op *read_start(struct frevo_file *f, uint64_t off, void *into, uint64_t n,
                                   frevo_done done, void *arg)
{
        struct read_op *o = transfer_new(f, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->off = off;
        o->into = into;
        o->t.n = n;
        o->t.piece_max = share_max_read(f->share);
        o->t.repeatable = true;
        o->t.ends_short = true;
        o->t.send = read_send;
        o->t.took = read_took;
        o->t.finish = read_finish;
        o->t.fini = read_fini;
        if (off > INT64_MAX || n > INT64_MAX - off)
                return op_finish_soon(&o->t.op, EINVAL);
        if (!into && n > o->t.piece_max) {
                o->into = malloc((size_t)n);
                if (!o->into)
                        return op_finish_soon(&o->t.op, ENOMEM);
                o->owns_into = true;
        }
        return transfer_start(&o->t);
}

struct frevo_op *frevo_read_start(struct frevo_file *f, uint64_t off, uint32_t n, frevo_done done,
                                  void *arg)
{
        return read_start(f, off, NULL, n, done, arg);
}

/* What was read lies in the caller's memory: nothing is to be kept. */
static void read_over(void *arg, const struct frevo_result *r)
{
        struct op_wait *w = arg;
        w->over = true;
        w->r = *r;
}

int frevo_read(struct frevo_file *f, uint64_t off, void *buf, size_t n, size_t *ret_n)
{
        struct op_wait w = {0};
        int err = op_wait_over(f->share->ctx, read_start(f, off, buf, n, read_over, &w), &w);
        if (!err)
                *ret_n = w.r.n;
        return err;
}
