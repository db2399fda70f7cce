/* copy_file_range(2): the server copies, nothing of it comes over the line. */
#ifndef FREVO_MOUNT_COPY_H
#define FREVO_MOUNT_COPY_H

#include "mount/mount.h"

void copy_op(fuse_req_t req, fuse_ino_t from, off_t from_off, struct fuse_file_info *from_fi,
             fuse_ino_t to, off_t to_off, struct fuse_file_info *to_fi, size_t n, int flags);

#endif
