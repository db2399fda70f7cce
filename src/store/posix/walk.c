/* See walk.h. */
#include "store/posix/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include "store/posix/posix_err.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

enum {
        RACE_TRIES = 64, /* the kernel gives EAGAIN when a rename elsewhere disturbs ".." */
        STEP_MAX = PATH_MAX - 1,
};

static int openat2_raw(int dir, const char *path, const struct open_how *h)
{
        int fd, tries = 0;
        do
                fd = (int)syscall(SYS_openat2, dir, path, h, sizeof *h);
        while (fd < 0 && (errno == EINTR || (errno == EAGAIN && !(h->resolve & RESOLVE_CACHED) &&
                                             !(h->flags & O_NONBLOCK) && ++tries < RACE_TRIES)));
        return fd < 0 ? -errno : fd;
}

static int open_beneath(int dir, const char *path, int flags, mode_t mode, unsigned how)
{
        struct open_how h = {
                .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                .mode = flags & O_CREAT ? mode : 0,
                .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
                           (how & STORE_NOWAIT ? (unsigned)RESOLVE_CACHED : 0u),
        };
        return openat2_raw(dir, path, &h);
}

/* Goes down in pieces that the kernel takes, each beneath the one before. */
static int open_long(const struct posix_store *s, const char *path, int flags, mode_t mode,
                     unsigned how)
{
        char piece[PATH_MAX];
        int dir = s->root;
        while (strlen(path) > STEP_MAX) {
                size_t n = STEP_MAX;
                while (n > 0 && path[n] != '/')
                        n--;
                if (n == 0) {
                        if (dir != s->root)
                                (void)close(dir);
                        return -ENAMETOOLONG;
                }
                memcpy(piece, path, n);
                piece[n] = 0;
                int next = open_beneath(dir, piece, O_PATH | O_DIRECTORY, 0, how);
                if (dir != s->root)
                        (void)close(dir);
                if (next < 0)
                        return next;
                dir = next;
                path += n + 1;
        }
        int fd = open_beneath(dir, path, flags, mode, how);
        if (dir != s->root)
                (void)close(dir);
        return fd;
}

int walk_open(const struct posix_store *s, const char *path, int flags, mode_t mode, unsigned how)
{
        if (*path == 0)
                path = ".";
        if (strlen(path) > STEP_MAX)
                return open_long(s, path, flags, mode, how);
        return open_beneath(s->root, path, flags, mode, how);
}

int walk_open_in(int dir, const char *name, int flags, mode_t mode)
{
        struct open_how h = {
                .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
                .mode = flags & O_CREAT ? mode : 0,
                .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
        };
        return openat2_raw(dir, name, &h);
}

enum fs_err walk_err(int negative, unsigned how)
{
        switch (-negative) {
        case EXDEV:
                return FS_DENIED;
        case ENOTDIR: /* O_DIRECTORY is not among the flags where this is asked */
                return FS_PATH_NOT_FOUND;
        case EAGAIN: /* else somebody holds a lease on the file */
                return how & STORE_NOWAIT ? FS_AGAIN : FS_SHARING;
        default:
                return posix_err(-negative);
        }
}

char *walk_join(const char *dir, const char *name)
{
        size_t d = strlen(dir), n = strlen(name), slash = d > 0;
        char *p = malloc(d + slash + n + 1);
        if (!p)
                return NULL;
        memcpy(p, dir, d);
        if (slash)
                p[d] = '/';
        memcpy(p + d + slash, name, n + 1);
        return p;
}

void place_fini(struct place *p)
{
        if (p->dir >= 0)
                (void)close(p->dir);
        free(p->dir_path);
        p->dir = -1;
        p->dir_path = NULL;
}

static enum fs_err identify(struct place *p)
{
        struct stat st;
        if (fstat(p->dir, &st) != 0)
                return posix_err(errno);
        p->dev = st.st_dev;
        p->ino = st.st_ino;
        return FS_OK;
}

enum fs_err walk_other_case(struct posix_store *s, const struct store_cred *cred,
                            const struct place *p, unsigned how, char **ret)
{
        if (!s->index)
                return FS_NOT_FOUND;
        struct name_dir d = {.fd = p->dir, .dev = p->dev, .ino = p->ino};
        enum fs_err e = name_index_find(s->index, &d, p->name, how, ret);
        enum fs_err back = posix_become(s, cred);
        if (!back || e)
                return back ? back : e;
        free(*ret);
        return back;
}

/* Moves p one directory down. */
static enum fs_err descend(struct posix_store *s, const struct store_cred *cred, struct place *p,
                           const char *name, unsigned how)
{
        AUTO_FREE char *other = NULL;
        char *path = walk_join(p->dir_path, name);
        int fd = path ? walk_open(s, path, O_PATH | O_DIRECTORY, 0, how) : -ENOMEM;
        if (fd == -ENOENT) {
                free(path);
                enum fs_err e = identify(p);
                p->name = name;
                if (!e)
                        e = walk_other_case(s, cred, p, how, &other);
                if (e)
                        return e == FS_NOT_FOUND ? FS_PATH_NOT_FOUND : e;
                path = walk_join(p->dir_path, other);
                fd = path ? walk_open(s, path, O_PATH | O_DIRECTORY, 0, how) : -ENOMEM;
        }
        if (fd < 0) {
                free(path);
                return fd == -ENOENT ? FS_PATH_NOT_FOUND : walk_err(fd, how);
        }
        place_fini(p);
        p->dir = fd;
        p->dir_path = path;
        return FS_OK;
}

/* Component by component, each in any letter case. */
static enum fs_err descend_all(struct posix_store *s, const struct store_cred *cred, char *dirs,
                               unsigned how, struct place *p)
{
        p->dir_path = strdup("");
        p->dir = walk_open(s, "", O_PATH | O_DIRECTORY, 0, how);
        if (!p->dir_path || p->dir < 0)
                return p->dir_path ? walk_err(p->dir, how) : FS_NO_MEMORY;
        while (dirs) {
                char *slash = strchr(dirs, '/');
                if (slash)
                        *slash = 0;
                enum fs_err e = descend(s, cred, p, dirs, how);
                if (e)
                        return e;
                dirs = slash ? slash + 1 : NULL;
        }
        return FS_OK;
}

enum fs_err walk_place(struct posix_store *s, const struct store_cred *cred, const char *path,
                       bool exact, unsigned how, struct place *ret)
{
        if (*path == 0)
                return FS_DENIED;
        const char *slash = strrchr(path, '/');
        struct place p = {.dir = -1};
        AUTO_FREE char *dirs = strndup(path, slash ? (size_t)(slash - path) : 0);
        p.dir_path = dirs ? strdup(dirs) : NULL;
        if (!p.dir_path)
                return FS_NO_MEMORY;
        p.dir = walk_open(s, dirs, O_PATH | O_DIRECTORY, 0, how);
        enum fs_err e = p.dir < 0 ? walk_err(p.dir, how) : FS_OK;
        if (p.dir == -ENOENT)
                e = FS_PATH_NOT_FOUND;
        if (p.dir == -ENOENT && !exact && s->index && slash) {
                free(p.dir_path);
                p = (struct place){.dir = -1};
                e = descend_all(s, cred, dirs, how, &p);
        }
        if (!e)
                e = identify(&p);
        if (e) {
                place_fini(&p);
                return e;
        }
        p.name = slash ? slash + 1 : path;
        *ret = p;
        return FS_OK;
}
