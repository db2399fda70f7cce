/* What the user named: a file or a folder, and where it goes. */
#include <errno.h>
#include <sys/stat.h>

#include "cli/copy/engine.h"

struct found {
        bool done;
        struct frevo_result r; /* err, ntstatus, stat */
};

static void stat_done(void *arg, const struct frevo_result *r)
{
        struct found *w = arg;
        w->r = *r;
        w->done = true;
}

/* Waits. Before the copy runs only. */
static struct frevo_result stat_remote(struct copy *c, struct frevo_share *s, const char *path)
{
        struct found w = {.r = {.err = ENOMEM, .ntstatus = NO_STATUS}};
        if (frevo_stat_start(s, path, stat_done, &w))
                while (!w.done)
                        frevo_wait(c->ctx, -1);
        return w.r;
}

static bool is_folder(struct copy *c, const char *target)
{
        struct stat st;
        if (!c->target)
                return stat(*target ? target : ".", &st) == 0 && S_ISDIR(st.st_mode);
        struct frevo_result r = stat_remote(c, c->target, target);
        return !r.err && r.stat.type == FREVO_DIRECTORY;
}

/* The folder of a path, to be free()d; "" where it names none. */
static char *folder_of(const char *path, const char **ret_name)
{
        const char *slash = strrchr(path, '/');
        *ret_name = slash ? slash + 1 : path;
        return strndup(path, slash == path ? 1 : slash ? (size_t)(slash - path) : 0);
}

struct named {
        const char *source, *target;
        bool enter, unknown_size;
        struct item item; /* without a name */
};

/* A file is put into a folder of this name. A small one on its way to a server finds out by itself.
 */
static bool enters(struct copy *c, const struct named *n)
{
        bool finds_out = !c->source && n->item.size <= SMALL_FILE_MAX && !c->o.dry_run;
        return n->enter && !finds_out && is_folder(c, n->target);
}

/* A folder that is not walked holds the single file. */
static void add_file_to(struct copy *c, const struct named *n, const char *target)
{
        const char *name = NULL, *target_name = NULL;
        AUTO_FREE char *from = folder_of(n->source, &name);
        AUTO_FREE char *to = folder_of(target, &target_name);
        struct item i = n->item;
        i.name = (char *)(uintptr_t)name; /* copied by task_new */
        struct folder *holder = from && to ? folder_new(c, NULL, from, to, &i) : NULL;
        if (!holder)
                return;
        folder_hold(holder);
        struct task *t = task_new(holder, &i, target_name);
        if (t) {
                t->unknown_size = n->unknown_size;
                t->may_enter = n->enter;
                task_queue(t);
        }
        folder_release(holder);
}

static void add_file(struct copy *c, const struct named *n)
{
        const char *name = strrchr(n->source, '/');
        AUTO_FREE char *inside =
                enters(c, n) ? path_join(n->target, name ? name + 1 : n->source) : NULL;
        add_file_to(c, n, inside ? inside : n->target);
}

static void add(struct copy *c, const struct named *n)
{
        const struct frevo_result server = {.ntstatus = NO_STATUS};
        const struct frevo_result *side = c->source ? &server : NULL;
        if (n->item.kind == ITEM_FILE) {
                add_file(c, n);
        } else if (n->item.kind != ITEM_FOLDER) {
                copy_fail(c, n->source, "it is neither a file nor a folder", 0, side);
        } else if (!c->o.recursive) {
                copy_fail(c, n->source, "it is a folder; say -r to copy it with all in it", 0,
                          side);
        } else {
                struct folder *f = folder_new(c, NULL, n->source, n->target, &n->item);
                if (f)
                        folder_queue(f);
        }
}

/* A link that the user named himself is followed; those within trees are not. */
static void add_local(struct copy *c, struct named *n)
{
        struct stat st;
        if (lstat(n->source, &st) != 0) {
                copy_fail(c, n->source, "looking at it", errno, NULL);
                return;
        }
        AUTO_FREE char *real = S_ISLNK(st.st_mode) ? realpath(n->source, NULL) : NULL;
        if (S_ISLNK(st.st_mode) && (!real || lstat(real, &st) != 0)) {
                copy_fail(c, n->source, "following the link", errno, NULL);
                return;
        }
        if (real)
                n->source = real;
        n->item = item_of_stat(&st);
        add(c, n);
}

void copy_add(struct copy *c, const char *source, const char *target, bool enter)
{
        struct named n = {.source = source, .target = target, .enter = enter};
        if (!c->source) {
                add_local(c, &n);
                return;
        }
        if (!c->o.recursive && !c->target && !c->o.dry_run) { /* its size comes with its bytes */
                n.unknown_size = true;
                n.item = (struct item){.kind = ITEM_FILE, .size = SMALL_FILE_MAX};
                add(c, &n);
                return;
        }
        struct frevo_result r = stat_remote(c, c->source, source);
        n.item = item_of_remote(&r.stat);
        if (r.err)
                copy_fail(c, source, "looking at it", r.err, &r);
        else
                add(c, &n);
}
