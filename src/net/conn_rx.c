/* The receiving half of conn.h: bytes into frames.
 *
 * Small frames: all connections of a loop receive into one buffer, each behind what the last one
 * left there, and the frames cut from it share it. What is incomplete when the socket is drained
 * moves to a buffer of the frame's own size, and the rest of it is received there directly: a large
 * frame is copied only as far as it came along with its header, and an incomplete header is kept in
 * the connection itself. So nothing of the shared buffer is held for a peer that is slow.
 */
#include <assert.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/cursor.h"
#include "base/limits.h"
#include "net/conn_impl.h"

#define FRAME_SESSION_MESSAGE 0x00 /* [MS-SMB2] 2.1 */
#define FRAME_KEEP_ALIVE 0x85      /* RFC 1002 4.3.6 */

#define RX_BUF_BYTES (64u * 1024)
#define RX_ROOM_MIN (16u * 1024)    /* with less room left the loop takes another buffer */
#define RX_LARGE_BYTES (16u * 1024) /* a frame from here on is an upload */
#define RX_UPLOAD_FIRST_BYTES 512u  /* first recv while uploading: headers, hardly payload */
#define RX_UPLOAD_MEMORY 8u         /* so many small frames in a row end the uploading */
#define RX_PAGE 4096u

/* One connection's share of an iteration. */
#define RX_TURN_FRAMES 64u
#define RX_TURN_BYTES (2u * 1024 * 1024)
#define RX_RECV_MAX (1024u * 1024)

struct turn {
        unsigned frames;
        size_t bytes;
};

static bool turn_is_over(const struct turn *t)
{
        return t->frames >= RX_TURN_FRAMES || t->bytes >= RX_TURN_BYTES;
}

bool conn_may_read(const struct conn *c)
{
        return c->state == CONN_OPEN && c->opened && c->pauses == 0 && !c->tx_full && !c->move_to;
}

void conn_read_later(struct conn *c)
{
        if (conn_may_read(c) && (c->rx.rest || c->rx_more || c->rx_eof))
                loop_again(c->loop, &c->turn);
}

bool frame_settle(struct frame *f)
{
        if (!f->owner || f->owner->cap < 2 * f->data.n)
                return true; /* nothing, or not much, to be won */
        struct buf *b = buf_get(f->owner->pool, f->data.n);
        if (!b)
                return false;
        memcpy(b->p, f->data.p, f->data.n);
        buf_unref(f->owner);
        f->owner = b;
        f->data.p = b->p;
        return true;
}

static void rest_drop(struct conn *c)
{
        buf_unref(c->rx.rest);
        c->rx.rest = NULL;
}

void conn_rx_fini(struct conn *c)
{
        rest_drop(c);
        buf_unref(c->rx.own);
        c->rx.own = NULL;
        c->rx.head_n = 0;
}

static void frame_hand_out(struct conn *c, struct frame f, struct turn *t)
{
        t->frames++;
        count_add(&c->loop->count.frames_in, 1);
        if (f.type == FRAME_SESSION_MESSAGE) {
                c->ops->frame(c, f);
        } else if (c->ops->control) {
                c->ops->control(c, f);
        } else {
                frame_done(&f);
                conn_close(c, CONN_NOW, "a frame of an unknown type");
        }
}

/* Moves up to 4 header bytes from `rest` to the connection; true when the header is complete. */
static bool head_fill(struct conn *c)
{
        while (c->rx.head_n < FRAME_HEAD_BYTES && c->rx.rest_at < c->rx.rest_end)
                c->rx.head[c->rx.head_n++] = c->rx.rest->p[c->rx.rest_at++];
        return c->rx.head_n == FRAME_HEAD_BYTES;
}

/* A buffer for a frame of n bytes, with what of it is in `rest`. */
static void own_start(struct conn *c, uint8_t type, uint32_t n)
{
        size_t at = n > RX_PAGE ? (RX_PAGE - c->rx.payload_at % RX_PAGE) % RX_PAGE : 0;
        struct buf *b = buf_get(c->loop->bufs, at + n);
        if (!b) {
                conn_fail(c, ENOMEM);
                return;
        }
        uint32_t have = c->rx.rest_end - c->rx.rest_at;
        memcpy(b->p + at, c->rx.rest->p + c->rx.rest_at, have);
        c->rx.rest_at = c->rx.rest_end;
        c->rx.own = b;
        c->rx.own_at = at;
        c->rx.own_n = have;
        c->rx.own_want = n;
        c->rx.own_type = type;
        count_add(&c->loop->count.bytes_copied, have);
}

/* The next frame of `rest`, its header being complete. */
static void rest_take(struct conn *c, struct turn *t)
{
        struct cursor h = cur_of(bytes_of(c->rx.head, FRAME_HEAD_BYTES));
        uint8_t type = cur_u8(&h);
        uint32_t n = cur_u24be(&h);
        c->rx.head_n = 0;
        if (n > c->rx.max_frame || (type == FRAME_KEEP_ALIVE && n != 0)) {
                conn_close(c, CONN_NOW, "a frame too long");
                return;
        }
        if (type == FRAME_KEEP_ALIVE) {
                t->frames++; /* work like any other: a flood of them must not starve others */
                return;
        }
        if (n > c->rx.rest_end - c->rx.rest_at) {
                own_start(c, type, n);
                return;
        }
        struct frame f = {.type = type};
        if (n) {
                f.data = bytes_of(c->rx.rest->p + c->rx.rest_at, n);
                f.owner = buf_ref(c->rx.rest);
        }
        c->rx.rest_at += n;
        if (c->uploads)
                c->uploads--;
        frame_hand_out(c, f, t);
}

