/* Extended attributes of an open file, or of a name in an open directory, by their full names. What
 * the user may not touch is tried again as the server: for the store's own attributes. */
#ifndef FREVO_STORE_POSIX_XATTR_RAW_H
#define FREVO_STORE_POSIX_XATTR_RAW_H

#include <sys/types.h>

#include "store/posix/volume.h"

/* Bytes, or -errno: -ENODATA none, -ERANGE too small, -EOPNOTSUPP. n 0 asks for the size. The
 * thread may be the server afterwards. */
ssize_t xattr_raw_get(const struct posix_file *f, const char *name, void *p, size_t n);
/* The same for a directory's entry, links not followed. */
ssize_t xattr_raw_get_at(const struct posix_store *s, int dir, const char *entry, const char *name,
                         void *p, size_t n);
/* 0 or -errno; an empty value removes. As the thread is. */
int xattr_raw_set(const struct posix_file *f, const char *name, struct bytes value);
/* Names, each ending in NUL; bytes or -errno. As the thread is. */
ssize_t xattr_raw_list(const struct posix_file *f, char *p, size_t n);

#endif
