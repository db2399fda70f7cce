/* Listings, [MS-FSA] 2.1.5.6.3. One pass over a directory for each open; an entry that did not fit
 * is kept and given again. A pattern without wildcards is looked up instead of searched for. Always
 * on workers. */
#include "fs/access.h"
#include "fs/name.h"
#include "fs/open.h"
#include "fs/wildcard.h"

enum scan_at { SCAN_DOT, SCAN_DOTDOT, SCAN_NAMES, SCAN_END };

struct dir_scan {
        const struct store_ops *ops;
        char *pattern;
        enum scan_at at;        /* where the next entry comes from */
        struct store_dir *pass; /* NULL before the first name */
        char *kept;             /* an entry that had no room, given first next time; or NULL */
        struct store_attr kept_attr;
};

/* One call. */
struct listing {
        struct fs_open *o;
        struct dir_scan *s;
        char *path; /* of the directory, owned */
        bool (*cb)(void *ctx, const struct fs_dirent *e);
        void *ctx;
        bool single;
        size_t count;
        bool full; /* no room for the entry that is kept now, or one was enough */
};

static void scan_rewind(struct dir_scan *s)
{
        if (s->pass)
                s->ops->dir_close(s->pass);
        s->pass = NULL;
        free(s->kept);
        s->kept = NULL;
        s->at = SCAN_DOT;
}

void dir_scan_free(struct dir_scan *s)
{
        if (!s)
                return;
        scan_rewind(s);
        free(s->pattern);
        free(s);
}

/* ---- giving entries ---- */

/* Whether the user could open the entry for reading: asked of the store, as the user. */
static bool is_readable(struct listing *l, const char *name)
{
        struct fs_volume *v = l->o->vol;
        AUTO_FREE char *path = name_join_new(l->path, name);
        if (!path)
                return false;
        struct store_open q = {.path = path, .flags = STORE_READ};
        struct store_opened so;
        if (v->store->ops->open(v->store, cred_of_store(l->o->cred), &q, 0, &so) != FS_OK)
                return false;
        struct access_sd sd;
        bool yes = false;
        if (access_sd_load(so.file, NULL, &sd) == FS_OK) {
                yes = access_of(l->o->cred, &sd, &so.attr) & FS_READ_DATA;
                access_sd_free(&sd);
        }
        v->store->ops->close(so.file);
        free(so.real_path);
        return yes;
}

static enum fs_err keep(struct dir_scan *s, const char *name, const struct store_attr *a)
{
        char *copy = strdup(name);
        if (!copy)
                return FS_NO_MEMORY;
        free(s->kept);
        s->kept = copy;
        s->kept_attr = *a;
        return FS_OK;
}

static enum fs_err give(struct listing *l, const char *name, const struct store_attr *a)
{
        struct fs_dirent e = {.name = name};
        attr_show(l->o->vol, a, name, &e.attr);
        if (!l->cb(l->ctx, &e)) {
                l->full = true;
                return keep(l->s, name, a);
        }
        l->count++;
        l->full = l->single;
        return FS_OK;
}

static enum fs_err give_kept(struct listing *l)
{
        char *name = l->s->kept;
        if (!name)
                return FS_OK;
        struct store_attr a = l->s->kept_attr;
        l->s->kept = NULL;
        enum fs_err e = give(l, name, &a);
        free(name);
        return e;
}

/* ---- "." and ".." ---- */

static enum fs_err give_dots(struct listing *l)
{
        bool up = l->s->at == SCAN_DOTDOT;
        const char *name = up ? ".." : ".";
        l->s->at++;
        if (!wildcard_match(l->s->pattern, name))
                return FS_OK;
        struct store_attr a;
        enum fs_err e = l->s->ops->attr(l->o->file, &a);
        if (!e && up && l->path[0]) {
                AUTO_FREE char *parent = name_parent_new(l->path);
                struct access_path p;
                if (!parent)
                        return FS_NO_MEMORY;
                e = access_of_path(l->o->vol, l->o->cred, parent, NULL, &p);
                if (!e)
                        a = p.attr;
        }
        return e ? e : give(l, name, &a);
}

/* ---- names ---- */

static enum fs_err look_up(struct listing *l)
{
        struct fs_volume *v = l->o->vol;
        l->s->at = SCAN_END;
        AUTO_FREE char *path = name_join_new(l->path, l->s->pattern);
        if (!path)
                return FS_NO_MEMORY;
        if (name_check_path(path) != FS_OK)
                return FS_OK; /* "." and "..": given already */
        struct store_open q = {.path = path};
        struct store_opened so;
        enum fs_err e = v->store->ops->open(v->store, cred_of_store(l->o->cred), &q, 0, &so);
        if (e == FS_NOT_FOUND || e == FS_SYMLINK || e == FS_DENIED)
                return FS_OK; /* nothing there that the user could see */
        if (e)
                return e;
        AUTO_FREE char *real = so.real_path;
        v->store->ops->close(so.file);
        const char *name =
                strcasecmp(name_last(real), l->s->pattern) == 0 ? name_last(real) : l->s->pattern;
        if (v->config.hide_unreadable && !is_readable(l, name))
                return FS_OK;
        return give(l, name, &so.attr);
}

