/* What the source does not have is taken from the target: folders from their leaves up, many
 * requests in flight. On this machine nothing is followed: each folder is opened beneath its
 * parent. */
#include <errno.h>

#include "cli/copy/engine.h"
#include "cli/copy/local_file.h"

#define DEPTH_MAX 1000u /* of folders on this machine: each holds an fd meanwhile */

struct removal {
        struct list link; /* waiting */
        struct copy *copy;
        struct folder *folder; /* of the named one: holds a pending of it */
        struct removal *up;    /* holds a pending of it */
        char *path;            /* owns */
        bool is_folder, listed, cleared, failed;
        unsigned pending; /* children */
        struct listing list;
        struct task *then;
        struct folder *then_folder;
};

static void removal_free(struct removal *m)
{
        listing_fini(&m->list);
        free(m->path);
        free(m);
}

static struct removal *removal_new(struct copy *c, const char *in, const struct item *i)
{
        struct removal *m = calloc(1, sizeof *m);
        if (m)
                m->path = path_join(in, i->name);
        if (!m || !m->path) {
                free(m);
                copy_fail(c, in, "removing from it", ENOMEM, NULL);
                return NULL;
        }
        m->copy = c;
        m->is_folder = i->kind == ITEM_FOLDER;
        list_init(&m->link);
        c->alive++;
        return m;
}

static void go_on(struct folder *f, struct task *t, struct folder *below, bool failed)
{
        if (t && failed)
                task_end(t, NULL, ECANCELED, NULL);
        else if (t)
                task_queue(t);
        if (below && failed) {
                folder_hold(below);
                below->failed = true;
                folder_release(below);
        } else if (below) {
                folder_queue(below);
        }
        folder_release(f);
}

/* Removed, or told why not. */
static void removal_end(struct removal *m)
{
        struct copy *c = m->copy;
        struct removal *up = m->up;
        struct folder *f = m->folder;
        struct task *then = m->then;
        struct folder *then_folder = m->then_folder;
        bool failed = m->failed;
        removal_free(m);
        c->alive--;
        if (up) {
                up->failed |= failed;
                if (--up->pending == 0)
                        list_add_first(&c->removals, &up->link);
        } else {
                go_on(f, then, then_folder, failed);
        }
}

static void told_removed(struct copy *c, const char *path)
{
        c->totals.removed++;
        copy_tell(c, &(struct copy_event){
                             .kind = COPY_REMOVED, .path = path, .on_server = c->target != NULL});
}

/* ---- on a server ------------------------------------------------------------------------------
 */

static void removed(void *arg, const struct frevo_result *r);

static void removal_failed(struct removal *m, int err, const struct frevo_result *r)
{
        m->copy->removals_running--;
        m->failed = true;
        copy_fail(m->copy, m->path, "removing it", err, r);
        removal_end(m);
}

static void remove_now(struct removal *m)
{
        if (!frevo_remove_start(m->copy->target, m->path, m->is_folder, removed, m))
                removal_failed(m, ENOMEM, NULL);
}

static void cleared(void *arg, const struct frevo_result *r)
{
        remove_now(arg); /* whether it helped is seen there */
}

static void removed(void *arg, const struct frevo_result *r)
{
        struct removal *m = arg;
        struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                  .access_ns = FREVO_TIME_KEEP,
                                  .write_ns = FREVO_TIME_KEEP,
                                  .change_ns = FREVO_TIME_KEEP,
                                  .attributes = ITEM_NORMAL};
        bool may_be_readonly = (r->err == EACCES || r->err == EPERM) && !m->cleared;
        if (may_be_readonly && frevo_change_start(m->copy->target, m->path, &ch, cleared, m)) {
                m->cleared = true;
                return;
        }
        if (r->err && r->err != ENOENT) {
                removal_failed(m, r->err, r);
                return;
        }
        m->copy->removals_running--;
        told_removed(m->copy, m->path);
        removal_end(m);
}

/* The children first; when there are none, itself. */
static void children_known(struct removal *m)
{
        struct copy *c = m->copy;
        c->removals_running--;
        m->listed = true;
        for (size_t i = 0; i < m->list.n; i++) {
                struct removal *child = removal_new(c, m->path, &m->list.items[i]);
                if (!child)
                        continue;
                child->up = m;
                m->pending++;
                list_add_first(&c->removals, &child->link);
        }
        listing_fini(&m->list);
        if (!m->pending)
                list_add_first(&c->removals, &m->link);
}

static void children_listed(void *arg, const struct frevo_result *r)
{
        struct removal *m = arg;
        if (r->n_entries) {
                m->failed |= !listing_add_remote(&m->list, r->entries, r->n_entries);
                return;
        }
        if (r->err)
                removal_failed(m, r->err, r);
        else
                children_known(m);
}

static void start_remote(struct removal *m)
{
        if (!m->is_folder || m->listed)
                remove_now(m);
        else if (!frevo_list_start(m->copy->target, m->path, NULL, children_listed, m))
                removal_failed(m, ENOMEM, NULL);
}

/* ---- on this machine --------------------------------------------------------------------------
 */

static int remove_tree(int at, const char *name, unsigned depth)
{
        int err = local_remove(at, name, true);
        if (err != ENOTEMPTY && err != EEXIST)
                return err;
        if (depth == DEPTH_MAX)
                return ENAMETOOLONG;
        AUTO_CLOSE int fd = local_open_folder(at, name);
        struct listing l = {0};
        err = fd < 0 ? errno : listing_read_local(&l, fd);
        for (size_t i = 0; !err && i < l.n; i++)
                err = l.items[i].kind == ITEM_FOLDER ? remove_tree(fd, l.items[i].name, depth + 1)
                                                     : local_remove(fd, l.items[i].name, false);
        listing_fini(&l);
        return err ? err : local_remove(at, name, true);
}

static void start_local(struct removal *m)
{
        const char *name = strrchr(m->path, '/');
        name = name ? name + 1 : m->path;
        int at = folder_fd(m->folder), err = 0;
        if (at < 0)
                err = errno;
        else
                err = m->is_folder ? remove_tree(at, name, 0) : local_remove(at, name, false);
        if (err) {
                removal_failed(m, err, NULL);
                return;
        }
        m->copy->removals_running--;
        told_removed(m->copy, m->path);
        removal_end(m);
}

/* ---- queue ------------------------------------------------------------------------------------
 */

void remove_extra(struct folder *f, const struct item *i, struct task *then,
                  struct folder *then_folder)
{
        struct copy *c = f->copy;
        struct removal *m = removal_new(c, f->target, i);
        folder_hold(f);
        if (!m) {
                go_on(f, then, then_folder, true);
                return;
        }
        m->folder = f;
        m->then = then;
        m->then_folder = then_folder;
        if (c->o.dry_run) {
                told_removed(c, m->path);
                removal_end(m);
        } else {
                list_add_last(&c->removals, &m->link);
        }
}

void removals_pump(struct copy *c)
{
        while (!list_empty(&c->removals) && c->removals_running < REMOVALS_AT_ONCE_MAX) {
                struct removal *m = list_entry(c->removals.next, struct removal, link);
                list_remove(&m->link);
                c->removals_running++;
                if (!c->target)
                        start_local(m);
                else if (m->failed && m->listed) /* a child is still there: it was told */
                        c->removals_running--, removal_end(m);
                else
                        start_remote(m);
        }
}

void removals_drop(struct copy *c)
{
        while (!list_empty(&c->removals)) {
                struct removal *m = list_entry(c->removals.next, struct removal, link);
                list_remove(&m->link);
                m->failed = true;
                removal_end(m);
        }
}
