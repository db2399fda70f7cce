/* What a user may do with an existing file: its descriptor (or permission bits) together with its
 * parent's, the read-only attribute and the share's own setting. [MS-FSA] 2.1.5.1.2.1. */
#ifndef FREVO_FS_ACCESS_H
#define FREVO_FS_ACCESS_H

#include "fs/node.h"

/* Rights that change something: never given on a read-only volume. */
#define ACCESS_MODIFY                                                                              \
        ((uint32_t)(FS_WRITE_DATA | FS_APPEND_DATA | FS_WRITE_EA | FS_DELETE_CHILD |               \
                    FS_WRITE_ATTR | FS_DELETE | FS_WRITE_DACL | FS_WRITE_OWNER))

/* The stored descriptor of an open file, in memory of its own. */
struct access_sd {
        uint8_t *buf; /* NULL: the file has none */
        struct secdesc sd;
};
/* FS_OK also when there is none. n may be NULL; else what it remembers saves the call, and is
 * brought up to date. FS_CORRUPT: what is stored is no descriptor: nobody gets in. */
enum fs_err access_sd_load(struct store_file *f, struct node *n, struct access_sd *ret) MUST_USE;
static inline void access_sd_free(struct access_sd *s)
{
        free(s->buf);
}

/* What the descriptor or the bits alone allow. */
uint32_t access_of(const struct fs_cred *cred, const struct access_sd *s,
                   const struct store_attr *a);

/* One path looked at: attributes and rights. Masked on a read-only volume. */
struct access_path {
        struct store_attr attr;
        uint32_t allowed;
        bool has_sd; /* or else `allowed` is what the permission bits tell */
};
/* `as`: with whose rights the name is looked up. */
enum fs_err access_of_path(struct fs_volume *v, const struct fs_cred *cred, const char *path,
                           const struct store_cred *as, struct access_path *ret) MUST_USE;

/* One decision about an existing file. */
struct access_question {
        struct fs_volume *v;
        struct fs_cred *cred;
        const char *path; /* its real path, for the parent's say */
        struct store_file *file;
        struct node *node;
        const struct store_attr *attr;
        uint32_t want;            /* mapped; may hold FS_MAXIMUM_ALLOWED and FS_SYSTEM_SECURITY */
        uint32_t also;            /* needed as well, though not asked for (overwriting) */
        bool backup;              /* backup or restore intent */
        bool can_read, can_write; /* what the file system gave us */
};
/* *ret_granted for `want`; *ret_may_write: the descriptor lets cred write at all. FS_DENIED,
 * FS_PRIVILEGE, and the store's errors. */
enum fs_err access_decide(const struct access_question *q, uint32_t *ret_granted,
                          bool *ret_may_write) MUST_USE;

#endif
