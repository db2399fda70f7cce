/* Names to nodes, and their attributes. */
#ifndef FREVO_MOUNT_LOOKUP_H
#define FREVO_MOUNT_LOOKUP_H

#include "mount/mount.h"

void lookup_op(fuse_req_t req, fuse_ino_t parent, const char *name);
void lookup_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup);
void lookup_op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets);
void lookup_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);

/* The node of a name that an answer (to a question of when mount.changes was `asked`) told of; NULL
 * without memory. It is listed if the folder's listing is believed. */
struct node *lookup_take(struct mount *m, struct node *parent, const char *name,
                         const struct frevo_stat *st, uint64_t asked);

#endif