static void rest_parse(struct conn *c, struct turn *t)
{
        while (conn_may_read(c) && !turn_is_over(t) && c->rx.rest_at < c->rx.rest_end)
                if (head_fill(c))
                        rest_take(c, t);
        if (c->rx.rest_at == c->rx.rest_end)
                rest_drop(c);
}

/* The loop's shared buffer with room; its free part starts at rx_fill. */
static bool shared_prepare(struct net_loop *l)
{
        if (l->rx && buf_is_alone(l->rx))
                l->rx_fill = 0;
        if (l->rx && l->rx->cap - l->rx_fill >= RX_ROOM_MIN)
                return true;
        buf_unref(l->rx);
        l->rx = buf_get(l->bufs, RX_BUF_BYTES);
        l->rx_fill = 0;
        return l->rx != NULL;
}

/* n bytes came to the shared buffer. */
static void shared_took(struct conn *c, size_t n)
{
        struct net_loop *l = c->loop;
        c->rx.rest = buf_ref(l->rx);
        c->rx.rest_at = (uint32_t)l->rx_fill;
        c->rx.rest_end = (uint32_t)(l->rx_fill + n);
        l->rx_fill = (l->rx_fill + n + 63) & ~(size_t)63; /* a cache line is one connection's */
        if (l->rx_fill > l->rx->cap)
                l->rx_fill = l->rx->cap;
}

/* One readv; false when there is nothing more to be had now. */
static bool rx_readv(struct conn *c, struct iovec *iov, int n_iov, size_t *ret_n)
{
        size_t asked = 0;
        for (int i = 0; i < n_iov; i++)
                asked += iov[i].iov_len;
        ssize_t n;
        do
                n = n_iov == 1 ? recv(c->src.fd, iov->iov_base, iov->iov_len, 0)
                               : readv(c->src.fd, iov, n_iov);
        while (n < 0 && errno == EINTR);
        count_add(&c->loop->count.recvs, 1);
        /* A short count means that the socket was drained; what comes later is a new event. But the
         * end of the stream may have been in the same event as these bytes. */
        c->rx_more = n > 0 && ((size_t)n == asked || c->rx_hup);
        if (n > 0) {
                count_add(&c->loop->count.bytes_in, (uint64_t)n);
                *ret_n = (size_t)n;
                return true;
        }
        if (n == 0)
                c->rx_eof = true;
        else if (errno != EAGAIN)
                conn_fail(c, errno);
        return false;
}

static void recv_shared(struct conn *c, struct turn *t)
{
        struct net_loop *l = c->loop;
        if (!shared_prepare(l)) {
                conn_fail(c, ENOMEM);
                return;
        }
        size_t room = l->rx->cap - l->rx_fill, n;
        if (c->uploads && room > RX_UPLOAD_FIRST_BYTES)
                room = RX_UPLOAD_FIRST_BYTES;
        struct iovec iov = {.iov_base = l->rx->p + l->rx_fill, .iov_len = room};
        if (!rx_readv(c, &iov, 1, &n))
                return;
        t->bytes += n;
        shared_took(c, n);
}

static void own_done(struct conn *c, struct turn *t)
{
        struct frame f = {.data = bytes_of(c->rx.own->p + c->rx.own_at, c->rx.own_want),
                          .owner = c->rx.own,
                          .type = c->rx.own_type};
        c->rx.own = NULL;
        if (f.data.n >= RX_LARGE_BYTES)
                c->uploads = RX_UPLOAD_MEMORY;
        frame_hand_out(c, f, t);
}

/* The rest of the large frame, and in the same call the header of what follows. */
static void recv_own(struct conn *c, struct turn *t)
{
        struct net_loop *l = c->loop;
        size_t left = c->rx.own_want - c->rx.own_n, n;
        struct iovec iov[2] = {{.iov_base = c->rx.own->p + c->rx.own_at + c->rx.own_n,
                                .iov_len = left < RX_RECV_MAX ? left : RX_RECV_MAX}};
        int n_iov = 1;
        if (left == iov[0].iov_len && shared_prepare(l)) {
                iov[1] = (struct iovec){.iov_base = l->rx->p + l->rx_fill,
                                        .iov_len = RX_UPLOAD_FIRST_BYTES};
                n_iov = 2;
        }
        if (!rx_readv(c, iov, n_iov, &n))
                return;
        t->bytes += n;
        if (n > left)
                shared_took(c, n - left);
        c->rx.own_n += (uint32_t)(n < left ? n : left);
        if (c->rx.own_n == c->rx.own_want)
                own_done(c, t);
}

static void eof_tell(struct conn *c)
{
        if (c->eof_told)
                return;
        c->eof_told = true;
        if (c->ops->eof)
                c->ops->eof(c);
        else
                conn_close(c, CONN_FLUSH, "the peer closed the connection");
}

void conn_read(struct conn *c)
{
        struct turn t = {0};
        while (conn_may_read(c)) {
                if (turn_is_over(&t)) {
                        conn_read_later(c);
                        return;
                }
                if (c->rx.rest)
                        rest_parse(c, &t);
                else if (c->rx_more && !c->rx_eof)
                        c->rx.own ? recv_own(c, &t) : recv_shared(c, &t);
                else
                        break;
        }
        /* Everything received has been handed out, and there will be no more. */
        if (conn_may_read(c) && c->rx_eof && !c->rx.rest)
                eof_tell(c);
}
