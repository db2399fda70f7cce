/* See ops.h: each operation is in the file that its name begins with. */
#include "mount/ops.h"

#include <errno.h>

#include "mount/copy.h"
#include "mount/dir.h"
#include "mount/lock.h"
#include "mount/lookup.h"
#include "mount/names.h"
#include "mount/open.h"
#include "mount/read.h"
#include "mount/setattr.h"
#include "mount/statfs.h"
#include "mount/write.h"
#include "mount/xattr.h"

#define IO_MAX (1024u * 1024)
#define BACKGROUND 128u /* requests of the kernel's that nobody waits for: reading ahead */
#define GRAIN_NS 100u

/* The kernel's own writing back is off: it would keep sizes and times to itself, whatever other
 * machines do. Ours is under leases. */
static void init(void *userdata, struct fuse_conn_info *conn)
{
        static const unsigned wanted =
                FUSE_CAP_ASYNC_READ | FUSE_CAP_POSIX_LOCKS | FUSE_CAP_FLOCK_LOCKS |
                FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS |
                FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_HANDLE_KILLPRIV | FUSE_CAP_EXPLICIT_INVAL_DATA;
        static const unsigned unwanted = FUSE_CAP_WRITEBACK_CACHE | FUSE_CAP_AUTO_INVAL_DATA;
        (void)userdata;
        conn->want = (conn->want & ~unwanted) | (conn->capable & wanted);
        conn->max_write = IO_MAX;
        conn->max_readahead = IO_MAX;
        conn->max_background = BACKGROUND;
        conn->congestion_threshold = BACKGROUND;
        conn->time_gran = GRAIN_NS;
}

static void fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
        (void)ino;
        (void)datasync;
        (void)fi;
        (void)fuse_reply_err(req, 0); /* names are the server's when it has answered */
}

static const struct fuse_lowlevel_ops table = {
        .init = init,
        .lookup = lookup_op,
        .forget = lookup_op_forget,
        .forget_multi = lookup_op_forget_multi,
        .getattr = lookup_op_getattr,
        .setattr = setattr_op,
        .readlink = names_op_readlink,
        .mknod = names_op_mknod,
        .mkdir = names_op_mkdir,
        .unlink = names_op_unlink,
        .rmdir = names_op_rmdir,
        .symlink = names_op_symlink,
        .rename = names_op_rename,
        .link = names_op_link,
        .open = open_op,
        .create = open_op_create,
        .read = read_op,
        .write = write_op,
        .flush = open_op_flush,
        .fsync = open_op_fsync,
        .release = open_op_release,
        .opendir = dir_op_opendir,
        .readdir = dir_op_readdir,
        .readdirplus = dir_op_readdirplus,
        .releasedir = dir_op_releasedir,
        .fsyncdir = fsyncdir,
        .statfs = statfs_op,
        .getlk = lock_op_getlk,
        .setlk = lock_op_setlk,
        .flock = lock_op_flock,
        .setxattr = xattr_op_set,
        .getxattr = xattr_op_get,
        .listxattr = xattr_op_list,
        .removexattr = xattr_op_remove,
        .copy_file_range = copy_op,
};

const struct fuse_lowlevel_ops *ops_table(void)
{
        return &table;
}
