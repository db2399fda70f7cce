/* How much room there is. */
#ifndef FREVO_MOUNT_STATFS_H
#define FREVO_MOUNT_STATFS_H

#include "mount/mount.h"

void statfs_op(fuse_req_t req, fuse_ino_t ino);

#endif
