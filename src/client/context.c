/* A context's life, and its two ways to wait: see include/frevo/frevo.h. */
#include "client/context.h"

#include <errno.h>

#include "client/op.h"
#include "client/session.h"
#include "crypto/hash.h"

#define KEEP_BYTES (64u * 1024 * 1024) /* of buffers that nobody uses at the moment */
#define WORKERS_MAX 4u
#define WORKER_IDLE_MS 5000u

static void fini(struct frevo_ctx *c)
{
        loop_free(c->loop);
        workers_free(c->workers);
        buf_pool_free(c->bufs);
        free(c);
}

struct frevo_ctx *frevo_new(void)
{
        struct frevo_ctx *c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        list_init(&c->sessions);
        list_init(&c->ops);
        list_init(&c->failed);
        crypto_random(c->guid.b, sizeof c->guid.b);
        c->bufs = buf_pool_new(KEEP_BYTES);
        c->workers = workers_new(
                &(struct workers_conf){.min = 1, .max = WORKERS_MAX, .idle_ms = WORKER_IDLE_MS});
        if (c->bufs && c->workers)
                c->loop = loop_new(&(struct loop_conf){.workers = c->workers, .bufs = c->bufs});
        if (c->loop)
                return c;
        fini(c);
        errno = ENOMEM;
        return NULL;
}

void frevo_free(struct frevo_ctx *c)
{
        if (!c)
                return;
        list_each_safe (&c->sessions, it, next)
                client_session_end(list_entry(it, struct client_session, link));
        /* What sessions and operations leave behind runs out on the loop. Workers end without
         * telling it, hence the short wait for them. */
        while (!list_empty(&c->sessions) || !list_empty(&c->ops))
                (void)loop_step(c->loop, -1);
        while (!workers_are_quiet(c->workers))
                (void)loop_step(c->loop, 1);
        fini(c);
}

int frevo_fd(const struct frevo_ctx *c)
{
        return loop_fd(c->loop);
}

int frevo_timeout_ms(struct frevo_ctx *c)
{
        return loop_wait_ms(c->loop);
}

void frevo_service(struct frevo_ctx *c)
{
        (void)loop_step(c->loop, 0);
}

void frevo_wait(struct frevo_ctx *c, int timeout_ms)
{
        (void)loop_step(c->loop, timeout_ms);
}

void frevo_wake(struct frevo_ctx *c)
{
        loop_wake(c->loop);
}

struct frevo_counts frevo_count(const struct frevo_ctx *c)
{
        return c->count;
}
