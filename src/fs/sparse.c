/* Sparse files: [MS-FSA] 2.1.5.10.38 (set sparse), .39 (zero data), .22 (allocated ranges). */
#include "fs/open.h"

enum fs_err fs_set_sparse(struct fs_open *o, bool sparse)
{
        const struct store_ops *ops = store_file_ops(o->file);
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (o->node->dir)
                return FS_INVALID;
        if (o->base)
                return FS_UNSUPPORTED; /* no store tells one stream's holes from another's */
        if (!(o->access & (FS_WRITE_DATA | FS_WRITE_ATTR | FS_APPEND_DATA)))
                return FS_DENIED;
        struct store_attr a;
        e = ops->attr(o->file, &a);
        if (e)
                return e;
        uint32_t dos = sparse ? a.dos | STORE_DOS_SPARSE : a.dos & ~(uint32_t)STORE_DOS_SPARSE;
        if (dos != a.dos) {
                a.dos = dos;
                e = ops->set_attr(o->file, NULL, STORE_SET_DOS, &a);
        }
        if (!e) {
                pthread_mutex_lock(&o->node->mutex);
                o->node->sparse = sparse;
                pthread_mutex_unlock(&o->node->mutex);
        }
        return e;
}

static bool is_sparse(struct fs_open *o)
{
        pthread_mutex_lock(&o->node->mutex);
        bool yes = o->node->sparse;
        pthread_mutex_unlock(&o->node->mutex);
        return yes;
}

/* Clips [off, off+len) to the file; false when nothing is left. */
static enum fs_err clip(struct fs_open *o, uint64_t off, uint64_t *len)
{
        struct store_attr a;
        enum fs_err e = store_file_ops(o->file)->attr(o->file, &a);
        if (e)
                return e;
        if (off >= a.size)
                *len = 0;
        else if (*len > a.size - off)
                *len = a.size - off;
        return FS_OK;
}

static bool is_range(uint64_t off, uint64_t len)
{
        return off <= INT64_MAX && len <= (uint64_t)INT64_MAX - off;
}

static enum fs_err zero_range(struct fs_open *o, uint64_t off, uint64_t len)
{
        const struct store_ops *ops = store_file_ops(o->file);
        struct attr_thaw t;
        enum fs_err e = attr_freeze_begin(o, atomic_load(&o->frozen), &t);
        if (e)
                return e;
        /* Only a sparse file gives its space back; any other keeps it and reads as zeros. */
        e = ops->allocate(o->file, off, len, is_sparse(o) ? STORE_ALLOC_PUNCH : STORE_ALLOC_ZERO);
        if (!e)
                attr_mark_changed(o);
        return e ? e : attr_freeze_end(o, &t);
}

enum fs_err fs_zero(struct fs_open *o, uint64_t off, uint64_t len)
{
        enum fs_err e = open_check(o, FS_WRITE_DATA);
        if (e)
                return e;
        if (o->node->dir || !is_range(off, len))
                return FS_INVALID;
        e = clip(o, off, &len);
        if (!e && len)
                e = lock_check_io(o, off, len, true);
        return e || !len ? e : zero_range(o, off, len);
}

enum fs_err fs_ranges(struct fs_open *o, uint64_t off, uint64_t len, struct store_range *r,
                      size_t cap, size_t *ret_n)
{
        const struct store_ops *ops = store_file_ops(o->file);
        enum fs_err e = open_check(o, FS_READ_DATA);
        if (e)
                return e;
        if (o->node->dir || !is_range(off, len))
                return FS_INVALID;
        e = clip(o, off, &len);
        if (e)
                return e;
        *ret_n = 0;
        if (!len)
                return FS_OK;
        /* A file that is not sparse has all its ranges, whatever the disk does with zeros. */
        if (!is_sparse(o) || !ops->ranges) {
                if (!cap)
                        return FS_BUFFER_SMALL;
                r[0] = (struct store_range){.off = off, .len = len};
                *ret_n = 1;
                return FS_OK;
        }
        return ops->ranges(o->file, off, len, r, cap, ret_n);
}
