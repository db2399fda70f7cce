/* The engine of op.h: on a fake exec step by step, then with threads that race. */
#include <pthread.h>

#include "fs/op.h"
#include "fs/testing.h"

/* ---- an exec that does as the test says ---- */

struct queue {
        struct exec exec;
        struct task *loop[8], *worker[8];
        size_t nloop, nworker;
};

static void push_worker(struct exec *e, struct task *t)
{
        struct queue *q = container_of(e, struct queue, exec);
        q->worker[q->nworker++] = t;
}

static void push_loop(struct exec *e, struct task *t)
{
        struct queue *q = container_of(e, struct queue, exec);
        q->loop[q->nloop++] = t;
}

static struct queue queue_new(void)
{
        return (struct queue){.exec = {.on_worker = push_worker, .on_loop = push_loop}};
}

static void run_worker(struct queue *q)
{
        assert_int_equal(q->nworker, 1);
        q->nworker = 0;
        q->worker[0]->run(q->worker[0]);
}

static void run_loop(struct queue *q)
{
        assert_int_equal(q->nloop, 1);
        q->nloop = 0;
        q->loop[0]->run(q->loop[0]);
}

struct probe_op {
        struct fs_op op;
        enum fs_err says[8]; /* one for each run */
        unsigned how[8];
        int runs, dones, parks;
        enum fs_err result;
        struct node *node; /* where to park */
        bool wake_inside;  /* the wake comes before run has returned */
        bool cancel_in_parked;
};

static enum fs_err probe_run(struct fs_op *op, unsigned how)
{
        struct probe_op *p = container_of(op, struct probe_op, op);
        enum fs_err e = p->says[p->runs];
        p->how[p->runs++] = how;
        if (e == FS_PARKED) {
                pthread_mutex_lock(&p->node->mutex);
                node_park(p->node, &op->waiter);
                pthread_mutex_unlock(&p->node->mutex);
                if (p->wake_inside)
                        node_wake(p->node);
        }
        return e;
}

static void probe_done(struct fs_op *op, enum fs_err e)
{
        struct probe_op *p = container_of(op, struct probe_op, op);
        p->dones++;
        p->result = e;
}

static void probe_parked(struct fs_op *op)
{
        struct probe_op *p = container_of(op, struct probe_op, op);
        p->parks++;
        if (p->cancel_in_parked)
                fs_op_cancel(op);
}

struct bench {
        struct fs *fs;
        struct node *node;
        struct queue q;
        struct probe_op p;
};

static void bench_start(struct bench *b)
{
        struct store_attr a = {.dev = 1, .ino = 1};
        *b = (struct bench){.fs = fs_new(), .q = queue_new()};
        b->node = node_get(b->fs, &a);
        b->p.op = (struct fs_op){.run = probe_run, .done = probe_done, .parked = probe_parked};
        b->p.op.exec = &b->q.exec;
        b->p.node = b->node;
}

static void bench_end(struct bench *b, int runs, enum fs_err result)
{
        assert_int_equal(b->p.runs, runs);
        assert_int_equal(b->p.dones, 1);
        assert_int_equal(b->p.result, result);
        assert_int_equal(b->q.nloop + b->q.nworker, 0);
        node_put(b->node);
        fs_free(b->fs);
}

static void test_inline(void **state)
{
        struct bench b;
        bench_start(&b);
        b.p.says[0] = FS_EXISTS;
        assert_true(fs_op_start(&b.p.op));
        assert_int_equal(b.p.how[0], FS_NOWAIT);
        bench_end(&b, 1, FS_EXISTS);
}

static void test_on_a_worker(void **state)
{
        struct bench b;
        bench_start(&b);
        b.p.says[0] = FS_AGAIN;
        b.p.says[1] = FS_OK;
        assert_false(fs_op_start(&b.p.op));
        run_worker(&b.q);
        assert_int_equal(b.p.dones, 0); /* only on the loop */
        run_loop(&b.q);
        assert_int_equal(b.p.how[1], 0);
        bench_end(&b, 2, FS_OK);
        bench_start(&b);
        b.p.op.flags = FS_OP_WORKER;
        assert_false(fs_op_start(&b.p.op));
        assert_int_equal(b.p.runs, 0);
        fs_op_cancel(&b.p.op); /* completes as it would */
        run_worker(&b.q);
        run_loop(&b.q);
        bench_end(&b, 1, FS_OK);
}

static void test_parking(void **state)
{
        struct bench b;
        bench_start(&b);
        b.p.says[0] = b.p.says[1] = FS_PARKED;
        assert_false(fs_op_start(&b.p.op));
        node_wake(b.node);
        run_loop(&b.q);
        assert_int_equal(b.p.runs, 2);
        node_wake(b.node);
        run_loop(&b.q);
        assert_int_equal(b.p.parks, 1); /* told once */
        bench_end(&b, 3, FS_OK);
}

