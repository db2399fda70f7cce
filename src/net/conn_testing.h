/* For *_test.c files of this folder: a loop driven by the test, one connection over a socketpair,
 * and a front that writes down what it was told. */
#ifndef FREVO_NET_CONN_TESTING_H
#define FREVO_NET_CONN_TESTING_H

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/testing.h"
#include "base/writer.h"
#include "net/conn.h"

struct rig {
        struct buf_pool *bufs;
        struct net_loop *loop;
        struct conn *c; /* a reference of the test's */
        int peer;       /* the other end, non-blocking */

        unsigned frames, controls, opened, closed, eofs;
        size_t frame_bytes;
        uint8_t last[256]; /* the last frame's first bytes */
        size_t last_n;
        const char *why;
        void (*on_frame)(struct rig *r, struct frame *f); /* may take f->owner: sets it NULL */
        bool keep_open_at_eof;
};

static inline struct rig *rig_of(struct conn *c)
{
        return conn_ctx(c);
}

static void rig_opened(struct conn *c)
{
        rig_of(c)->opened++;
}

static void rig_note(struct rig *r, struct frame f)
{
        r->frame_bytes += f.data.n;
        r->last_n = f.data.n;
        if (f.data.n)
                memcpy(r->last, f.data.p, f.data.n < sizeof r->last ? f.data.n : sizeof r->last);
}

static void rig_frame(struct conn *c, struct frame f)
{
        struct rig *r = rig_of(c);
        assert_int_equal(r->opened, 1);
        assert_int_equal(r->closed, 0);
        r->frames++;
        rig_note(r, f);
        if (r->on_frame)
                r->on_frame(r, &f);
        frame_done(&f);
}

static void rig_control(struct conn *c, struct frame f)
{
        rig_of(c)->controls++;
        rig_note(rig_of(c), f);
        frame_done(&f);
}

static void rig_eof(struct conn *c)
{
        rig_of(c)->eofs++;
        if (!rig_of(c)->keep_open_at_eof)
                conn_close(c, CONN_FLUSH, "eof");
}

static void rig_closed(struct conn *c, const char *why)
{
        rig_of(c)->closed++;
        rig_of(c)->why = why;
}

static const struct conn_ops rig_ops = {.opened = rig_opened,
                                        .frame = rig_frame,
                                        .control = rig_control,
                                        .eof = rig_eof,
                                        .closed = rig_closed};

/* Runs the loop until nothing happens. */
static inline void rig_run(struct rig *r)
{
        while (loop_step(r->loop, 0))
                ;
}

static inline void rig_init(struct rig *r)
{
        *r = (struct rig){0};
        r->bufs = buf_pool_new(1u << 20);
        struct loop_conf lc = {.bufs = r->bufs};
        r->loop = loop_new(&lc);
        assert_non_null(r->loop);
        int fd[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd), 0);
        r->peer = fd[1];
        struct conn_conf cc = {.ops = &rig_ops, .ctx = r, .max_frame = LIMIT_FRAME_BYTES};
        r->c = conn_adopt(r->loop, fd[0], &cc);
        assert_non_null(r->c);
        conn_ref(r->c);
        rig_run(r);
        assert_int_equal(r->opened, 1);
}

/* Ends the loop: the connection must have been closed exactly once, and no buffer be missing. */
static inline void rig_fini(struct rig *r)
{
        conn_unref(r->c);
        loop_free(r->loop);
        assert_int_equal(r->closed, 1);
        assert_int_equal(buf_pool_used_bytes(r->bufs), 0);
        buf_pool_free(r->bufs);
        if (r->peer >= 0)
                assert_int_equal(close(r->peer), 0);
}

/* The peer sends n bytes, all of which the socket has room for. */
static inline void rig_peer_send(struct rig *r, const void *p, size_t n)
{
        assert_int_equal(send(r->peer, p, n, MSG_NOSIGNAL), n);
}

/* A frame of n bytes, each (uint8_t)(seed + its index), into out[n + 4]. */
static inline void frame_make(uint8_t *out, uint32_t n, uint8_t seed)
{
        struct writer w = wr_into(out, 4);
        wr_u8(&w, 0);
        wr_u24be(&w, n);
        for (uint32_t i = 0; i < n; i++)
                out[4 + i] = (uint8_t)(seed + i);
}

static inline bool frame_check(struct bytes b, uint8_t seed)
{
        for (size_t i = 0; i < b.n; i++)
                if (b.p[i] != (uint8_t)(seed + i))
                        return false;
        return true;
}

/* What the peer can receive now, at most n bytes; 0 = nothing yet, -1 = end. */
static inline ssize_t rig_peer_recv(struct rig *r, void *p, size_t n)
{
        ssize_t got = recv(r->peer, p, n, 0);
        if (got < 0) {
                assert_int_equal(errno, EAGAIN);
                return 0;
        }
        return got ? got : -1;
}

/* Receives exactly n bytes, running the loop in between. */
static inline void rig_peer_recv_all(struct rig *r, void *p, size_t n)
{
        for (size_t at = 0; at < n;) {
                rig_run(r);
                ssize_t got = rig_peer_recv(r, (uint8_t *)p + at, n - at);
                assert_true(got > 0);
                at += (size_t)got;
        }
}

#endif
