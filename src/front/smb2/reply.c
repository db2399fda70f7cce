/* How a handler answers: the calls of call.h that build a reply and end the call. Headers, credits,
 * signatures and sending are send.c's. */
#include "front/smb2/call.h"
#include "front/smb2/chain.h"
#include "front/smb2/send.h"
#include "front/smb2/session.h"
#include "net/pool.h"
#include "wire/smb2/error.h"

static void reply_drop(struct smb2_reply *r)
{
        buf_unref(r->buf);
        r->buf = NULL;
        r->w = (struct writer){0};
}

struct writer *smb2_reply_begin(struct smb2_call *c, size_t body_max)
{
        struct smb2_reply *r = &c->reply;
        size_t room = SMB2_HEADER_LEN + body_max;
        size_t size = SMB2_REPLY_HEADROOM + room + SMB2_REPLY_TAILROOM;
        if (r->buf && r->buf->cap < size)
                reply_drop(r);
        if (!r->buf)
                r->buf = buf_get(net_pool_bufs(c->conn->local->front->pool), size);
        if (!r->buf) {
                if (loop_current())
                        smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return NULL;
        }
        r->head_at = SMB2_REPLY_HEADROOM;
        r->file_fd = -1;
        r->w = wr_into(r->buf->p + r->head_at, room);
        wr_zero(&r->w, SMB2_HEADER_LEN); /* send.c knows the rest */
        return &r->w;
}

static void answer(struct smb2_call *c, uint32_t status)
{
        c->status = status;
        c->core.answered = true;
        smb2_chain_answered(c->chain);
}

void smb2_reply_done(struct smb2_call *c, uint32_t status)
{
        if (!c->reply.buf || !wr_ok(&c->reply.w)) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        answer(c, status);
}

bool smb2_reply_may_sendfile(const struct smb2_call *c)
{
        return c->chain->n == 1 && !c->chain->sealed && !c->core.signer && !c->core.hash;
}

void smb2_reply_done_file(struct smb2_call *c, int fd, uint64_t off, size_t len,
                          struct fs_open *hold)
{
        if (c->reply.buf && wr_ok(&c->reply.w)) {
                c->reply.file_fd = fd;
                c->reply.file_off = off;
                c->reply.file_len = len;
                c->reply.file_hold = fs_open_ref(hold);
        }
        smb2_reply_done(c, STATUS_SUCCESS);
}

void smb2_fail_data(struct smb2_call *c, uint32_t status, struct bytes data)
{
        /* Eight bytes more: in 3.1.1 the data of some errors is a list of one context. */
        size_t max = 16 + data.n;
        if (c->core.forced_status)
                status = c->core.forced_status;
        if (c->reply.buf &&
            c->reply.buf->cap < SMB2_REPLY_HEADROOM + SMB2_HEADER_LEN + max + SMB2_REPLY_TAILROOM)
                reply_drop(&c->reply);
        if (!c->reply.buf)
                c->reply.buf =
                        buf_get(net_pool_bufs(c->conn->local->front->pool),
                                SMB2_REPLY_HEADROOM + SMB2_HEADER_LEN + max + SMB2_REPLY_TAILROOM);
        if (!c->reply.buf) {
                smb2_conn_drop(c->conn, "out of memory");
                answer(c, status);
                return;
        }
        struct smb2_reply *r = &c->reply;
        r->head_at = SMB2_REPLY_HEADROOM;
        r->file_fd = -1;
        r->w = wr_into(r->buf->p + r->head_at, SMB2_HEADER_LEN + max);
        wr_zero(&r->w, SMB2_HEADER_LEN);
        smb2_error_rsp_encode(&r->w, &(struct smb2_error_rsp){.error_data = data});
        answer(c, status);
}

void smb2_fail(struct smb2_call *c, uint32_t status)
{
        smb2_fail_data(c, status, bytes_of(NULL, 0));
}

void smb2_fail_fs(struct smb2_call *c, enum fs_err e)
{
        smb2_fail(c, smb2_status_of_fs(e));
}

/* ---- operations -------------------------------------------------------------------------------
 */

