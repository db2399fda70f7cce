/* A loop: one thread, one epoll, a queue of tasks from other threads, timers, end-of-iteration
 * hooks.
 *
 * One iteration: wait for events; run their sources; run posted tasks; run due timers; run the
 * hooks (connections flush what was queued in this iteration). Every call here is for the loop's
 * own thread unless it says "any thread". Nothing that runs on a loop may block.
 *
 * After activity a loop may poll for some microseconds before it sleeps (busy_poll_us); it does so
 * less and less while that does not pay. A loop with nothing to do sleeps without a timeout.
 */
#ifndef FREVO_NET_LOOP_H
#define FREVO_NET_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/exec.h"
#include "base/list.h"
#include "net/buf.h"
#include "net/timer.h"

#define LOOP_BUSY_POLL_US 50u /* the default */

struct net_loop;
struct workers;

struct loop_conf {
        unsigned busy_poll_us;   /* 0 = never spin */
        struct workers *workers; /* for on_worker; NULL = on_worker must not be called */
        struct buf_pool *bufs;   /* required; outlives the loop */
};

/* NULL with errno set. */
struct net_loop *loop_new(const struct loop_conf *conf) MUST_USE;
/* After the loop ended and every poster has returned from loop_post. Closes all connections and
 * runs what is still queued. NULL is allowed. */
void loop_free(struct net_loop *l);

/* Until loop_stop() was called, and the tasks posted before it have run. Whoever runs a loop, here
 * or by loop_step, has SIGPIPE blocked in its thread from then on. */
void loop_run(struct net_loop *l);
/* One iteration that waits at most timeout_ms (-1 = without end), for tests and for programs with a
 * loop of their own. Returns whether anything happened. */
bool loop_step(struct net_loop *l, int timeout_ms);
/* For a program that polls for many things itself: readable when loop_step(l, 0) has something to
 * do, and how long that may wait at most (ms; -1 = no end; 0 = step at once). */
int loop_fd(const struct net_loop *l);
int loop_wait_ms(struct net_loop *l);
/* Any thread, signal handlers too: a loop_step that waits returns. */
void loop_wake(struct net_loop *l);
/* Any thread. */
void loop_stop(struct net_loop *l);

/* base/exec.h's view of this loop; any thread. The exec lives as long as the loop. */
struct exec *loop_exec(struct net_loop *l);
/* Runs t on the loop, soon, never inside the call; tasks of one thread in order. Any thread. */
void loop_post(struct net_loop *l, struct task *t);
/* The loop that this thread runs; NULL elsewhere. */
struct net_loop *loop_current(void);
struct buf_pool *loop_bufs(struct net_loop *l);

/* File descriptors. Edge-triggered, both directions, for as long as it is watched: `ready` gets
 * EPOLL* bits and must read (write) until EAGAIN or a short count, or come back by loop_again. */
struct loop_source {
        int fd;
        void (*ready)(struct loop_source *s, uint32_t events);
};
/* 0 or an errno. */
int loop_watch(struct net_loop *l, struct loop_source *s) MUST_USE;
/* Level-triggered readable only: for listeners and the like. */
int loop_watch_level(struct net_loop *l, struct loop_source *s) MUST_USE;
/* Before fd is closed. `ready` is not called again, even for events already fetched. */
void loop_unwatch(struct net_loop *l, struct loop_source *s);

/* One-shot hooks. Zeroed memory is a hook that waits for nothing; adding one that is in a list does
 * nothing; a hook may free itself or add itself again when it runs. */
struct loop_hook {
        struct list link;
        void (*fn)(struct loop_hook *h);
};
/* At the end of this iteration, before the loop sleeps. Hooks added meanwhile run too. */
void loop_at_end(struct net_loop *l, struct loop_hook *h);
/* Early in the next iteration, which then does not sleep: for work cut short out of fairness. */
void loop_again(struct net_loop *l, struct loop_hook *h);
void loop_hook_cancel(struct loop_hook *h);

/* Counters since the start. Written by the loop alone, readable by any thread without locks. */
#define LOOP_COUNTERS(X)                                                                           \
        X(iterations)                                                                              \
        X(polls)      /* epoll_wait calls that did not wait */                                     \
        X(sleeps)     /* epoll_wait calls that might */                                            \
        X(spins)      /* times the loop spun before sleeping */                                    \
        X(spins_paid) /* of those, ended by work */                                                \
        X(events)                                                                                  \
        X(tasks)                                                                                   \
        X(timers)                                                                                  \
        X(conns) /* open now */                                                                    \
        X(conns_total)                                                                             \
        X(recvs)                                                                                   \
        X(bytes_in)                                                                                \
        X(frames_in)                                                                               \
        X(bytes_copied) /* payload bytes that had to be copied to their own buffer */              \
        X(sendmsgs)                                                                                \
        X(sendfiles)                                                                               \
        X(bytes_out)                                                                               \
        X(frames_out)                                                                              \
        X(short_files) /* FILE segments that ended early and were filled with zeros */

struct loop_counts {
#define X(name) uint64_t name;
        LOOP_COUNTERS(X)
#undef X
        uint64_t wakes; /* times a poster had to wake the loop */
};
/* Any thread. */
struct loop_counts loop_count(struct net_loop *l);

#endif
