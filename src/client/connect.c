/* See connect.h. All addresses of the name are tried in the resolver's order, each for a few
 * seconds.
 */
#include "client/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "client/context.h"

#define CONNECT_MS 10000

struct connect_job {
        struct task task;
        struct client_session *session; /* one reference, the loop's */
        struct net_loop *loop;
        char *host;
        uint16_t port;
        bool bound;
        int fd, err;
};

/* 0 or an errno: waits until the connect that is under way has come to something. */
static int await_connect(int fd)
{
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int n, err = 0;
        socklen_t len = sizeof err;
        do
                n = poll(&p, 1, CONNECT_MS);
        while (n < 0 && errno == EINTR);
        if (n == 0)
                return ETIMEDOUT;
        if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
                return errno;
        return err;
}

static void set_options(int fd)
{
        int on = 1;
        /* Each only makes things better: without them it still works. */
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

static int try_address(const struct addrinfo *a, int *ret_fd)
{
        int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return errno;
        int err = connect(fd, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
        if (err == EINPROGRESS)
                err = await_connect(fd);
        if (err) {
                (void)close(fd); /* a socket that never connected */
                return err;
        }
        set_options(fd);
        *ret_fd = fd;
        return 0;
}

static int resolver_errno(int e)
{
        return e == EAI_SYSTEM && errno ? errno
               : e == EAI_MEMORY        ? ENOMEM
               : e == EAI_AGAIN         ? EAGAIN
                                        : EHOSTUNREACH;
}

static void deliver(struct task *t)
{
        struct connect_job *j = container_of(t, struct connect_job, task);
        client_session_connected(j->session, j->fd, j->err, j->bound);
        client_session_unref(j->session);
        free(j->host);
        free(j);
}

static void run(struct task *t)
{
        struct connect_job *j = container_of(t, struct connect_job, task);
        struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
        char port[8];
        (void)snprintf(port, sizeof port, "%u", j->port);
        int e = getaddrinfo(j->host, port, &hints, &list);
        j->err = e ? resolver_errno(e) : EHOSTUNREACH;
        for (struct addrinfo *a = e ? NULL : list; a && j->fd < 0; a = a->ai_next)
                j->err = try_address(a, &j->fd);
        if (!e)
                freeaddrinfo(list);
        j->task = (struct task){.run = deliver};
        loop_post(j->loop, &j->task);
}

bool connect_start(struct client_session *s, bool bound)
{
        struct connect_job *j = calloc(1, sizeof *j);
        char *host = j ? strdup(s->to.host) : NULL;
        if (!host) {
                free(j);
                return false;
        }
        *j = (struct connect_job){.task = {.run = run},
                                  .session = client_session_ref(s),
                                  .loop = s->ctx->loop,
                                  .host = host,
                                  .port = s->to.port,
                                  .bound = bound,
                                  .fd = -1};
        workers_run(s->ctx->workers, &j->task);
        return true;
}
