/* See listener.h. A listener is watched by one loop, which accepts and posts each socket to the
 * loop whose turn it is. Options that accepted sockets inherit from the listening one (Linux:
 * no-delay, keep-alive) are set there once.
 */
#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>

#include "net/conn_impl.h"
#include "net/pool_impl.h"

#define LISTENER_BACKLOG 1024
#define LISTENER_BATCH 16      /* accepts in one iteration */
#define LISTENER_PAUSE_MS 100u /* when the system has no memory or descriptors for us */
#define KEEPALIVE_IDLE_S 120u
#define KEEPALIVE_INTERVAL_S 15u
#define KEEPALIVE_COUNT 4u

struct listener {
        struct loop_source src;
        struct net_pool *pool;
        struct net_loop *loop; /* accepts */
        struct conn_conf conn;
        int spare_fd; /* given up for a moment to refuse a peer when no descriptor is left */
        struct timer pause;
        bool watched;
        _Atomic uint64_t accepted, refused, no_fd, failed;
};

/* A listener's start or end, on its loop, waited for by its caller. */
struct call {
        struct task task;
        struct listener *l;
        int (*fn)(struct listener *l);
        int err;
        pthread_mutex_t lock;
        pthread_cond_t cond;
        bool done;
};

static void call_run(struct task *t)
{
        struct call *c = container_of(t, struct call, task);
        int err = c->fn(c->l);
        pthread_mutex_lock(&c->lock);
        c->err = err;
        c->done = true;
        pthread_cond_signal(&c->cond);
        pthread_mutex_unlock(&c->lock);
}

static int call_on_loop(struct listener *l, int (*fn)(struct listener *l))
{
        struct call c = {.task.run = call_run,
                         .l = l,
                         .fn = fn,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .cond = PTHREAD_COND_INITIALIZER};
        loop_post(l->loop, &c.task);
        pthread_mutex_lock(&c.lock);
        while (!c.done)
                pthread_cond_wait(&c.cond, &c.lock);
        pthread_mutex_unlock(&c.lock);
        pthread_cond_destroy(&c.cond);
        pthread_mutex_destroy(&c.lock);
        return c.err;
}

/* An accepted socket on its way to its loop. */
struct arrival {
        struct task task;
        struct net_loop *loop;
        struct net_pool *pool;
        struct conn_conf conf;
        int fd;
};

static void arrival_run(struct task *t)
{
        AUTO_FREE struct arrival *a = container_of(t, struct arrival, task);
        (void)conn_adopt_counted(a->loop, a->fd, &a->conf, a->pool); /* closes fd if it can't */
}

static void listener_hand_over(struct listener *l, int fd)
{
        if (!net_pool_take_slot(l->pool)) {
                atomic_fetch_add(&l->refused, 1);
                (void)close(fd); /* nobody has used it */
                return;
        }
        struct net_loop *to = net_pool_next(l->pool);
        struct arrival *a = malloc(sizeof *a);
        if (!a) {
                net_pool_give_slot(l->pool);
                atomic_fetch_add(&l->failed, 1);
                (void)close(fd); /* nobody has used it */
                return;
        }
        *a = (struct arrival){
                .task.run = arrival_run, .loop = to, .pool = l->pool, .conf = l->conn, .fd = fd};
        atomic_fetch_add(&l->accepted, 1);
        loop_post(to, &a->task);
}

static void listener_pause_over(struct timer *t)
{
        struct listener *l = container_of(t, struct listener, pause);
        if (l->spare_fd < 0)
                l->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        l->watched = loop_watch_level(l->loop, &l->src) == 0;
        if (!l->watched)
                timer_start(l->loop, t, LISTENER_PAUSE_MS, listener_pause_over);
}

/* Level-triggered, so a listener that can't accept would keep its loop awake. */
static void listener_pause(struct listener *l)
{
        loop_unwatch(l->loop, &l->src);
        l->watched = false;
        timer_start(l->loop, &l->pause, LISTENER_PAUSE_MS, listener_pause_over);
}

/* No descriptor is left: tell one peer so by closing its connection, with the one kept for this. */
static void listener_refuse_one(struct listener *l)
{
        if (l->spare_fd >= 0)
                (void)close(l->spare_fd); /* /dev/null */
        int fd = accept4(l->src.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
                atomic_fetch_add(&l->no_fd, 1);
                (void)close(fd); /* nobody has used it */
        }
        l->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (fd < 0 || l->spare_fd < 0)
                listener_pause(l);
}

/* False when this batch is over. */
static bool listener_accept(struct listener *l)
{
        int fd = accept4(l->src.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
                listener_hand_over(l, fd);
                return true;
        }
        switch (errno) {
        case EAGAIN:
                return false;
        case EMFILE:
        case ENFILE:
                listener_refuse_one(l);
                return false;
        case ENOMEM:
        case ENOBUFS:
                atomic_fetch_add(&l->failed, 1);
                listener_pause(l);
                return false;
        case EINTR:
                return true;
        default: /* the peer was gone before we came, or its network is: accept(2) */
                atomic_fetch_add(&l->failed, 1);
                return true;
        }
}

static void listener_ready(struct loop_source *s, uint32_t events)
{
        struct listener *l = container_of(s, struct listener, src);
        for (int i = 0; i < LISTENER_BATCH && listener_accept(l); i++)
                ;
}

static int listener_start(struct listener *l)
{
        int err = loop_watch_level(l->loop, &l->src);
        l->watched = err == 0;
        return err;
}

static int listener_end(struct listener *l)
{
        timer_stop(l->loop, &l->pause);
        if (l->watched)
                loop_unwatch(l->loop, &l->src);
        return 0;
}

