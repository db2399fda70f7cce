/* Opening and creating.
 *
 * The usual case, an existing file by its exact name, is openat2, statx and one getxattr. Only a
 * name that is not there as spelled is looked for in other letter cases. New names are made under a
 * lock of their directory, so that two spellings of one name cannot be made at once. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "store/posix/attr.h"
#include "store/posix/posix_err.h"
#include "store/posix/stream.h"
#include "store/posix/stream_table.h"
#include "store/posix/walk.h"

enum { OPEN_TRIES = 8 };

struct opening {
        struct posix_store *s;
        const struct store_cred *cred;
        const struct store_open *q;
        unsigned how;
};

static int data_flags(unsigned flags)
{
        static const int of[4] = {O_PATH, O_RDONLY, O_WRONLY, O_RDWR};
        unsigned data = flags & (STORE_READ | STORE_WRITE);
        /* never wait for the other end of a pipe, never become a terminal's session */
        return data ? of[data] | O_NONBLOCK | O_NOCTTY : O_PATH;
}

static struct posix_file *file_new(struct posix_store *s, int fd, bool is_path, unsigned flags,
                                   const char *path)
{
        struct posix_file *f = calloc(1, sizeof *f);
        char *copy = strdup(path);
        if (!f || !copy) {
                free(f);
                free(copy);
                return NULL;
        }
        f->head.store = &s->store;
        f->fd = fd;
        f->is_path = is_path;
        f->flags = flags;
        f->path = copy;
        f->dirty_dir = -1;
        return f;
}

static void file_free(struct posix_file *f)
{
        if (!f)
                return;
        if (f->dirty_dir >= 0)
                (void)close(f->dirty_dir);
        if (f->fd >= 0)
                (void)close(f->fd); /* writes were reported when made; sync tells the rest */
        stream_put(f->stream);
        free(f->path);
        free(f);
}
AUTO_DEFINE(file_free, struct posix_file *);

void posix_close(struct store_file *f)
{
        if (f)
                file_free(posix_file_of(f));
}

static enum fs_err check_kind(enum store_kind k, unsigned flags, bool is_path)
{
        if ((flags & STORE_MUST_DIR) && k != STORE_DIR)
                return FS_NOT_DIR;
        if ((flags & STORE_MUST_FILE) && k == STORE_DIR)
                return FS_IS_DIR;
        return k == STORE_OTHER && !is_path ? FS_DENIED : FS_OK;
}

/* Takes fd. */
static enum fs_err wrap(const struct opening *o, int fd, bool is_path, const char *path,
                        struct posix_file **ret, struct store_attr *ret_attr)
{
        AUTO(file_free) struct posix_file *f = file_new(o->s, fd, is_path, o->q->flags, path);
        if (!f) {
                (void)close(fd);
                return FS_NO_MEMORY;
        }
        int err = attr_of_fd(fd, ret_attr);
        if (err)
                return posix_err(err);
        f->kind = ret_attr->kind;
        f->dev = ret_attr->dev;
        f->ino = ret_attr->ino;
        enum fs_err e = check_kind(f->kind, o->q->flags, is_path);
        if (e)
                return e;
        *ret = f;
        f = NULL;
        return FS_OK;
}

static enum fs_err hand_over(struct posix_file *f, const struct store_attr *a, bool created,
                             struct store_opened *ret)
{
        char *path = strdup(f->path);
        if (!path) {
                file_free(f);
                return FS_NO_MEMORY;
        }
        *ret = (struct store_opened){.file = (struct store_file *)(void *)f,
                                     .attr = *a,
                                     .created = created,
                                     .real_path = path};
        return FS_OK;
}

/* Opens what is there under exactly this name; *is_path tells how. */
static int open_there(const struct opening *o, const char *path, bool *is_path)
{
        int flags = data_flags(o->q->flags);
        if (o->q->flags & STORE_NOFOLLOW)
                flags |= O_NOFOLLOW;
        int fd = walk_open(o->s, path, flags, 0, o->how);
        if (fd == -EISDIR && !(o->q->flags & STORE_MUST_FILE)) {
                flags = O_RDONLY; /* directories are written through their names */
                fd = walk_open(o->s, path, flags, 0, o->how);
        }
        if (fd == -ELOOP && (flags & O_NOFOLLOW) && !(flags & O_PATH)) {
                flags = O_PATH | O_NOFOLLOW;
                fd = walk_open(o->s, path, flags, 0, o->how);
        }
        *is_path = flags & O_PATH;
        return fd;
}

static enum fs_err open_exact(const struct opening *o, const char *path, struct store_opened *ret)
{
        bool is_path;
        int fd = open_there(o, path, &is_path);
        if (fd < 0)
                return walk_err(fd, o->how);
        struct posix_file *f;
        struct store_attr a;
        enum fs_err e = wrap(o, fd, is_path, path, &f, &a);
        if (e)
                return e;
        attr_add_stored_of(f, &a);
        return hand_over(f, &a, false, ret);
}

static int create_dir(const struct opening *o, const struct place *p)
{
        if (mkdirat(p->dir, p->name, o->q->mode & 07777) != 0)
                return -errno;
        return walk_open_in(p->dir, p->name, O_RDONLY | O_DIRECTORY, 0);
}

static int create_file(const struct opening *o, const struct place *p)
{
        int flags = data_flags(o->q->flags);
        if (flags & O_PATH)
                flags = O_RDONLY | O_NOCTTY;
        return walk_open_in(p->dir, p->name, flags | O_CREAT | O_EXCL, o->q->mode & 07777);
}

