/* The whole folder with real threads: listeners, echo traffic, moves, stopping. Also meant to be
 * run under ThreadSanitizer. */
#include "net/pool.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>

#include "base/cursor.h"
#include "net/conn_impl.h"
#include "net/conn_testing.h"
#include "net/echo_testing.h"
#include "net/listener.h"
#include "net/thread.h"

/* A front whose connections count themselves. */
static atomic_uint n_opened, n_closed, n_moved, n_tasks;
static struct net_pool *pool;
static unsigned max_workers = 4;

static void count_opened(struct conn *c)
{
        assert_ptr_equal(loop_current(), conn_loop(c));
        int v = 0;
        socklen_t n = sizeof v;
        if (conn_is_open(c)) {
                assert_int_equal(getsockopt(c->src.fd, IPPROTO_TCP, TCP_NODELAY, &v, &n), 0);
                assert_true(v);
                assert_int_equal(getsockopt(c->src.fd, IPPROTO_TCP, TCP_KEEPIDLE, &v, &n), 0);
                assert_int_equal(v, 33);
                assert_int_equal(getsockopt(c->src.fd, SOL_SOCKET, SO_KEEPALIVE, &v, &n), 0);
                assert_true(v);
        }
        atomic_fetch_add(&n_opened, 1);
}

static void count_closed(struct conn *c, const char *why)
{
        (void)c;
        assert_non_null(why);
        atomic_fetch_add(&n_closed, 1);
}

static const struct conn_ops echo_ops = {
        .opened = count_opened, .frame = echo_frame, .closed = count_closed};

static void pool_begin(unsigned loops, unsigned max_conns)
{
        struct net_pool_conf pc = {.loops = loops,
                                   .max_conns = max_conns,
                                   .max_workers = max_workers,
                                   .busy_poll_us = LOOP_BUSY_POLL_US};
        n_opened = n_closed = n_moved = n_tasks = 0;
        pool = net_pool_new(&pc);
        assert_non_null(pool);
        assert_int_equal(net_pool_start(pool), 0);
}

static void pool_end(void)
{
        net_pool_stop(pool);
        assert_int_equal(n_opened, n_closed);
        assert_int_equal(net_pool_count(pool).conns, 0);
        net_pool_free(pool);
}

static struct listener *listen_on(const char *address, const struct conn_ops *ops)
{
        char error[LISTENER_ERROR_TEXT] = "";
        struct listener_conf lc = {.address = address,
                                   .conn = {.ops = ops, .max_frame = LIMIT_FRAME_BYTES},
                                   .keepalive_idle_s = 33};
        struct listener *l = listener_open(pool, &lc, error);
        if (!l && strstr(error, "127") == error)
                fail_msg("%s", error);
        return l;
}

/* A blocking client of 127.0.0.1; waits at most 20 s for anything. */
static int client_socket(void)
{
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct timeval t = {.tv_sec = 20};
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t), 0);
        return fd;
}

static bool client_try(int fd, uint16_t port)
{
        struct sockaddr_in a = {.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        return connect(fd, (struct sockaddr *)&a, sizeof a) == 0;
}

static void client_connect(int fd, uint16_t port)
{
        assert_true(client_try(fd, port));
}

static int client_new(uint16_t port)
{
        int fd = client_socket();
        client_connect(fd, port);
        return fd;
}

static bool client_echo(int fd, uint32_t n, uint8_t seed)
{
        AUTO_FREE uint8_t *wire = malloc(n + 4), *back = malloc(n + 4);
        frame_make(wire, n, seed);
        if (send(fd, wire, n + 4, MSG_NOSIGNAL) != (ssize_t)n + 4)
                return false;
        return recv(fd, back, n + 4, MSG_WAITALL) == (ssize_t)n + 4 &&
               memcmp(wire, back, n + 4) == 0;
}

static void echo_over_both_families(void **state)
{
        (void)state;
        pool_begin(2, 0);
        struct listener *four = listen_on("127.0.0.1", &echo_ops);
        assert_non_null(four);
        int fd = client_new(listener_port(four));
        for (uint32_t i = 0; i < 200; i++)
                assert_true(client_echo(fd, i * 100, (uint8_t)i));
        assert_int_equal(listener_count(four).accepted, 1);

        struct listener *six = listen_on("::1", &echo_ops);
        if (six) {
                int fd6 = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
                struct sockaddr_in6 a = {.sin6_family = AF_INET6,
                                         .sin6_port = htons(listener_port(six)),
                                         .sin6_addr = in6addr_loopback};
                assert_int_equal(connect(fd6, (struct sockaddr *)&a, sizeof a), 0);
                assert_true(client_echo(fd6, 5000, 3));
                assert_int_equal(close(fd6), 0);
        } else {
                print_message("no IPv6 here\n");
        }
        listener_close(six);
        listener_close(four);
        assert_true(client_echo(fd, 100, 1)); /* accepted connections stay */
        assert_int_equal(close(fd), 0);
        pool_end();
}

static void errors_are_sentences(void **state)
{
        (void)state;
        pool_begin(1, 0);
        struct listener *l = listen_on("127.0.0.1", &echo_ops);
        assert_non_null(l);
        static const struct {
                const char *address, *text;
        } row[] = {{"127.0.0.1", "in use by another program"},
                   {"localhost", "no IPv4 or IPv6 address"},
                   {"192.0.2.77", "does not have that address"}};
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                char error[LISTENER_ERROR_TEXT] = "";
                struct listener_conf lc = {
                        .address = row[i].address, .port = listener_port(l), .conn.ops = &echo_ops};
                assert_null(listener_open(pool, &lc, error));
                if (!strstr(error, row[i].text))
                        fail_msg("%s", error);
        }
        listener_close(l);
        pool_end();
}

