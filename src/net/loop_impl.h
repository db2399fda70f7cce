/* The inside of a loop: for the files of this folder only. */
#ifndef FREVO_NET_LOOP_IMPL_H
#define FREVO_NET_LOOP_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#include "net/loop.h"

#define LOOP_EVENTS 128

struct loop_counters {
#define X(name) _Atomic uint64_t name;
        LOOP_COUNTERS(X)
#undef X
};

struct net_loop {
        struct exec exec;
        int epfd, wake_fd;
        struct workers *workers;
        struct buf_pool *bufs;
        struct buf_cache cache;
        struct timer trim;
        struct timer_heap timers;
        struct list at_end, again;

        struct epoll_event ev[LOOP_EVENTS];
        int n_ev, at_ev; /* the batch in work: loop_unwatch blanks what is yet to come */

        unsigned busy_poll_us;
        unsigned spin_misses, spin_skip; /* see loop_may_spin */
        unsigned spin_checks;            /* spins since the last look at spin_switches */
        long spin_switches;              /* of this thread, involuntary, so far */
        bool active;                     /* the last iteration did something */

        /* Used by conn*.c: */
        struct list conns;
        struct buf *rx; /* what small frames are received into; NULL = none yet */
        size_t rx_fill; /* bytes of it that are taken */
        bool closing;   /* no more connections */

        bool owned; /* owner is set */
        pthread_t owner;
        struct loop_counters count;

        /* Other threads write these: on a cache line of their own. */
        _Alignas(64) _Atomic(struct task *) inbox; /* a stack, newest first */
        atomic_bool asleep, stop;
        _Atomic uint64_t wakes;
};

/* For asserts: the caller is the loop's thread, or nobody runs the loop yet. */
bool loop_is_mine(const struct net_loop *l);

/* One writer, so no locked instruction. */
static inline void count_add(_Atomic uint64_t *c, uint64_t n)
{
        atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
                              memory_order_relaxed);
}
static inline uint64_t count_get(_Atomic uint64_t *c)
{
        return atomic_load_explicit(c, memory_order_relaxed);
}

/* conn.c: begins to close all connections of l; none is adopted any more. */
void conn_close_all(struct net_loop *l);

#endif
