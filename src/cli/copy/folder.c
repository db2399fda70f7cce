/* Folders: made level by level with many in flight, listed on both sides, finished when all in them
 * is. Those on this machine are opened from their parent's fd, one part at a time; few are kept
 * open. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/copy/engine.h"
#include "cli/copy/local_file.h"

char *path_join(const char *folder, const char *name)
{
        char *out = NULL;
        size_t n = strlen(folder);
        const char *between = n && folder[n - 1] != '/' && *name ? "/" : "";
        return asprintf(&out, "%s%s%s", folder, between, name) < 0 ? NULL : out;
}

static const char *last_part(const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash ? slash + 1 : path;
}

struct folder *folder_new(struct copy *c, struct folder *parent, const char *source,
                          const char *target, const struct item *as)
{
        struct folder *f = calloc(1, sizeof *f);
        char *s = strdup(source), *t = strdup(target);
        if (!f || !s || !t) {
                free(f), free(s), free(t);
                copy_fail(c, source, "looking at it", ENOMEM, NULL);
                return NULL;
        }
        *f = (struct folder){.copy = c, .parent = parent, .source = s, .target = t, .fd = -1};
        f->as = *as;
        f->as.name = NULL;
        f->below = parent ? parent->below : strlen(source);
        list_init(&f->link);
        list_init(&f->used);
        if (parent)
                folder_hold(parent);
        c->alive++;
        return f;
}

void folder_queue(struct folder *f)
{
        f->walked = true;
        folder_hold(f);
        list_add_last(&f->copy->folders, &f->link);
}

void folder_hold(struct folder *f)
{
        f->pending++;
}

static void close_fd(struct folder *f)
{
        if (f->fd < 0)
                return;
        (void)close(f->fd); /* a folder: nothing was written through it */
        f->fd = -1;
        list_remove(&f->used);
        f->copy->fds--;
}

static void folder_free(struct folder *f)
{
        struct copy *c = f->copy;
        struct folder *parent = f->parent;
        close_fd(f);
        listing_fini(&f->source_list);
        listing_fini(&f->target_list);
        free(f->source);
        free(f->target);
        free(f);
        c->alive--;
        if (parent)
                folder_release(parent);
}

/* ---- the local side ---------------------------------------------------------------------------
 */

