/* Files on their way: when each may start, and how it ends. */
#include <errno.h>

#include "cli/copy/engine.h"

struct task *task_new(struct folder *f, const struct item *i, const char *target_name)
{
        struct copy *c = f->copy;
        struct task *t = calloc(1, sizeof *t);
        char *name = strdup(i->name), *target = strdup(target_name);
        if (!t || !name || !target) {
                free(t), free(name), free(target);
                copy_fail(c, f->source, "copying from it", ENOMEM, NULL);
                return NULL;
        }
        *t = (struct task){.folder = f, .copy = c, .item = *i, .target_name = target};
        t->item.name = name;
        list_init(&t->link);
        folder_hold(f);
        c->totals.files++;
        c->totals.bytes += i->size;
        return t;
}

char *task_source_path(const struct task *t)
{
        return path_join(t->folder->source, t->item.name);
}

char *task_target_path(const struct task *t)
{
        return path_join(t->folder->target, t->target_name);
}

static void task_free(struct task *t)
{
        struct folder *f = t->folder;
        list_remove(&t->link);
        free(t->buffer);
        free(t->item.name);
        free(t->target_name);
        free(t);
        folder_release(f);
}

/* ---- the end ----------------------------------------------------------------------------------
 */

static void let_go_of_window(struct task *t)
{
        if (!t->held)
                return;
        copy_give(t->copy, t->held);
        t->copy->small_held -= t->held;
        t->held = 0;
}

void task_deactivate(struct task *t)
{
        if (t->issue)
                t->copy->active_n--;
        t->issue = NULL;
        list_remove(&t->link);
}

void task_progress(struct task *t, uint64_t n)
{
        t->counted += n;
        t->copy->totals.bytes_done += n;
        t->copy->heard_us = clock_us();
}

void task_set_size(struct task *t, uint64_t size)
{
        t->copy->totals.bytes += size - t->item.size; /* modulo 2^64: smaller ones, too */
        t->item.size = size;
}

static void tell_copied(struct task *t)
{
        AUTO_FREE char *path = task_target_path(t);
        t->copy->totals.files_done++;
        t->copy->totals.bytes_done += t->item.size - t->counted; /* holes */
        copy_tell(t->copy, &(struct copy_event){.kind = COPY_COPIED,
                                                .path = path ? path : t->item.name,
                                                .on_server = t->copy->target != NULL,
                                                .bytes = t->item.size,
                                                .sha256 = t->sha256});
}

void task_end(struct task *t, const char *doing, int err, const struct frevo_result *r)
{
        /* The name on the side that says so. */
        bool of_target = r ? t->copy->source == NULL : t->copy->target == NULL;
        AUTO_FREE char *path = of_target ? task_target_path(t) : task_source_path(t);
        let_go_of_window(t);
        task_deactivate(t);
        if (!err)
                tell_copied(t);
        else if (err != ECANCELED)
                copy_fail(t->copy, path ? path : t->item.name, doing, err, r);
        task_free(t);
}

void task_failed(struct task *t, const char *doing, int err, const struct frevo_result *r)
{
        struct copy *c = t->copy;
        bool passing = err == EAGAIN || (is_lost(err) && clock_us() - c->heard_us < SILENCE_MAX_US);
        if (passing && !c->stop_err && ++t->tries < TRIES_MAX) {
                let_go_of_window(t);
                task_deactivate(t);
                c->totals.bytes_done -= t->counted;
                t->counted = 0;
                task_queue(t);
        } else {
                task_end(t, doing, err, r);
        }
}

void task_copied(struct task *t)
{
        let_go_of_window(t);
        if (t->copy->o.verify && !t->copy->stop_err)
                list_add_last(&t->copy->to_verify, &t->link);
        else
                task_end(t, NULL, 0, NULL);
}

/* ---- the queue --------------------------------------------------------------------------------
 */

static uint64_t small_max(const struct copy *c)
{
        struct frevo_share_info i = frevo_share_info(c->source ? c->source : c->target);
        uint32_t most = c->source ? i.max_read : i.max_write;
        return most < SMALL_FILE_MAX ? most : SMALL_FILE_MAX;
}

