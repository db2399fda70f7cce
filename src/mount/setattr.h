/* Changing attributes: size, times, and what of the mode and the owner a server can keep. */
#ifndef FREVO_MOUNT_SETATTR_H
#define FREVO_MOUNT_SETATTR_H

#include "mount/mount.h"

void setattr_op(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
                struct fuse_file_info *fi);

#endif