static void too_many_connections_are_refused(void **state)
{
        (void)state;
        pool_begin(2, 2);
        struct listener *l = listen_on("127.0.0.1", &echo_ops);
        int a = client_new(listener_port(l)), b = client_new(listener_port(l));
        assert_true(client_echo(a, 10, 1) && client_echo(b, 10, 2));
        int c = client_new(listener_port(l));
        uint8_t byte;
        assert_true(recv(c, &byte, 1, 0) <= 0);
        assert_int_equal(listener_count(l).refused, 1);
        assert_true(client_echo(a, 10, 1)); /* the others do not notice */
        assert_int_equal(close(c) + close(a), 0);
        while (atomic_load(&n_closed) == 0)
                sched_yield();
        c = client_new(listener_port(l));
        assert_true(client_echo(c, 10, 3));
        assert_int_equal(close(b) + close(c), 0);
        listener_close(l);
        pool_end();
}

static void without_descriptors_peers_are_told(void **state)
{
        (void)state;
        pool_begin(1, 0);
        struct listener *l = listen_on("127.0.0.1", &echo_ops);
        int a = client_socket(), b = client_socket();
        struct rlimit old, none;
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
        none = old;
        int next = dup(0);
        assert_true(next > 0);
        assert_int_equal(close(next), 0);
        none.rlim_cur = (rlim_t)next;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
        client_connect(a, listener_port(l));
        uint8_t byte;
        ssize_t got = recv(a, &byte, 1, 0);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
        assert_true(got <= 0);
        assert_int_equal(listener_count(l).no_fd, 1);
        client_connect(b, listener_port(l));
        assert_true(client_echo(b, 10, 1));
        assert_int_equal(close(a) + close(b), 0);
        listener_close(l);
        pool_end();
}

#define MANY 48u
#define MANY_BYTES (1024u * 1024)

static void many_done(struct out *o, bool sent)
{
        if (sent)
                atomic_fetch_add(&n_tasks, 1);
        free(o);
}

/* Answers each frame with far more than a turn or a socket buffer holds. */
static void many_frame(struct conn *c, struct frame f)
{
        frame_done(&f);
        for (unsigned i = 0; i < MANY; i++) {
                struct out *o = malloc(sizeof *o);
                out_init(o, many_done);
                assert_true(out_add_zeros(o, MANY_BYTES - 4 - i));
                conn_send(c, o);
        }
}

static const struct conn_ops many_ops = {
        .opened = count_opened, .frame = many_frame, .closed = count_closed};

static void long_answers_arrive_whole(void **state)
{
        (void)state;
        pool_begin(1, 0);
        struct listener *l = listen_on("127.0.0.1", &many_ops);
        int fd = client_new(listener_port(l));
        AUTO_FREE uint8_t *got = malloc(MANY_BYTES);
        for (int round = 0; round < 2; round++) {
                assert_int_equal(send(fd, "\0\0\0\0", 4, 0), 4);
                for (unsigned i = 0; i < MANY; i++) {
                        size_t n = MANY_BYTES - i;
                        assert_int_equal(recv(fd, got, n, MSG_WAITALL), n);
                        struct cursor h = cur_of(bytes_of(got, 4));
                        assert_int_equal(cur_u32be(&h), n - 4);
                        assert_int_equal(got[4] | got[n - 1], 0);
                }
        }
        assert_int_equal(close(fd), 0);
        listener_close(l);
        pool_end();
        assert_int_equal(n_tasks, 2 * MANY);
}

