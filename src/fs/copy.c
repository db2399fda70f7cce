/* Server-side copies, [MS-SMB2] 3.3.5.15.6: by the store where it can, else through a buffer. */
#include "fs/open.h"

enum { COPY_BUFFER = 1024 * 1024 };

static enum fs_err check_copy(struct fs_open *from, uint64_t off, struct fs_open *to,
                              uint64_t to_off, uint64_t len)
{
        enum fs_err e = open_check(from, 0);
        if (!e)
                e = open_check(to, 0);
        if (e)
                return e;
        if (!(from->access & (FS_READ_DATA | FS_EXECUTE)) ||
            !(to->access & (FS_WRITE_DATA | FS_APPEND_DATA)))
                return FS_DENIED;
        if (from->node->dir || to->node->dir)
                return FS_IS_DIR;
        if (off > INT64_MAX || to_off > INT64_MAX || len > (uint64_t)INT64_MAX - off ||
            len > (uint64_t)INT64_MAX - to_off)
                return FS_INVALID;
        struct store_attr a;
        e = store_file_ops(from->file)->attr(from->file, &a);
        if (e)
                return e;
        if (off > a.size || len > a.size - off)
                return FS_INVALID;
        e = lock_check_io(from, off, len, false);
        return e ? e : lock_check_io(to, to_off, len, true);
}

static enum fs_err copy_piece(struct fs_open *from, uint64_t off, struct fs_open *to,
                              uint64_t to_off, struct bytes buf)
{
        size_t got = 0;
        uint8_t *p = (uint8_t *)buf.p;
        enum fs_err e = store_file_ops(from->file)->read(from->file, p, buf.n, off, 0, &got);
        if (!e && got < buf.n)
                e = FS_INVALID; /* it shrank meanwhile */
        return e ? e : store_file_ops(to->file)->write(to->file, p, got, to_off, 0);
}

/* Between stores, or where the store has no copy of its own. Backwards when the ranges overlap that
 * way, so that the result is that of a copy made at once. */
static enum fs_err copy_through(struct fs_open *from, uint64_t off, struct fs_open *to,
                                uint64_t to_off, uint64_t len)
{
        size_t size = len < COPY_BUFFER ? (size_t)len : (size_t)COPY_BUFFER;
        AUTO_FREE uint8_t *buf = malloc(size ? size : 1);
        if (!buf)
                return FS_NO_MEMORY;
        bool back = from->node == to->node && to_off > off;
        enum fs_err e = FS_OK;
        for (uint64_t done = 0; !e && done < len;) {
                size_t n = len - done < size ? (size_t)(len - done) : size;
                uint64_t at = back ? len - done - n : done;
                e = copy_piece(from, off + at, to, to_off + at, bytes_of(buf, n));
                done += n;
        }
        return e;
}

static enum fs_err copy_data(struct fs_open *from, uint64_t off, struct fs_open *to,
                             uint64_t to_off, uint64_t len)
{
        const struct store_ops *ops = store_file_ops(from->file);
        uint64_t n = 0;
        if (from->vol->store != to->vol->store || !ops->copy)
                return copy_through(from, off, to, to_off, len);
        enum fs_err e = ops->copy(from->file, off, to->file, to_off, len, &n);
        if (e == FS_UNSUPPORTED || e == FS_OTHER_DEVICE)
                return copy_through(from, off, to, to_off, len);
        return !e && n < len ? FS_INVALID : e;
}

enum fs_err fs_copy(struct fs_open *from, uint64_t off, struct fs_open *to, uint64_t to_off,
                    uint64_t len)
{
        enum fs_err e = check_copy(from, off, to, to_off, len);
        if (e || len == 0)
                return e;
        struct attr_thaw t;
        e = attr_freeze_begin(to, atomic_load(&to->frozen), &t);
        if (!e)
                e = copy_data(from, off, to, to_off, len);
        if (e)
                return e;
        attr_mark_changed(to);
        return attr_freeze_end(to, &t);
}
