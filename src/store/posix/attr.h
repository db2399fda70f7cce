/* Attributes: what statx tells, joined with the stored DOS attributes. */
#ifndef FREVO_STORE_POSIX_ATTR_H
#define FREVO_STORE_POSIX_ATTR_H

#include "store/posix/volume.h"

/* Of an open descriptor, without the stored ones. 0 or an errno. */
int attr_of_fd(int fd, struct store_attr *ret);
/* Of a name in a directory, links not followed. 0 or an errno. */
int attr_of_entry(int dir, const char *name, struct store_attr *ret);

/* Adds DOS attributes and creation time from a stored blob (n < 0: there is none). What is
 * malformed counts as not there. */
void attr_add_stored(struct store_attr *a, const void *blob, ssize_t n);
/* Reads and adds them for an open file. */
void attr_add_stored_of(const struct posix_file *f, struct store_attr *a);

/* Writes DOS attributes (STORE_SET_DOS) and creation time (STORE_SET_BTIME), keeping the other one.
 * The thread is the server afterwards. */
enum fs_err attr_store(const struct posix_file *f, unsigned what, const struct store_attr *a);

#endif
