/* Reading and writing. Descriptors carry the rights they were opened with: no identity is needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "store/posix/attr.h"
#include "store/posix/posix_err.h"
#include "store/posix/stream.h"

enum {
        SYS_CACHESTAT = 451, /* Linux 6.5 */
        PROBE_BYTES = 64 * 1024,
        COPY_BYTES = 1024 * 1024,
        PAGE_BYTES = 4096, /* cachestat counts in these, whatever the folio's size */
};

static enum fs_err check_data(const struct posix_file *f, unsigned need)
{
        if (f->kind == STORE_DIR)
                return FS_IS_DIR;
        return !f->is_path && f->kind == STORE_FILE && (f->flags & need) ? FS_OK : FS_DENIED;
}

/* One preadv2; bytes or -errno. */
static ssize_t read_some(int fd, void *p, size_t n, uint64_t off, int flags)
{
        struct iovec v = {.iov_base = p, .iov_len = n};
        ssize_t r;
        do
                r = preadv2(fd, &v, 1, (off_t)off, flags);
        while (r < 0 && errno == EINTR);
        return r < 0 ? -errno : r;
}

static ssize_t write_some(int fd, const void *p, size_t n, uint64_t off, int flags)
{
        struct iovec v = {.iov_base = (void *)p, .iov_len = n}; /* only read from */
        ssize_t r;
        do
                r = pwritev2(fd, &v, 1, (off_t)off, flags);
        while (r < 0 && errno == EINTR);
        return r < 0 ? -errno : r;
}

static enum fs_err read_all(int fd, void *p, size_t n, uint64_t off, int flags, size_t *ret_n)
{
        size_t at = 0;
        while (at < n) {
                ssize_t r = read_some(fd, (char *)p + at, n - at, off + at, flags);
                if (r == -EAGAIN || (r == -EOPNOTSUPP && flags))
                        return FS_AGAIN;
                if (r < 0)
                        return posix_err((int)-r);
                if (r == 0)
                        break;
                at += (size_t)r;
        }
        *ret_n = at;
        return FS_OK;
}

enum fs_err posix_read(struct store_file *sf, void *p, size_t n, uint64_t off, unsigned how,
                       size_t *ret_n)
{
        struct posix_file *f = posix_file_of(sf);
        if (f->stream)
                return stream_read(f, p, n, off, how, ret_n);
        enum fs_err e = check_data(f, STORE_READ);
        if (e)
                return e;
        if (off > INT64_MAX || n > INT64_MAX - off) { /* beyond what files can hold */
                *ret_n = 0;
                return FS_OK;
        }
        return read_all(f->fd, p, n, off, how & STORE_NOWAIT ? RWF_NOWAIT : 0, ret_n);
}

/* RWF_NOWAIT for buffered writes exists on some file systems (XFS, Btrfs), not on ext4. *ret_n:
 * what was written before it would have waited. */
static enum fs_err write_now(struct posix_store *s, int fd, const void *p, size_t n, uint64_t off,
                             size_t *ret_n)
{
        if (atomic_load_explicit(&s->write_never_now, memory_order_relaxed))
                return FS_AGAIN;
        ssize_t r = write_some(fd, p, n, off, RWF_NOWAIT);
        if (r == -EOPNOTSUPP)
                atomic_store(&s->write_never_now, true);
        if (r == -EAGAIN || r == -EOPNOTSUPP || r == 0)
                return FS_AGAIN;
        if (r < 0)
                return posix_err((int)-r);
        *ret_n = (size_t)r;
        return FS_OK;
}

enum fs_err posix_write(struct store_file *sf, const void *p, size_t n, uint64_t off, unsigned how)
{
        struct posix_file *f = posix_file_of(sf);
        if (f->stream)
                return stream_write(f, p, n, off, how);
        enum fs_err e = check_data(f, STORE_WRITE);
        size_t at = 0;
        if (e || n == 0)
                return e;
        if (off > INT64_MAX || n > INT64_MAX - off)
                return FS_TOO_BIG;
        if (how & STORE_NOWAIT)
                e = write_now(posix_file_store(f), f->fd, p, n, off, &at);
        /* a write begun is finished, even if that waits: half of one cannot be taken back */
        while (!e && at < n) {
                ssize_t r = write_some(f->fd, (const char *)p + at, n - at, off + at, 0);
                if (r <= 0)
                        return r == 0 ? FS_IO : posix_err((int)-r);
                at += (size_t)r;
        }
        return e;
}

