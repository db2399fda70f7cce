/* Listening sockets: accepted connections are spread over the pool's loops. */
#ifndef FREVO_NET_LISTENER_H
#define FREVO_NET_LISTENER_H

#include "net/conn.h"
#include "net/pool.h"

struct listener;

struct listener_conf {
        const char *address; /* numeric IPv4 or IPv6, "0.0.0.0", "::", "fe80::1%eth0" */
        uint16_t port;       /* 0 = any free one: see listener_port */
        struct conn_conf conn;
        /* TCP keep-alive of accepted connections, seconds; 0 = default. */
        unsigned keepalive_idle_s, keepalive_interval_s, keepalive_count;
};

#define LISTENER_ERROR_TEXT 256

/* An IPv6 socket serves IPv6 alone: listen on both. NULL: `error` is a sentence for the user, such
 * as "can't listen on 0.0.0.0 port 445: the address is in use by another program". The pool must
 * have been started. Not on a loop's thread. */
struct listener *listener_open(struct net_pool *p, const struct listener_conf *conf,
                               char error[LISTENER_ERROR_TEXT]) MUST_USE;
/* Waits until its last accept is over; accepted connections stay. Not on a loop's thread. NULL ok.
 */
void listener_close(struct listener *l);
uint16_t listener_port(const struct listener *l);

/* Any thread. */
struct listener_counts {
        uint64_t accepted;
        uint64_t refused; /* closed at once: too many connections (net_pool_conf.max_conns) */
        uint64_t no_fd;   /* closed at once: no descriptor left */
        uint64_t failed;  /* other errors of accept(2) */
};
struct listener_counts listener_count(struct listener *l);

#endif
