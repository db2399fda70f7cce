/* See dir_read.h. getdents64 itself: readdir() reads 32 KiB at a time and allocates for each. */
#include "store/posix/dir_read.h"

#include <dirent.h>
#include <errno.h>

#include "base/auto.h"

int dir_read_init(struct dir_read *r, int fd)
{
        *r = (struct dir_read){.fd = fd, .buf = malloc(DIR_READ_BYTES)};
        return r->buf ? 0 : ENOMEM;
}

void dir_read_fini(struct dir_read *r)
{
        free(r->buf);
        r->buf = NULL;
}

const char *dir_read_next(struct dir_read *r, uint64_t *ino, int *err)
{
        *err = 0;
        for (;;) {
                if (r->at == r->n) {
                        ssize_t n = getdents64(r->fd, r->buf, DIR_READ_BYTES);
                        if (n <= 0) {
                                /* ENOENT: the directory was removed; it has no more names */
                                *err = n < 0 && errno != ENOENT ? errno : 0;
                                return NULL;
                        }
                        r->n = (size_t)n;
                        r->at = 0;
                }
                /* the kernel's own aligned records: trusted */
                const struct dirent64 *e = (const void *)(r->buf + r->at);
                r->at += e->d_reclen;
                const char *name = e->d_name;
                if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0)))
                        continue;
                *ino = e->d_ino;
                return name;
        }
}
