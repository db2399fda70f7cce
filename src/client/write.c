/* WRITE, [MS-SMB2] 3.2.4.7, from the caller's memory as it is. */
#include <errno.h>

#include "client/transfer.h"
#include "wire/smb2/status.h"
#include "wire/smb2/write.h"

struct write_op {
        struct transfer t;
        uint64_t off;
        const uint8_t *data; /* borrowed until done */
};

static struct write_op *write_of(struct transfer *t)
{
        return container_of(t, struct write_op, t);
}

static void write_send(struct file_req *r)
{
        struct piece *p = piece_of(r);
        struct write_op *o = write_of(p->of);
        struct client_batch b;
        struct smb2_write_req q = {.offset = o->off + p->at, .file_id = r->file->id};
        if (file_req_begin(r, &b, SMB2_WRITE, SMB2_WRITE_REQ_HEAD_LEN, p->n))
                smb2_write_req_encode_head(&b.w, r->q.hdr_at, &q, p->n);
        client_batch_payload(&b, o->data + p->at, p->n);
        client_batch_send(&b);
}

static int write_took(struct piece *p, uint32_t *ret_n)
{
        const struct client_req *q = &p->r.q;
        struct smb2_write_rsp r;
        if (q->status != STATUS_SUCCESS) {
                int err = status_errno(q->status);
                return err ? err : EPROTO;
        }
        if (!smb2_write_rsp_decode(q->msg, &r) || r.count > p->n)
                return EPROTO;
        *ret_n = r.count;
        return 0;
}

static void write_finish(struct transfer *t)
{
        struct frevo_result r = t->trouble;
        if (!r.err)
                r.n = (size_t)t->n;
        op_finish(&t->op, &r);
}

static struct frevo_op *write_start(struct frevo_file *f, uint64_t off, struct bytes data,
                                    frevo_done done, void *arg)
{
        struct write_op *o = transfer_new(f, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->off = off;
        o->data = data.p;
        o->t.n = data.n;
        o->t.piece_max = share_max_write(f->share);
        o->t.repeatable = true;
        o->t.send = write_send;
        o->t.took = write_took;
        o->t.finish = write_finish;
        if (off > INT64_MAX || data.n > INT64_MAX - off)
                return op_finish_soon(&o->t.op, EINVAL);
        return transfer_start(&o->t);
}

struct frevo_op *frevo_write_start(struct frevo_file *f, uint64_t off, const void *data, uint32_t n,
                                   frevo_done done, void *arg)
{
        return write_start(f, off, bytes_of(data, n), done, arg);
}

int frevo_write(struct frevo_file *f, uint64_t off, const void *data, size_t n)
{
        struct op_wait w = {0};
        return op_wait_over(f->share->ctx, write_start(f, off, bytes_of(data, n), op_wait_done, &w),
                            &w);
}
