/* Renaming, linking, removing. All by one name in a directory that was resolved beneath the root
 * first: a link swapped in on the way changes where we look, never leads out. New names are made
 * under the lock of their directory (see open.c). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "store/posix/attr.h"
#include "store/posix/posix_err.h"
#include "store/posix/stream.h"
#include "store/posix/walk.h"

struct naming {
        struct posix_store *s;
        const struct store_cred *cred;
        struct posix_file *f;
        struct place to;
        bool replace;
};

static bool is_file(const struct posix_file *f, const struct stat *st)
{
        return st->st_dev == f->dev && st->st_ino == f->ino;
}

/* The place whose name still is f, itself or by a link there. */
static enum fs_err find_source(struct posix_store *s, const struct store_cred *cred,
                               const struct posix_file *f, const char *path, struct place *ret)
{
        struct stat st;
        enum fs_err e = walk_place(s, cred, path, true, 0, ret);
        if (e)
                return e == FS_PATH_NOT_FOUND || e == FS_NOT_FOUND ? FS_STALE : e;
        int r = fstatat(ret->dir, ret->name, &st, AT_SYMLINK_NOFOLLOW);
        int err = errno;
        if (r == 0 && !is_file(f, &st) && S_ISLNK(st.st_mode))
                r = fstatat(ret->dir, ret->name, &st,
                            0); /* compared only, so it may lead anywhere */
        if (r == 0 && is_file(f, &st))
                return FS_OK;
        place_fini(ret);
        return r == 0 || err == ENOENT ? FS_STALE : posix_err(err);
}

