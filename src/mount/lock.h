/* fcntl(2) and flock(2) locks.
 *
 * Other machines see them as the server's byte-range locks, which are mandatory: what is locked for
 * writing, no other machine reads or writes; what is locked for reading, nobody writes, the holder
 * included. A lock of flock(2) is one of the whole file. A change of kind or range is an unlock and
 * a lock at the server: somebody may come in between, and then EAGAIN is answered with the old lock
 * gone. All locks of a file are held by one handle.
 */
#ifndef FREVO_MOUNT_LOCK_H
#define FREVO_MOUNT_LOCK_H

#include "mount/file.h"

void lock_op_getlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *fl);
void lock_op_setlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *fl,
                   int sleep);
void lock_op_flock(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, int op);

/* A process closes a descriptor: its locks of the file go. done may come at once. */
void lock_drop_owner(struct mount *m, struct node *n, uint64_t owner, void (*done)(void *arg),
                     void *arg);
void lock_drop_flock(struct mount *m, struct node *n, uint64_t owner);

#endif
