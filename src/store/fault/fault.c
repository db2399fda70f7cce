/* See fault.h. */
#include "store/fault/fault.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct rule {
        struct store_fault f;
        uint64_t seen;
};

struct fault {
        pthread_mutex_t lock;
        struct rule rule[STORE_FAULT_RULES];
        size_t n;
        uint64_t hits;
};

/* The first rule that hits this call; all count it. */
static struct store_fault pick(struct fault *t, enum store_op op)
{
        struct store_fault hit = {0};
        bool found = false;
        (void)pthread_mutex_lock(&t->lock); /* a plain mutex does not fail */
        for (size_t i = 0; i < t->n; i++) {
                struct rule *r = &t->rule[i];
                if (r->f.op != op)
                        continue;
                uint64_t k = ++r->seen;
                if (found || k < r->f.from || (r->f.count && k - r->f.from >= r->f.count))
                        continue;
                found = true;
                hit = r->f;
                t->hits++;
        }
        (void)pthread_mutex_unlock(&t->lock);
        return hit;
}

static enum fs_err before(void *ctx, struct around_call *c)
{
        struct store_fault f = pick(ctx, c->op);
        if (f.sleep_ms) {
                struct timespec ts = {.tv_sec = f.sleep_ms / 1000,
                                      .tv_nsec = (long)(f.sleep_ms % 1000) * 1000000};
                (void)nanosleep(&ts, NULL); /* slow is slow, interrupted or not */
        }
        if (!f.short_n || (c->op != STORE_OP_read && c->op != STORE_OP_write))
                return f.err;
        if (f.short_n < c->n)
                c->n = f.short_n;
        c->then = f.op == STORE_OP_write ? f.err : FS_OK;
        return FS_OK;
}

static enum fs_err after(void *ctx, const struct around_call *c, enum fs_err e)
{
        (void)ctx;
        return e ? e : c->then;
}

static void fault_free(void *ctx)
{
        struct fault *t = ctx;
        (void)pthread_mutex_destroy(&t->lock);
        free(t);
}

static const struct around_hooks hooks = {
        .name = "fault", .before = before, .after = after, .free = fault_free};

struct store *store_fault_new(struct store *inner)
{
        struct fault *t = calloc(1, sizeof *t);
        if (!t)
                return NULL;
        (void)pthread_mutex_init(&t->lock, NULL); /* cannot fail on Linux */
        struct store *s = store_around_new(inner, &hooks, t);
        if (!s)
                fault_free(t);
        return s;
}

bool store_fault_add(struct store *s, const struct store_fault *f)
{
        struct fault *t = store_around_ctx(s);
        (void)pthread_mutex_lock(&t->lock);
        bool room = t->n < STORE_FAULT_RULES;
        if (room)
                t->rule[t->n++] = (struct rule){.f = *f};
        (void)pthread_mutex_unlock(&t->lock);
        return room;
}

void store_fault_clear(struct store *s)
{
        struct fault *t = store_around_ctx(s);
        (void)pthread_mutex_lock(&t->lock);
        t->n = 0;
        (void)pthread_mutex_unlock(&t->lock);
}

uint64_t store_fault_hits(struct store *s)
{
        struct fault *t = store_around_ctx(s);
        (void)pthread_mutex_lock(&t->lock);
        uint64_t n = t->hits;
        (void)pthread_mutex_unlock(&t->lock);
        return n;
}
