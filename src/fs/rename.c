/* New names for open files: rename and link, [MS-FSA] 2.1.5.15.12 and 2.1.5.15.7. What stands in
 * the way is judged here, under the names that exist now; the store's call is atomic and has the
 * last word (FS_EXISTS) when somebody was faster. */
#include "fs/access.h"
#include "fs/name.h"
#include "fs/open.h"
#include "fs/share.h"

#include "base/utf16.h"

struct renaming {
        struct fs_open *o;
        const char *to;
        bool replace;
        char *from;             /* o's path, owned */
        uint32_t parent_allows; /* cred's rights on the directory of `to` */
        bool found;             /* something has the name `to` */
        bool same_file;         /* and that is o's file itself */
};

/* Somebody who holds the directory for deletion, or denies writing, keeps names as they are. */
static bool directory_is_denied(struct node *n, uint32_t access)
{
        bool hit = false;
        pthread_mutex_lock(&n->mutex);
        list_each (&n->opens, it) {
                struct fs_open *x = list_entry(it, struct fs_open, in_node);
                hit |= !x->anchor &&
                       share_conflicts(access, FS_SHARE_READ | FS_SHARE_WRITE, x->access, x->share);
        }
        pthread_mutex_unlock(&n->mutex);
        return hit;
}

/* [MS-FSA] 2.1.5.15.12 opens the target directory to add a file, sharing reading and writing. */
static enum fs_err check_directory(struct renaming *r)
{
        struct fs_volume *v = r->o->vol;
        AUTO_FREE char *dir = name_parent_new(r->to);
        struct access_path p;
        if (!dir)
                return FS_NO_MEMORY;
        enum fs_err e = access_of_path(v, r->o->cred, dir, NULL, &p);
        if (e == FS_NOT_FOUND)
                return FS_PATH_NOT_FOUND;
        if (e)
                return e;
        if (p.attr.kind != STORE_DIR)
                return FS_PATH_NOT_FOUND;
        r->parent_allows = p.allowed;
        struct node *n = node_lookup(v->fs, p.attr.dev, p.attr.ino);
        uint32_t add = r->o->node->dir ? FS_APPEND_DATA : FS_WRITE_DATA;
        bool pending = n && node_delete_pending(n, v->root, dir);
        bool denied = n && directory_is_denied(n, add);
        node_put(n);
        /* Without a descriptor the file system itself decides, when it is asked. */
        if (p.has_sd && !(p.allowed & add))
                return FS_DENIED;
        return pending ? FS_DELETE_PENDING : denied ? FS_SHARING : FS_OK;
}

static bool is_open(struct fs *f, const struct store_attr *a)
{
        struct node *n = node_lookup(f, a->dev, a->ino);
        if (!n)
                return false;
        pthread_mutex_lock(&n->mutex);
        bool open = !list_empty(&n->opens);
        pthread_mutex_unlock(&n->mutex);
        node_put(n);
        return open;
}

/* May the file that has the name now be replaced? */
static enum fs_err check_victim(struct renaming *r, const struct store_opened *t)
{
        struct fs_volume *v = r->o->vol;
        if (!r->replace)
                return FS_EXISTS;
        /* A directory is never replaced; one that could not be by anybody's rules is called that.
         */
        if (t->attr.kind == STORE_DIR && r->o->node->dir &&
            dir_check_empty_at(r->o->vol->store, t->real_path) == FS_NOT_EMPTY)
                return FS_NOT_EMPTY;
        if (t->attr.kind == STORE_DIR || t->attr.dos & STORE_DOS_READONLY || r->o->node->dir)
                return FS_DENIED;
        struct node *n = node_lookup(v->fs, t->attr.dev, t->attr.ino);
        bool pending = n && node_delete_pending(n, v->root, t->real_path);
        node_put(n);
        if (pending)
                return FS_DELETE_PENDING;
        if (is_open(v->fs, &t->attr))
                return FS_DENIED;
        if (r->parent_allows & FS_DELETE_CHILD)
                return FS_OK;
        struct access_sd sd;
        enum fs_err e = access_sd_load(t->file, NULL, &sd);
        if (e)
                return e;
        bool may = access_of(r->o->cred, &sd, &t->attr) & FS_DELETE;
        access_sd_free(&sd);
        return may ? FS_OK : FS_DENIED;
}

