/* One loop: timers, hooks, tasks, spinning; and the workers. */
#include "net/loop.h"

#include <stdatomic.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/testing.h"
#include "net/loop_impl.h"
#include "net/thread.h"
#include "net/workers.h"

static struct buf_pool *bufs;

static struct net_loop *test_loop(unsigned busy_poll_us, struct workers *w)
{
        struct loop_conf lc = {.bufs = bufs, .busy_poll_us = busy_poll_us, .workers = w};
        struct net_loop *l = loop_new(&lc);
        assert_non_null(l);
        return l;
}

struct alarm {
        struct timer t;
        unsigned fired, order;
        uint64_t want_ms;
};
static unsigned alarms_fired;
static struct net_loop *alarm_loop;

static void alarm_fire(struct timer *t)
{
        struct alarm *a = container_of(t, struct alarm, t);
        a->fired++;
        a->order = ++alarms_fired;
        assert_true(clock_ms() >= a->want_ms);
}

static void timers_fire_in_order_and_not_early(void **state)
{
        (void)state;
        enum { N = 2000 };
        static struct alarm a[N];
        memset(a, 0, sizeof a);
        alarms_fired = 0;
        clock_fake_ms = 1000;
        struct net_loop *l = test_loop(0, NULL);
        uint32_t x = 12345;
        for (int i = 0; i < N; i++) {
                x = x * 1103515245 + 12345;
                uint32_t ms = (x >> 16) % 5000;
                a[i].want_ms = clock_fake_ms + ms;
                timer_start(l, &a[i].t, ms, alarm_fire);
        }
        for (int i = 0; i < N; i += 3)
                timer_stop(l, &a[i].t);
        for (int i = 1; i < N; i += 3) { /* moved */
                a[i].want_ms = clock_fake_ms + 6000 - (unsigned)i;
                timer_start(l, &a[i].t, 6000 - (unsigned)i, alarm_fire);
        }
        uint64_t last = 0;
        while (clock_fake_ms < 8000) {
                clock_fake_ms += 7;
                (void)loop_step(l, 0);
                for (int i = 0; i < N; i++)
                        if (a[i].fired == 0 && timer_is_started(&a[i].t))
                                assert_true(a[i].want_ms + 1 > clock_fake_ms - 1);
                last = clock_fake_ms;
        }
        assert_true(last >= 8000);
        for (int i = 0; i < N; i++)
                assert_int_equal(a[i].fired, i % 3 != 0);
        for (int i = 1; i < N; i++)
                for (int k = 1; k < N; k += 97)
                        if (a[i].fired && a[k].fired && a[i].want_ms < a[k].want_ms)
                                assert_true(a[i].order < a[k].order);
        assert_null(l->timers.root);
        loop_free(l);
        clock_fake_ms = 0;
}

static void alarm_again(struct timer *t)
{
        alarm_fire(t);
        timer_start(alarm_loop, t, 0, alarm_again);
}

static void a_timer_may_start_itself(void **state)
{
        (void)state;
        clock_fake_ms = 1000;
        alarm_loop = test_loop(0, NULL);
        struct alarm a = {0};
        timer_start(alarm_loop, &a.t, 10, alarm_again);
        for (int i = 0; i < 100; i++)
                (void)loop_step(alarm_loop, 0);
        assert_int_equal(a.fired, 0);
        for (unsigned i = 0; i < 5; i++) {
                clock_fake_ms += 20;
                (void)loop_step(alarm_loop, 0);
                assert_int_equal(a.fired, i + 1);
        }
        timer_stop(alarm_loop, &a.t);
        timer_stop(alarm_loop, &a.t);
        loop_free(alarm_loop);
        clock_fake_ms = 0;
}

static void a_real_timer_ends_the_sleep(void **state)
{
        (void)state;
        struct net_loop *l = test_loop(0, NULL);
        struct alarm a = {.want_ms = clock_ms() + 5};
        timer_start(l, &a.t, 5, alarm_fire);
        while (!a.fired)
                (void)loop_step(l, -1);
        assert_in_range(loop_count(l).iterations, 1, 3); /* it slept, it did not poll */
        loop_free(l);
}

