#include <errno.h>

#include "cli/copy/writer.h"

struct block {
        struct list link;
        struct writer *writer;
        uint64_t off;
        uint32_t n;
        bool lost;
        void *buf; /* owns */
};

static void writer_settle(struct writer *w);

static void fail(struct writer *w, const char *doing, int err, const struct frevo_result *of)
{
        if (w->bad.err)
                return;
        w->doing = doing;
        w->bad.err = err;
        w->bad.ntstatus = of ? of->ntstatus : NO_STATUS;
        w->bad_here = !of;
}

/* ---- the end ----------------------------------------------------------------------------------
 */

static void block_free(struct block *b)
{
        list_remove(&b->link);
        copy_give(b->writer->task->copy, b->n);
        free(b->buf);
        free(b);
}

static void end(struct writer *w)
{
        free(w->part);
        free(w->path);
        w->part = w->path = NULL;
        w->end(w->arg, w->doing, w->bad.err, w->bad_here ? NULL : &w->bad);
}

static void closed(void *arg, const struct frevo_result *res)
{
        struct writer *w = arg;
        if (res->err)
                fail(w, "closing", res->err, res);
        end(w);
}

static void finish(struct writer *w)
{
        struct frevo_file *f = w->file;
        w->file = NULL;
        w->busy = true;
        while (!list_empty(&w->blocks))
                block_free(list_entry(w->blocks.next, struct block, link));
        if (!f)
                end(w);
        else if (!frevo_close_start(f, closed, w)) {
                fail(w, "closing", ENOMEM, NULL);
                end(w);
        }
}

static void renamed(void *arg, const struct frevo_result *res);

static void rename_part(struct writer *w)
{
        if (frevo_frename_start(w->file, w->path, true, renamed, w))
                return;
        fail(w, "giving it its name", ENOMEM, NULL);
        finish(w);
}

static void target_cleared(void *arg, const struct frevo_result *res)
{
        rename_part(arg); /* whether it helped is seen there */
}

/* A target that is read-only does not let itself be replaced. */
static bool clear_target(struct writer *w)
{
        const struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                        .access_ns = FREVO_TIME_KEEP,
                                        .write_ns = FREVO_TIME_KEEP,
                                        .change_ns = FREVO_TIME_KEEP,
                                        .attributes = ITEM_NORMAL};
        if (w->task->cleared)
                return false;
        w->task->cleared = true;
        return frevo_change_start(w->task->copy->target, w->path, &ch, target_cleared, w);
}

static void renamed(void *arg, const struct frevo_result *res)
{
        struct writer *w = arg;
        if ((res->err == EACCES || res->err == EPERM) && clear_target(w))
                return;
        if (res->err)
                fail(w, "giving it its name", res->err, res);
        finish(w);
}

static void changed(void *arg, const struct frevo_result *res)
{
        struct writer *w = arg;
        if (res->err) {
                fail(w, "setting its times", res->err, res);
                finish(w);
        } else {
                rename_part(w);
        }
}

static void complete(struct writer *w)
{
        const struct item *as = &w->task->item;
        const struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                        .access_ns = as->access_ns,
                                        .write_ns = as->write_ns,
                                        .change_ns = FREVO_TIME_KEEP,
                                        .attributes = as->attributes & ITEM_CARRIED,
                                        .has_size = true,
                                        .size = as->size};
        w->busy = true;
        if (frevo_fchange_start(w->file, &ch, changed, w))
                return;
        fail(w, "setting its times", ENOMEM, NULL);
        finish(w);
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

static void written(void *arg, const struct frevo_result *res)
{
        struct block *b = arg;
        struct writer *w = b->writer;
        w->in_flight--;
        if (res->err && is_lost(res->err)) {
                b->lost = true;
        } else if (res->err) {
                fail(w, "writing", res->err, res);
                block_free(b);
        } else {
                task_progress(w->task, b->n);
                block_free(b);
        }
        writer_settle(w);
}

static void send_block(struct block *b)
{
        struct writer *w = b->writer;
        b->lost = false;
        if (frevo_write_start(w->file, b->off, b->buf, b->n, written, b))
                w->in_flight++;
        else
                fail(w, "writing", ENOMEM, NULL);
}

