/* See file.h: the life of an open file, and requests that outlive a session. */
#include "client/file.h"

#include <errno.h>

#include "base/limits.h"
#include "client/frame.h"
#include "client/names.h"
#include "client/session.h"

/* ---- life -------------------------------------------------------------------------------------
 */

struct frevo_file *file_ref(struct frevo_file *f)
{
        f->refs++;
        return f;
}

void file_unref(struct frevo_file *f)
{
        if (--f->refs)
                return;
        lease_fini(f);
        share_unref(f->share);
        free(f->how.name);
        free(f);
}

int file_set_name(struct frevo_file *f, const char *path, const char *stream)
{
        struct file_how *h = &f->how;
        size_t suffix = stream ? 2 + 2 * strlen(stream) : h->name_n - h->path_n;
        size_t room = name_path_room(path) + suffix;
        AUTO_FREE uint8_t *name = malloc(room ? room : 1);
        struct writer w = wr_into(name, room);
        if (!name)
                return ENOMEM;
        int err = name_path_put(&w, path);
        size_t path_n = w.at;
        if (!err && stream) {
                wr_u16(&w, ':');
                err = name_stream_put(&w, stream);
        } else if (!err && suffix) {
                wr_bytes(&w, bytes_of(h->name + h->path_n, suffix));
        }
        if (err || !wr_ok(&w))
                return err ? err : ENAMETOOLONG;
        free(h->name);
        h->name = name;
        h->name_n = w.at;
        h->path_n = path_n;
        name = NULL;
        return 0;
}

bool file_is_writer(const struct frevo_file *f)
{
        return (f->how.access &
                (FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_WRITE_EA | FILE_WRITE_ATTRIBUTES |
                 ACCESS_DELETE | ACCESS_WRITE_DAC | ACCESS_WRITE_OWNER | ACCESS_MAXIMUM_ALLOWED |
                 ACCESS_GENERIC_ALL | ACCESS_GENERIC_WRITE)) != 0;
}

/* ---- one request ------------------------------------------------------------------------------
 */

/* Ends r as if its request had failed, soon. */
static void fail_soon(struct file_req *r, int err)
{
        struct list one;
        list_init(&one);
        r->q.frame = NULL;
        list_add_last(&one, &r->q.link);
        client_reqs_fail(r->op->ctx, &one, err);
}

static bool was_not_done(int err)
{
        return err == ENOTCONN || err == ESTALE;
}

static bool may_have_been_done(int err)
{
        return err == ECONNRESET || err == ETIMEDOUT;
}

static bool goes_again(const struct file_req *r)
{
        if (r->op->cancelled || r->tries >= LIMIT_RESENDS || !share_is_retrying(r->file->share))
                return false;
        if (r->q.err == ESTALE && r->as_it_is)
                return false;
        return was_not_done(r->q.err) || (may_have_been_done(r->q.err) && r->repeatable);
}

static bool is_valid(const struct frevo_file *f)
{
        return f->epoch == share_epoch(f->share) && f->share->session->state == SESSION_UP;
}

static void finished(struct client_req *q)
{
        struct file_req *r = container_of(q, struct file_req, q);
        struct frevo_file *f = r->file;
        if (!goes_again(r)) {
                r->done(r);
                return;
        }
        r->tries = q->pending ? 0 : r->tries + 1; /* in work: not what the server breaks at */
        if (f->stale) {
                r->q.err = ESTALE;
                r->done(r);
        } else if (q->err != ESTALE || is_valid(f)) {
                r->send(r); /* to where the file's epoch is the session's; else comes back ESTALE */
        } else {
                list_add_last(&f->waiting, &r->link);
                if (!f->reopening)
                        file_reopen(f);
        }
}

void file_req_start(struct file_req *r)
{
        struct frevo_file *f = r->file;
        r->q.done = finished;
        r->tries = 0;
        if (f->stale)
                fail_soon(r, ESTALE);
        else if (f->reopening)
                list_add_last(&f->waiting, &r->link);
        else
                r->send(r);
}

bool file_req_begin(struct file_req *r, struct client_batch *b, uint16_t command, size_t room,
                    uint32_t payload)
{
        client_batch_begin(b, r->file->share, SMB2_HEADER_LEN + room, r->file->epoch);
        client_batch_add(b, &r->q, command, payload, false);
        return b->frame != NULL;
}

void file_req_cancel(struct file_req *r)
{
        if (list_empty(&r->link)) {
                client_req_cancel(&r->q);
                return;
        }
        list_remove(&r->link);
        fail_soon(r, ECANCELED);
}

void file_reopened(struct frevo_file *f, int err)
{
        struct list all;
        list_init(&all);
        list_each_safe (&f->waiting, it, next) { /* done() may start others */
                list_remove(it);
                list_add_last(&all, it);
        }
        (void)file_ref(f);
        while (!list_empty(&all)) {
                struct file_req *r = list_entry(all.next, struct file_req, link);
                list_remove(&r->link);
                if (err)
                        fail_soon(r, err);
                else
                        r->send(r);
        }
        file_unref(f);
}

/* ---- operations of one request ----------------------------------------------------------------
 */

static void send_req(struct frevo_op *op)
{
        file_req_start(&container_of(op, struct file_op, op)->req);
}

static void cancel_req(struct frevo_op *op)
{
        file_req_cancel(&container_of(op, struct file_op, op)->req);
}

void file_op_fini(struct frevo_op *op)
{
        file_unref(container_of(op, struct file_op, op)->req.file);
}

void *file_op_new(struct frevo_file *f, size_t n, frevo_done done, void *arg)
{
        struct file_op *o = op_new(f->share->ctx, f->share, n, done, arg);
        if (!o)
                return NULL;
        o->op.send = send_req;
        o->op.cancel = cancel_req;
        o->op.fini = file_op_fini;
        o->req.op = &o->op;
        o->req.file = file_ref(f);
        return o;
}

void file_op_finish(struct file_req *r)
{
        struct frevo_result res = op_trouble(&r->q);
        op_finish(r->op, &res);
}