static enum fs_err check_target(struct renaming *r)
{
        struct store *s = r->o->vol->store;
        struct store_open q = {.path = r->to, .flags = STORE_NOFOLLOW};
        struct store_opened t;
        enum fs_err e = s->ops->open(s, NULL, &q, 0, &t);
        if (e == FS_NOT_FOUND)
                return FS_OK;
        if (e)
                return e;
        r->found = true;
        r->same_file = t.attr.dev == r->o->node->dev && t.attr.ino == r->o->node->ino;
        if (!r->same_file)
                e = check_victim(r, &t);
        else if (name_casecmp(t.real_path, r->from) != 0 && !r->replace)
                e = FS_EXISTS; /* another link of the same file */
        s->ops->close(t.file);
        free(t.real_path);
        return e;
}

static enum fs_err begin(struct renaming *r)
{
        enum fs_err e = name_check_path(r->to);
        if (e)
                return e;
        if (!r->to[0] || r->o->is_root)
                return FS_DENIED;
        r->from = open_path_new(r->o);
        if (!r->from)
                return atomic_load(&r->o->closed) ? FS_CLOSED : FS_NO_MEMORY;
        if (node_delete_pending(r->o->node, r->o->vol->root, r->from))
                return FS_DENIED;
        return FS_OK;
}

/* All opens of the name follow it. */
static void take_new_path(struct fs_open *o, char *path)
{
        char *old = path;
        pthread_mutex_lock(&o->node->mutex);
        if (!atomic_load(&o->closed)) {
                old = o->link->path;
                o->link->path = path;
        }
        pthread_mutex_unlock(&o->node->mutex);
        free(old);
}

static enum fs_err do_rename(struct renaming *r)
{
        struct fs_open *o = r->o;
        struct store *s = o->vol->store;
        char *path = NULL;
        enum fs_err e = s->ops->rename(s, cred_of_store(o->cred), o->file, r->from, r->to,
                                       r->replace, &path);
        if (!e) {
                tunnel_remember(&o->vol->root->tunnel, r->from);
                /* told of before the path is the open's, who may close at once */
                notify_renamed(o->vol->root, r->from, path, o->node->dir);
                take_new_path(o, path);
        }
        return e;
}

/* A directory moves only when nothing below it is open or being opened. */
static enum fs_err rename_directory(struct renaming *r)
{
        struct path_guard *g = &r->o->vol->root->guard;
        struct path_use u;
        if (path_is_below(r->to, r->from))
                return FS_DENIED; /* into itself */
        enum fs_err e = path_guard_freeze(g, &u, r->from);
        if (e)
                return e;
        if (node_any_below(r->o->vol->fs, r->o->vol->root, r->from))
                e = FS_DENIED;
        else
                e = do_rename(r);
        path_guard_thaw(g, &u);
        return e;
}

static enum fs_err rename_checked(struct renaming *r)
{
        enum fs_err e = begin(r);
        if (e)
                return e;
        if (strcmp(r->from, r->to) == 0)
                return FS_OK;
        e = check_directory(r);
        if (!e)
                e = check_target(r);
        if (e)
                return e;
        return r->o->node->dir ? rename_directory(r) : do_rename(r);
}

enum fs_err fs_rename(struct fs_open *o, const char *to, bool replace)
{
        enum fs_err e = open_check(o, FS_DELETE);
        if (!e && o->base)
                e = FS_INVALID; /* a stream does not leave its file */
        if (e)
                return e;
        struct renaming r = {.o = o, .to = to, .replace = replace};
        e = rename_checked(&r);
        free(r.from);
        return e;
}

static enum fs_err link_checked(struct renaming *r)
{
        struct fs_open *o = r->o;
        struct store *s = o->vol->store;
        enum fs_err e = begin(r);
        if (e)
                return e;
        e = check_directory(r);
        if (!e)
                e = check_target(r);
        if (!e && r->found && r->same_file)
                return r->replace ? FS_OK : FS_EXISTS; /* it has that name already */
        if (e)
                return e;
        e = s->ops->link(s, cred_of_store(o->cred), o->file, r->from, r->to, r->replace);
        if (!e)
                notify_name(o->vol->root, r->to, FS_CHANGE_FILE_NAME, FS_CHANGE_ADDED);
        return e;
}

enum fs_err fs_link(struct fs_open *o, const char *to, bool replace)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (o->base)
                return FS_INVALID; /* [MS-FSA] 2.1.5.15.7 */
        if (o->node->dir)
                return FS_IS_DIR;
        if (o->vol->config.read_only)
                return FS_DENIED;
        struct renaming r = {.o = o, .to = to, .replace = replace};
        e = link_checked(&r);
        free(r.from);
        return e;
}
