/* See xattr_raw.h. O_PATH descriptors have no calls of their own for this; their /proc names do. */
#include "store/posix/xattr_raw.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

enum { PROC_PATH = 32, SYS_GETXATTRAT = 464 };

static void proc_path(int fd, char out[PROC_PATH])
{
        (void)snprintf(out, PROC_PATH, "/proc/self/fd/%d", fd);
}

static ssize_t get(const struct posix_file *f, const char *name, void *p, size_t n)
{
        char path[PROC_PATH];
        if (!f->is_path)
                return fgetxattr(f->fd, name, p, n);
        proc_path(f->fd, path);
        return getxattr(path, name, p, n);
}

static bool has_none(const struct posix_file *f)
{
        return f->kind == STORE_SYMLINK || f->kind == STORE_OTHER;
}

ssize_t xattr_raw_get(const struct posix_file *f, const char *name, void *p, size_t n)
{
        if (has_none(f))
                return -ENODATA;
        ssize_t r = get(f, name, p, n);
        if (r < 0 && posix_retry_as_server(posix_file_store(f), errno))
                r = get(f, name, p, n);
        return r < 0 ? -errno : r;
}

/* Linux 6.13 has a call; the older way goes through /proc. */
static ssize_t get_at(int dir, const char *entry, const char *name, void *p, size_t n)
{
        static atomic_bool missing;
        struct {
                _Alignas(8) uint64_t value;
                uint32_t size, flags;
        } args = {.value = (uintptr_t)p, .size = (uint32_t)n};
        if (!atomic_load_explicit(&missing, memory_order_relaxed)) {
                ssize_t r = syscall(SYS_GETXATTRAT, dir, entry, AT_SYMLINK_NOFOLLOW, name, &args,
                                    sizeof args);
                if (r >= 0 || errno != ENOSYS)
                        return r;
                atomic_store(&missing, true);
        }
        char path[PROC_PATH + 256];
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d/%s", dir, entry);
        return lgetxattr(path, name, p, n);
}

ssize_t xattr_raw_get_at(const struct posix_store *s, int dir, const char *entry, const char *name,
                         void *p, size_t n)
{
        ssize_t r = get_at(dir, entry, name, p, n);
        if (r < 0 && posix_retry_as_server(s, errno))
                r = get_at(dir, entry, name, p, n);
        return r < 0 ? -errno : r;
}

int xattr_raw_set(const struct posix_file *f, const char *name, struct bytes value)
{
        char path[PROC_PATH];
        int r;
        if (has_none(f))
                return -EOPNOTSUPP;
        proc_path(f->fd, path);
        if (value.n == 0)
                r = f->is_path ? removexattr(path, name) : fremovexattr(f->fd, name);
        else if (f->is_path)
                r = setxattr(path, name, value.p, value.n, 0);
        else
                r = fsetxattr(f->fd, name, value.p, value.n, 0);
        return r < 0 ? -errno : 0;
}

ssize_t xattr_raw_list(const struct posix_file *f, char *p, size_t n)
{
        char path[PROC_PATH];
        if (has_none(f))
                return 0;
        proc_path(f->fd, path);
        ssize_t r = f->is_path ? listxattr(path, p, n) : flistxattr(f->fd, p, n);
        return r < 0 ? -errno : r;
}
