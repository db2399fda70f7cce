/* The shared worker threads: where blocking is allowed.
 *
 * They grow on demand up to a cap; an idle one ends after a while, down to the minimum. All calls
 * on any thread.
 */
#ifndef FREVO_NET_WORKERS_H
#define FREVO_NET_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/exec.h"

struct workers;

struct workers_conf {
        unsigned min, max; /* threads; min >= 1 */
        uint32_t idle_ms;  /* above min, an idle thread ends after this */
        /* Optional; on each worker thread, when it starts and before it ends. */
        void (*enter)(void);
        void (*leave)(void);
};

/* Starts the minimum. NULL with errno set. */
struct workers *workers_new(const struct workers_conf *conf) MUST_USE;
/* Queues t; it runs exactly once, in the order of queueing as far as threads allow. */
void workers_run(struct workers *w, struct task *t);
/* Runs what is queued (also what that queues), then ends the threads and frees. NULL is allowed. */
void workers_free(struct workers *w);

/* Quiescence: work that is queued or running here, or that somebody holds (each task posted to a
 * loop that shares these workers). Zero means that no task is left that could make another. */
void workers_hold(struct workers *w);
void workers_release(struct workers *w, unsigned n);
bool workers_are_quiet(struct workers *w);

struct workers_counts {
        uint64_t tasks, started; /* started: threads, ever */
        unsigned threads, idle, queued;
};
struct workers_counts workers_count(struct workers *w);

#endif