/* All pages of the range are in the cache, as far as the file reaches. -errno: cannot tell. */
static int is_cached(int fd, uint64_t off, size_t n)
{
        struct {
                uint64_t off, len;
        } range = {off, n};
        struct {
                uint64_t cache, dirty, writeback, evicted, recently_evicted;
        } cs;
        if (syscall(SYS_CACHESTAT, fd, &range, &cs, 0) != 0)
                return -errno;
        uint64_t end = off + n, pages = (end - 1) / PAGE_BYTES - off / PAGE_BYTES + 1;
        if (cs.cache >= pages)
                return 1;
        struct stat st;
        if (fstat(fd, &st) != 0)
                return -errno;
        if (end > (uint64_t)st.st_size)
                end = (uint64_t)st.st_size;
        return off >= end || cs.cache >= (end - 1) / PAGE_BYTES - off / PAGE_BYTES + 1;
}

/* Reads the range for nothing. */
static enum fs_err touch_all(int fd, uint64_t off, size_t n, int flags)
{
        AUTO_FREE char *scratch = malloc(PROBE_BYTES);
        if (!scratch)
                return FS_NO_MEMORY;
        for (size_t at = 0, got = 0; at < n; at += got) {
                size_t want = n - at < PROBE_BYTES ? n - at : PROBE_BYTES;
                enum fs_err e = read_all(fd, scratch, want, off + at, flags, &got);
                if (e || got < want)
                        return e;
        }
        return FS_OK;
}

enum fs_err posix_warm(struct store_file *sf, uint64_t off, size_t n, unsigned how)
{
        struct posix_file *f = posix_file_of(sf);
        if (f->stream)
                return f->flags & STORE_READ ? FS_OK : FS_DENIED;
        enum fs_err e = check_data(f, STORE_READ);
        if (e || n == 0 || off > INT64_MAX || n > INT64_MAX - off)
                return e;
        int cached = is_cached(f->fd, off, n);
        /* newer kernels tell owners and writers only, and the server itself */
        if (cached < 0 && posix_retry_as_server(posix_file_store(f), -cached))
                cached = is_cached(f->fd, off, n);
        if (cached > 0) {
                /* a page counts as cached while it is being read: ask the last one, which comes
                 * last */
                char c;
                ssize_t r = read_some(f->fd, &c, 1, off + n - 1, RWF_NOWAIT);
                if (r >= 0)
                        return FS_OK;
                cached = 0;
        }
        if (how & STORE_NOWAIT) /* nobody tells: then by reading */
                return cached == 0 ? FS_AGAIN : touch_all(f->fd, off, n, RWF_NOWAIT);
        (void)posix_fadvise(f->fd, (off_t)off, (off_t)n, POSIX_FADV_WILLNEED); /* a hint */
        return touch_all(f->fd, off, n, 0);
}

int posix_fd(struct store_file *sf)
{
        struct posix_file *f = posix_file_of(sf);
        return !f->stream && check_data(f, STORE_READ) == FS_OK ? f->fd : -1;
}

enum fs_err posix_resize(struct store_file *sf, uint64_t size)
{
        struct posix_file *f = posix_file_of(sf);
        if (f->stream)
                return stream_resize(f, size);
        enum fs_err e = check_data(f, STORE_WRITE);
        if (e)
                return e;
        if (size > INT64_MAX)
                return FS_TOO_BIG;
        int r;
        do
                r = ftruncate(f->fd, (off_t)size);
        while (r < 0 && errno == EINTR);
        return r < 0 ? posix_err(errno) : FS_OK;
}

