/* READ, WRITE, FLUSH, sizes: [MS-FSA] 2.1.5.3, 2.1.5.4, 2.1.5.7, 2.1.5.15.1 and .5. The store keeps
 * times itself; what is left here are locks, ends of files, and times that a client has frozen. */
#include "fs/grant.h"

#define MAX_OFFSET ((uint64_t)INT64_MAX)

static bool wraps(uint64_t off, uint64_t n)
{
        return off > MAX_OFFSET || n > MAX_OFFSET - off;
}

/* Would the file be longer than its volume allows? [MS-FSA] 2.1.5.4: Volume.MaximumFileSize. */
static bool passes_end(const struct fs_open *o, uint64_t off, uint64_t n)
{
        uint64_t max = o->vol->store->max_file_bytes;
        return wraps(off, n) || (max && n && (off > max || n > max - off));
}

/* Everything that can be said before the store is asked. */
static enum fs_err check_read(struct fs_open *o, size_t n, uint64_t off)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (!(o->access & (FS_READ_DATA | FS_EXECUTE)))
                return FS_DENIED;
        if (o->node->dir || wraps(off, n))
                return o->node->dir ? FS_IS_DIR : FS_INVALID;
        return lock_check_io(o, off, n, false);
}

static bool freezes(struct fs_open *o, unsigned what)
{
        return atomic_load_explicit(&o->frozen, memory_order_relaxed) & what;
}

enum fs_err fs_read(struct fs_open *o, void *p, size_t n, uint64_t off, unsigned how, size_t *ret_n)
{
        enum fs_err e = check_read(o, n, off);
        if (e)
                return e;
        bool frozen = freezes(o, OPEN_FROZEN_ATIME);
        if (frozen && how & FS_NOWAIT)
                return FS_AGAIN;
        struct attr_thaw t = {0};
        if (frozen && (e = attr_freeze_begin(o, OPEN_FROZEN_ATIME, &t)))
                return e;
        size_t got = 0;
        e = store_file_ops(o->file)->read(o->file, p, n, off, how, &got);
        if (!e && frozen)
                e = attr_freeze_end(o, &t);
        if (!e && n > 0 && got == 0)
                e = FS_END_OF_FILE;
        if (e)
                return e;
        fs_open_set_position(o, off + got);
        *ret_n = got;
        return FS_OK;
}

enum fs_err fs_read_fd(struct fs_open *o, size_t n, uint64_t off, unsigned how, int *ret_fd,
                       size_t *ret_n)
{
        const struct store_ops *ops = store_file_ops(o->file);
        enum fs_err e = check_read(o, n, off);
        if (e)
                return e;
        int fd = ops->fd && !freezes(o, OPEN_FROZEN_ATIME) ? ops->fd(o->file) : -1;
        if (fd < 0)
                return FS_UNSUPPORTED;
        struct store_attr a;
        e = ops->attr(o->file, &a);
        if (e)
                return e;
        if (off >= a.size && n > 0)
                return FS_END_OF_FILE;
        size_t got = n > a.size - off ? (size_t)(a.size - off) : n;
        if (ops->warm && got && (e = ops->warm(o->file, off, got, how)))
                return e;
        fs_open_set_position(o, off + got);
        *ret_fd = fd;
        *ret_n = got;
        return FS_OK;
}

/* ---- writing ---- */

/* An open that may only append writes at the end or behind it. */
static enum fs_err check_append_only(struct fs_open *o, uint64_t off)
{
        if (o->access & FS_WRITE_DATA)
                return FS_OK;
        struct store_attr a;
        enum fs_err e = store_file_ops(o->file)->attr(o->file, &a);
        return e ? e : off >= a.size ? FS_OK : FS_DENIED;
}

static enum fs_err check_write(struct fs_open *o)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (!(o->access & (FS_WRITE_DATA | FS_APPEND_DATA)))
                return FS_DENIED;
        return o->node->dir ? FS_IS_DIR : FS_OK;
}

