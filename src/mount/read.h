/* Reading. */
#ifndef FREVO_MOUNT_READ_H
#define FREVO_MOUNT_READ_H

#include "mount/file.h"

void read_op(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);

#endif
