/* See conn.h. The life of a connection: adopted, open, moved, closed. Receiving is in conn_rx.c,
 * sending in conn_tx.c.
 *
 * All that ends or moves a connection happens in one place, conn_end, at the end of an iteration:
 * no callback of the front ever finds its connection gone under its feet.
 */
#include "net/conn.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/limits.h"
#include "net/conn_impl.h"
#include "net/pool_impl.h"

static void conn_ready(struct loop_source *s, uint32_t events);
static void conn_end(struct loop_hook *h);
static void conn_turn(struct loop_hook *h);

static struct conn *conn_new(struct net_loop *l, int fd, const struct conn_conf *conf)
{
        struct conn *c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        atomic_init(&c->refs, 1);
        c->src = (struct loop_source){.fd = fd, .ready = conn_ready};
        c->loop = l;
        c->ops = conf->ops;
        c->ctx = conf->ctx;
        c->rx.max_frame = conf->max_frame ? conf->max_frame : LIMIT_FRAME_BYTES_UNAUTH;
        c->rx.payload_at = conf->payload_at;
        c->stall_ms = conf->stall_ms ? conf->stall_ms : LIMIT_CONN_STALL_MS;
        c->end.fn = conn_end;
        c->turn.fn = conn_turn;
        list_init(&c->out);
        list_init(&c->failed);
        return c;
}

/* Into the loop's list and epoll. 0 or an errno. */
static int conn_enter_loop(struct conn *c)
{
        list_add_last(&c->loop->conns, &c->link);
        count_add(&c->loop->count.conns, 1);
        c->rx_more = true; /* whatever came before is announced too, but need not be waited for */
        int err = loop_watch(c->loop, &c->src);
        c->watched = err == 0;
        return err;
}

static void conn_leave_loop(struct conn *c)
{
        if (c->watched)
                loop_unwatch(c->loop, &c->src);
        c->watched = false;
        loop_hook_cancel(&c->turn);
        timer_stop(c->loop, &c->deadline);
        timer_stop(c->loop, &c->stall);
        list_remove(&c->link);
        count_add(&c->loop->count.conns, (uint64_t)-1);
}

struct conn *conn_adopt_counted(struct net_loop *l, int fd, const struct conn_conf *conf,
                                struct net_pool *pool)
{
        assert(loop_is_mine(l));
        struct conn *c = l->closing ? NULL : conn_new(l, fd, conf);
        if (c && conn_enter_loop(c) != 0) {
                conn_leave_loop(c);
                free(c);
                c = NULL;
        }
        if (!c) {
                (void)close(fd); /* a socket that nobody has used */
                if (pool)
                        net_pool_give_slot(pool);
                return NULL;
        }
        c->pool = pool;
        count_add(&l->count.conns_total, 1);
        loop_again(l, &c->turn);
        return c;
}

struct conn *conn_adopt(struct net_loop *l, int fd, const struct conn_conf *conf)
{
        int flags = fcntl(fd, F_GETFL);
        if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
                (void)close(fd); /* no usable descriptor */
                return NULL;
        }
        return conn_adopt_counted(l, fd, conf, NULL);
}

struct conn *conn_ref(struct conn *c)
{
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
        return c;
}

void conn_unref(struct conn *c)
{
        if (!c)
                return;
        unsigned was = atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel);
        assert(was > 0);
        if (was != 1)
                return;
        assert(c->finished);
        free(c);
}

void *conn_ctx(const struct conn *c)
{
        return c->ctx;
}

void conn_set_ctx(struct conn *c, void *ctx)
{
        c->ctx = ctx;
}

struct net_loop *conn_loop(const struct conn *c)
{
        return c->loop;
}

bool conn_is_open(const struct conn *c)
{
        return c->state == CONN_OPEN;
}

static bool conn_name(const struct conn *c, struct sockaddr_storage *out,
                      int (*get)(int, struct sockaddr *, socklen_t *))
{
        socklen_t n = sizeof *out;
        *out = (struct sockaddr_storage){0};
        return c->src.fd >= 0 && get(c->src.fd, (struct sockaddr *)out, &n) == 0 &&
               (out->ss_family == AF_INET || out->ss_family == AF_INET6);
}

bool conn_peer(const struct conn *c, struct sockaddr_storage *out)
{
        return conn_name(c, out, getpeername);
}

