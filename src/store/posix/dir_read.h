/* Reading a directory's names in big pieces. Not thread-safe per pass. */
#ifndef FREVO_STORE_POSIX_DIR_READ_H
#define FREVO_STORE_POSIX_DIR_READ_H

#include <stddef.h>
#include <stdint.h>

enum { DIR_READ_BYTES = 64 * 1024 };

struct dir_read {
        int fd;       /* borrowed; its position is used */
        size_t at, n; /* within buf */
        char *buf;    /* DIR_READ_BYTES; owned */
};

/* 0 or an errno. */
int dir_read_init(struct dir_read *r, int fd);
void dir_read_fini(struct dir_read *r);
/* The next name except "." and ".." (valid until the next call), or NULL: at the end (*err 0) or on
 * an error. */
const char *dir_read_next(struct dir_read *r, uint64_t *ino, int *err);

#endif