static void test_parking_on_a_worker(void **state)
{
        struct bench b;
        for (int early = 0; early < 2; early++) {
                bench_start(&b);
                b.p.says[0] = FS_AGAIN;
                b.p.says[1] = FS_PARKED;
                assert_false(fs_op_start(&b.p.op));
                run_worker(&b.q);
                if (early)
                        node_wake(b.node); /* before the loop has heard of it */
                run_loop(&b.q);
                assert_int_equal(b.p.parks, early ? 0 : 1);
                if (!early) {
                        node_wake(b.node);
                        run_loop(&b.q);
                }
                bench_end(&b, 3, FS_OK);
        }
}

static void test_woken_before_run_returned(void **state)
{
        struct bench b;
        bench_start(&b);
        b.p.says[0] = FS_PARKED;
        b.p.wake_inside = true;
        assert_true(fs_op_start(&b.p.op));
        assert_int_equal(b.p.parks, 0);
        bench_end(&b, 2, FS_OK);
}

static void test_cancel(void **state)
{
        struct bench b;
        bench_start(&b);
        b.p.says[0] = FS_PARKED;
        assert_false(fs_op_start(&b.p.op));
        fs_op_cancel(&b.p.op);
        node_wake(b.node); /* too late: nobody is there */
        bench_end(&b, 1, FS_CANCELLED);
        /* Woken already: the retry sees it. */
        bench_start(&b);
        b.p.says[0] = FS_PARKED;
        assert_false(fs_op_start(&b.p.op));
        node_wake(b.node);
        fs_op_cancel(&b.p.op);
        assert_int_equal(b.p.dones, 0);
        run_loop(&b.q);
        bench_end(&b, 1, FS_CANCELLED);
        /* While it runs on a worker, which then wants to wait. */
        bench_start(&b);
        b.p.says[0] = FS_AGAIN;
        b.p.says[1] = FS_PARKED;
        assert_false(fs_op_start(&b.p.op));
        fs_op_cancel(&b.p.op);
        run_worker(&b.q);
        run_loop(&b.q);
        bench_end(&b, 2, FS_CANCELLED);
        /* From inside parked(). */
        bench_start(&b);
        b.p.says[0] = FS_PARKED;
        b.p.cancel_in_parked = true;
        assert_true(fs_op_start(&b.p.op));
        bench_end(&b, 1, FS_CANCELLED);
}

/* ---- threads: a loop, a worker, and others that let go of locks ---- */

struct mill {
        struct exec exec;
        pthread_mutex_t mutex;
        pthread_cond_t work;
        struct task *first[2], **last[2]; /* 0 loop, 1 worker */
        bool stop;
};

static void mill_push(struct mill *m, int k, struct task *t)
{
        pthread_mutex_lock(&m->mutex);
        t->next = NULL;
        *m->last[k] = t;
        m->last[k] = &t->next;
        pthread_cond_broadcast(&m->work);
        pthread_mutex_unlock(&m->mutex);
}

static void mill_loop(struct exec *e, struct task *t)
{
        mill_push(container_of(e, struct mill, exec), 0, t);
}

static void mill_worker(struct exec *e, struct task *t)
{
        mill_push(container_of(e, struct mill, exec), 1, t);
}

/* The next task of queue k; NULL when the mill stops. */
static struct task *mill_pop(struct mill *m, int k)
{
        pthread_mutex_lock(&m->mutex);
        while (!m->first[k] && !m->stop)
                pthread_cond_wait(&m->work, &m->mutex);
        struct task *t = m->first[k];
        if (t) {
                m->first[k] = t->next;
                if (!t->next)
                        m->last[k] = &m->first[k];
        }
        pthread_mutex_unlock(&m->mutex);
        return t;
}

static void *mill_work(void *arg)
{
        struct task *t;
        while ((t = mill_pop(arg, 1)))
                t->run(t);
        return NULL;
}

enum { OPS = 8, ROUNDS = 200 };

struct lock_op {
        struct fs_op op;
        struct fs_open *open;
        int left, granted, cancelled;
        int *running;
};

static enum fs_err lock_run(struct fs_op *op, unsigned how)
{
        struct lock_op *k = container_of(op, struct lock_op, op);
        struct fs_lock l = {0, 1, FS_LOCK_EXCLUSIVE};
        if (how & FS_NOWAIT && k->left % 3 == 0)
                return FS_AGAIN;
        return fs_lock(k->open, &l, 1, &op->waiter);
}

static void lock_done(struct fs_op *op, enum fs_err e)
{
        struct lock_op *k = container_of(op, struct lock_op, op);
        struct fs_lock l = {0, 1, FS_LOCK_UNLOCK};
        if (e == FS_OK) {
                k->granted++;
                assert_int_equal(fs_lock(k->open, &l, 1, NULL), FS_OK);
        } else {
                assert_int_equal(e, FS_CANCELLED);
                k->cancelled++;
        }
        --*k->running;
}