/* c's operation is no longer at work on its open; others may have been waiting for that. */
static void not_busy(struct smb2_call *c)
{
        struct list *work = c->core.op_busy ? &c->open->work : NULL;
        if (!work)
                return;
        c->core.op_busy = false;
        list_remove(&c->core.work.link);
        while (!list_empty(work)) {
                struct smb2_work *first = list_entry(work->next, struct smb2_work, link);
                struct smb2_call *next = first->call;
                if (!first->waits)
                        return;
                list_remove(&first->link);
                if (--next->core.n_ahead == 0 && next->core.go_on)
                        next->core.go_on(next);
        }
}

bool smb2_call_get_behind(struct smb2_call *c, struct smb2_open *o)
{
        if (list_empty(&o->work))
                return true;
        struct smb2_work *w = c->core.n_ahead ? arena_alloc(c->arena, sizeof *w) : &c->core.work;
        if (!w)
                return false;
        *w = (struct smb2_work){.call = c, .waits = true};
        list_add_last(&o->work, &w->link);
        c->core.n_ahead++;
        return true;
}

void smb2_call_go_on(struct smb2_call *c, void (*go_on)(struct smb2_call *c))
{
        c->core.go_on = go_on;
        if (c->core.n_ahead == 0)
                go_on(c);
}

static void op_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        c->core.op_active = false;
        not_busy(c); /* starts what waited; c itself lives on */
        c->core.op_done(op, e);
}

static void cancel_later(struct loop_hook *h)
{
        struct smb2_chain *ch = container_of(h, struct smb2_chain, cancel_hook);
        smb2_call_cancel(&ch->calls[ch->at]);
}

/* Ends a parked call early, but not from inside the notice that it parked. */
static void refuse_parking(struct smb2_call *c, uint32_t status)
{
        c->core.forced_status = status;
        c->chain->cancel_hook.fn = cancel_later;
        loop_at_end(c->conn->local->loop, &c->chain->cancel_hook);
}

/* What these wait for is a client that has to give up a caching right, and that has an end. */
static bool may_wait_in_chain(uint16_t command)
{
        return command == SMB2_CREATE || command == SMB2_SET_INFO;
}

/* The call waits for somebody else: its client is told ([MS-SMB2] 3.3.4.2). In the middle of a
 * chain few may wait, and nobody is told; other commands fail as on Windows. */
static void op_parked(struct fs_op *op)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_chain *ch = c->chain;
        not_busy(c); /* closing its open is what ends it */
        if (c->async)
                return;
        /* Cancelling what was at work came too early for this one. */
        if (c->conn->dead || c->conn->eof ||
            (c->session && c->session->state == SMB2_SESSION_ENDED)) {
                refuse_parking(c, 0);
                return;
        }
        if (ch->at + 1 < ch->n) {
                if (!may_wait_in_chain(c->hdr.command))
                        refuse_parking(c, STATUS_INTERNAL_ERROR);
                return;
        }
        if (c->conn->n_async >= LIMIT_ASYNC_PER_CONN) {
                refuse_parking(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        c->async = true;
        c->async_id = ++c->conn->next_async_id;
        c->conn->n_async++;
        smb2_send_replies(ch, ch->at, c);
}

void smb2_call_start(struct smb2_call *c, enum fs_err (*run)(struct fs_op *op, unsigned how),
                     void (*done)(struct fs_op *op, enum fs_err e), unsigned flags)
{
        c->core.op_done = done;
        c->core.op_active = true;
        c->core.op_busy = c->open && !c->open->closed;
        if (c->core.op_busy) {
                c->core.work = (struct smb2_work){.call = c};
                list_add_last(&c->open->work, &c->core.work.link);
        }
        c->op = (struct fs_op){.run = run,
                               .done = op_done,
                               .parked = op_parked,
                               .exec = loop_exec(c->conn->local->loop),
                               .flags = flags};
        fs_op_start(&c->op);
}

void smb2_call_cancel(struct smb2_call *c)
{
        if (c->core.op_active)
                fs_op_cancel(&c->op);
}
