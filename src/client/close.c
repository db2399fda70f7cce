/* CLOSE, [MS-SMB2] 3.2.4.5. The caller's file is gone in any case; a file whose session was lost is
 * closed already, unless it was durable: then the server keeps it for somebody who comes back. */
#include "client/file.h"

#include <errno.h>

#include "client/stat_of.h"
#include "wire/smb2/status.h"

static void close_send(struct file_req *r)
{
        struct client_batch b;
        struct smb2_close_req q = {.flags = SMB2_CLOSE_FLAG_POSTQUERY_ATTRIB,
                                   .file_id = r->file->id};
        if (file_req_begin(r, &b, SMB2_CLOSE, 24, 0))
                smb2_close_req_encode(&b.w, &q);
        client_batch_send(&b);
}

static void close_done(struct file_req *r)
{
        struct smb2_close_rsp c;
        struct frevo_result res = op_trouble(&r->q);
        /* Closed by the end of its session, or by this same request, sent twice. */
        if (r->q.err == ESTALE || (r->tries > 0 && r->q.status == STATUS_FILE_CLOSED))
                res = (struct frevo_result){0};
        else if (file_req_is_fine(r) && smb2_close_rsp_decode(r->q.msg, &c))
                res.stat = stat_of_close(&c);
        else if (file_req_is_fine(r))
                res.err = EPROTO;
        op_finish(r->op, &res);
}

struct frevo_op *frevo_close_start(struct frevo_file *f, frevo_done done, void *arg)
{
        struct file_op *o = file_op_new(f, sizeof *o, done, arg);
        lease_fini(f); /* a break needs no answer any more: this is one */
        bool ends_with_session = f->durable == FILE_NOT_DURABLE;
        file_unref(f);
        if (!o)
                return NULL;
        o->req.as_it_is = ends_with_session;
        o->op.cancel = NULL;
        o->req.send = close_send;
        o->req.done = close_done;
        o->req.repeatable = true;
        return op_start(&o->op);
}

int frevo_close(struct frevo_file *f)
{
        struct op_wait w = {0};
        struct frevo_ctx *c = f->share->ctx;
        return op_wait_over(c, frevo_close_start(f, op_wait_done, &w), &w);
}
