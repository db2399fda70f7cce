/* See loop.h. Events are edge-triggered, so a connection costs one epoll_ctl in its life; what is
 * cut short comes back by loop_again instead of by being reported once more.
 *
 * Waking: the loop says `asleep`, then looks at its inbox once more, then sleeps. A poster puts its
 * task in the inbox, then looks at `asleep`. Both orders are sequentially consistent, so at least
 * one of them sees the other; the eventfd is written only by whoever turns `asleep` off.
 */
#include "net/loop.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "net/loop_impl.h"
#include "net/workers.h"

static _Thread_local struct net_loop *my_loop;

#define SPIN_MISSES_FREE 4u /* unpaid spins before any is left out */
#define SPIN_SKIP_MAX 256u
#define SPIN_CHECK 32u          /* spins between two looks at the competition */
#define SPIN_SKIP_CROWDED 4096u /* spins left out when there is some */

static void loop_exec_on_worker(struct exec *e, struct task *t)
{
        struct net_loop *l = container_of(e, struct net_loop, exec);
        assert(l->workers);
        workers_run(l->workers, t);
}

static void loop_exec_on_loop(struct exec *e, struct task *t)
{
        loop_post(container_of(e, struct net_loop, exec), t);
}

static int loop_open_fds(struct net_loop *l)
{
        l->epfd = epoll_create1(EPOLL_CLOEXEC);
        l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (l->epfd < 0 || l->wake_fd < 0)
                return errno;
        /* Edge-triggered: each write to it is one event, and it never needs to be read. */
        struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
        return epoll_ctl(l->epfd, EPOLL_CTL_ADD, l->wake_fd, &ev) == 0 ? 0 : errno;
}

static void loop_close_fds(struct net_loop *l)
{
        if (l->epfd >= 0)
                (void)close(l->epfd); /* nothing can be lost with it */
        if (l->wake_fd >= 0)
                (void)close(l->wake_fd);
}

struct net_loop *loop_new(const struct loop_conf *conf)
{
        struct net_loop *l = aligned_alloc(_Alignof(struct net_loop), sizeof *l);
        if (!l)
                return NULL;
        memset(l, 0, sizeof *l);
        l->exec.on_worker = loop_exec_on_worker;
        l->exec.on_loop = loop_exec_on_loop;
        l->workers = conf->workers;
        l->bufs = conf->bufs;
        l->busy_poll_us = conf->busy_poll_us;
        list_init(&l->at_end);
        list_init(&l->again);
        list_init(&l->conns);
        l->epfd = l->wake_fd = -1;
        int err = loop_open_fds(l);
        if (err) {
                loop_close_fds(l);
                free(l);
                errno = err;
                return NULL;
        }
        buf_cache_init(&l->cache, conf->bufs);
        return l;
}

static bool loop_has_posts(struct net_loop *l)
{
        return atomic_load(&l->inbox) != NULL;
}

void loop_free(struct net_loop *l)
{
        if (!l)
                return;
        l->owned = false; /* its thread has ended: the caller drives it to its end */
        conn_close_all(l);
        while (loop_has_posts(l) || !list_empty(&l->conns) || !list_empty(&l->again))
                (void)loop_step(l, -1);
        buf_unref(l->rx);
        buf_cache_fini(&l->cache);
        if (my_loop == l)
                my_loop = NULL;
        loop_close_fds(l);
        free(l);
}

static void loop_enter(struct net_loop *l)
{
        if (my_loop == l && l->owned)
                return;
        /* sendfile(2) has no MSG_NOSIGNAL. */
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        (void)pthread_sigmask(SIG_BLOCK, &pipe, NULL); /* its arguments are valid */
        my_loop = l;
        l->owner = pthread_self();
        l->owned = true;
        buf_cache_enter(&l->cache);
}

bool loop_is_mine(const struct net_loop *l)
{
        return !l->owned || pthread_equal(l->owner, pthread_self());
}

struct net_loop *loop_current(void)
{
        return my_loop;
}

struct exec *loop_exec(struct net_loop *l)
{
        return &l->exec;
}

struct buf_pool *loop_bufs(struct net_loop *l)
{
        return l->bufs;
}

void loop_wake(struct net_loop *l)
{
        uint64_t one = 1;
        atomic_fetch_add_explicit(&l->wakes, 1, memory_order_relaxed);
        /* Can only fail when the counter is near 2^64: then an event is pending anyway. */
        ssize_t n = write(l->wake_fd, &one, sizeof one);
        (void)n;
}