static enum fs_err write_zeros(int fd, uint64_t off, uint64_t len)
{
        struct stat st;
        static const char zeros[PROBE_BYTES];
        if (fstat(fd, &st) != 0)
                return posix_err(errno);
        uint64_t size = (uint64_t)st.st_size, end = off + len < size ? off + len : size;
        while (off < end) {
                size_t n = end - off < sizeof zeros ? (size_t)(end - off) : sizeof zeros;
                ssize_t r = write_some(fd, zeros, n, off, 0);
                if (r <= 0)
                        return r == 0 ? FS_IO : posix_err((int)-r);
                off += (size_t)r;
        }
        return FS_OK;
}

enum fs_err posix_allocate(struct store_file *sf, uint64_t off, uint64_t len, enum store_alloc kind)
{
        static const int mode[] = {
                [STORE_ALLOC_RESERVE] = FALLOC_FL_KEEP_SIZE,
                [STORE_ALLOC_PUNCH] = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE,
                [STORE_ALLOC_ZERO] = FALLOC_FL_KEEP_SIZE | FALLOC_FL_ZERO_RANGE,
        };
        struct posix_file *f = posix_file_of(sf);
        if (f->stream)
                return stream_allocate(f, off, len, kind);
        enum fs_err e = check_data(f, STORE_WRITE);
        if (e || len == 0)
                return e;
        if (off > INT64_MAX || len > INT64_MAX - off) {
                if (kind == STORE_ALLOC_RESERVE || off > INT64_MAX)
                        return FS_TOO_BIG;
                len = INT64_MAX - off; /* zeros to the end of all files */
        }
        if (kind == STORE_ALLOC_ZERO) { /* blocks beyond the end are nobody's wish */
                struct stat st;
                if (fstat(f->fd, &st) != 0)
                        return posix_err(errno);
                uint64_t size = (uint64_t)st.st_size;
                if (off >= size)
                        return FS_OK;
                len = len < size - off ? len : size - off;
        }
        int r;
        do
                r = fallocate(f->fd, mode[kind], (off_t)off, (off_t)len);
        while (r < 0 && errno == EINTR);
        if (r < 0 && errno == EOPNOTSUPP && kind != STORE_ALLOC_RESERVE)
                return write_zeros(f->fd, off, len);
        return r < 0 ? posix_err(errno) : FS_OK;
}

enum fs_err posix_ranges(struct store_file *sf, uint64_t off, uint64_t len, struct store_range *r,
                         size_t cap, size_t *ret_n)
{
        struct posix_file *f = posix_file_of(sf);
        if (f->stream)
                return stream_ranges(f, off, len, r, cap, ret_n);
        enum fs_err e = check_data(f, STORE_READ | STORE_WRITE);
        if (e)
                return e;
        uint64_t end = off < INT64_MAX && len < INT64_MAX - off ? off + len : INT64_MAX;
        size_t n = 0;
        while (off < end) {
                off_t data = lseek(f->fd, (off_t)off, SEEK_DATA);
                if (data < 0 && errno == ENXIO)
                        break; /* no data from here on */
                off_t hole = data < 0 ? -1 : lseek(f->fd, data, SEEK_HOLE);
                if (hole < 0)
                        return posix_err(errno);
                if ((uint64_t)data >= end)
                        break;
                if (n == cap) {
                        *ret_n = n;
                        return FS_BUFFER_SMALL;
                }
                off = (uint64_t)hole < end ? (uint64_t)hole : end;
                r[n++] = (struct store_range){.off = (uint64_t)data, .len = off - (uint64_t)data};
        }
        *ret_n = n;
        return FS_OK;
}

/* ---- copying -------------------------------------------------------------------------------- */

struct copying {
        int from, to;
        uint64_t off, to_off, len;
};

/* Through memory, a piece at a time; from the end when the target lies behind the source in one
 * file, so that nothing is overwritten before it was read. */