struct rival {
        struct fs_open *open;
        _Atomic bool stop;
};

/* Takes and frees the same lock all the time, from a thread that is no loop. */
static void *rival_run(void *arg)
{
        struct rival *r = arg;
        struct fs_lock on = {0, 1, FS_LOCK_EXCLUSIVE}, off = {0, 1, FS_LOCK_UNLOCK};
        while (!atomic_load(&r->stop)) {
                if (fs_lock(r->open, &on, 1, NULL) == FS_OK)
                        assert_int_equal(fs_lock(r->open, &off, 1, NULL), FS_OK);
        }
        return NULL;
}

static void race(struct world *w, struct mill *m)
{
        struct lock_op k[OPS];
        int running = 0, ended = 0;
        struct task *t;
        for (int i = 0; i < OPS; i++) {
                k[i] = (struct lock_op){.left = ROUNDS, .running = &running};
                k[i].open = must_open(w, req("x", RW, FS_OPEN));
        }
        for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < OPS; i++) {
                        k[i].op = (struct fs_op){.run = lock_run, .done = lock_done};
                        k[i].op.exec = &m->exec;
                        k[i].left = round + i;
                        running++;
                        bool done = fs_op_start(&k[i].op);
                        if (!done && (round + i) % 5 == 0)
                                fs_op_cancel(&k[i].op);
                }
                while (running && (t = mill_pop(m, 0)))
                        t->run(t);
        }
        for (int i = 0; i < OPS; i++) {
                ended += k[i].granted + k[i].cancelled;
                assert_int_equal(finish(k[i].open), FS_OK);
        }
        assert_int_equal(ended, OPS * ROUNDS);
}

static void test_race(void **state)
{
        struct world w = world_new();
        struct mill m = {.exec = {.on_worker = mill_worker, .on_loop = mill_loop},
                         .mutex = PTHREAD_MUTEX_INITIALIZER,
                         .work = PTHREAD_COND_INITIALIZER};
        m.last[0] = &m.first[0];
        m.last[1] = &m.first[1];
        make_file(&w, "x");
        struct rival r = {.open = must_open(&w, req("x", RW, FS_OPEN))};
        pthread_t worker, rival;
        pthread_create(&worker, NULL, mill_work, &m);
        pthread_create(&rival, NULL, rival_run, &r);
        race(&w, &m);
        atomic_store(&r.stop, true);
        pthread_join(rival, NULL);
        pthread_mutex_lock(&m.mutex);
        m.stop = true;
        pthread_cond_broadcast(&m.work);
        pthread_mutex_unlock(&m.mutex);
        pthread_join(worker, NULL);
        assert_int_equal(finish(r.open), FS_OK);
        world_end(&w);
}

/* Any result will do, as long as it is one. */
static void any(enum fs_err e)
{
        assert_true(e != FS_AGAIN && e != FS_PARKED && e < FS_ERR_COUNT);
}

/* Threads open, write, rename and delete the same few names; nothing may be left over. */
static void *crowd(void *arg)
{
        struct world *w = arg;
        static const char *const names[] = {"a", "b", "d/a", "d/b"};
        unsigned seed = (unsigned)(uintptr_t)&seed;
        for (int i = 0; i < 300; i++) {
                struct fs_open_req q = req(names[rand_r(&seed) % 4], RW | FS_DELETE, FS_OPEN_IF);
                struct fs_open *o;
                if (rand_r(&seed) % 3 == 0)
                        q.options = FS_OPT_DELETE_ON_CLOSE;
                if (try_open(w, w->alice, &q, &o) != FS_OK)
                        continue;
                if (rand_r(&seed) % 3 == 0)
                        any(fs_rename(o, names[rand_r(&seed) % 4], true));
                any(fs_write(o, "x", 1, 0, false, 0));
                any(finish(o));
                q = req(i % 2 ? "d" : "e", FS_DELETE, FS_OPEN);
                if (try_open(w, w->alice, &q, &o) == FS_OK) {
                        any(fs_rename(o, i % 2 ? "e" : "d", false));
                        any(finish(o));
                }
        }
        return NULL;
}

static void test_crowd(void **state)
{
        struct world w = world_new();
        pthread_t t[4];
        make_dir(&w, "d");
        for (int i = 0; i < 4; i++)
                pthread_create(&t[i], NULL, crowd, &w);
        for (int i = 0; i < 4; i++)
                pthread_join(t[i], NULL);
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_inline),
                cmocka_unit_test(test_on_a_worker),
                cmocka_unit_test(test_parking),
                cmocka_unit_test(test_parking_on_a_worker),
                cmocka_unit_test(test_woken_before_run_returned),
                cmocka_unit_test(test_cancel),
                cmocka_unit_test(test_race),
                cmocka_unit_test(test_crowd),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
