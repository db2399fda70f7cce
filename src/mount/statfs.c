/* See statfs.h. */
#include "mount/statfs.h"

#include <errno.h>
#include <sys/statvfs.h>

static void told(void *arg, const struct frevo_result *r)
{
        fuse_req_t req = arg;
        const struct frevo_space *sp = r->data;
        if (r->err) {
                (void)fuse_reply_err(req, r->err);
                return;
        }
        uint64_t block = sp->block_bytes ? sp->block_bytes : 4096;
        struct statvfs st = {
                .f_bsize = block,
                .f_frsize = block,
                .f_blocks = sp->total_bytes / block,
                .f_bfree = sp->free_bytes / block,
                .f_bavail = sp->available_bytes / block,
                .f_namemax = sp->name_max ? sp->name_max : 255,
        };
        (void)fuse_reply_statfs(req, &st);
}

void statfs_op(fuse_req_t req, fuse_ino_t ino)
{
        (void)ino;
        if (!frevo_space_start(mount_of(req)->share, told, req))
                (void)fuse_reply_err(req, ENOMEM);
}
