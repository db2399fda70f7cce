/* Writing, under a lease into the buffer and without one to the server. */
#ifndef FREVO_MOUNT_WRITE_H
#define FREVO_MOUNT_WRITE_H

#include "mount/file.h"

void write_op(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
              struct fuse_file_info *fi);
/* The buffers of all files hold less than before: lets those who waited for that go on. */
void write_resume(struct mount *m);

#endif