static enum fs_err copy_by_hand(const struct copying *c, bool backwards)
{
        AUTO_FREE char *buf = malloc(COPY_BYTES);
        if (!buf)
                return FS_NO_MEMORY;
        for (uint64_t done = 0; done < c->len;) {
                size_t n = c->len - done < COPY_BYTES ? (size_t)(c->len - done) : COPY_BYTES;
                uint64_t at = backwards ? c->len - done - n : done;
                size_t got = 0;
                enum fs_err e = read_all(c->from, buf, n, c->off + at, 0, &got);
                if (e)
                        return e;
                if (got < n)
                        memset(buf + got, 0, n - got); /* cut off meanwhile: as a hole */
                for (size_t w = 0; w < n;) {
                        ssize_t r = write_some(c->to, buf + w, n - w, c->to_off + at + w, 0);
                        if (r <= 0)
                                return r == 0 ? FS_IO : posix_err((int)-r);
                        w += (size_t)r;
                }
                done += n;
        }
        return FS_OK;
}

static enum fs_err copy_by_kernel(struct copying *c)
{
        while (c->len > 0) {
                off_t from = (off_t)c->off, to = (off_t)c->to_off;
                size_t n = c->len < SSIZE_MAX ? (size_t)c->len : SSIZE_MAX;
                ssize_t r = copy_file_range(c->from, &from, c->to, &to, n, 0);
                if (r < 0 && errno == EINTR)
                        continue;
                if (r <= 0)
                        return r == 0 ? FS_OK : posix_err(errno);
                c->off += (uint64_t)r;
                c->to_off += (uint64_t)r;
                c->len -= (uint64_t)r;
        }
        return FS_OK;
}

enum fs_err posix_copy(struct store_file *from, uint64_t off, struct store_file *to,
                       uint64_t to_off, uint64_t len, uint64_t *ret_n)
{
        struct posix_file *f = posix_file_of(from), *t = posix_file_of(to);
        struct stat st;
        if (f->stream || t->stream)
                return FS_UNSUPPORTED;
        enum fs_err e = check_data(f, STORE_READ);
        if (!e)
                e = check_data(t, STORE_WRITE);
        if (!e && fstat(f->fd, &st) != 0)
                e = posix_err(errno);
        if (e)
                return e;
        uint64_t left = off < (uint64_t)st.st_size ? (uint64_t)st.st_size - off : 0;
        uint64_t n = len < left ? len : left;
        if (to_off > INT64_MAX || n > INT64_MAX - to_off)
                return FS_TOO_BIG;
        struct copying c = {.from = f->fd, .to = t->fd, .off = off, .to_off = to_off, .len = n};
        bool one = f->dev == t->dev && f->ino == t->ino;
        if (one && off < to_off + n && to_off < off + n) {
                e = off == to_off ? FS_OK : copy_by_hand(&c, to_off > off);
        } else {
                e = copy_by_kernel(&c);
                /* other file systems, old ones, and files that the call does not know */
                if (e == FS_OTHER_DEVICE || e == FS_UNSUPPORTED || e == FS_INVALID ||
                    (e == FS_OK && c.len > 0))
                        e = copy_by_hand(&c, false);
        }
        if (!e)
                *ret_n = n;
        return e;
}

/* After a create or a rename the name must last as well: the directory is synced, too. */
enum fs_err posix_sync(struct store_file *sf)
{
        struct posix_file *f = posix_file_of(sf);
        int fd = f->fd;
        AUTO_CLOSE int own = -1;
        if (f->is_path) {
                char path[32];
                if (f->kind != STORE_FILE && f->kind != STORE_DIR)
                        return FS_OK; /* nothing of theirs is ours to write */
                (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
                enum fs_err e = posix_become(posix_file_store(f), NULL);
                if (e)
                        return e;
                fd = own = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        }
        if (fd < 0 || fsync(fd) != 0)
                return posix_err(errno);
        AUTO_CLOSE int dir = atomic_exchange(&f->dirty_dir, -1);
        if (dir < 0)
                return FS_OK;
        enum fs_err e = posix_become(posix_file_store(f), NULL);
        AUTO_CLOSE int real = e ? -1 : openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (!e && (real < 0 || fsync(real) != 0))
                e = posix_err(errno);
        if (e) { /* owed still */
                int owed = dir, none = -1;
                if (atomic_compare_exchange_strong(&f->dirty_dir, &none, owed))
                        dir = -1;
        }
        return e;
}
