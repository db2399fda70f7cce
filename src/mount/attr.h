/* Attributes: what the server says of a file, what the kernel is told, and for how long both are
 * believed. */
#ifndef FREVO_MOUNT_ATTR_H
#define FREVO_MOUNT_ATTR_H

#include <sys/stat.h>

#include "mount/mount.h"

#define ATTRIBUTE_READONLY 0x1u
#define ATTRIBUTE_NORMAL 0x80u

/* The server's word on n, from an answer to a question asked when mount.changes was `asked`. */
void attr_take(struct mount *m, struct node *n, const struct frevo_stat *st, uint64_t asked);
/* Need the server be asked? */
bool attr_is_fresh(const struct mount *m, const struct node *n);
/* It must be, from now on. */
void attr_stale(struct node *n);

void attr_stat(const struct mount *m, const struct node *n, struct stat *out);
/* Seconds that the kernel may believe n's attributes; its name. */
double attr_timeout(const struct mount *m, const struct node *n);
double attr_name_timeout(const struct mount *m, const struct node *n);
/* For fuse_reply_entry() and its like; counts the look-up. */
struct fuse_entry_param attr_entry(const struct mount *m, struct node *n);
void attr_reply_entry(struct mount *m, fuse_req_t req, struct node *n);
void attr_reply(struct mount *m, fuse_req_t req, const struct node *n);

int64_t attr_now_ns(void);

#endif