/* Each connection moves to another loop with its 5th frame, in the midst of its traffic. */
struct move_state {
        struct task then;
        struct conn *c;
        unsigned frames;
        bool moved;
};

static void move_opened(struct conn *c)
{
        struct move_state *s = calloc(1, sizeof *s);
        s->c = c;
        conn_set_ctx(c, s);
        atomic_fetch_add(&n_opened, 1);
}

static void move_then(struct task *t)
{
        struct move_state *s = container_of(t, struct move_state, then);
        assert_ptr_equal(loop_current(), conn_loop(s->c));
        s->moved = true;
        atomic_fetch_add(&n_moved, 1);
}

static void move_frame(struct conn *c, struct frame f)
{
        struct move_state *s = conn_ctx(c);
        assert_ptr_equal(loop_current(), conn_loop(c));
        echo_frame(c, f);
        if (++s->frames == 5) {
                s->then.run = move_then;
                struct net_loop *to = net_pool_next(pool);
                conn_move(c, to == conn_loop(c) ? net_pool_next(pool) : to, &s->then);
        }
}

static void after_close(struct task *t)
{
        free(t);
        atomic_fetch_add(&n_tasks, 1);
}

static void after_close_on_worker(struct task *t)
{
        t->run = after_close;
        exec_on_loop(loop_exec(net_pool_loop(pool, 0)), t);
}

/* Closing starts work on a worker, which comes back to a loop: also while the pool stops. */
static void move_closed(struct conn *c, const char *why)
{
        free(conn_ctx(c));
        struct task *t = calloc(1, sizeof *t);
        t->run = after_close_on_worker;
        exec_on_worker(loop_exec(conn_loop(c)), t);
        count_closed(c, why);
}

static const struct conn_ops move_ops = {
        .opened = move_opened, .frame = move_frame, .closed = move_closed};

struct client {
        pthread_t id;
        uint16_t port;
        unsigned rounds;
        bool ok;
};

/* Pipelines frames of many sizes: 16 out, 16 back. */
static void *client_main(void *arg)
{
        struct client *cl = arg;
        int fd = client_socket();
        static const uint32_t sizes[16] = {1,   100, 0,    3000, 9,   70000, 5, 20000,
                                           256, 1,   4096, 333,  100, 65000, 7, 128};
        size_t total = 0;
        for (int i = 0; i < 16; i++)
                total += 4 + sizes[i];
        AUTO_FREE uint8_t *wire = malloc(total), *back = malloc(total);
        size_t at = 0;
        for (int i = 0; i < 16; i++) {
                frame_make(wire + at, sizes[i], (uint8_t)i);
                at += 4 + sizes[i];
        }
        cl->ok = client_try(fd, cl->port); /* the listener may be gone already */
        for (unsigned r = 0; r < cl->rounds && cl->ok; r++)
                cl->ok = send(fd, wire, total, MSG_NOSIGNAL) == (ssize_t)total &&
                         recv(fd, back, total, MSG_WAITALL) == (ssize_t)total &&
                         memcmp(wire, back, total) == 0;
        (void)close(fd);
        return NULL;
}

static void traffic(struct client *cl, unsigned n, uint16_t port, unsigned rounds)
{
        for (unsigned i = 0; i < n; i++) {
                cl[i] = (struct client){.port = port, .rounds = rounds};
                assert_int_equal(thread_start(&cl[i].id, "client", client_main, &cl[i]), 0);
        }
}

static void moves_under_traffic(void **state)
{
        (void)state;
        pool_begin(3, 0);
        struct listener *l = listen_on("127.0.0.1", &move_ops);
        struct client cl[8];
        for (int round = 0; round < 4; round++) {
                traffic(cl, 8, listener_port(l), 20);
                for (int i = 0; i < 8; i++) {
                        assert_int_equal(pthread_join(cl[i].id, NULL), 0);
                        assert_true(cl[i].ok);
                }
        }
        assert_int_equal(n_moved, 32);
        listener_close(l);
        net_pool_stop(pool);
        assert_int_equal(n_tasks, 32);
        pool_end();
}

/* Frames that a worker answers, while the loop goes on receiving into the same buffer. */
struct work {
        struct task t;
        struct conn *c;
        struct echo *e;
        struct exec *home;
        bool ok;
};

static void work_back(struct task *t)
{
        struct work *w = container_of(t, struct work, t);
        assert_true(w->ok);
        conn_send(w->c, &w->e->o); /* fails by itself if c has closed meanwhile */
        conn_unref(w->c);
        free(w);
}