static int set_option(int fd, int level, int name, unsigned value)
{
        int v = (int)value;
        return setsockopt(fd, level, name, &v, sizeof v) == 0 ? 0 : errno;
}

static unsigned or_default(unsigned v, unsigned d)
{
        return v ? v : d;
}

static int listener_set_options(int fd, int family, const struct listener_conf *conf)
{
        const struct {
                int level, name;
                unsigned value;
        } row[] = {
                {SOL_SOCKET, SO_REUSEADDR, 1},
                {SOL_SOCKET, SO_KEEPALIVE, 1},
                {IPPROTO_TCP, TCP_NODELAY, 1},
                {IPPROTO_TCP, TCP_KEEPIDLE, or_default(conf->keepalive_idle_s, KEEPALIVE_IDLE_S)},
                {IPPROTO_TCP, TCP_KEEPINTVL,
                 or_default(conf->keepalive_interval_s, KEEPALIVE_INTERVAL_S)},
                {IPPROTO_TCP, TCP_KEEPCNT, or_default(conf->keepalive_count, KEEPALIVE_COUNT)},
        };
        int err = family == AF_INET6 ? set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) : 0;
        for (size_t i = 0; !err && i < sizeof row / sizeof *row; i++)
                err = set_option(fd, row[i].level, row[i].name, row[i].value);
        return err;
}

/* A listening socket, or -1 with *err set. */
static int listener_socket(const struct addrinfo *ai, const struct listener_conf *conf, int *err)
{
        int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) {
                *err = errno;
                return -1;
        }
        *err = listener_set_options(fd, ai->ai_family, conf);
        if (!*err &&
            (bind(fd, ai->ai_addr, ai->ai_addrlen) != 0 || listen(fd, LISTENER_BACKLOG) != 0))
                *err = errno;
        if (!*err)
                return fd;
        (void)close(fd); /* nobody has used it */
        return -1;
}

static const char *error_sentence(int err, char *room, size_t n)
{
        switch (err) {
        case EADDRINUSE:
                return "the address is in use by another program";
        case EACCES:
        case EPERM:
                return "permission denied (ports below 1024 need root or CAP_NET_BIND_SERVICE)";
        case EADDRNOTAVAIL:
                return "this machine does not have that address";
        case EAFNOSUPPORT:
                return "this machine does not speak that protocol (IPv6 off?)";
        case EMFILE:
        case ENFILE:
                return "too many open files";
        default:
                return strerror_r(err, room, n);
        }
}

static void error_set(char error[LISTENER_ERROR_TEXT], const struct listener_conf *conf, int err)
{
        char room[128];
        (void)snprintf(error, LISTENER_ERROR_TEXT, "can't listen on %.100s port %u: %s",
                       conf->address, conf->port, error_sentence(err, room, sizeof room));
}

static struct addrinfo *address_parse(const struct listener_conf *conf)
{
        char port[8];
        (void)snprintf(port, sizeof port, "%u", conf->port); /* always fits */
        struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                 .ai_socktype = SOCK_STREAM};
        struct addrinfo *ai;
        return getaddrinfo(conf->address, port, &hints, &ai) == 0 ? ai : NULL;
}

static void listener_free(struct listener *l)
{
        if (l->src.fd >= 0)
                (void)close(l->src.fd); /* no data in a listening socket */
        if (l->spare_fd >= 0)
                (void)close(l->spare_fd); /* /dev/null */
        free(l);
}

static struct listener *listener_new(struct net_pool *p, const struct listener_conf *conf, int fd)
{
        struct listener *l = calloc(1, sizeof *l);
        if (!l) {
                (void)close(fd); /* nobody has used it */
                return NULL;
        }
        l->src = (struct loop_source){.fd = fd, .ready = listener_ready};
        l->pool = p;
        l->loop = net_pool_next(p);
        l->conn = conf->conn;
        l->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return l;
}

struct listener *listener_open(struct net_pool *p, const struct listener_conf *conf,
                               char error[LISTENER_ERROR_TEXT])
{
        struct addrinfo *ai = address_parse(conf);
        if (!ai) {
                (void)snprintf(error, LISTENER_ERROR_TEXT,
                               "can't listen on %.100s: that is no IPv4 or IPv6 address",
                               conf->address);
                return NULL;
        }
        int err, fd = listener_socket(ai, conf, &err);
        freeaddrinfo(ai);
        struct listener *l = NULL;
        if (fd >= 0) {
                l = listener_new(p, conf, fd);
                err = l ? call_on_loop(l, listener_start) : ENOMEM;
        }
        if (!err)
                return l;
        if (l)
                listener_free(l);
        error_set(error, conf, err);
        return NULL;
}

void listener_close(struct listener *l)
{
        if (!l)
                return;
        (void)call_on_loop(l, listener_end); /* always 0 */
        listener_free(l);
}

uint16_t listener_port(const struct listener *l)
{
        struct sockaddr_storage a = {0};
        socklen_t n = sizeof a;
        if (getsockname(l->src.fd, (struct sockaddr *)&a, &n) != 0)
                return 0;
        struct sockaddr_in in;
        memcpy(&in, &a, sizeof in);
        return ntohs(in.sin_port); /* at the same place in sockaddr_in6 */
}

struct listener_counts listener_count(struct listener *l)
{
        return (struct listener_counts){.accepted = atomic_load(&l->accepted),
                                        .refused = atomic_load(&l->refused),
                                        .no_fd = atomic_load(&l->no_fd),
                                        .failed = atomic_load(&l->failed)};
}
