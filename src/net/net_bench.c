/* net_bench [frame_bytes] [depth] [seconds] [busy_poll_us]: an echo server on one loop, one client
 * in this process that keeps `depth` frames in flight over loopback. Prints frames per second and
 * the loop's own counters per frame. System calls: strace -f -c.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/writer.h"
#include "net/echo_testing.h"
#include "net/listener.h"

static void bench_closed(struct conn *c, const char *why)
{
        (void)c;
        (void)why;
}

static const struct conn_ops ops = {.frame = echo_frame, .closed = bench_closed};

static unsigned arg_or(int argc, char **argv, int i, unsigned otherwise)
{
        return argc > i ? (unsigned)strtoul(argv[i], NULL, 10) : otherwise;
}

static int client_connect(uint16_t port)
{
        struct sockaddr_in a = {.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0 ||
            connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
                return -1;
        return fd;
}

/* Sends `depth` frames at once, waits for all of them; returns frames echoed. */
static uint64_t client_run(int fd, size_t frame_bytes, unsigned depth, uint64_t until_ms)
{
        size_t n = (frame_bytes + 4) * depth;
        AUTO_FREE uint8_t *wire = calloc(1, n), *back = malloc(n);
        if (!wire || !back)
                return 0;
        struct writer w = wr_into(wire, n);
        for (unsigned i = 0; i < depth; i++) {
                wr_u8(&w, 0);
                wr_u24be(&w, (uint32_t)frame_bytes);
                wr_zero(&w, frame_bytes);
        }
        uint64_t frames = 0;
        for (; clock_ms() < until_ms; frames += depth)
                if (send(fd, wire, n, MSG_NOSIGNAL) != (ssize_t)n ||
                    recv(fd, back, n, MSG_WAITALL) != (ssize_t)n)
                        return 0;
        return frames;
}

static void report(struct net_pool *p, uint64_t frames, uint64_t ms)
{
        struct loop_counts k = net_pool_count(p);
        double f = (double)frames;
        struct rusage u;
        (void)getrusage(RUSAGE_SELF, &u); /* cannot fail for this argument */
        double cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                     (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
        printf("%.0f frames/s, %.2f us each, process CPU %.2f us each\n", f * 1000 / (double)ms,
               (double)ms * 1000 / f, cpu * 1e6 / f);
        printf("per frame: recv %.3f sendmsg %.3f epoll that may sleep %.3f, that polls %.3f; "
               "spins paid %llu of %llu\n",
               (double)k.recvs / f, (double)k.sendmsgs / f, (double)k.sleeps / f,
               (double)k.polls / f, (unsigned long long)k.spins_paid, (unsigned long long)k.spins);
}

int main(int argc, char **argv)
{
        unsigned frame_bytes = arg_or(argc, argv, 1, 100), depth = arg_or(argc, argv, 2, 1);
        unsigned seconds = arg_or(argc, argv, 3, 2);
        struct net_pool_conf pc = {.loops = 1,
                                   .busy_poll_us = arg_or(argc, argv, 4, LOOP_BUSY_POLL_US)};
        struct net_pool *p = net_pool_new(&pc);
        if (!p || net_pool_start(p) != 0)
                return 1;
        char error[LISTENER_ERROR_TEXT];
        struct listener_conf lc = {.address = "127.0.0.1",
                                   .conn = {.ops = &ops, .max_frame = LIMIT_FRAME_BYTES}};
        struct listener *l = listener_open(p, &lc, error);
        if (!l) {
                (void)fprintf(stderr, "%s\n", error);
                net_pool_free(p);
                return 1;
        }
        int fd = client_connect(listener_port(l));
        uint64_t start = clock_ms();
        uint64_t frames = fd < 0 ? 0 : client_run(fd, frame_bytes, depth, start + seconds * 1000);
        report(p, frames ? frames : 1, clock_ms() - start);
        if (fd >= 0)
                (void)close(fd);
        listener_close(l);
        net_pool_free(p);
        return frames ? 0 : 1;
}
