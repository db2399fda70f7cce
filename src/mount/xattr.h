/* Extended attributes: user.* are the server's EAs. Of other name spaces there are none, which is
 * said without asking, as many programs look for them in each file. */
#ifndef FREVO_MOUNT_XATTR_H
#define FREVO_MOUNT_XATTR_H

#include "mount/mount.h"

void xattr_op_set(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size,
                  int flags);
void xattr_op_get(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size);
void xattr_op_list(fuse_req_t req, fuse_ino_t ino, size_t size);
void xattr_op_remove(fuse_req_t req, fuse_ino_t ino, const char *name);

#endif
