/* The sending half of conn.h: a queue of outs into as few system calls as possible. */
#include <assert.h>
#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/writer.h"
#include "net/conn_impl.h"

#define TX_IOV 128
#define TX_ZEROS (64u * 1024)
#define TX_TURN_BYTES (4u * 1024 * 1024) /* one connection's share of an iteration */

static const uint8_t zeros[TX_ZEROS];

void out_init_segs(struct out *o, void (*done)(struct out *o, bool sent), struct out_seg *segs,
                   unsigned max)
{
        *o = (struct out){.done = done, .segs = segs, .max_segs = max};
}

void out_init(struct out *o, void (*done)(struct out *o, bool sent))
{
        out_init_segs(o, done, o->own, OUT_SEGS);
}

static bool out_add(struct out *o, struct out_seg s)
{
        if (s.len == 0)
                return true;
        if (o->n_segs == o->max_segs || s.len > OUT_MAX_BYTES - o->total)
                return false;
        o->segs[o->n_segs++] = s;
        o->total += (uint32_t)s.len;
        return true;
}

bool out_add_mem(struct out *o, const void *p, size_t len)
{
        return out_add(o, (struct out_seg){.p = p, .len = len, .fd = -1});
}

bool out_add_file(struct out *o, int fd, uint64_t off, size_t len)
{
        return out_add(o, (struct out_seg){.off = off, .len = len, .fd = fd});
}

bool out_add_zeros(struct out *o, size_t len)
{
        return out_add(o, (struct out_seg){.len = len, .fd = -1});
}

void conn_send(struct conn *c, struct out *o)
{
        assert(loop_is_mine(c->loop));
        conn_at_end(c);
        if (c->state != CONN_OPEN) {
                list_add_last(&c->failed, &o->link);
                return;
        }
        struct writer w = wr_into(o->head, sizeof o->head);
        wr_u8(&w, 0);
        wr_u24be(&w, o->total);
        o->at_seg = 0;
        o->sent = 0;
        list_add_last(&c->out, &o->link);
        c->queued_bytes += FRAME_HEAD_BYTES + o->total;
        if (c->queued_bytes > LIMIT_CONN_QUEUED_BYTES)
                c->tx_full = true;
}

size_t conn_queued_bytes(const struct conn *c)
{
        return c->queued_bytes;
}

/* Segment at_seg of o; the header is segment 0. */
static struct out_seg out_seg_at(const struct out *o, unsigned k)
{
        if (k == 0)
                return (struct out_seg){.p = o->head, .len = FRAME_HEAD_BYTES, .fd = -1};
        return o->segs[k - 1];
}

struct batch {
        struct iovec iov[TX_IOV];
        unsigned n;
        bool more; /* something follows at once: no point in a small packet now */
};

/* Adds what of o can be sent by sendmsg, from where it stands; false when the batch ends here. */
static bool batch_add(struct batch *b, const struct out *o)
{
        size_t from = o->sent;
        for (unsigned k = o->at_seg; k <= o->n_segs; k++, from = 0) {
                struct out_seg s = out_seg_at(o, k);
                b->more = true;
                if (s.fd >= 0 || b->n == TX_IOV)
                        return false;
                size_t n = s.len - from;
                bool cut = !s.p && n > TX_ZEROS;
                /* sendmsg only reads: iovec has no const. */
                union {
                        const uint8_t *in;
                        void *out;
                } p = {.in = s.p ? s.p + from : zeros};
                b->iov[b->n++] = (struct iovec){.iov_base = p.out, .iov_len = cut ? TX_ZEROS : n};
                if (cut)
                        return false;
                b->more = false;
        }
        return true;
}

static void out_finish(struct conn *c, struct out *o, bool sent)
{
        list_remove(&o->link);
        if (sent)
                count_add(&c->loop->count.frames_out, 1);
        o->done(o, sent);
}

/* The kernel took n bytes. */
static void tx_advance(struct conn *c, size_t n)
{
        c->queued_bytes -= n;
        c->turn_bytes += n;
        count_add(&c->loop->count.bytes_out, n);
        while (n > 0) {
                struct out *o = list_entry(c->out.next, struct out, link);
                size_t left = out_seg_at(o, o->at_seg).len - o->sent;
                if (n < left) {
                        o->sent += n;
                        return;
                }
                n -= left;
                o->sent = 0;
                if (o->at_seg++ == o->n_segs)
                        out_finish(c, o, true);
        }
}