static enum fs_err write_data(struct fs_open *o, struct bytes b, uint64_t off, bool through,
                              unsigned how)
{
        const struct store_ops *ops = store_file_ops(o->file);
        struct attr_thaw t = {0};
        enum fs_err e = attr_freeze_begin(o, atomic_load(&o->frozen), &t);
        if (!e)
                e = ops->write(o->file, b.p, b.n, off, how);
        if (!e)
                attr_mark_changed(o);
        if (!e)
                e = attr_freeze_end(o, &t);
        if (!e && through)
                e = ops->sync(o->file);
        if (e)
                return e;
        fs_open_set_position(o, off + b.n);
        notify_changed(o, FS_CHANGE_SIZE | FS_CHANGE_WRITE);
        return FS_OK;
}

/* At the end, wherever that is by then: appenders of one file take turns. Always on a worker. */
static enum fs_err append_data(struct fs_open *o, struct bytes b, bool through)
{
        struct store_attr a;
        pthread_mutex_lock(&o->node->append_mutex);
        enum fs_err e = store_file_ops(o->file)->attr(o->file, &a);
        if (!e && wraps(a.size, b.n))
                e = FS_INVALID;
        if (!e)
                e = lock_check_io(o, a.size, b.n, true);
        if (!e)
                e = write_data(o, b, a.size, through, 0);
        pthread_mutex_unlock(&o->node->append_mutex);
        return e;
}

enum fs_err fs_write(struct fs_open *o, const void *p, size_t n, uint64_t off, bool through,
                     unsigned how)
{
        bool append = off == UINT64_MAX;
        enum fs_err e = check_write(o);
        if (e)
                return e;
        if (!append && passes_end(o, off, n))
                return FS_INVALID;
        if (n == 0)
                return FS_OK;
        through |= (o->options & FS_OPT_WRITE_THROUGH) != 0;
        if (!append && (e = lock_check_io(o, off, n, true)))
                return e;
        bool blocks = append || through || attr_write_blocks(o) || !(o->access & FS_WRITE_DATA);
        if (how & FS_NOWAIT && blocks)
                return FS_AGAIN;
        if (append)
                return append_data(o, bytes_of(p, n), through);
        e = check_append_only(o, off);
        return e ? e : write_data(o, bytes_of(p, n), off, through, how);
}

enum fs_err fs_flush(struct fs_open *o)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        /* [MS-SMB2] 3.3.5.11: only who may write may flush. */
        if (!(o->access & (FS_WRITE_DATA | FS_APPEND_DATA)))
                return FS_DENIED;
        return store_file_ops(o->file)->sync(o->file);
}

/* ---- sizes ---- */

static enum fs_err check_resize(struct fs_open *o, uint64_t size)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (o->node->dir || passes_end(o, 0, size))
                return FS_INVALID;
        return open_check(o, FS_WRITE_DATA);
}

static enum fs_err resize(struct fs_open *o, uint64_t size)
{
        struct attr_thaw t = {0};
        enum fs_err e = attr_freeze_begin(o, atomic_load(&o->frozen), &t);
        if (!e)
                e = store_file_ops(o->file)->resize(o->file, size);
        if (!e)
                attr_mark_changed(o);
        if (!e)
                e = attr_freeze_end(o, &t);
        if (!e)
                notify_changed(o, FS_CHANGE_SIZE | FS_CHANGE_WRITE);
        return e;
}

enum fs_err fs_set_size(struct fs_open *o, uint64_t size)
{
        struct store_attr a;
        enum fs_err e = check_resize(o, size);
        if (!e)
                e = store_file_ops(o->file)->attr(o->file, &a);
        if (e)
                return e;
        /* What appears or vanishes must not be locked by somebody else. */
        uint64_t from = size < a.size ? size : a.size, to = size < a.size ? a.size : size;
        e = lock_check_io(o, from, to - from, true);
        return e ? e : resize(o, size);
}

enum fs_err fs_set_alloc(struct fs_open *o, uint64_t bytes)
{
        const struct store_ops *ops = store_file_ops(o->file);
        struct store_attr a;
        enum fs_err e = check_resize(o, bytes);
        if (!e)
                e = ops->attr(o->file, &a);
        if (e)
                return e;
        if (bytes < a.size)
                return fs_set_size(o, bytes);
        if (bytes > a.size)
                e = ops->allocate(o->file, 0, bytes, STORE_ALLOC_RESERVE);
        if (e && e != FS_UNSUPPORTED)
                return e;
        grant_data_changes(o); /* copies go even where only space came ([MS-FSA] 2.1.4.12) */
        return FS_OK;          /* a reservation promises nothing but speed */
}
