/* Folders: the listing that is kept of each, and what readers of it see.
 *
 * A kept listing is a folder's children that are `listed`, with their attributes; while it is
 * believed, names in it and names not in it need no question to the server. It is believed under a
 * lease of the folder until that breaks, and without one for conf.cache_ms.
 */
#ifndef FREVO_MOUNT_DIR_H
#define FREVO_MOUNT_DIR_H

#include "mount/mount.h"

typedef void (*dir_done)(void *arg, int err);

/* Is the kept listing believed? */
bool dir_is_fresh(const struct node *n);
bool dir_is_leased(const struct node *n);
/* Fetches the listing. Several who ask at once get one. done comes later, or at once with ENOMEM.
 * Costs 1. */
void dir_fetch(struct mount *m, struct node *n, dir_done done, void *arg);
/* Of a folder just made: there is nothing in it. */
void dir_is_new(struct mount *m, struct node *n);
/* A question to the server about one name in n is about to be asked. True: better ask for the whole
 * listing, as others did and will. */
bool dir_counts_miss(struct mount *m, struct node *n);
/* No name in n, nor n's own attributes, are believed from now on. */
void dir_stale(struct mount *m, struct node *n);
/* No listed name can be the server's answer to `name` in another case. */
bool dir_surely_lacks(const struct mount *m, const struct node *n, const char *name);
/* Closes what is open for leases: of n; of it and all below; of the mount. */
void dir_let_go(struct node *n);
void dir_let_go_below(struct mount *m, const struct node *n);
void dir_let_go_all(struct mount *m);
void dir_fini(struct node *n);

void dir_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void dir_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                    struct fuse_file_info *fi);
void dir_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                        struct fuse_file_info *fi);
void dir_op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);

#endif