/* What a failed send or sendfile means. */
static void tx_error(struct conn *c, int err)
{
        if (err == EAGAIN)
                c->tx_blocked = true;
        else if (err != EINTR)
                conn_fail(c, err);
}

static void tx_batch(struct conn *c, struct batch *b)
{
        struct msghdr m = {.msg_iov = b->iov, .msg_iovlen = b->n};
        ssize_t n = sendmsg(c->src.fd, &m, MSG_NOSIGNAL | (b->more ? MSG_MORE : 0));
        count_add(&c->loop->count.sendmsgs, 1);
        if (n < 0)
                tx_error(c, errno);
        else
                tx_advance(c, (size_t)n);
}

static void tx_file(struct conn *c, struct out *o)
{
        struct out_seg *s = &o->segs[o->at_seg - 1];
        off_t off;
        if (__builtin_add_overflow(s->off, o->sent, &off)) {
                conn_close(c, CONN_NOW, "a file could not be sent");
                return;
        }
        ssize_t n = sendfile(c->src.fd, s->fd, &off, s->len - o->sent);
        count_add(&c->loop->count.sendfiles, 1);
        if (n > 0) {
                tx_advance(c, (size_t)n);
        } else if (n == 0) {
                /* The file has become shorter. The header with the length is gone already, so the
                 * frame must have that many bytes. */
                *s = (struct out_seg){.len = s->len, .fd = -1};
                count_add(&c->loop->count.short_files, 1);
        } else {
                tx_error(c, errno);
        }
}

static void tx_stalled(struct timer *t)
{
        struct conn *c = container_of(t, struct conn, stall);
        if (!c->tx_blocked || list_empty(&c->out))
                return;
        uint64_t idle = clock_ms() - c->progress_ms;
        if (idle >= c->stall_ms)
                conn_close(c, CONN_NOW, "the peer does not read");
        else
                timer_start(c->loop, t, (uint32_t)(c->stall_ms - idle), tx_stalled);
}

/* After sending: watch for a peer that takes nothing, go on reading when the queue is short again.
 */
static void tx_account(struct conn *c)
{
        if (c->tx_blocked) {
                if (c->turn_bytes > 0 || !timer_is_started(&c->stall))
                        c->progress_ms = clock_ms();
                if (!timer_is_started(&c->stall))
                        timer_start(c->loop, &c->stall, c->stall_ms, tx_stalled);
        }
        if (c->tx_full && c->queued_bytes <= LIMIT_CONN_QUEUED_BYTES / 2) {
                c->tx_full = false;
                conn_read_later(c);
        }
        /* A peer that reads as fast as we send must not keep the loop for itself. */
        if (conn_may_write(c))
                loop_again(c->loop, &c->turn);
}

bool conn_may_write(const struct conn *c)
{
        return (c->state == CONN_OPEN || c->state == CONN_FLUSHING) && !c->tx_blocked &&
               !list_empty(&c->out);
}

static bool tx_may_go_on(const struct conn *c)
{
        return conn_may_write(c) && c->turn_bytes < TX_TURN_BYTES;
}

void conn_write(struct conn *c)
{
        if (c->in_write || list_empty(&c->out))
                return;
        c->in_write = true;
        c->turn_bytes = 0;
        while (tx_may_go_on(c)) {
                struct out *o = list_entry(c->out.next, struct out, link);
                if (o->at_seg > 0 && out_seg_at(o, o->at_seg).fd >= 0) {
                        tx_file(c, o);
                        continue;
                }
                struct batch b;
                b.n = 0; /* not the whole: it is large */
                b.more = false;
                list_each (&c->out, it)
                        if (!batch_add(&b, list_entry(it, struct out, link)))
                                break;
                tx_batch(c, &b);
        }
        c->in_write = false;
        tx_account(c);
}

void conn_flush(struct conn *c)
{
        assert(loop_is_mine(c->loop));
        if (c->state == CONN_OPEN || c->state == CONN_FLUSHING)
                conn_write(c);
}

static void tx_fail_list(struct conn *c, struct list *l)
{
        /* Taken over first: an out's done may send another, which then waits for the next hook. */
        if (list_empty(l))
                return;
        struct list now = *l;
        now.next->prev = now.prev->next = &now;
        list_init(l);
        while (!list_empty(&now))
                out_finish(c, list_entry(now.next, struct out, link), false);
}

void conn_tx_fail(struct conn *c)
{
        tx_fail_list(c, &c->failed);
        if (c->state != CONN_CLOSED)
                return;
        c->queued_bytes = 0;
        tx_fail_list(c, &c->out);
}
