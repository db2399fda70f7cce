#include <errno.h>

#include "cli/copy/reader.h"

struct block {
        struct list link;
        struct reader *reader;
        uint64_t off;
        uint32_t n;
        bool arrived, lost;
        struct frevo_data *kept;
        const void *p; /* in kept */
};

static void reader_settle(struct reader *r);

static void fail(struct reader *r, const char *doing, int err, const struct frevo_result *of)
{
        if (r->bad.err)
                return;
        r->doing = doing;
        r->bad.err = err;
        r->bad.ntstatus = of ? of->ntstatus : NO_STATUS;
        r->bad_here = !of;
}

/* ---- the end ----------------------------------------------------------------------------------
 */

static void block_free(struct block *b)
{
        frevo_data_free(b->kept);
        list_remove(&b->link);
        copy_give(b->reader->task->copy, b->n);
        free(b);
}

static void end(struct reader *r)
{
        free(r->path);
        free(r->ranges);
        r->path = NULL;
        r->ranges = NULL;
        r->end(r->arg, r->doing, r->bad.err, r->bad_here ? NULL : &r->bad);
}

static void closed(void *arg, const struct frevo_result *res)
{
        struct reader *r = arg;
        bool known = !res->err && res->stat.write_ns;
        if (known && (res->stat.size != r->stat.size || res->stat.write_ns != r->stat.write_ns))
                fail(r, "it changed while it was read", EAGAIN, NULL);
        end(r); /* reading lost nothing, whatever the close says */
}