bool conn_local(const struct conn *c, struct sockaddr_storage *out)
{
        return conn_name(c, out, getsockname);
}

void conn_addr_text(const struct sockaddr_storage *a, char out[CONN_ADDR_TEXT])
{
        char ip[INET6_ADDRSTRLEN] = "?";
        const char *form = "%s:%u";
        unsigned port = 0;
        if (a->ss_family == AF_INET) {
                struct sockaddr_in in;
                memcpy(&in, a, sizeof in);
                port = ntohs(in.sin_port);
                (void)inet_ntop(AF_INET, &in.sin_addr, ip, sizeof ip); /* ip has room */
        } else if (a->ss_family == AF_INET6) {
                struct sockaddr_in6 in;
                memcpy(&in, a, sizeof in);
                port = ntohs(in.sin6_port);
                form = "[%s]:%u";
                (void)inet_ntop(AF_INET6, &in.sin6_addr, ip, sizeof ip); /* ip has room */
        }
        (void)snprintf(out, CONN_ADDR_TEXT, form, ip, port); /* always fits */
}

void conn_set_max_frame(struct conn *c, uint32_t n)
{
        assert(loop_is_mine(c->loop) && n <= LIMIT_FRAME_BYTES);
        c->rx.max_frame = n;
}

static void conn_deadline_over(struct timer *t)
{
        conn_close(container_of(t, struct conn, deadline), CONN_NOW, "the time allowed is over");
}

void conn_set_deadline(struct conn *c, uint32_t ms)
{
        if (ms == 0)
                timer_stop(c->loop, &c->deadline);
        else if (c->state != CONN_CLOSED)
                timer_start(c->loop, &c->deadline, ms, conn_deadline_over);
}

void conn_pause(struct conn *c)
{
        assert(loop_is_mine(c->loop));
        c->pauses++;
}

void conn_resume(struct conn *c)
{
        assert(loop_is_mine(c->loop) && c->pauses > 0);
        if (--c->pauses == 0)
                conn_read_later(c);
}

void conn_at_end(struct conn *c)
{
        if (!list_empty(&c->end.link))
                return;
        conn_ref(c); /* the hook's; conn_end gives it back */
        loop_at_end(c->loop, &c->end);
}

void conn_close(struct conn *c, enum conn_close_how how, const char *why)
{
        assert(loop_is_mine(c->loop));
        if (c->state == CONN_CLOSED || (how == CONN_FLUSH && c->state != CONN_OPEN))
                return;
        if (!c->why)
                c->why = why;
        c->state = how == CONN_NOW ? CONN_CLOSED : CONN_FLUSHING;
        conn_at_end(c);
}

void conn_fail(struct conn *c, int err)
{
        const char *why = "the connection failed";
        if (err == ECONNRESET || err == EPIPE)
                why = "the peer reset the connection";
        else if (err == ETIMEDOUT || err == EHOSTUNREACH || err == ENETUNREACH)
                why = "the peer is gone";
        else if (err == ENOMEM || err == ENOBUFS)
                why = "no memory";
        conn_close(c, CONN_NOW, why);
}

void conn_close_all(struct net_loop *l)
{
        l->closing = true;
        list_each_safe (&l->conns, it, nxt)
                conn_close(list_entry(it, struct conn, link), CONN_NOW, "the server is stopping");
}

static void conn_tell_opened(struct conn *c)
{
        if (c->opened)
                return;
        c->opened = true;
        if (c->ops->opened)
                c->ops->opened(c);
}

/* The last step: c is CLOSED, its outs are done. */
static void conn_finish(struct conn *c)
{
        c->finished = true;
        conn_leave_loop(c);
        conn_rx_fini(c);
        (void)close(c->src.fd); /* what could be said about it was said by send and recv */
        c->src.fd = -1;
        if (c->pool)
                net_pool_give_slot(c->pool);
        conn_tell_opened(c);
        c->ops->closed(c, c->why);
        conn_unref(c);
}

static void conn_linger_over(struct timer *t)
{
        conn_close(container_of(t, struct conn, stall), CONN_NOW, "closed");
}

/* Closing a socket that holds unread input makes the kernel send a reset, which can destroy our
 * last replies before the peer has read them. So the peer gets a moment to close first. */