static enum fs_err give_next(struct listing *l)
{
        struct dir_scan *s = l->s;
        struct store_entry entry;
        struct store_attr a;
        enum fs_err e = s->pass ? FS_OK : s->ops->dir_open(l->o->file, &s->pass);
        if (!e)
                e = s->ops->dir_next(s->pass, &entry);
        if (e == FS_NO_MORE)
                s->at = SCAN_END;
        if (e)
                return e == FS_NO_MORE ? FS_OK : e;
        if (!wildcard_match(s->pattern, entry.name))
                return FS_OK;
        e = s->ops->dir_attr(s->pass, &a);
        if (e == FS_NOT_FOUND || e == FS_DENIED)
                return FS_OK; /* vanished since, or not to be seen */
        if (e)
                return e;
        if (l->o->vol->config.hide_unreadable && !is_readable(l, entry.name))
                return FS_OK;
        return give(l, entry.name, &a);
}

static enum fs_err run(struct listing *l)
{
        bool exact = !wildcard_has(l->s->pattern);
        enum fs_err e = give_kept(l);
        while (!e && !l->full && l->s->at != SCAN_END) {
                if (l->s->at < SCAN_NAMES)
                        e = give_dots(l);
                else
                        e = exact ? look_up(l) : give_next(l);
        }
        /* What was given counts; the error will come again. */
        return l->count ? FS_OK : e;
}

/* ---- the call ---- */

static enum fs_err scan_begin(struct fs_open *o, const char *pattern)
{
        enum fs_err e = *pattern ? name_check_pattern(pattern) : FS_OK;
        if (e)
                return e;
        struct dir_scan *s = o->scan;
        char *copy = strdup(*pattern ? pattern : "*");
        if (!s)
                s = calloc(1, sizeof *s);
        if (!s || !copy) {
                free(copy);
                if (s != o->scan)
                        free(s);
                return FS_NO_MEMORY;
        }
        free(s->pattern);
        s->pattern = copy;
        s->ops = store_file_ops(o->file);
        o->scan = s;
        scan_rewind(s);
        return FS_OK;
}

static enum fs_err list_locked(struct listing *l, const char *pattern, unsigned flags)
{
        bool first = !l->o->scan;
        bool restart = flags & FS_LIST_RESTART;
        if (first || (restart && *pattern)) {
                enum fs_err e = scan_begin(l->o, pattern);
                if (e)
                        return e;
        } else if (restart) {
                scan_rewind(l->o->scan); /* with the pattern it has */
        }
        l->s = l->o->scan;
        enum fs_err e = run(l);
        if (e || l->count || l->full)
                return e;
        return first ? FS_NOT_FOUND : FS_NO_MORE;
}

enum fs_err fs_list(struct fs_open *o, const char *pattern, unsigned flags,
                    bool (*cb)(void *ctx, const struct fs_dirent *e), void *ctx)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (!o->node->dir)
                return FS_INVALID;
        if (!(o->access & FS_READ_DATA))
                return FS_DENIED;
        AUTO_FREE char *path = open_path_new(o);
        if (!path)
                return atomic_load(&o->closed) ? FS_CLOSED : FS_NO_MEMORY;
        struct listing l = {
                .o = o, .path = path, .cb = cb, .ctx = ctx, .single = flags & FS_LIST_SINGLE};
        pthread_mutex_lock(&o->scan_mutex);
        e = list_locked(&l, pattern, flags);
        pthread_mutex_unlock(&o->scan_mutex);
        return e;
}

/* ---- emptiness ---- */

enum fs_err dir_check_empty(struct fs_open *o)
{
        AUTO_FREE char *path = open_path_new(o);
        if (!path)
                return atomic_load(&o->closed) ? FS_CLOSED : FS_NO_MEMORY;
        /* The open's own handle need not be one that can be listed. */
        return dir_check_empty_at(o->vol->store, path);
}

enum fs_err dir_check_empty_at(struct store *s, const char *path)
{
        struct store_open q = {.path = path, .flags = STORE_READ | STORE_MUST_DIR};
        struct store_opened so;
        struct store_dir *d;
        struct store_entry entry;
        enum fs_err e = s->ops->open(s, NULL, &q, 0, &so);
        if (e)
                return e;
        e = s->ops->dir_open(so.file, &d);
        if (!e) {
                e = s->ops->dir_next(d, &entry);
                e = e == FS_NO_MORE ? FS_OK : e ? e : FS_NOT_EMPTY;
                s->ops->dir_close(d);
        }
        s->ops->close(so.file);
        free(so.real_path);
        return e;
}
