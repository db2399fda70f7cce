/* The server's threads: n loops, and workers that they share.
 *
 * Order of life: net_pool_new, net_pool_start, listeners open and close, net_pool_stop,
 * net_pool_free. These calls are for one thread, which is none of the pool's.
 */
#ifndef FREVO_NET_POOL_H
#define FREVO_NET_POOL_H

#include "net/loop.h"
#include "net/workers.h"

struct net_pool;

struct net_pool_conf {
        unsigned loops;        /* 0 = one a CPU that this process may use */
        unsigned max_workers;  /* 0 = default */
        unsigned busy_poll_us; /* e.g. LOOP_BUSY_POLL_US; 0 = off */
        unsigned max_conns;    /* of all listeners; 0 = LIMIT_CONNECTIONS */
        void (*worker_enter)(void), (*worker_leave)(void); /* see workers.h; may be NULL */
};

/* NULL with errno set. */
struct net_pool *net_pool_new(const struct net_pool_conf *conf) MUST_USE;
/* Starts the threads. 0 or an errno; after an error only net_pool_free is allowed. */
int net_pool_start(struct net_pool *p) MUST_USE;
/* Closes all connections (at once), runs every task that was posted or is posted by those that
 * run, and joins all threads. Close the listeners before. Whoever posts from other threads must
 * have ceased. */
void net_pool_stop(struct net_pool *p);
/* Stops first if need be. NULL is allowed. */
void net_pool_free(struct net_pool *p);

/* Any thread from here on. */
unsigned net_pool_loops(const struct net_pool *p);
struct net_loop *net_pool_loop(struct net_pool *p, unsigned i);
/* Round robin. */
struct net_loop *net_pool_next(struct net_pool *p);
struct workers *net_pool_workers(struct net_pool *p);
struct buf_pool *net_pool_bufs(struct net_pool *p);
/* The sum over all loops. */
struct loop_counts net_pool_count(struct net_pool *p);

#endif