static void conn_linger(struct conn *c)
{
        conn_rx_fini(c);
        if (c->rx_eof || shutdown(c->src.fd, SHUT_WR) != 0) {
                c->state = CONN_CLOSED;
                return;
        }
        c->state = CONN_LINGERING;
        timer_start(c->loop, &c->stall, LIMIT_CONN_LINGER_MS, conn_linger_over);
        loop_again(c->loop, &c->turn);
}

static void conn_discard(struct conn *c)
{
        uint8_t waste[16384];
        for (int i = 0; i < 16; i++) {
                ssize_t n = recv(c->src.fd, waste, sizeof waste, 0);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n == 0 || (n < 0 && errno != EAGAIN))
                        conn_close(c, CONN_NOW, "closed");
                if (n <= 0)
                        return;
        }
        loop_again(c->loop, &c->turn);
}

static void conn_moved(struct task *t)
{
        struct conn *c = container_of(t, struct conn, moved);
        struct task *then = c->move_then;
        c->move_to = NULL;
        c->move_then = NULL;
        if (c->state == CONN_CLOSED) {
                list_add_last(&c->loop->conns, &c->link);
                count_add(&c->loop->count.conns, 1);
        } else {
                int err = conn_enter_loop(c);
                if (err)
                        conn_fail(c, err);
                else if (c->loop->closing)
                        conn_close(c, CONN_NOW, "the server is stopping");
        }
        if (c->move_deadline_ms && c->state != CONN_CLOSED) {
                uint64_t now = clock_ms(), due = c->move_deadline_ms;
                conn_set_deadline(c, due > now ? (uint32_t)(due - now) : 1);
        }
        c->tx_blocked = false;
        then->run(then);
        conn_read_later(c);
        conn_at_end(c);
        conn_unref(c); /* conn_rehome's */
}

/* Nothing is queued any more: over to the other loop. */
static void conn_rehome(struct conn *c)
{
        c->move_deadline_ms = c->deadline.due_ms;
        conn_leave_loop(c);
        c->loop = c->move_to;
        c->moved.run = conn_moved;
        conn_ref(c);
        loop_post(c->move_to, &c->moved);
}

void conn_move(struct conn *c, struct net_loop *to, struct task *then)
{
        assert(loop_is_mine(c->loop) && !c->move_to && !c->finished);
        c->move_to = to;
        c->move_then = then;
        conn_at_end(c);
}

/* The end of an iteration in which something happened to c. */
static void conn_end(struct loop_hook *h)
{
        struct conn *c = container_of(h, struct conn, end);
        if (c->state == CONN_OPEN || c->state == CONN_FLUSHING)
                conn_write(c);
        if (c->state == CONN_FLUSHING && !c->move_to && list_empty(&c->out))
                conn_linger(c);
        conn_tx_fail(c);
        if (c->move_to) {
                if (list_empty(&c->out))
                        conn_rehome(c);
        } else if (c->state == CONN_CLOSED && !c->finished) {
                conn_finish(c);
        }
        conn_unref(c); /* conn_at_end's */
}

static void conn_turn(struct loop_hook *h)
{
        struct conn *c = container_of(h, struct conn, turn);
        if (c->state == CONN_LINGERING) {
                conn_discard(c);
                return;
        }
        if (c->state == CONN_OPEN)
                conn_tell_opened(c);
        if (conn_may_write(c))
                conn_at_end(c);
        conn_read(c);
}

static int conn_error(const struct conn *c)
{
        int err = 0;
        socklen_t n = sizeof err;
        if (getsockopt(c->src.fd, SOL_SOCKET, SO_ERROR, &err, &n) != 0)
                return errno;
        return err ? err : ECONNRESET;
}

static void conn_ready(struct loop_source *s, uint32_t events)
{
        struct conn *c = container_of(s, struct conn, src);
        if (c->state == CONN_CLOSED)
                return;
        if ((events & EPOLLOUT) && c->tx_blocked) {
                c->tx_blocked = false;
                conn_at_end(c);
        }
        if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
                c->rx_more = true;
        if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
                c->rx_hup = true;
        if (c->state == CONN_LINGERING)
                conn_discard(c);
        else if (conn_may_read(c))
                conn_read(c); /* finds the error too, after what came before it */
        else if (events & EPOLLERR)
                conn_fail(c, conn_error(c));
}