static void work_run(struct task *t)
{
        struct work *w = container_of(t, struct work, t);
        struct bytes b = w->e->f.data;
        w->ok = frame_settle(&w->e->f) &&
                (b.n == 0 || frame_check(w->e->f.data, w->e->f.data.p[0]));
        out_init(&w->e->o, echo_done);
        w->ok = out_add_mem(&w->e->o, w->e->f.data.p, w->e->f.data.n) && w->ok;
        w->t.run = work_back;
        exec_on_loop(w->home, t);
}

static void work_frame(struct conn *c, struct frame f)
{
        struct work *w = calloc(1, sizeof *w);
        w->e = malloc(sizeof *w->e);
        w->e->f = f;
        w->c = conn_ref(c);
        w->home = loop_exec(conn_loop(c));
        w->t.run = work_run;
        exec_on_worker(w->home, &w->t);
}

static const struct conn_ops work_ops = {
        .opened = count_opened, .frame = work_frame, .closed = count_closed};

static void workers_answer(void **state)
{
        (void)state;
        max_workers = 1; /* so that the replies keep their order */
        pool_begin(2, 0);
        max_workers = 4;
        struct listener *l = listen_on("127.0.0.1", &work_ops);
        struct client cl[6];
        traffic(cl, 6, listener_port(l), 30);
        for (int i = 0; i < 6; i++) {
                assert_int_equal(pthread_join(cl[i].id, NULL), 0);
                assert_true(cl[i].ok);
        }
        traffic(cl, 6, listener_port(l), 1000000); /* and stop in the midst of it */
        while (net_pool_count(pool).frames_in < 6 * 30 * 16 + 500)
                sched_yield();
        listener_close(l);
        pool_end();
        for (int i = 0; i < 6; i++)
                assert_int_equal(pthread_join(cl[i].id, NULL), 0);
}

static void stopping_under_traffic(void **state)
{
        (void)state;
        for (unsigned round = 0; round < 10; round++) {
                pool_begin(3, 0);
                struct listener *l = listen_on("127.0.0.1", &move_ops);
                struct client cl[6];
                traffic(cl, 6, listener_port(l), 1000000);
                while (net_pool_count(pool).frames_in < 100 * round)
                        sched_yield();
                listener_close(l);
                net_pool_stop(pool);
                assert_int_equal(n_opened, n_closed);
                assert_int_equal(n_tasks, n_closed);
                pool_end(); /* asserts that all buffers came back */
                for (int i = 0; i < 6; i++)
                        assert_int_equal(pthread_join(cl[i].id, NULL), 0);
        }
}

static void idle_connections_hold_little(void **state)
{
        (void)state;
        struct rlimit lim;
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &lim), 0);
        lim.rlim_cur = lim.rlim_max;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &lim), 0);
        int n = lim.rlim_cur > 2200 ? 1000 : 100;
        struct rig r;
        rig_init(&r);
        int(*fd)[2] = calloc((size_t)n, sizeof *fd);
        static const struct conn_ops ops = {.frame = echo_frame, .closed = count_closed};
        struct conn_conf cc = {.ops = &ops};
        size_t before = mallinfo2().uordblks;
        for (int i = 0; i < n; i++) {
                assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd[i]), 0);
                assert_non_null(conn_adopt(r.loop, fd[i][0], &cc));
        }
        rig_run(&r);
        for (int i = 0; i < n; i++) /* each has done something, and one byte is on its way */
                assert_int_equal(send(fd[i][1], "\0\0\0\2hi\0", 7, 0), 7);
        rig_run(&r);
        size_t after = mallinfo2().uordblks;
        print_message("%d idle connections: %zu bytes each (struct conn: %zu), buffers: %zu\n", n,
                      (after - before) / (size_t)n, sizeof(struct conn),
                      buf_pool_used_bytes(r.bufs));
        assert_int_equal(buf_pool_used_bytes(r.bufs), 65536); /* the loop's own */
        n_closed = 0;
        for (int i = 0; i < n; i++)
                assert_int_equal(close(fd[i][1]), 0);
        rig_run(&r);
        assert_int_equal(n_closed, n);
        free(fd);
        rig_fini(&r);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(echo_over_both_families),
                cmocka_unit_test(errors_are_sentences),
                cmocka_unit_test(too_many_connections_are_refused),
                cmocka_unit_test(without_descriptors_peers_are_told),
                cmocka_unit_test(long_answers_arrive_whole),
                cmocka_unit_test(moves_under_traffic),
                cmocka_unit_test(workers_answer),
                cmocka_unit_test(stopping_under_traffic),
                cmocka_unit_test(idle_connections_hold_little),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
