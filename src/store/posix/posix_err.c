/* See posix_err.h. The table names every errno of Linux that a file system call can give;
 * posix_err_test.c walks them all. */
#include "store/posix/posix_err.h"

#include <errno.h>

static const struct {
        int err;
        enum fs_err fs;
} table[] = {
        {EPERM, FS_DENIED},
        {ENOENT, FS_NOT_FOUND},
        {EINTR, FS_AGAIN},
        {EIO, FS_IO},
        {ENXIO, FS_DENIED}, /* a pipe without a reader, a device without a driver */
        {E2BIG, FS_INVALID},
        {EBADF, FS_DENIED}, /* the descriptor was not opened for this: O_PATH, or read-only */
        {EAGAIN, FS_AGAIN},
        {ENOMEM, FS_NO_MEMORY},
        {EACCES, FS_DENIED},
        {EFAULT, FS_INVALID},
        {EBUSY, FS_SHARING}, /* a mount point, a swap file */
        {EEXIST, FS_EXISTS},
        {EXDEV, FS_OTHER_DEVICE}, /* openat2's callers say FS_DENIED: the path leads out */
        {ENODEV, FS_DENIED},
        {ENOTDIR, FS_NOT_DIR},
        {EISDIR, FS_IS_DIR},
        {EINVAL, FS_INVALID},
        {ENFILE, FS_TOO_MANY},
        {EMFILE, FS_TOO_MANY},
        {ETXTBSY, FS_SHARING},
        {EFBIG, FS_TOO_BIG},
        {ENOSPC, FS_NO_SPACE},
        {ESPIPE, FS_INVALID},
        {EROFS, FS_READ_ONLY},
        {EMLINK, FS_TOO_MANY},
        {EPIPE, FS_IO},
        {ERANGE, FS_BUFFER_SMALL},
        {EDEADLK, FS_LOCK_DENIED},
        {ENAMETOOLONG, FS_TOO_LONG},
        {ENOLCK, FS_TOO_MANY},
        {ENOSYS, FS_UNSUPPORTED},
        {ENOTEMPTY, FS_NOT_EMPTY},
        {ELOOP, FS_SYMLINK},
        {ENODATA, FS_NO_SUCH_ATTR},
        {EOVERFLOW, FS_TOO_BIG},
        {EILSEQ, FS_BAD_NAME}, /* file systems with case folding refuse what is no UTF-8 */
        {EOPNOTSUPP, FS_UNSUPPORTED},
        {ETIMEDOUT, FS_IO},
        {ESTALE, FS_STALE},
        {ENOTCONN, FS_STALE}, /* the daemon of a FUSE mount is gone */
        {EHOSTDOWN, FS_STALE},
        {EDQUOT, FS_QUOTA},
        {ECANCELED, FS_CANCELLED},
        {EUCLEAN, FS_CORRUPT},
        {EBADMSG, FS_CORRUPT},
        {EREMOTEIO, FS_IO},
        {ENOMEDIUM, FS_STALE},
        {ENOKEY, FS_DENIED}, /* an encrypted directory whose key is not loaded */
        {EKEYEXPIRED, FS_DENIED},
        {EKEYREVOKED, FS_DENIED},
        {EKEYREJECTED, FS_DENIED},
};

enum fs_err posix_err(int err)
{
        for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
                if (table[i].err == err)
                        return table[i].fs;
        return FS_IO;
}