static int entry_stat(const struct place *p, const char *name, struct stat *st)
{
        return fstatat(p->dir, name, st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

/* What stands at the target: *ret its spelling, or NULL. */
static enum fs_err find_target(const struct naming *n, char **ret)
{
        struct stat st;
        *ret = NULL;
        int err = entry_stat(&n->to, n->to.name, &st);
        if (err == 0) {
                *ret = strdup(n->to.name);
                return *ret ? FS_OK : FS_NO_MEMORY;
        }
        if (err != ENOENT)
                return posix_err(err);
        enum fs_err e = walk_other_case(n->s, n->cred, &n->to, 0, ret);
        return e == FS_NOT_FOUND ? FS_OK : e;
}

/* May what stands at `there` make room? *ret_same: it is the file itself, under another link. */
static enum fs_err check_replace(const struct naming *n, const char *there, bool *ret_same)
{
        struct stat st;
        int err = entry_stat(&n->to, there, &st);
        if (err)
                return posix_err(err);
        *ret_same = is_file(n->f, &st);
        if (!n->replace)
                return FS_EXISTS;
        return S_ISDIR(st.st_mode) ? FS_DENIED : FS_OK; /* [MS-FSA] 2.1.5.14.11 */
}

static int move(int from_dir, const char *from, int to_dir, const char *to, bool replace)
{
        int r = renameat2(from_dir, from, to_dir, to, replace ? 0 : RENAME_NOREPLACE);
        if (r < 0 && !replace && errno == EINVAL) { /* file systems that know no flags */
                struct stat st;
                if (fstatat(to_dir, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
                        return EEXIST;
                r = renameat(from_dir, from, to_dir, to);
        }
        return r < 0 ? errno : 0;
}

static enum fs_err rename_locked(const struct naming *n, const struct place *from)
{
        AUTO_FREE char *there = NULL;
        enum fs_err e = find_target(n, &there);
        if (e)
                return e;
        bool same_dir = from->dev == n->to.dev && from->ino == n->to.ino;
        bool own = there && same_dir && strcmp(there, from->name) == 0;
        if (own && strcmp(from->name, n->to.name) == 0)
                return FS_OK; /* to its own name */
        bool same = false;
        if (there && !own)
                e = check_replace(n, there, &same);
        if (e)
                return e;
        int err = 0;
        if (same) { /* rename(2) leaves two links of one file alone */
                err = unlinkat(n->to.dir, there, 0) == 0 ? 0 : errno;
        } else if (there && !own && strcmp(there, n->to.name) != 0) {
                /* replaced in one step, then given the letter case that was asked for */
                err = move(from->dir, from->name, n->to.dir, there, true);
                if (!err)
                        err = move(n->to.dir, there, n->to.dir, n->to.name, false);
                return err ? posix_err(err) : FS_OK;
        }
        if (!err) /* own: a change of letter case; where the file system folds, onto itself */
                err = move(from->dir, from->name, n->to.dir, n->to.name, n->replace || own);
        return err ? posix_err(err) : FS_OK;
}

/* The directory of the new name must be synced with the file. Takes the place's descriptor. */
static void owe_sync(struct naming *n)
{
        int old = atomic_exchange(&n->f->dirty_dir, n->to.dir);
        if (old >= 0)
                (void)close(old);
        n->to.dir = -1;
}

static enum fs_err begin(struct naming *n, const char *to)
{
        enum fs_err e = posix_become(n->s, n->cred);
        n->to.dir = -1;
        if (e)
                return e;
        if (*to == 0)
                return FS_EXISTS; /* the root */
        e = walk_place(n->s, n->cred, to, false, 0, &n->to);
        if (!e && strlen(n->to.name) > NAME_MAX) {
                place_fini(&n->to);
                e = FS_TOO_LONG;
        }
        return e;
}

enum fs_err posix_rename(struct store *st, const struct store_cred *cred, struct store_file *sf,
                         const char *path, const char *to, bool replace, char **ret_path)
{
        struct naming n = {
                .s = posix_store_of(st), .cred = cred, .f = posix_file_of(sf), .replace = replace};
        struct place from = {.dir = -1};
        enum fs_err e = n.f->stream ? FS_INVALID : begin(&n, to);
        if (e)
                return e;
        char *real = walk_join(n.to.dir_path, n.to.name);
        e = real ? find_source(n.s, cred, n.f, path, &from) : FS_NO_MEMORY;
        if (!e) {
                pthread_mutex_t *lock = posix_name_lock(n.s, n.to.dev, n.to.ino);
                (void)pthread_mutex_lock(lock); /* a plain mutex does not fail */
                e = rename_locked(&n, &from);
                (void)pthread_mutex_unlock(lock);
        }
        if (e) {
                free(real);
        } else {
                owe_sync(&n);
                *ret_path = real;
        }
        place_fini(&from);
        place_fini(&n.to);
        return e;
}

static int link_as(const struct posix_file *f, int dir, const char *name)
{
        char path[32];
        if (f->kind == STORE_SYMLINK)
                return linkat(f->fd, "", dir, name, AT_EMPTY_PATH) == 0 ? 0 : errno;
        /* AT_EMPTY_PATH would need a capability; the /proc name does not */
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
        return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* Over an existing name: beside it first, then in its place, so that there is always one. */
static int link_over(const struct naming *n, const char *there)
{
        static _Atomic unsigned turn;
        char beside[64];
        (void)snprintf(beside, sizeof beside, ".frevo-link-%x-%x", (unsigned)getpid(),
                       atomic_fetch_add(&turn, 1));
        int err = link_as(n->f, n->to.dir, beside);
        if (err)
                return err;
        err = move(n->to.dir, beside, n->to.dir, there, true);
        if (!err && strcmp(there, n->to.name) != 0)
                err = move(n->to.dir, there, n->to.dir, n->to.name, false);
        if (err)
                (void)unlinkat(n->to.dir, beside, 0); /* the first error counts */
        return err;
}

static enum fs_err link_locked(const struct naming *n)
{
        AUTO_FREE char *there = NULL;
        bool same = false;
        enum fs_err e = find_target(n, &there);
        if (!e && there)
                e = check_replace(n, there, &same);
        if (e || same)
                return e; /* same: the name is a link to it already */
        int err = there ? link_over(n, there) : link_as(n->f, n->to.dir, n->to.name);
        return err ? posix_err(err) : FS_OK;
}

enum fs_err posix_link(struct store *st, const struct store_cred *cred, struct store_file *sf,
                       const char *path, const char *to, bool replace)
{
        struct naming n = {
                .s = posix_store_of(st), .cred = cred, .f = posix_file_of(sf), .replace = replace};
        struct place from = {.dir = -1};
        if (n.f->kind == STORE_DIR)
                return FS_IS_DIR;
        enum fs_err e = n.f->stream ? FS_INVALID : begin(&n, to);
        if (e)
                return e;
        e = find_source(n.s, cred, n.f, path, &from);
        if (!e) {
                pthread_mutex_t *lock = posix_name_lock(n.s, n.to.dev, n.to.ino);
                (void)pthread_mutex_lock(lock); /* a plain mutex does not fail */
                e = link_locked(&n);
                (void)pthread_mutex_unlock(lock);
        }
        if (!e)
                owe_sync(&n);
        place_fini(&from);
        place_fini(&n.to);
        return e;
}

enum fs_err posix_remove(struct store *st, const struct store_cred *cred, struct store_file *sf,
                         const char *path)
{
        struct posix_store *s = posix_store_of(st);
        struct posix_file *f = posix_file_of(sf);
        struct place p;
        struct stat now;
        if (f->stream)
                return stream_remove(f);
        enum fs_err e = posix_become(s, cred);
        if (!e)
                e = find_source(s, cred, f, path, &p);
        if (e)
                return e;
        int err = entry_stat(&p, p.name, &now); /* a link is removed itself, not what it leads to */
        if (!err && unlinkat(p.dir, p.name, S_ISDIR(now.st_mode) ? AT_REMOVEDIR : 0) != 0)
                err = errno == EEXIST ? ENOTEMPTY : errno;
        place_fini(&p);
        return err == ENOENT ? FS_STALE : err ? posix_err(err) : FS_OK;
}
