/* Listing directories: names in pieces of 64 KiB; attributes cost a statx and a getxattr each.
 *
 * A link that leads to something inside the volume is shown as that; one that leads out, or
 * nowhere, as a link. Names that are no UTF-8 are left out: no client could say them. */
#include <errno.h>
#include <fcntl.h>

#include "base/utf16.h"
#include "store/posix/attr.h"
#include "store/posix/dir_read.h"
#include "store/posix/dosattrib.h"
#include "store/posix/posix_err.h"
#include "store/posix/volume.h"
#include "store/posix/walk.h"
#include "store/posix/xattr_raw.h"

struct posix_dir {
        struct posix_file *f; /* borrowed */
        struct dir_read read;
        const char *name; /* last given; NULL: none yet */
};

static struct posix_dir *dir_of(struct store_dir *d)
{
        return (struct posix_dir *)(void *)d; /* NOLINT: the backend's own */
}

enum fs_err posix_dir_open(struct store_file *sf, struct store_dir **ret)
{
        struct posix_file *f = posix_file_of(sf);
        if (f->kind != STORE_DIR || f->stream)
                return FS_NOT_DIR;
        if (f->is_path)
                return FS_DENIED; /* opened for attributes only */
        struct posix_dir *d = calloc(1, sizeof *d);
        if (!d)
                return FS_NO_MEMORY;
        /* a descriptor of its own: each pass has its own position */
        enum fs_err e = posix_become(posix_file_store(f), NULL);
        int fd = e ? -1 : openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (!e && fd < 0)
                e = errno == ENOENT ? FS_OK : posix_err(errno); /* removed: nothing to list */
        d->f = f;
        d->read.fd = fd;
        if (!e && fd >= 0 && dir_read_init(&d->read, fd) != 0)
                e = FS_NO_MEMORY;
        if (e) {
                posix_dir_close((struct store_dir *)(void *)d);
                return e;
        }
        *ret = (struct store_dir *)(void *)d;
        return FS_OK;
}

void posix_dir_close(struct store_dir *sd)
{
        struct posix_dir *d = sd ? dir_of(sd) : NULL;
        if (!d)
                return;
        if (d->read.fd >= 0)
                (void)close(d->read.fd);
        dir_read_fini(&d->read);
        free(d);
}

enum fs_err posix_dir_next(struct store_dir *sd, struct store_entry *ret)
{
        struct posix_dir *d = dir_of(sd);
        int err = 0;
        uint64_t ino = 0;
        do
                d->name = d->read.fd < 0 ? NULL : dir_read_next(&d->read, &ino, &err);
        while (d->name && !utf8_valid(d->name));
        if (!d->name)
                return err ? posix_err(err) : FS_NO_MORE;
        *ret = (struct store_entry){.name = d->name, .ino = ino};
        return FS_OK;
}

/* What the link leads to, if that is inside; resolved by path, since links may climb. */
static void show_target(const struct posix_dir *d, struct store_attr *a)
{
        struct posix_store *s = posix_file_store(d->f);
        AUTO_FREE char *path = walk_join(d->f->path, d->name);
        AUTO_CLOSE int fd = path ? walk_open(s, path, O_PATH, 0, 0) : -1;
        struct store_attr target;
        if (fd < 0 || attr_of_fd(fd, &target) != 0)
                return;
        struct posix_file f = {.head = d->f->head, .fd = fd, .is_path = true, .kind = target.kind};
        attr_add_stored_of(&f, &target);
        *a = target;
}

enum fs_err posix_dir_attr(struct store_dir *sd, struct store_attr *ret)
{
        struct posix_dir *d = dir_of(sd);
        struct posix_store *s = posix_file_store(d->f);
        if (!d->name)
                return FS_INVALID;
        struct store_attr a;
        int err = attr_of_entry(d->read.fd, d->name, &a);
        if (err && posix_retry_as_server(s, err))
                err = attr_of_entry(d->read.fd, d->name, &a);
        if (err)
                return posix_err(err);
        if (a.kind == STORE_SYMLINK) {
                show_target(d, &a);
        } else if (a.kind != STORE_OTHER) {
                uint8_t blob[DOSATTRIB_MAX_BYTES];
                ssize_t n =
                        xattr_raw_get_at(s, d->read.fd, d->name, DOSATTRIB_NAME, blob, sizeof blob);
                attr_add_stored(&a, blob, n);
        }
        *ret = a;
        return FS_OK;
}
