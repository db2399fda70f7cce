/* See trace.h. */
#include "store/trace/trace.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"

struct trace {
        _Atomic uint64_t calls[STORE_OP_COUNT], again[STORE_OP_COUNT];
};

static enum fs_err after(void *ctx, const struct around_call *c, enum fs_err e)
{
        struct trace *t = ctx;
        atomic_fetch_add_explicit(&t->calls[c->op], 1, memory_order_relaxed);
        if (e == FS_AGAIN)
                atomic_fetch_add_explicit(&t->again[c->op], 1, memory_order_relaxed);
        log_debug("store %s%s%s%s off %llu n %zu: %s", store_op_name(c->op),
                  c->how & STORE_NOWAIT ? " nowait" : "", c->path ? " " : "",
                  c->path ? c->path : "", (unsigned long long)c->off, c->n, fs_err_text(e));
        return e;
}

static const struct around_hooks hooks = {.name = "trace", .after = after, .free = free};

struct store *store_trace_new(struct store *inner)
{
        struct trace *t = calloc(1, sizeof *t);
        struct store *s = t ? store_around_new(inner, &hooks, t) : NULL;
        if (!s)
                free(t);
        return s;
}

uint64_t store_trace_calls(struct store *s, enum store_op op)
{
        return atomic_load(&((struct trace *)store_around_ctx(s))->calls[op]);
}

uint64_t store_trace_again(struct store *s, enum store_op op)
{
        return atomic_load(&((struct trace *)store_around_ctx(s))->again[op]);
}
