/* errno to enum fs_err, once, at the store's edge. */
#ifndef FREVO_STORE_POSIX_POSIX_ERR_H
#define FREVO_STORE_POSIX_POSIX_ERR_H

#include "base/fs_err.h"

/* What failed decides what ENOENT and the like mean; this is the reading for the object named last.
 * Never FS_OK: an errno that no call should give is FS_IO. */
enum fs_err posix_err(int err);

#endif
