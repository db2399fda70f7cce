/* FLUSH, [MS-SMB2] 3.2.4.17: what was written is on disk when it ends well.
 *
 * Repeated in a new session like a write. A server that lost its memory between the write and the
 * flush can not be told from one that lost the connection alone; only a durable open is proof that
 * it did not start anew.
 */
#include "client/file.h"

#include "wire/smb2/flush.h"

static void flush_send(struct file_req *r)
{
        struct client_batch b;
        if (file_req_begin(r, &b, SMB2_FLUSH, 24, 0))
                smb2_flush_req_encode(&b.w, &(struct smb2_flush_req){.file_id = r->file->id});
        client_batch_send(&b);
}

struct frevo_op *frevo_flush_start(struct frevo_file *f, frevo_done done, void *arg)
{
        struct file_op *o = file_op_new(f, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->req.send = flush_send;
        o->req.done = file_op_finish;
        o->req.repeatable = true;
        return op_start(&o->op);
}

int frevo_flush(struct frevo_file *f)
{
        struct op_wait w = {0};
        return op_wait_over(f->share->ctx, frevo_flush_start(f, op_wait_done, &w), &w);
}