struct hook_note {
        struct loop_hook h;
        struct net_loop *l;
        unsigned ran, again, at_end;
};

static void hook_run(struct loop_hook *h)
{
        struct hook_note *n = container_of(h, struct hook_note, h);
        n->ran++;
        if (n->again && n->again--)
                loop_again(n->l, h);
        else if (n->at_end && n->at_end--)
                loop_at_end(n->l, h);
}

static void hooks_run_once_and_in_their_iteration(void **state)
{
        (void)state;
        struct net_loop *l = test_loop(0, NULL);
        struct hook_note a = {.h.fn = hook_run, .l = l, .again = 2};
        loop_again(l, &a.h);
        loop_again(l, &a.h);
        for (unsigned i = 1; i <= 3; i++) {
                assert_true(loop_step(l, -1)); /* does not sleep */
                assert_int_equal(a.ran, i);
        }
        assert_false(loop_step(l, 0));
        struct hook_note b = {.h.fn = hook_run, .l = l, .at_end = 2};
        loop_at_end(l, &b.h);
        assert_true(loop_step(l, -1));
        assert_int_equal(b.ran, 3); /* hooks that hooks add run too */
        loop_at_end(l, &b.h);
        loop_hook_cancel(&b.h);
        assert_false(loop_step(l, 0));
        loop_free(l);
}

struct source_pair {
        struct loop_source a, b;
        struct net_loop *l;
        unsigned ran;
};
static struct source_pair pair;

static void unwatch_both(struct loop_source *s, uint32_t events)
{
        (void)s;
        (void)events;
        pair.ran++;
        loop_unwatch(pair.l, &pair.a);
        loop_unwatch(pair.l, &pair.b);
}

