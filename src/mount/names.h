/* Changing names: folders made, files removed, renamed, linked. */
#ifndef FREVO_MOUNT_NAMES_H
#define FREVO_MOUNT_NAMES_H

#include "mount/mount.h"

void names_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void names_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev);
void names_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void names_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void names_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t newparent,
                     const char *newname, unsigned flags);
void names_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname);
void names_op_symlink(fuse_req_t req, const char *link, fuse_ino_t parent, const char *name);
void names_op_readlink(fuse_req_t req, fuse_ino_t ino);

/* We have changed the names in a folder; n is one of them. */
void names_changed(struct mount *m, struct node *parent);
void names_added(struct mount *m, struct node *parent, struct node *n);

#endif