void loop_post(struct net_loop *l, struct task *t)
{
        if (l->workers)
                workers_hold(l->workers);
        struct task *old = atomic_load_explicit(&l->inbox, memory_order_relaxed);
        do
                t->next = old;
        while (!atomic_compare_exchange_weak(&l->inbox, &old, t));
        if (atomic_load(&l->asleep) && atomic_exchange(&l->asleep, false))
                loop_wake(l);
}

void loop_stop(struct net_loop *l)
{
        atomic_store(&l->stop, true);
        loop_wake(l);
}

static int loop_ctl_add(struct net_loop *l, struct loop_source *s, uint32_t events)
{
        assert(loop_is_mine(l));
        struct epoll_event ev = {.events = events, .data.ptr = s};
        return epoll_ctl(l->epfd, EPOLL_CTL_ADD, s->fd, &ev) == 0 ? 0 : errno;
}

int loop_watch(struct net_loop *l, struct loop_source *s)
{
        return loop_ctl_add(l, s, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

int loop_watch_level(struct net_loop *l, struct loop_source *s)
{
        return loop_ctl_add(l, s, EPOLLIN);
}

void loop_unwatch(struct net_loop *l, struct loop_source *s)
{
        assert(loop_is_mine(l));
        (void)epoll_ctl(l->epfd, EPOLL_CTL_DEL, s->fd, NULL); /* fails only if it was not watched */
        for (int i = l->at_ev; i < l->n_ev; i++)
                if (l->ev[i].data.ptr == s)
                        l->ev[i].data.ptr = NULL;
}

static void hook_add(struct list *head, struct loop_hook *h)
{
        if (list_empty(&h->link))
                list_add_last(head, &h->link);
}

void loop_at_end(struct net_loop *l, struct loop_hook *h)
{
        assert(loop_is_mine(l));
        hook_add(&l->at_end, h);
}

void loop_again(struct net_loop *l, struct loop_hook *h)
{
        assert(loop_is_mine(l));
        hook_add(&l->again, h);
}

void loop_hook_cancel(struct loop_hook *h)
{
        list_remove(&h->link);
}

static void hook_run_first(struct list *head)
{
        struct loop_hook *h = list_entry(head->next, struct loop_hook, link);
        list_remove(&h->link);
        h->fn(h);
}

static unsigned loop_run_again(struct net_loop *l)
{
        /* Hooks that add themselves again wait for the next iteration: the list is taken over. */
        if (list_empty(&l->again))
                return 0;
        struct list now = l->again;
        now.next->prev = now.prev->next = &now;
        list_init(&l->again);
        unsigned n = 0;
        for (; !list_empty(&now); n++)
                hook_run_first(&now);
        return n;
}

/* All that is in the inbox now, oldest first. */
static unsigned loop_run_posts(struct net_loop *l)
{
        struct task *newest = atomic_exchange(&l->inbox, NULL), *oldest = NULL;
        while (newest) {
                struct task *t = newest;
                newest = t->next;
                t->next = oldest;
                oldest = t;
        }
        unsigned n = 0;
        for (; oldest; n++) {
                struct task *t = oldest;
                oldest = t->next; /* read before run: t may be freed, or queued again */
                t->next = NULL;
                t->run(t);
        }
        if (n && l->workers)
                workers_release(l->workers, n);
        count_add(&l->count.tasks, n);
        return n;
}

static void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
}

/* Spinning must pay: after a few spins in a row that ended in sleep anyway, ever more opportunities
 * are left out, up to SPIN_SKIP_MAX; one spin that finds work forgives all. And nobody else must
 * pay for it: see loop_is_crowded. */
static bool loop_may_spin(struct net_loop *l)
{
        if (!l->busy_poll_us || !l->active)
                return false;
        if (l->spin_skip == 0)
                return true;
        l->spin_skip--;
        return false;
}

/* Spinning on a CPU that others want takes from them, perhaps from the very peer we wait for, and
 * costs us our turn when work comes. The kernel tells by involuntary context switches. */
static bool loop_is_crowded(struct net_loop *l)
{
        if (++l->spin_checks < SPIN_CHECK)
                return false;
        l->spin_checks = 0;
        struct rusage u;
        (void)getrusage(RUSAGE_THREAD, &u); /* cannot fail for this argument */
        bool crowded = u.ru_nivcsw - l->spin_switches > 1;
        l->spin_switches = u.ru_nivcsw;
        return crowded;
}

static void loop_spin_result(struct net_loop *l, bool paid)
{
        count_add(&l->count.spins, 1);
        if (loop_is_crowded(l)) {
                l->spin_skip = SPIN_SKIP_CROWDED;
                return;
        }
        if (paid) {
                count_add(&l->count.spins_paid, 1);
                l->spin_misses = 0;
                return;
        }
        l->spin_misses++;
        if (l->spin_misses >= SPIN_MISSES_FREE) {
                unsigned k = l->spin_misses - SPIN_MISSES_FREE + 1;
                l->spin_skip = k < 8 ? 1u << k : SPIN_SKIP_MAX;
        }
}

static int loop_epoll(struct net_loop *l, int timeout_ms)
{
        count_add(timeout_ms == 0 ? &l->count.polls : &l->count.sleeps, 1);
        int n = epoll_wait(l->epfd, l->ev, LOOP_EVENTS, timeout_ms);
        assert(n >= 0 || errno == EINTR);
        return n < 0 ? 0 : n;
}

static int loop_spin(struct net_loop *l)
{
        uint64_t end = clock_us() + l->busy_poll_us;
        int n;
        do {
                n = loop_epoll(l, 0);
                if (n > 0)
                        break;
                for (int i = 0; i < 32 && !loop_has_posts(l); i++)
                        cpu_relax();
        } while (!loop_has_posts(l) && clock_us() < end);
        loop_spin_result(l, n > 0 || loop_has_posts(l));
        return n;
}

static int loop_wait(struct net_loop *l, int timeout_ms)
{
        if (timeout_ms != 0 && loop_may_spin(l)) {
                int n = loop_spin(l);
                if (n > 0 || loop_has_posts(l))
                        return n;
        }
        if (timeout_ms == 0)
                return loop_epoll(l, 0);
        atomic_store(&l->asleep, true);
        int n = loop_epoll(l, loop_has_posts(l) ? 0 : timeout_ms);
        atomic_store(&l->asleep, false);
        return n;
}

/* How long the loop may wait, given what it has to do. */
static int loop_timeout(struct net_loop *l, int timeout_ms)
{
        if (!list_empty(&l->again) || !list_empty(&l->at_end) || loop_has_posts(l))
                return 0;
        if (!l->timers.root)
                return timeout_ms;
        uint64_t now = clock_ms(), due = l->timers.root->due_ms;
        uint64_t left = due > now ? due - now : 0;
        if (left > 3600000)
                left = 3600000; /* keeps the sum in an int; looks again after an hour */
        return timeout_ms < 0 || left < (uint64_t)timeout_ms ? (int)left : timeout_ms;
}

int loop_fd(const struct net_loop *l)
{
        return l->epfd;
}

int loop_wait_ms(struct net_loop *l)
{
        atomic_store(&l->asleep, true); /* posters wake it from now on, wherever it waits */
        return loop_timeout(l, -1);
}

static unsigned loop_run_events(struct net_loop *l, int n)
{
        l->n_ev = n;
        for (int i = 0; i < n; i++) {
                struct loop_source *s = l->ev[i].data.ptr;
                l->at_ev = i + 1;
                if (s)
                        s->ready(s, l->ev[i].events);
        }
        l->n_ev = l->at_ev = 0;
        count_add(&l->count.events, (uint64_t)n);
        return (unsigned)n;
}

static void loop_trim(struct timer *t)
{
        struct net_loop *l = container_of(t, struct net_loop, trim);
        buf_unref(l->rx); /* the next recv takes a new one, most likely this */
        l->rx = NULL;
        if (buf_cache_trim(&l->cache))
                timer_start(l, t, BUF_TRIM_MS, loop_trim);
}

bool loop_step(struct net_loop *l, int timeout_ms)
{
        loop_enter(l);
        count_add(&l->count.iterations, 1);
        int n = loop_wait(l, loop_timeout(l, timeout_ms));
        unsigned did = loop_run_events(l, n);
        did += loop_run_again(l);
        did += loop_run_posts(l);
        unsigned timers = timer_heap_run(&l->timers, clock_ms());
        count_add(&l->count.timers, timers);
        did += timers;
        for (; !list_empty(&l->at_end); did++)
                hook_run_first(&l->at_end);
        if (buf_cache_start(&l->cache))
                timer_start(l, &l->trim, BUF_TRIM_MS, loop_trim);
        l->active = did > timers; /* timers alone are no sign of more to come */
        return did > 0;
}

void loop_run(struct net_loop *l)
{
        while (!atomic_load(&l->stop) || loop_has_posts(l))
                (void)loop_step(l, -1);
}

struct loop_counts loop_count(struct net_loop *l)
{
        struct loop_counts out = {
#define X(name) .name = count_get(&l->count.name),
                LOOP_COUNTERS(X)
#undef X
        };
        out.wakes = atomic_load_explicit(&l->wakes, memory_order_relaxed);
        return out;
}
