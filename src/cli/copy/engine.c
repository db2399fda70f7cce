/* The loop of a copy: starts what fits into the window, waits, counts. */
#include <errno.h>
#include <malloc.h>

#include "cli/copy/engine.h"

#define TICK_MS 100
/* Buffers of a block's size are used again and again: from the heap, not from the kernel each time.
 */
#define HEAP_BLOCK_MAX (16 << 20)
#define HEAP_KEEP (256 << 20)

unsigned copy_rtt_us(const struct copy *c)
{
        return frevo_share_info(c->source ? c->source : c->target).rtt_us;
}

bool is_lost(int err)
{
        return err == ECONNRESET || err == ESTALE || err == EPIPE || err == ENOTCONN ||
               err == ECONNABORTED || err == ETIMEDOUT;
}

/* What will be the same for every other file, too. */
static bool ends_all(int err)
{
        return is_lost(err) || err == ENOSPC || err == EDQUOT || err == EROFS || err == EHOSTDOWN ||
               err == ENETUNREACH || err == EHOSTUNREACH || err == ECONNREFUSED;
}

void copy_tell(struct copy *c, const struct copy_event *e)
{
        c->hooks.event(c->hooks.arg, e);
}

void copy_fail(struct copy *c, const char *path, const char *doing, int err,
               const struct frevo_result *r)
{
        c->totals.failed++;
        copy_tell(c, &(struct copy_event){.kind = COPY_FAILED,
                                          .path = path,
                                          .text = doing,
                                          .err = err,
                                          .on_server = r != NULL,
                                          .ntstatus = r ? r->ntstatus : NO_STATUS});
        if (ends_all(err) && !c->stop_err)
                c->stop_err = err;
}

bool copy_has_room(struct copy *c, uint64_t n)
{
        return window_has_room(&c->window, n) && !bucket_wait_us(&c->bucket, clock_us());
}

void copy_take(struct copy *c, uint64_t n)
{
        window_take(&c->window, n, clock_us());
        bucket_take(&c->bucket, n);
}

void copy_give(struct copy *c, uint64_t n)
{
        window_give(&c->window, n, clock_us(), copy_rtt_us(c));
}

struct copy *copy_new(struct frevo_ctx *ctx, const struct copy_options *o,
                      struct frevo_share *source, struct frevo_share *target,
                      const struct copy_hooks *hooks)
{
        struct copy *c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        *c = (struct copy){
                .ctx = ctx, .o = *o, .source = source, .target = target, .hooks = *hooks};
        list_init(&c->folders);
        list_init(&c->small);
        list_init(&c->large);
        list_init(&c->active);
        list_init(&c->to_verify);
        list_init(&c->removals);
        list_init(&c->used_folders);
        window_init(&c->window);
        c->heard_us = clock_us();
        bucket_init(&c->bucket, o->bytes_per_second, c->heard_us);
        (void)mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_MAX); /* at worst it is slower */
        (void)mallopt(M_TRIM_THRESHOLD, HEAP_KEEP);
        return c;
}

void copy_free(struct copy *c)
{
        free(c);
}

const struct copy_totals *copy_count(const struct copy *c)
{
        return &c->totals;
}

void copy_interrupt(struct copy *c)
{
        c->interrupted = true;
        frevo_wake(c->ctx);
}

/* ---- the loop ---------------------------------------------------------------------------------
 */

static void pump(struct copy *c)
{
        if (c->interrupted && !c->stop_err)
                c->stop_err = EINTR;
        if (c->stop_err) {
                folders_drop(c);
                removals_drop(c);
                tasks_drop(c);
                return;
        }
        removals_pump(c);
        folders_pump(c);
        tasks_pump(c);
}

static int wait_ms(struct copy *c)
{
        uint64_t owed_us = bucket_wait_us(&c->bucket, clock_us());
        uint64_t ms = owed_us ? owed_us / 1000 + 1 : TICK_MS;
        return ms < TICK_MS ? (int)ms : TICK_MS;
}

static void tick(struct copy *c)
{
        c->totals.walking = c->folders_running || !list_empty(&c->folders);
        if (c->hooks.tick)
                c->hooks.tick(c->hooks.arg, &c->totals);
}

int copy_run(struct copy *c)
{
        pump(c);
        while (c->alive) {
                frevo_wait(c->ctx, wait_ms(c));
                tick(c);
                pump(c);
        }
        tick(c);
        return c->stop_err;
}
