/* Opening, making, syncing and closing files. */
#ifndef FREVO_MOUNT_OPEN_H
#define FREVO_MOUNT_OPEN_H

#include "mount/handle.h"

void open_op(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void open_op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
                    struct fuse_file_info *fi);
void open_op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void open_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void open_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);

/* What open.c and create.c share. Access that flags of open(2) need. */
uint32_t open_access(int flags);
/* An open file of n, for fi, with h (taken; NULL: none yet). False without memory. */
bool open_attach(struct mount *m, struct node *n, struct handle *h, struct fuse_file_info *fi);
void open_detach(struct mount *m, struct open_file *o);

#endif
