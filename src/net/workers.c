/* See workers.h. One queue, one lock, one condition; a put wakes exactly one thread, or starts one
 * when there are more tasks than threads that wait. Threads above the minimum are detached: they
 * end by themselves, and the last one out tells workers_free.
 */
#include "net/workers.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>

#include "net/thread.h"

struct workers {
        struct workers_conf conf;
        pthread_mutex_t lock;
        pthread_cond_t work, gone;
        /* Under lock: */
        struct task *first, **last; /* the queue, oldest first */
        unsigned queued, threads, idle;
        unsigned alive; /* threads, and those that are just ending */
        bool ending;
        uint64_t tasks, started;

        atomic_uint pending;
};

static void worker_take(struct workers *w)
{
        struct task *t = w->first;
        w->first = t->next;
        if (!w->first)
                w->last = &w->first;
        w->queued--;
        w->tasks++;
        pthread_mutex_unlock(&w->lock);
        t->next = NULL;
        t->run(t);
        workers_release(w, 1);
        pthread_mutex_lock(&w->lock);
}

/* Waits for a task under the lock; false when this thread is to end. */
static bool worker_wait(struct workers *w)
{
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until); /* cannot fail for this clock */
        uint64_t ns = (uint64_t)until.tv_nsec + (uint64_t)w->conf.idle_ms % 1000 * 1000000;
        until.tv_sec += (time_t)(w->conf.idle_ms / 1000 + ns / 1000000000);
        until.tv_nsec = (long)(ns % 1000000000);
        int err = 0;
        w->idle++;
        while (!w->first && !w->ending && err != ETIMEDOUT) {
                if (w->threads > w->conf.min)
                        err = pthread_cond_timedwait(&w->work, &w->lock, &until);
                else
                        err = pthread_cond_wait(&w->work, &w->lock);
        }
        w->idle--;
        return w->first || (!w->ending && w->threads <= w->conf.min);
}

static void *worker_main(void *arg)
{
        struct workers *w = arg;
        if (w->conf.enter)
                w->conf.enter();
        pthread_mutex_lock(&w->lock);
        do {
                while (w->first)
                        worker_take(w);
        } while (worker_wait(w));
        w->threads--; /* before leave(): a put from now on starts another */
        pthread_mutex_unlock(&w->lock);
        if (w->conf.leave)
                w->conf.leave();
        pthread_mutex_lock(&w->lock);
        w->alive--;
        pthread_cond_signal(&w->gone);
        pthread_mutex_unlock(&w->lock);
        return NULL;
}

/* Under the lock. 0 or an errno. */
static int worker_start(struct workers *w)
{
        pthread_t id;
        int err = thread_start(&id, "frevo-worker", worker_main, w);
        if (err)
                return err;
        (void)pthread_detach(id); /* workers_free counts instead of joining */
        w->threads++;
        w->alive++;
        w->started++;
        return 0;
}

struct workers *workers_new(const struct workers_conf *conf)
{
        assert(conf->min >= 1 && conf->max >= conf->min);
        struct workers *w = calloc(1, sizeof *w);
        if (!w)
                return NULL;
        w->conf = *conf;
        w->last = &w->first;
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->gone, NULL);
        pthread_condattr_t attr;
        pthread_condattr_init(&attr);
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        pthread_cond_init(&w->work, &attr);
        pthread_condattr_destroy(&attr);
        pthread_mutex_lock(&w->lock);
        int err = 0;
        while (!err && w->threads < conf->min)
                err = worker_start(w);
        pthread_mutex_unlock(&w->lock);
        if (!err)
                return w;
        workers_free(w);
        errno = err;
        return NULL;
}

void workers_run(struct workers *w, struct task *t)
{
        workers_hold(w);
        pthread_mutex_lock(&w->lock);
        t->next = NULL;
        *w->last = t;
        w->last = &t->next;
        w->queued++;
        /* When the system gives no more threads, those that exist will come to it. */
        if (w->queued > w->idle && w->threads < w->conf.max)
                (void)worker_start(w);
        bool wake = w->idle > 0;
        pthread_mutex_unlock(&w->lock);
        if (wake) /* not under the lock, where the woken would wait for it */
                pthread_cond_signal(&w->work);
}

void workers_free(struct workers *w)
{
        if (!w)
                return;
        pthread_mutex_lock(&w->lock);
        w->ending = true;
        pthread_cond_broadcast(&w->work);
        while (w->alive)
                pthread_cond_wait(&w->gone, &w->lock);
        assert(!w->first);
        pthread_mutex_unlock(&w->lock);
        pthread_cond_destroy(&w->work);
        pthread_cond_destroy(&w->gone);
        pthread_mutex_destroy(&w->lock);
        free(w);
}

void workers_hold(struct workers *w)
{
        atomic_fetch_add(&w->pending, 1);
}

void workers_release(struct workers *w, unsigned n)
{
        unsigned was = atomic_fetch_sub(&w->pending, n);
        assert(was >= n);
        (void)was;
}

bool workers_are_quiet(struct workers *w)
{
        return atomic_load(&w->pending) == 0;
}

struct workers_counts workers_count(struct workers *w)
{
        pthread_mutex_lock(&w->lock);
        struct workers_counts out = {.tasks = w->tasks,
                                     .started = w->started,
                                     .threads = w->threads,
                                     .idle = w->idle,
                                     .queued = w->queued};
        pthread_mutex_unlock(&w->lock);
        return out;
}
