/* See pool.h. Stopping: the loops' threads end first; then the caller drives all loops itself, in
 * turn, until no task is queued anywhere and no connection is open. Workers still run then, so
 * that what waits for them completes; they end last.
 */
#include "net/pool.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "base/limits.h"
#include "net/loop_impl.h"
#include "net/pool_impl.h"
#include "net/thread.h"

#define POOL_LOOPS_MAX 256u
#define POOL_WORKERS_DEFAULT 64u
#define POOL_WORKER_IDLE_MS 10000u
#define POOL_BUFS_KEEP_BYTES (64u * 1024 * 1024)

struct pool_loop {
        struct net_loop *loop;
        pthread_t id;
        bool running;
        struct task close; /* posted at the end */
};

struct net_pool {
        struct net_pool_conf conf;
        struct buf_pool *bufs;
        struct workers *workers;
        struct pool_loop *loops;
        unsigned n_loops;
        bool stopped;
        atomic_uint turn;
        atomic_uint conns;
};

static unsigned cpu_count(void)
{
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) != 0)
                return 1;
        int n = CPU_COUNT(&set);
        return n < 1 ? 1 : (unsigned)n;
}

static bool pool_new_parts(struct net_pool *p)
{
        p->bufs = buf_pool_new(POOL_BUFS_KEEP_BYTES);
        p->loops = calloc(p->n_loops, sizeof *p->loops);
        struct workers_conf wc = {.min = 1,
                                  .max = p->conf.max_workers,
                                  .idle_ms = POOL_WORKER_IDLE_MS,
                                  .enter = p->conf.worker_enter,
                                  .leave = p->conf.worker_leave};
        if (!p->bufs || !p->loops || !(p->workers = workers_new(&wc)))
                return false;
        struct loop_conf lc = {
                .busy_poll_us = p->conf.busy_poll_us, .workers = p->workers, .bufs = p->bufs};
        for (unsigned i = 0; i < p->n_loops; i++)
                if (!(p->loops[i].loop = loop_new(&lc)))
                        return false;
        return true;
}

struct net_pool *net_pool_new(const struct net_pool_conf *conf)
{
        struct net_pool *p = calloc(1, sizeof *p);
        if (!p)
                return NULL;
        p->conf = *conf;
        p->n_loops = conf->loops ? conf->loops : cpu_count();
        if (p->n_loops > POOL_LOOPS_MAX)
                p->n_loops = POOL_LOOPS_MAX;
        if (!p->conf.max_workers)
                p->conf.max_workers = POOL_WORKERS_DEFAULT;
        if (!p->conf.max_conns)
                p->conf.max_conns = LIMIT_CONNECTIONS;
        if (pool_new_parts(p))
                return p;
        int err = errno;
        net_pool_free(p);
        errno = err;
        return NULL;
}

static void *pool_loop_main(void *arg)
{
        loop_run(arg);
        buf_cache_enter(NULL); /* the loop may be freed before this thread's memory is */
        return NULL;
}

int net_pool_start(struct net_pool *p)
{
        for (unsigned i = 0; i < p->n_loops; i++) {
                char name[16];
                (void)snprintf(name, sizeof name, "frevo-loop-%u", i % 1000); /* always fits */
                struct pool_loop *pl = &p->loops[i];
                int err = thread_start(&pl->id, name, pool_loop_main, pl->loop);
                if (err)
                        return err;
                pl->running = true;
        }
        return 0;
}

static void pool_close_run(struct task *t)
{
        conn_close_all(container_of(t, struct pool_loop, close)->loop);
}

static bool pool_is_done(struct net_pool *p)
{
        for (unsigned i = 0; i < p->n_loops; i++)
                if (!list_empty(&p->loops[i].loop->conns))
                        return false;
        return workers_are_quiet(p->workers);
}

void net_pool_stop(struct net_pool *p)
{
        if (p->stopped || !p->workers)
                return;
        p->stopped = true;
        for (unsigned i = 0; i < p->n_loops; i++) {
                struct pool_loop *pl = &p->loops[i];
                if (!pl->loop)
                        continue;
                pl->close.run = pool_close_run;
                loop_post(pl->loop, &pl->close);
                loop_stop(pl->loop);
        }
        for (unsigned i = 0; i < p->n_loops; i++)
                if (p->loops[i].running)
                        (void)pthread_join(p->loops[i].id, NULL); /* ours, joined once */
        do {
                for (unsigned i = 0; i < p->n_loops && p->loops[i].loop; i++) {
                        p->loops[i].loop->owned = false; /* its thread is gone: it is ours now */
                        (void)loop_step(p->loops[i].loop, 1);
                }
        } while (!pool_is_done(p));
}

void net_pool_free(struct net_pool *p)
{
        if (!p)
                return;
        if (p->loops)
                net_pool_stop(p);
        for (unsigned i = 0; p->loops && i < p->n_loops; i++)
                loop_free(p->loops[i].loop);
        workers_free(p->workers);
        buf_pool_free(p->bufs);
        free(p->loops);
        free(p);
}

unsigned net_pool_loops(const struct net_pool *p)
{
        return p->n_loops;
}

struct net_loop *net_pool_loop(struct net_pool *p, unsigned i)
{
        assert(i < p->n_loops);
        return p->loops[i].loop;
}

struct net_loop *net_pool_next(struct net_pool *p)
{
        return p->loops[atomic_fetch_add(&p->turn, 1) % p->n_loops].loop;
}

struct workers *net_pool_workers(struct net_pool *p)
{
        return p->workers;
}

struct buf_pool *net_pool_bufs(struct net_pool *p)
{
        return p->bufs;
}

struct loop_counts net_pool_count(struct net_pool *p)
{
        struct loop_counts sum = {0};
        for (unsigned i = 0; i < p->n_loops; i++) {
                struct loop_counts one = loop_count(p->loops[i].loop);
#define X(name) sum.name += one.name;
                LOOP_COUNTERS(X)
#undef X
                sum.wakes += one.wakes;
        }
        return sum;
}

bool net_pool_take_slot(struct net_pool *p)
{
        if (atomic_fetch_add(&p->conns, 1) < p->conf.max_conns)
                return true;
        atomic_fetch_sub(&p->conns, 1);
        return false;
}

void net_pool_give_slot(struct net_pool *p)
{
        atomic_fetch_sub(&p->conns, 1);
}
