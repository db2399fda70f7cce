/* Files within a share: copied by the server itself, or through this machine where it cannot. */
#include <errno.h>

#include "cli/copy/part_name.h"
#include "cli/copy/reader.h"
#include "cli/copy/writer.h"

#define RANGE_BYTES (16u << 20) /* one request, so that a long copy shows progress and can stop */

struct within {
        struct task *task;
        struct writer writer;
        struct reader reader; /* of the copy through this machine */
        struct frevo_file *from;
        uint64_t done;    /* bytes copied by the server */
        bool busy;        /* a request of ours is in flight */
        bool reading;     /* through this machine, and not at the end */
        bool writer_over; /* failed while reading */
        const char *doing;
        struct frevo_result bad;
        bool bad_here;
};

static void fail(struct within *w, const char *doing, int err, const struct frevo_result *of)
{
        if (w->bad.err)
                return;
        w->doing = doing;
        w->bad.err = err;
        w->bad.ntstatus = of ? of->ntstatus : NO_STATUS;
        w->bad_here = !of;
}

static void end(struct within *w)
{
        struct task *t = w->task;
        struct within was = *w;
        free(w);
        t->work = NULL;
        task_deactivate(t);
        if (was.bad.err)
                task_failed(t, was.doing, was.bad.err, was.bad_here ? NULL : &was.bad);
        else
                task_copied(t);
}

static void from_closed(void *arg, const struct frevo_result *r)
{
        end(arg); /* it was read only */
}

static void close_from(struct within *w)
{
        struct frevo_file *from = w->from;
        w->from = NULL;
        if (!from || !frevo_close_start(from, from_closed, w))
                end(w);
}

static void writer_ended(void *arg, const char *doing, int err, const struct frevo_result *r)
{
        struct within *w = arg;
        if (err)
                fail(w, doing, err, r);
        w->writer_over = true;
        if (w->reading)
                reader_abort(&w->reader, doing, err, r);
        else
                close_from(w);
}

static void stop_writer(struct within *w)
{
        writer_abort(&w->writer, w->doing, w->bad.err, w->bad_here ? NULL : &w->bad);
}

/* ---- by the server ----------------------------------------------------------------------------
 */

static void copy_through_us(struct within *w);

static void range_copied(void *arg, const struct frevo_result *r)
{
        struct within *w = arg;
        w->busy = false;
        if (!r->err && r->n) {
                w->done += r->n;
                task_progress(w->task, r->n);
        } else if (!w->done && !is_lost(r->err)) {
                copy_through_us(w);
        } else {
                fail(w, "copying in the server", r->err ? r->err : EIO, r);
                stop_writer(w);
        }
}

static bool copy_range(struct within *w)
{
        uint64_t left = w->task->item.size - w->done;
        if (!left) {
                w->busy = true;
                writer_finish(&w->writer);
                return true;
        }
        w->busy = true;
        if (!frevo_copy_range_start(w->from, w->done, w->writer.file, w->done,
                                    left < RANGE_BYTES ? left : RANGE_BYTES, range_copied, w)) {
                fail(w, "copying in the server", ENOMEM, NULL);
                stop_writer(w);
        }
        return true;
}

/* ---- through this machine ---------------------------------------------------------------------
 */

static int pass_on(void *arg, uint64_t off, const void *p, size_t n)
{
        struct within *w = arg;
        if (w->writer_over || w->writer.bad.err)
                return ECANCELED; /* the writer's error is known, or will be */
        void *copy = malloc(n + 1);
        if (!copy)
                return ENOMEM;
        memcpy(copy, p, n);
        copy_take(w->task->copy, n);
        writer_put(&w->writer, off, copy, (uint32_t)n);
        return 0;
}

static bool writer_keeps_up(void *arg)
{
        struct within *w = arg;
        return writer_can(&w->writer, w->reader.next);
}

static void reader_ended(void *arg, const char *doing, int err, const struct frevo_result *r)
{
        struct within *w = arg;
        w->reading = false;
        if (w->writer_over) {
                close_from(w);
        } else if (err) {
                if (!w->writer.bad.err) /* which came first */
                        fail(w, doing, err, r);
                stop_writer(w);
        } else {
                w->busy = true;
                writer_finish(&w->writer);
        }
}

static void copy_through_us(struct within *w)
{
        char *path = task_source_path(w->task);
        if (!path) {
                fail(w, "reading", ENOMEM, NULL);
                stop_writer(w);
                return;
        }
        w->reading = true;
        w->reader = (struct reader){.task = w->task,
                                    .share = w->task->copy->source,
                                    .path = path,
                                    .with_holes = true,
                                    .quiet = true,
                                    .arg = w,
                                    .take = pass_on,
                                    .may_go_on = writer_keeps_up,
                                    .end = reader_ended};
        reader_start(&w->reader);
}

/* ---- both --------------------------------------------------------------------------------------
 */

static bool issue(struct task *t)
{
        struct within *w = t->work;
        if (w->reading)
                return reader_issue(&w->reader);
        if (w->busy || w->writer.busy || w->bad.err)
                return false;
        if (t->copy->stop_err) {
                fail(w, NULL, ECANCELED, NULL);
                stop_writer(w);
                return false;
        }
        return copy_range(w);
}

static void target_opened(void *arg, uint64_t have)
{
        /* From the start: copying in the server costs the line nothing. */
}

static void source_opened(void *arg, const struct frevo_result *r)
{
        struct within *w = arg;
        struct task *t = w->task;
        if (r->err) {
                fail(w, "opening", r->err, r);
                end(w);
                return;
        }
        w->from = r->file;
        char *name = t->item.name;
        task_set_size(t, r->stat.size);
        t->item = item_of_remote(&r->stat);
        t->item.name = name;
        char part[PART_NAME_MAX];
        part_name(part, t->target_name, t->item.size, t->item.write_ns);
        w->writer = (struct writer){.task = t,
                                    .part = path_join(t->folder->target, part),
                                    .path = task_target_path(t),
                                    .sparse = (t->item.attributes & ITEM_SPARSE) != 0,
                                    .arg = w,
                                    .opened = target_opened,
                                    .end = writer_ended};
        w->busy = false;
        if (w->writer.part && w->writer.path) {
                writer_start(&w->writer);
        } else {
                free(w->writer.part), free(w->writer.path);
                writer_ended(w, "opening the target", ENOMEM, NULL);
        }
}

void within_copy(struct task *t)
{
        const struct frevo_open_how how = {.options = 0x40}; /* a file only */
        struct within *w = calloc(1, sizeof *w);
        AUTO_FREE char *path = task_source_path(t);
        if (!w || !path) {
                free(w);
                task_end(t, "opening", ENOMEM, NULL);
                return;
        }
        w->task = t;
        w->busy = true;
        t->work = w;
        task_activate(t, issue);
        if (!frevo_open_start(t->copy->source, path, &how, source_opened, w)) {
                fail(w, "opening", ENOMEM, NULL);
                end(w);
        }
}
