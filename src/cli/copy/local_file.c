#include "cli/copy/local_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#define ATTRIBUTES "user.frevo.attributes" /* decimal text */

static bool is_one_part(const char *name)
{
        return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* A kernel, or a sandbox, without openat2: one checked part and O_NOFOLLOW come to the same. */
static int open_beneath(int at, const char *name, int flags, mode_t mode)
{
        if (!is_one_part(name)) {
                errno = EINVAL;
                return -1;
        }
        flags |= O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
        struct open_how how = {
                .flags = (unsigned)flags,
                .mode = flags & O_CREAT ? mode : 0,
                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
        };
        int fd = (int)syscall(SYS_openat2, at, name, &how, sizeof how);
        if (fd < 0 && (errno == ENOSYS || errno == EPERM))
                fd = openat(at, name, flags, mode);
        return fd;
}

int local_open_folder(int at, const char *name)
{
        return open_beneath(at, name, O_RDONLY | O_DIRECTORY, 0);
}

int local_open_file(int at, const char *name)
{
        return open_beneath(at, name, O_RDONLY, 0);
}

int local_open_part(int at, const char *name, bool resume)
{
        return open_beneath(at, name, O_RDWR | O_CREAT | (resume ? 0 : O_TRUNC), 0666);
}

int local_make_folder(int at, const char *name)
{
        if (!is_one_part(name))
                return EINVAL;
        return mkdirat(at, name, 0777) == 0 ? 0 : errno;
}

int local_remove(int at, const char *name, bool folder)
{
        if (!is_one_part(name))
                return EINVAL;
        return unlinkat(at, name, folder ? AT_REMOVEDIR : 0) == 0 ? 0 : errno;
}

static struct timespec timespec_of_ns(int64_t ns)
{
        int64_t rest = ns % 1000000000;
        int64_t below = rest < 0;
        return (struct timespec){.tv_sec = ns / 1000000000 - below,
                                 .tv_nsec = rest + below * 1000000000};
}

int local_set_times(int fd, const struct item *as)
{
        struct timespec t[2] = {timespec_of_ns(as->access_ns), timespec_of_ns(as->write_ns)};
        return futimens(fd, t) == 0 ? 0 : errno;
}

/* File systems without extended attributes lose HIDDEN and SYSTEM; the bytes matter more. */
static void keep_attributes(int fd, uint32_t attributes)
{
        char text[16];
        int n = snprintf(text, sizeof text, "%u", attributes & (ITEM_HIDDEN | ITEM_SYSTEM));
        if (attributes & (ITEM_HIDDEN | ITEM_SYSTEM))
                (void)fsetxattr(fd, ATTRIBUTES, text, (size_t)n, 0);
}

uint32_t local_attributes(int fd)
{
        char text[16];
        ssize_t n = fgetxattr(fd, ATTRIBUTES, text, sizeof text - 1);
        if (n <= 0)
                return 0;
        text[n] = 0;
        return (uint32_t)strtoul(text, NULL, 10) & (ITEM_HIDDEN | ITEM_SYSTEM);
}

static int make_readonly(int fd)
{
        struct stat st;
        if (fstat(fd, &st) != 0 || fchmod(fd, st.st_mode & 07555) != 0)
                return errno;
        return 0;
}

int local_finish(int fd, int at, const char *part, const struct item *as)
{
        if (!is_one_part(as->name) || !is_one_part(part))
                return EINVAL;
        keep_attributes(fd, as->attributes);
        int err = local_set_times(fd, as);
        if (!err && as->attributes & ITEM_READONLY)
                err = make_readonly(fd);
        if (!err && renameat(at, part, at, as->name) != 0)
                err = errno;
        return err;
}

int local_write(int fd, const void *p, size_t n, uint64_t off)
{
        for (const uint8_t *b = p; n;) {
                ssize_t k = pwrite(fd, b, n, (off_t)off);
                if (k < 0 && errno != EINTR)
                        return errno;
                if (k > 0)
                        b += k, n -= (size_t)k, off += (uint64_t)k;
        }
        return 0;
}

int local_read(int fd, void *p, size_t n, uint64_t off, size_t *ret_n)
{
        size_t got = 0;
        while (got < n) {
                ssize_t k = pread(fd, (uint8_t *)p + got, n - got, (off_t)(off + got));
                if (k < 0 && errno != EINTR)
                        return errno;
                if (k == 0)
                        break;
                got += k > 0 ? (size_t)k : 0;
        }
        *ret_n = got;
        return 0;
}