static void finish(struct reader *r)
{
        struct frevo_file *f = r->file;
        r->file = NULL;
        r->busy = true;
        while (!list_empty(&r->blocks))
                block_free(list_entry(r->blocks.next, struct block, link));
        if (!f || !frevo_close_start(f, closed, r))
                end(r);
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

static void arrived(void *arg, const struct frevo_result *res);

static void ask(struct block *b)
{
        struct reader *r = b->reader;
        b->lost = false;
        if (frevo_read_start(r->file, b->off, b->n, arrived, b))
                r->in_flight++;
        else
                fail(r, "reading", ENOMEM, NULL);
}

static void give(struct reader *r, struct block *b, const void *p, size_t n)
{
        r->in_take = true;
        int err = r->take(r->arg, b->off, p, n);
        r->in_take = false;
        if (err)
                fail(r, "writing", err, NULL);
        else if (n < b->n)
                fail(r, "it changed while it was read", EAGAIN, NULL);
        r->given = b->off + n;
        if (!r->quiet && !err)
                task_progress(r->task, n);
        block_free(b);
}

static void give_kept(struct reader *r)
{
        while (!list_empty(&r->blocks) && !r->bad.err) {
                struct block *b = list_entry(r->blocks.next, struct block, link);
                if (!b->arrived)
                        return;
                give(r, b, b->p, b->n);
        }
}

static void arrived(void *arg, const struct frevo_result *res)
{
        struct block *b = arg;
        struct reader *r = b->reader;
        r->in_flight--;
        if (res->err) {
                b->lost = is_lost(res->err);
                if (!b->lost)
                        fail(r, "reading", res->err, res);
        } else if (r->bad.err) {
                block_free(b);
        } else if (r->blocks.next == &b->link || res->n < b->n) {
                give(r, b, res->data, res->n);
                give_kept(r);
        } else {
                b->kept = frevo_data_keep(res);
                b->p = res->data;
                b->arrived = b->kept != NULL;
                if (!b->kept)
                        fail(r, "reading", ENOMEM, NULL);
        }
        reader_settle(r);
}

/* ---- opening, and opening again ---------------------------------------------------------------
 */

static void let_go(void *arg, const struct frevo_result *res)
{
        /* An open of a connection that is gone: there is nothing to learn from its end. */
}

static void opened_again(void *arg, const struct frevo_result *res)
{
        struct reader *r = arg;
        r->busy = false;
        if (res->err) {
                fail(r, "opening it again", res->err, res);
        } else if (res->stat.size != r->stat.size || res->stat.write_ns != r->stat.write_ns) {
                r->file = res->file;
                fail(r, "it changed while it was read", EAGAIN, NULL);
        } else {
                r->file = res->file;
                list_each (&r->blocks, it) {
                        struct block *b = list_entry(it, struct block, link);
                        if (b->lost)
                                ask(b);
                }
        }
        reader_settle(r);
}

static void open_file(struct reader *r, frevo_done done)
{
        const struct frevo_open_how how = {.options = 0x40, .durable = true}; /* a file only */
        r->busy = true;
        if (frevo_open_start(r->share, r->path, &how, done, r))
                return;
        r->busy = false;
        fail(r, "opening", ENOMEM, NULL);
        finish(r);
}

static bool any_lost(const struct reader *r)
{
        list_each (&r->blocks, it)
                if (list_entry(it, struct block, link)->lost)
                        return true;
        return false;
}

/* After something ended: the next step, when nothing is in flight that it would have to wait for.
 */
static void reader_settle(struct reader *r)
{
        if (r->busy || r->in_flight)
                return;
        if (!r->bad.err && any_lost(r)) {
                if (++r->task->tries >= TRIES_MAX) {
                        fail(r, "reading: the connection is lost again and again", ECONNRESET,
                             NULL);
                } else {
                        (void)frevo_close_start(r->file, let_go, NULL); /* consumed in any case */
                        r->file = NULL;
                        open_file(r, opened_again);
                        return;
                }
        }
        if (r->bad.err || (list_empty(&r->blocks) && r->next >= r->stat.size))
                finish(r);
}

static void ready(struct reader *r)
{
        int err = r->opened ? r->opened(r->arg, &r->stat) : 0;
        r->busy = false;
        if (err)
                fail(r, "opening the target", err, NULL);
        reader_settle(r);
}

static void ranges_known(void *arg, const struct frevo_result *res)
{
        struct reader *r = arg;
        if (!res->err && (r->ranges = malloc(res->n + 1))) { /* otherwise: all of it is data */
                if (res->n)
                        memcpy(r->ranges, res->data, res->n);
                r->ranges_n = res->n / sizeof *r->ranges;
        }
        ready(r);
}

static void opened(void *arg, const struct frevo_result *res)
{
        struct reader *r = arg;
        if (res->err) {
                r->busy = false;
                fail(r, "opening", res->err, res);
                finish(r);
                return;
        }
        r->file = res->file;
        r->stat = res->stat;
        bool holes = r->with_holes && (r->stat.attributes & ITEM_SPARSE) &&
                     r->stat.allocated < r->stat.size;
        if (!holes || !frevo_ranges_start(r->file, 0, r->stat.size, ranges_known, r))
                ready(r);
}

void reader_start(struct reader *r)
{
        list_init(&r->blocks);
        open_file(r, opened);
}

void reader_abort(struct reader *r, const char *doing, int err, const struct frevo_result *of)
{
        fail(r, doing, err, of);
        if (!r->in_take)
                reader_settle(r);
}

/* Moves next over a hole; returns how much data follows it. */
static uint64_t data_ahead(struct reader *r)
{
        if (!r->ranges)
                return r->stat.size - r->next;
        for (; r->range < r->ranges_n; r->range++) {
                const struct frevo_range *g = &r->ranges[r->range];
                if (g->off + g->n < g->off || g->off + g->n <= r->next)
                        continue;
                if (g->off > r->next)
                        r->next = g->off < r->stat.size ? g->off : r->stat.size;
                uint64_t end_off = g->off + g->n < r->stat.size ? g->off + g->n : r->stat.size;
                return end_off - r->next;
        }
        r->next = r->stat.size;
        return 0;
}

bool reader_issue(struct reader *r)
{
        struct copy *c = r->task->copy;
        if (c->stop_err && !r->busy) {
                fail(r, NULL, ECANCELED, NULL);
                reader_settle(r);
                return false;
        }
        if (r->busy || r->bad.err || r->next >= r->stat.size || any_lost(r))
                return false;
        if (r->may_go_on && !r->may_go_on(r->arg))
                return false;
        uint64_t ahead = data_ahead(r);
        uint32_t n = window_block(&c->window, frevo_share_info(r->share).max_read);
        if (!ahead) {
                reader_settle(r);
                return false;
        }
        struct block *b = calloc(1, sizeof *b);
        if (!b) {
                fail(r, "reading", ENOMEM, NULL);
                reader_settle(r);
                return false;
        }
        b->reader = r;
        b->off = r->next;
        b->n = ahead < n ? (uint32_t)ahead : n;
        r->next += b->n;
        list_add_last(&r->blocks, &b->link);
        copy_take(c, b->n);
        ask(b);
        reader_settle(r);
        return true;
}