static void an_unwatched_source_is_silent_at_once(void **state)
{
        (void)state;
        int fd[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
        pair = (struct source_pair){
                .a = {fd[0], unwatch_both}, .b = {fd[1], unwatch_both}, .l = test_loop(0, NULL)};
        assert_int_equal(loop_watch(pair.l, &pair.a), 0);
        assert_int_equal(loop_watch_level(pair.l, &pair.b), 0);
        assert_true(loop_watch(pair.l, &pair.a) != 0); /* only once */
        assert_int_equal(write(fd[0], "x", 1) + write(fd[1], "x", 1), 2);
        assert_true(loop_step(pair.l, 0)); /* both are in this batch */
        assert_false(loop_step(pair.l, 0));
        assert_int_equal(pair.ran, 1);
        loop_free(pair.l);
        assert_int_equal(close(fd[0]) + close(fd[1]), 0);
}

struct job {
        struct task t;
        struct net_loop *home;
        atomic_uint on_worker, on_loop;
        atomic_uint *left;
};

static void job_back(struct task *t)
{
        struct job *j = container_of(t, struct job, t);
        assert_ptr_equal(loop_current(), j->home);
        atomic_fetch_add(&j->on_loop, 1);
        if (atomic_fetch_sub(j->left, 1) == 1)
                loop_stop(j->home);
}

static void job_work(struct task *t)
{
        struct job *j = container_of(t, struct job, t);
        assert_null(loop_current());
        atomic_fetch_add(&j->on_worker, 1);
        j->t.run = job_back;
        exec_on_loop(loop_exec(j->home), t);
}

static void worker_tasks_complete_exactly_once(void **state)
{
        (void)state;
        enum { N = 5000 };
        static struct job j[N];
        for (unsigned spin = 0; spin <= 50; spin += 50) {
                memset(j, 0, sizeof j);
                struct workers_conf wc = {.min = 1, .max = 8, .idle_ms = 1000};
                struct workers *w = workers_new(&wc);
                struct net_loop *l = test_loop(spin, w);
                atomic_uint left = N;
                for (int i = 0; i < N; i++) {
                        j[i].t.run = job_work;
                        j[i].home = l;
                        j[i].left = &left;
                        exec_on_worker(loop_exec(l), &j[i].t);
                }
                loop_run(l);
                for (int i = 0; i < N; i++)
                        assert_int_equal(j[i].on_worker * 10 + j[i].on_loop, 11);
                while (!workers_are_quiet(w)) /* the last poster may still be inside loop_post */
                        sched_yield();
                loop_free(l);
                workers_free(w);
        }
}

struct gate {
        pthread_mutex_t lock;
        pthread_cond_t cond;
        unsigned inside, need;
};
static struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

/* Ends only when `need` tasks are inside at once: proves that so many threads run. */
static void gate_task(struct task *t)
{
        (void)t;
        pthread_mutex_lock(&gate.lock);
        gate.inside++;
        pthread_cond_broadcast(&gate.cond);
        while (gate.inside < gate.need)
                pthread_cond_wait(&gate.cond, &gate.lock);
        pthread_mutex_unlock(&gate.lock);
}

static void workers_grow_and_end(void **state)
{
        (void)state;
        struct workers_conf wc = {.min = 1, .max = 6, .idle_ms = 1};
        struct workers *w = workers_new(&wc);
        static struct task t[6];
        gate.inside = 0;
        gate.need = 6;
        for (int i = 0; i < 6; i++) {
                t[i].run = gate_task;
                workers_run(w, &t[i]);
        }
        while (workers_count(w).threads > 1) /* until five of them were idle for long enough */
                sched_yield();
        assert_int_equal(workers_count(w).started, 6);
        assert_true(workers_are_quiet(w));
        workers_free(w);
}

static void tasks_left_at_the_end_still_run(void **state)
{
        (void)state;
        struct net_loop *l = test_loop(0, NULL);
        static struct job j[3];
        memset(j, 0, sizeof j);
        atomic_uint left = 100;
        for (int i = 0; i < 3; i++) {
                j[i] = (struct job){.t.run = job_back, .home = l, .left = &left};
                loop_post(l, &j[i].t);
        }
        loop_free(l);
        assert_int_equal(left, 97);
}

/* Nothing pays here, so spinning must become rare; and an idle loop must not spin at all. */
static void vain_spinning_ends(void **state)
{
        (void)state;
        struct net_loop *l = test_loop(20, NULL);
        struct hook_note n = {.h.fn = hook_run, .l = l};
        for (int i = 0; i < 2000; i++) {
                loop_at_end(l, &n.h);
                (void)loop_step(l, 1); /* active */
                if (i % 50 == 0)
                        (void)loop_step(l, 0);
        }
        uint64_t spins = loop_count(l).spins;
        assert_in_range(spins, 0, 40);
        for (int i = 0; i < 5; i++)
                (void)loop_step(l, 1);
        assert_in_range(loop_count(l).spins - spins, 0, 1);
        loop_free(l);
}

static int bufs_new(void **state)
{
        (void)state;
        bufs = buf_pool_new(1 << 20);
        return bufs ? 0 : -1;
}

static int bufs_free(void **state)
{
        (void)state;
        buf_pool_free(bufs);
        return 0;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(timers_fire_in_order_and_not_early),
                cmocka_unit_test(a_timer_may_start_itself),
                cmocka_unit_test(a_real_timer_ends_the_sleep),
                cmocka_unit_test(hooks_run_once_and_in_their_iteration),
                cmocka_unit_test(an_unwatched_source_is_silent_at_once),
                cmocka_unit_test(worker_tasks_complete_exactly_once),
                cmocka_unit_test(workers_grow_and_end),
                cmocka_unit_test(tasks_left_at_the_end_still_run),
                cmocka_unit_test(vain_spinning_ends),
        };
        return cmocka_run_group_tests(tests, bufs_new, bufs_free);
}