bool writer_can(const struct writer *w, uint64_t off)
{
        if (w->busy || w->bad.err || !w->file)
                return false;
        return list_empty(&w->blocks) || off - list_entry(w->blocks.next, struct block, link)->off <
                                                 WRITER_SPREAD_BYTES - WINDOW_BLOCK_MAX;
}

void writer_put(struct writer *w, uint64_t off, void *buf, uint32_t n)
{
        struct block *b = calloc(1, sizeof *b);
        if (!b) {
                free(buf);
                copy_give(w->task->copy, n);
                fail(w, "writing", ENOMEM, NULL);
                writer_settle(w);
                return;
        }
        *b = (struct block){.writer = w, .off = off, .n = n, .buf = buf};
        list_add_last(&w->blocks, &b->link);
        send_block(b);
}

/* ---- opening, and opening again ---------------------------------------------------------------
 */

static void let_go(void *arg, const struct frevo_result *res)
{
        /* An open of a connection that is gone: there is nothing to learn from its end. */
}

static void opened_again(void *arg, const struct frevo_result *res)
{
        struct writer *w = arg;
        w->busy = false;
        if (res->err) {
                fail(w, "opening it again", res->err, res);
        } else {
                w->file = res->file;
                list_each (&w->blocks, it) {
                        struct block *b = list_entry(it, struct block, link);
                        if (b->lost)
                                send_block(b);
                }
        }
        writer_settle(w);
}

static void open_part(struct writer *w, enum frevo_disposition how, frevo_done done)
{
        const struct frevo_open_how o = {.access = FREVO_READ | FREVO_WRITE | FREVO_DELETE,
                                         .disposition = how,
                                         .options = 0x40, /* a file only */
                                         .durable = true};
        w->busy = true;
        if (frevo_open_start(w->task->copy->target, w->part, &o, done, w))
                return;
        w->busy = false;
        fail(w, "opening the target", ENOMEM, NULL);
        finish(w);
}

static bool any_lost(const struct writer *w)
{
        list_each (&w->blocks, it)
                if (list_entry(it, struct block, link)->lost)
                        return true;
        return false;
}

static void writer_settle(struct writer *w)
{
        if (w->busy || w->in_flight)
                return;
        if (!w->bad.err && any_lost(w)) {
                if (++w->task->tries >= TRIES_MAX) {
                        fail(w, "writing: the connection is lost again and again", ECONNRESET,
                             NULL);
                } else {
                        (void)frevo_close_start(w->file, let_go, NULL); /* consumed in any case */
                        w->file = NULL;
                        open_part(w, FREVO_OPEN_EXISTING, opened_again);
                        return;
                }
        }
        if (w->bad.err)
                finish(w);
        else if (w->complete)
                complete(w);
}

static void start_at(struct writer *w, uint64_t have)
{
        uint64_t again = have > WRITER_SPREAD_BYTES ? have - WRITER_SPREAD_BYTES : 0;
        w->busy = false;
        if (w->bad.err)
                finish(w);
        else
                w->opened(w->arg, again);
}

static void marked_sparse(void *arg, const struct frevo_result *res)
{
        start_at(arg, 0); /* a server without holes gets zeros by the size */
}

static void opened(void *arg, const struct frevo_result *res)
{
        struct writer *w = arg;
        if (res->err) {
                w->busy = false;
                fail(w, "opening the target", res->err, res);
                finish(w);
                return;
        }
        w->file = res->file;
        if (w->sparse && res->created && frevo_sparse_start(w->file, true, marked_sparse, w))
                return;
        start_at(w, res->created || res->stat.size > w->task->item.size ? 0 : res->stat.size);
}

void writer_start(struct writer *w)
{
        list_init(&w->blocks);
        open_part(w, FREVO_OPEN_OR_CREATE, opened);
}

void writer_finish(struct writer *w)
{
        w->complete = true;
        writer_settle(w);
}

void writer_abort(struct writer *w, const char *doing, int err, const struct frevo_result *r)
{
        fail(w, doing, err, r);
        writer_settle(w);
}
