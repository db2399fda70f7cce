/* What the kernel may ask for: the table of all operations. */
#ifndef FREVO_MOUNT_OPS_H
#define FREVO_MOUNT_OPS_H

#include "mount/mount.h"

const struct fuse_lowlevel_ops *ops_table(void);

#endif