/* What a new file is to have from the start. Its creation time is kept with the DOS attributes. */
static enum fs_err dress(const struct opening *o, struct posix_file *f, struct store_attr *a)
{
        enum fs_err e = FS_OK;
        if (o->q->dos & STORE_DOS_KEPT) {
                a->dos = o->q->dos & STORE_DOS_KEPT;
                e = attr_store(f, STORE_SET_DOS | STORE_SET_BTIME, a);
                if (e ==
                    FS_UNSUPPORTED) { /* the file system keeps none: store.h's STORE_CAP_XATTR */
                        a->dos = 0;
                        e = FS_OK;
                }
        }
        if (!e && o->q->sd.n)
                e = posix_sd_set((struct store_file *)(void *)f, o->q->sd);
        return e;
}

static void undo_create(const struct opening *o, const struct place *p)
{
        bool dir = o->q->flags & STORE_MUST_DIR;
        if (posix_become(o->s, o->cred) == FS_OK)
                (void)unlinkat(p->dir, p->name,
                               dir ? AT_REMOVEDIR : 0); /* the first error counts */
}

static enum fs_err create(const struct opening *o, struct place *p, struct store_opened *ret)
{
        bool dir = o->q->flags & STORE_MUST_DIR;
        AUTO_FREE char *path = walk_join(p->dir_path, p->name);
        if (!path)
                return FS_NO_MEMORY;
        int fd = dir ? create_dir(o, p) : create_file(o, p);
        if (fd == -ENOENT)
                return FS_PATH_NOT_FOUND; /* the directory was removed meanwhile */
        if (fd < 0)
                return fd == -ENOTDIR ? FS_EXISTS : walk_err(fd, 0);
        struct posix_file *f;
        struct store_attr a;
        enum fs_err e = wrap(o, fd, false, path, &f, &a);
        if (e) {
                undo_create(o, p);
                return e;
        }
        e = dress(o, f, &a);
        if (e) {
                file_free(f);
                undo_create(o, p);
                return e;
        }
        f->dirty_dir = p->dir; /* the file's now */
        p->dir = -1;
        return hand_over(f, &a, true, ret);
}

/* FS_EXISTS is said of what the user may see only. */
static enum fs_err exists_for_user(const struct opening *o, const struct place *p, const char *name)
{
        AUTO_FREE char *path = walk_join(p->dir_path, name);
        AUTO_CLOSE int fd = path ? walk_open(o->s, path, O_PATH | O_NOFOLLOW, 0, o->how) : -ENOMEM;
        return fd >= 0 ? FS_EXISTS : walk_err(fd, o->how);
}

/* Under the directory's lock when something may be made. *real: another spelling to open. */
static enum fs_err find_or_create(const struct opening *o, struct place *p, char **real,
                                  struct store_opened *ret)
{
        unsigned flags = o->q->flags;
        bool excl = flags & STORE_EXCL;
        AUTO_FREE char *other = NULL;
        enum fs_err e = FS_NOT_FOUND;
        if (!(flags & STORE_EXACT))
                e = walk_other_case(o->s, o->cred, p, o->how, &other);
        if (e == FS_OK && (flags & STORE_CREATE) && excl)
                return exists_for_user(o, p, other);
        if (e == FS_OK) {
                *real = walk_join(p->dir_path, other);
                return *real ? FS_OK : FS_NO_MEMORY;
        }
        return e == FS_NOT_FOUND && (flags & STORE_CREATE) ? create(o, p, ret) : e;
}

static enum fs_err open_otherwise(const struct opening *o, struct store_opened *ret)
{
        AUTO_FREE char *real = NULL;
        struct place p = {.dir = -1};
        bool making = o->q->flags & STORE_CREATE;
        enum fs_err e =
                walk_place(o->s, o->cred, o->q->path, o->q->flags & STORE_EXACT, o->how, &p);
        if (e)
                return e;
        pthread_mutex_t *lock = posix_name_lock(o->s, p.dev, p.ino);
        if (making)
                (void)pthread_mutex_lock(lock); /* a plain mutex does not fail */
        e = find_or_create(o, &p, &real, ret);
        if (making)
                (void)pthread_mutex_unlock(lock);
        place_fini(&p);
        return e || !real ? e : open_exact(o, real, ret);
}

static bool too_long(const char *path)
{
        while (*path) {
                size_t n = strcspn(path, "/");
                if (n > NAME_MAX)
                        return true;
                path += n + (path[n] == '/');
        }
        return false;
}

enum fs_err posix_open(struct store *st, const struct store_cred *cred, const struct store_open *q,
                       unsigned how, struct store_opened *ret)
{
        struct opening o = {.s = posix_store_of(st), .cred = cred, .q = q, .how = how};
        bool making = q->flags & STORE_CREATE, excl = making && (q->flags & STORE_EXCL);
        if (q->stream)
                return posix_stream_open(st, cred, q, how, ret);
        enum fs_err e = too_long(q->path) ? FS_TOO_LONG : posix_become(o.s, cred);
        if (e)
                return e;
        if (excl && *q->path == 0)
                return FS_EXISTS;
        /* again when the name came or went between two looks at it */
        for (int tries = 0; tries < OPEN_TRIES; tries++) {
                if (!excl) {
                        e = open_exact(&o, q->path, ret);
                        if (e != FS_NOT_FOUND)
                                return e;
                }
                if (making && (how & STORE_NOWAIT))
                        return FS_AGAIN;
                e = open_otherwise(&o, ret);
                if (!making || excl || e != FS_EXISTS)
                        return e;
        }
        return FS_NOT_FOUND; /* a link that leads nowhere: nothing to open, nothing to make */
}
