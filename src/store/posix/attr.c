/* See attr.h. */
#include "store/posix/attr.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/clock.h"
#include "store/posix/dosattrib.h"
#include "store/posix/posix_err.h"
#include "store/posix/stream.h"
#include "store/posix/xattr_raw.h"

static int64_t ft_of(struct statx_timestamp t)
{
        return ft_of_timespec((struct timespec){.tv_sec = t.tv_sec, .tv_nsec = (long)t.tv_nsec});
}

static enum store_kind kind_of(unsigned mode)
{
        switch (mode & S_IFMT) {
        case S_IFREG:
                return STORE_FILE;
        case S_IFDIR:
                return STORE_DIR;
        case S_IFLNK:
                return STORE_SYMLINK;
        default:
                return STORE_OTHER;
        }
}

static int attr_statx(int dir, const char *name, int flags, struct store_attr *ret)
{
        struct statx st;
        if (statx(dir, name, flags | AT_STATX_DONT_SYNC, STATX_BASIC_STATS | STATX_BTIME, &st) != 0)
                return errno;
        *ret = (struct store_attr){
                .dev = makedev(st.stx_dev_major, st.stx_dev_minor),
                .ino = st.stx_ino,
                .kind = kind_of(st.stx_mode),
                .mode = st.stx_mode & 07777u,
                .uid = st.stx_uid,
                .gid = st.stx_gid,
                .nlink = st.stx_nlink,
                .size = st.stx_size,
                .alloc_bytes = st.stx_blocks * 512,
                .atime_ft = ft_of(st.stx_atime),
                .mtime_ft = ft_of(st.stx_mtime),
                .ctime_ft = ft_of(st.stx_ctime),
        };
        /* without a birth time: the oldest that is known */
        ret->btime_ft = ret->mtime_ft < ret->ctime_ft ? ret->mtime_ft : ret->ctime_ft;
        if (st.stx_mask & STATX_BTIME)
                ret->btime_ft = ft_of(st.stx_btime);
        return 0;
}

int attr_of_fd(int fd, struct store_attr *ret)
{
        return attr_statx(fd, "", AT_EMPTY_PATH, ret);
}

int attr_of_entry(int dir, const char *name, struct store_attr *ret)
{
        return attr_statx(dir, name, AT_SYMLINK_NOFOLLOW, ret);
}

void attr_add_stored(struct store_attr *a, const void *blob, ssize_t n)
{
        struct dosattrib d;
        if (n <= 0 || !dosattrib_decode(bytes_of(blob, (size_t)n), &d))
                return;
        if (d.has_dos)
                a->dos = d.dos;
        if (d.has_btime)
                a->btime_ft = d.btime_ft;
}

void attr_add_stored_of(const struct posix_file *f, struct store_attr *a)
{
        uint8_t blob[DOSATTRIB_MAX_BYTES];
        attr_add_stored(a, blob, xattr_raw_get(f, DOSATTRIB_NAME, blob, sizeof blob));
}

static enum fs_err store_locked(const struct posix_file *f, unsigned what,
                                const struct store_attr *a)
{
        uint8_t blob[DOSATTRIB_MAX_BYTES];
        struct dosattrib d = {0};
        ssize_t n = xattr_raw_get(f, DOSATTRIB_NAME, blob, sizeof blob);
        if (n > 0 && !dosattrib_decode(bytes_of(blob, (size_t)n), &d))
                d = (struct dosattrib){0}; /* replaced by something sound */
        if (what & STORE_SET_DOS) {
                d.has_dos = true;
                d.dos = a->dos;
        }
        if (what & STORE_SET_BTIME) {
                d.has_btime = a->btime_ft != 0;
                d.btime_ft = a->btime_ft;
        }
        struct writer w = wr_into(blob, sizeof blob);
        dosattrib_encode(&w, &d, f->kind == STORE_DIR);
        int r = xattr_raw_set(f, DOSATTRIB_NAME, wr_done(&w));
        return r < 0 ? posix_err(-r) : FS_OK;
}

enum fs_err attr_store(const struct posix_file *f, unsigned what, const struct store_attr *a)
{
        enum fs_err e = posix_become(posix_file_store(f), NULL);
        if (e)
                return e;
        pthread_mutex_t *lock = posix_attr_lock(posix_file_store(f), f->dev, f->ino);
        (void)pthread_mutex_lock(lock); /* a plain mutex does not fail */
        e = store_locked(f, what, a);
        (void)pthread_mutex_unlock(lock);
        return e;
}

enum fs_err posix_attr(struct store_file *sf, struct store_attr *ret)
{
        struct posix_file *f = posix_file_of(sf);
        int err = attr_of_fd(f->fd, ret);
        if (err)
                return posix_err(err);
        attr_add_stored_of(f, ret);
        return f->stream ? stream_attr(f, ret) : FS_OK;
}

static int set_times(const struct posix_file *f, unsigned what, const struct store_attr *a)
{
        struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
        if (what & STORE_SET_ATIME)
                t[0] = timespec_of_ft(a->atime_ft);
        if (what & STORE_SET_MTIME)
                t[1] = timespec_of_ft(a->mtime_ft);
        int r = f->is_path ? utimensat(f->fd, "", t, AT_EMPTY_PATH) : futimens(f->fd, t);
        return r < 0 ? errno : 0;
}

static int set_mode(const struct posix_file *f, uint32_t mode)
{
        char path[32];
        if (f->kind == STORE_SYMLINK)
                return EOPNOTSUPP;
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
        int r = f->is_path ? chmod(path, mode & 07777) : fchmod(f->fd, mode & 07777);
        return r < 0 ? errno : 0;
}

enum fs_err posix_set_attr(struct store_file *sf, const struct store_cred *cred, unsigned what,
                           const struct store_attr *a)
{
        struct posix_file *f = posix_file_of(sf);
        enum fs_err e = posix_become(posix_file_store(f), cred);
        int err = 0;
        if (!e && (what & (STORE_SET_OWNER | STORE_SET_GROUP))) {
                uid_t uid = what & STORE_SET_OWNER ? a->uid : (uid_t)-1;
                gid_t gid = what & STORE_SET_GROUP ? a->gid : (gid_t)-1;
                err = fchownat(f->fd, "", uid, gid, AT_EMPTY_PATH) < 0 ? errno : 0;
        }
        if (!e && !err && (what & STORE_SET_MODE)) /* after chown, which clears bits */
                err = set_mode(f, a->mode);
        if (!e && !err && (what & (STORE_SET_ATIME | STORE_SET_MTIME)))
                err = set_times(f, what, a);
        if (!e && err)
                e = posix_err(err);
        if (!e && (what & (STORE_SET_DOS | STORE_SET_BTIME)))
                e = attr_store(f, what, a);
        return e;
}