static bool within(const struct copy *c)
{
        return c->source && c->target;
}

static bool is_small(const struct task *t)
{
        return within(t->copy) || t->unknown_size || t->item.size <= small_max(t->copy);
}

void task_queue(struct task *t)
{
        struct copy *c = t->copy;
        if (c->o.dry_run) {
                task_end(t, NULL, 0, NULL);
                return;
        }
        c->tasks_waiting++;
        list_add_last(is_small(t) ? &c->small : &c->large, &t->link);
}

static struct task *take_first(struct copy *c, struct list *from)
{
        struct task *t = list_entry(from->next, struct task, link);
        list_remove(&t->link);
        c->tasks_waiting--;
        return t;
}

void task_hold(struct task *t, uint64_t n)
{
        copy_take(t->copy, n);
        t->copy->small_held += n;
        t->held += n;
}

void task_activate(struct task *t, bool (*issue)(struct task *))
{
        t->issue = issue;
        t->copy->active_n++;
        list_add_last(&t->copy->active, &t->link);
}

enum pumped { STARTED, NO_ROOM, NOTHING };

static enum pumped pump_small(struct copy *c)
{
        if (list_empty(&c->small))
                return NOTHING;
        struct task *t = list_entry(c->small.next, struct task, link);
        uint64_t cost = t->item.size + WINDOW_FILE_COST;
        if (within(c)) { /* its bytes do not come here */
                if (c->active_n >= WITHIN_AT_ONCE_MAX)
                        return NOTHING;
                within_copy(take_first(c, &c->small));
                return STARTED;
        }
        if (!copy_has_room(c, cost))
                return NO_ROOM;
        (void)take_first(c, &c->small); /* t */
        task_hold(t, cost);
        if (c->source)
                get_small(t);
        else
                put_small(t);
        return STARTED;
}

/* One block of one file, each file in turn. */
static enum pumped pump_active(struct copy *c)
{
        if (!copy_has_room(c, WINDOW_BLOCK_MAX))
                return NO_ROOM;
        for (unsigned n = c->active_n; n && !list_empty(&c->active); n--) {
                struct task *t = list_entry(c->active.next, struct task, link);
                list_remove(&t->link);
                list_add_last(&c->active, &t->link);
                if (t->issue(t))
                        return STARTED;
        }
        return NOTHING;
}

static enum pumped pump_large(struct copy *c)
{
        if (!list_empty(&c->to_verify) && c->active_n < VERIFY_AT_ONCE_MAX) {
                struct task *copied = list_entry(c->to_verify.next, struct task, link);
                list_remove(&copied->link);
                task_verify(copied);
                return STARTED;
        }
        enum pumped p = list_empty(&c->active) ? NOTHING : pump_active(c);
        if (p != NOTHING || list_empty(&c->large) || c->active_n >= LARGE_AT_ONCE_MAX)
                return p;
        struct task *t = take_first(c, &c->large);
        if (c->source)
                get_large(t);
        else
                put_large(t);
        return STARTED;
}

/* Small files and large ones share the window by halves, and each gets what the other leaves. Those
 * whose turn it is are waited for: a large file's blocks would fill every gap that is too small for
 * a small file. */
void tasks_pump(struct copy *c)
{
        for (;;) {
                bool small_first = 2 * c->small_held <= c->window.in_flight;
                enum pumped p = small_first ? pump_small(c) : pump_large(c);
                if (p == NOTHING)
                        p = small_first ? pump_large(c) : pump_small(c);
                if (p != STARTED || c->stop_err)
                        return;
        }
}

void tasks_drop(struct copy *c)
{
        while (!list_empty(&c->small))
                task_end(take_first(c, &c->small), NULL, ECANCELED, NULL);
        while (!list_empty(&c->large))
                task_end(take_first(c, &c->large), NULL, ECANCELED, NULL);
        while (!list_empty(&c->to_verify)) /* they are whole */
                task_end(list_entry(c->to_verify.next, struct task, link), NULL, 0, NULL);
        list_each_safe (&c->active, it, next) {
                struct task *t = list_entry(it, struct task, link);
                (void)t->issue(t); /* sees the stop, and ends when nothing is in flight */
        }
}