/* What the user named is opened as he named it; the rest beneath it. */
static int open_top(const struct folder *f)
{
        const char *path = f->copy->source ? f->target : f->source;
        return open(*path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_below(struct folder *f)
{
        int at = folder_fd(f->parent);
        return at < 0 ? -1
                      : local_open_folder(at, last_part(f->copy->source ? f->target : f->source));
}

int folder_fd(struct folder *f)
{
        struct copy *c = f->copy;
        if (f->fd < 0) {
                f->fd = f->parent ? open_below(f) : open_top(f);
                if (f->fd < 0)
                        return -1;
                c->fds++;
        }
        list_remove(&f->used);
        list_add_first(&c->used_folders, &f->used);
        while (c->fds > FOLDER_FDS_MAX)
                close_fd(list_entry(c->used_folders.prev, struct folder, used));
        return f->fd;
}

/* ---- the end of a folder ----------------------------------------------------------------------
 */

static void times_done(void *arg, const struct frevo_result *r)
{
        struct folder *f = arg;
        if (r->err)
                copy_fail(f->copy, f->target, "setting the folder's times", r->err, r);
        folder_free(f);
}

static void set_remote_times(struct folder *f)
{
        struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                  .access_ns = FREVO_TIME_KEEP,
                                  .write_ns = f->as.write_ns,
                                  .change_ns = FREVO_TIME_KEEP};
        if (frevo_change_start(f->copy->target, f->target, &ch, times_done, f))
                return;
        copy_fail(f->copy, f->target, "setting the folder's times", ENOMEM, NULL);
        folder_free(f);
}

static void folder_end(struct folder *f)
{
        struct copy *c = f->copy;
        bool wanted = f->set_times && !f->failed && !c->o.dry_run && !c->stop_err;
        if (wanted && c->target) {
                set_remote_times(f);
                return;
        }
        if (wanted) {
                int fd = folder_fd(f), err = fd < 0 ? errno : local_set_times(fd, &f->as);
                if (err)
                        copy_fail(c, f->target, "setting the folder's times", err, NULL);
        }
        folder_free(f);
}

void folder_release(struct folder *f)
{
        if (--f->pending == 0)
                folder_end(f);
}

/* ---- making and listing -----------------------------------------------------------------------
 */

static void walk_end(struct folder *f)
{
        f->copy->folders_running--;
        folder_release(f);
}

static void walk_fail(struct folder *f, const char *path, const char *doing, int err,
                      const struct frevo_result *r)
{
        if (!f->failed)
                copy_fail(f->copy, path, doing, err, r);
        f->failed = true;
}

static void list_ended(struct folder *f)
{
        if (--f->lists_running)
                return;
        if (!f->failed && !f->copy->stop_err)
                plan_folder(f);
        listing_fini(&f->source_list);
        listing_fini(&f->target_list);
        walk_end(f);
}

static void source_listed(void *arg, const struct frevo_result *r)
{
        struct folder *f = arg;
        if (r->n_entries) {
                if (!listing_add_remote(&f->source_list, r->entries, r->n_entries))
                        walk_fail(f, f->source, "listing the folder", ENOMEM, NULL);
                return;
        }
        if (r->err)
                walk_fail(f, f->source, "listing the folder", r->err, r);
        list_ended(f);
}

static void target_listed(void *arg, const struct frevo_result *r)
{
        struct folder *f = arg;
        if (r->n_entries) {
                if (!listing_add_remote(&f->target_list, r->entries, r->n_entries))
                        walk_fail(f, f->target, "listing the folder", ENOMEM, NULL);
                return;
        }
        if (r->err == ENOENT && f->copy->o.dry_run)
                f->is_new = true;
        else if (r->err)
                walk_fail(f, f->target, "listing the folder", r->err, r);
        list_ended(f);
}

static void list_local(struct folder *f, struct listing *into, const char *path)
{
        int fd = folder_fd(f), err = fd < 0 ? errno : listing_read_local(into, fd);
        if (err == ENOENT && !f->copy->target && f->copy->o.dry_run)
                f->is_new = true;
        else if (err)
                walk_fail(f, path, "listing the folder", err, NULL);
        list_ended(f);
}

static void list_remote(struct folder *f, struct frevo_share *s, const char *path, frevo_done done)
{
        if (frevo_list_start(s, path, NULL, done, f))
                return;
        walk_fail(f, path, "listing the folder", ENOMEM, NULL);
        list_ended(f);
}

static void list_both(struct folder *f)
{
        struct copy *c = f->copy;
        f->lists_running = f->is_new ? 1 : 2;
        bool with_target = !f->is_new;
        if (with_target && c->target)
                list_remote(f, c->target, f->target, target_listed);
        else if (with_target)
                list_local(f, &f->target_list, f->target);
        if (c->source)
                list_remote(f, c->source, f->source, source_listed);
        else
                list_local(f, &f->source_list, f->source);
}

/* The folder is made, was there, or can't be. */
static void made(struct folder *f, int err, const struct frevo_result *r)
{
        struct copy *c = f->copy;
        if (err && err != EEXIST) {
                walk_fail(f, f->target, "making the folder", err, r);
                walk_end(f);
                return;
        }
        f->is_new = !err;
        if (f->is_new) {
                f->set_times = true;
                c->totals.folders++;
                copy_tell(c, &(struct copy_event){.kind = COPY_MADE_FOLDER,
                                                  .path = f->target,
                                                  .on_server = c->target != NULL});
        }
        list_both(f);
}

static void made_remote(void *arg, const struct frevo_result *r)
{
        made(arg, r->err, r);
}

static int make_local(struct folder *f)
{
        if (!f->parent)
                return mkdir(*f->target ? f->target : ".", 0777) == 0 ? 0 : errno;
        int at = folder_fd(f->parent);
        return at < 0 ? errno : local_make_folder(at, last_part(f->target));
}

static void folder_start(struct folder *f)
{
        struct copy *c = f->copy;
        c->folders_running++;
        if (f->is_new || f->has_target || c->o.dry_run || (c->target && !*f->target))
                list_both(f);
        else if (!c->target)
                made(f, make_local(f), NULL);
        else if (!frevo_mkdir_start(c->target, f->target, made_remote, f))
                made(f, ENOMEM, NULL);
}

void folders_pump(struct copy *c)
{
        while (!list_empty(&c->folders) && c->folders_running < FOLDERS_AT_ONCE_MAX &&
               c->tasks_waiting < TASKS_WAITING_MAX) {
                struct folder *f = list_entry(c->folders.next, struct folder, link);
                list_remove(&f->link);
                folder_start(f);
        }
}

void folders_drop(struct copy *c)
{
        while (!list_empty(&c->folders)) {
                struct folder *f = list_entry(c->folders.next, struct folder, link);
                list_remove(&f->link);
                f->failed = true;
                folder_release(f);
        }
}
