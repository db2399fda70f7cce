/* A folder whose two sides are known: what is to be copied, gone into, removed. */
#include <errno.h>

#include "base/utf16.h"
#include "cli/copy/engine.h"
#include "cli/copy/part_name.h"

static void skip(struct folder *f, const char *path, const char *why)
{
        f->copy->totals.skipped++;
        copy_tell(f->copy, &(struct copy_event){.kind = COPY_SKIPPED,
                                                .path = path,
                                                .text = why,
                                                .on_server = f->copy->source != NULL});
}

static void plan_file(struct folder *f, const struct item *i, const struct item *in_the_way)
{
        struct task *t = task_new(f, i, i->name);
        if (!t)
                return;
        f->set_times |= !f->copy->o.dry_run;
        if (in_the_way)
                remove_extra(f, in_the_way, t, NULL);
        else
                task_queue(t);
}

static void plan_descent(struct folder *f, const struct item *i, const struct item *target,
                         bool in_the_way)
{
        struct copy *c = f->copy;
        AUTO_FREE char *source = path_join(f->source, i->name);
        AUTO_FREE char *path = path_join(f->target, target && !in_the_way ? target->name : i->name);
        if (!source || !path) {
                copy_fail(c, f->source, "looking into it", ENOMEM, NULL);
                return;
        }
        struct folder *child = folder_new(c, f, source, path, i);
        if (!child)
                return;
        child->has_target = target && !in_the_way;
        child->is_new = !child->has_target && c->o.dry_run;
        child->set_times = child->has_target && !item_same_time(i->write_ns, target->write_ns);
        if (child->is_new)
                copy_tell(c, &(struct copy_event){.kind = COPY_MADE_FOLDER,
                                                  .path = path,
                                                  .on_server = c->target != NULL});
        f->set_times |= !child->has_target;
        if (in_the_way)
                remove_extra(f, target, NULL, child);
        else
                folder_queue(child);
}

static void plan_conflict(struct folder *f, const struct item *i, const struct item *target,
                          const char *path)
{
        static const struct frevo_result none = {.ntstatus = NO_STATUS};
        if (!f->copy->o.remove_extra)
                copy_fail(f->copy, path,
                          i->kind == ITEM_FOLDER ? "the target has a file of this name; remove it, "
                                                   "or use sync --delete"
                                                 : "the target has a folder of this name; remove "
                                                   "it, or use sync --delete",
                          0, f->copy->source ? &none : NULL);
        else if (i->kind == ITEM_FOLDER)
                plan_descent(f, i, target, true);
        else
                plan_file(f, i, target);
}

static const char *relative(const struct folder *f, const char *path)
{
        path += f->below;
        return path + strspn(path, "/");
}

static bool taken(const struct folder *f, const char *path, const struct item *i)
{
        return !part_name_is(i->name) &&
               filter_takes(&f->copy->o.filter, relative(f, path), i->kind == ITEM_FOLDER);
}

static void plan_item(struct folder *f, const struct item *i)
{
        struct copy *c = f->copy;
        AUTO_FREE char *path = path_join(f->source, i->name);
        if (!path || !taken(f, path, i))
                return;
        const struct item *target = listing_find(&f->target_list, i->name);
        switch (item_decide(i, target, c->o.always)) {
        case DECIDE_COPY:
                plan_file(f, i, NULL);
                break;
        case DECIDE_SAME:
                c->totals.files_same++;
                copy_tell(c, &(struct copy_event){.kind = COPY_SAME,
                                                  .path = path,
                                                  .bytes = i->size,
                                                  .on_server = c->source != NULL});
                break;
        case DECIDE_DESCEND:
                plan_descent(f, i, target, false);
                break;
        case DECIDE_CONFLICT:
                plan_conflict(f, i, target, path);
                break;
        case DECIDE_SKIP:
                skip(f, path,
                     i->kind == ITEM_LINK ? "a symbolic link: not copied, not followed"
                                          : "neither a file nor a folder");
                break;
        }
}

/* A part that one of the source's files will be gone on with. */
static bool part_is_wanted(const struct folder *f, const struct item *part)
{
        char name[PART_NAME_MAX];
        for (size_t i = 0; i < f->source_list.n; i++) {
                const struct item *s = &f->source_list.items[i];
                part_name(name, s->name, s->size, s->write_ns);
                if (s->kind == ITEM_FILE && strcmp(name, part->name) == 0)
                        return true;
        }
        return false;
}

/* What the filters leave out is left alone on the target too. */
static void plan_extra(struct folder *f, const struct item *i)
{
        AUTO_FREE char *path = path_join(f->source, i->name);
        bool part = part_name_is(i->name);
        if (!path || listing_find(&f->source_list, i->name))
                return;
        if (part ? part_is_wanted(f, i) : !taken(f, path, i))
                return;
        f->set_times |= !f->copy->o.dry_run;
        remove_extra(f, i, NULL, NULL);
}

/* Sorted lists: true when the next name is the same one to the target. */
static bool is_twice(const struct folder *f, size_t i)
{
        const struct item *a = &f->source_list.items[i];
        if (i + 1 == f->source_list.n)
                return false;
        return f->source_list.folded ? name_casecmp(a->name, a[1].name) == 0
                                     : strcmp(a->name, a[1].name) == 0;
}

void plan_folder(struct folder *f)
{
        f->copy->heard_us = clock_us();
        bool fold = f->copy->target != NULL;
        listing_sort(&f->source_list, fold);
        listing_sort(&f->target_list, fold);
        for (size_t i = 0; i < f->source_list.n; i++) {
                if (is_twice(f, i)) {
                        AUTO_FREE char *path = path_join(f->source, f->source_list.items[i].name);
                        copy_fail(f->copy, path ? path : f->source,
                                  "another file has the same name but for case, which the server "
                                  "does not tell apart; rename one of them",
                                  0, NULL);
                } else {
                        plan_item(f, &f->source_list.items[i]);
                }
        }
        for (size_t i = 0; f->copy->o.remove_extra && i < f->target_list.n; i++)
                plan_extra(f, &f->target_list.items[i]);
}
