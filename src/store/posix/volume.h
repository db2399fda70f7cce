/* What the files of this folder share: the volume and its open files. Nobody outside includes it.
 */
#ifndef FREVO_STORE_POSIX_VOLUME_H
#define FREVO_STORE_POSIX_VOLUME_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/auto.h"
#include "store/posix/name_index.h"
#include "store/posix/posix.h"

enum { POSIX_LOCKS = 64 };

struct posix_store {
        struct store store; /* first */
        int root;           /* O_PATH descriptor of the shared directory; owned */
        struct store_posix_config conf;
        struct name_index *index;               /* NULL: case-sensitive */
        atomic_bool write_never_now;            /* the file system knows no RWF_NOWAIT for writes */
        pthread_mutex_t name_lock[POSIX_LOCKS]; /* by directory: new names */
        pthread_mutex_t attr_lock[POSIX_LOCKS]; /* by file: stored attributes */
};

struct posix_file {
        struct store_file_head head; /* first */
        int fd;                      /* owned */
        bool is_path;                /* O_PATH: no data */
        enum store_kind kind;
        unsigned flags; /* enum store_open_flags */
        uint64_t dev, ino;
        char *path;                  /* real path at open; only for links met in listings */
        struct posix_stream *stream; /* NULL: the file itself; one reference (stream_table.h) */
        _Atomic int dirty_dir;       /* directory that must be synced with the file; owned; -1 */
};

static inline struct posix_store *posix_store_of(struct store *s)
{
        return (struct posix_store *)(void *)s; /* NOLINT: first member */
}

static inline struct posix_file *posix_file_of(struct store_file *f)
{
        return (struct posix_file *)(void *)f; /* NOLINT: the backend's own */
}

static inline struct posix_store *posix_file_store(const struct posix_file *f)
{
        return posix_store_of(f->head.store);
}

/* identity_become, where this volume switches at all. */
enum fs_err posix_become(const struct posix_store *s, const struct store_cred *cred) MUST_USE;
/* For retrying as the server what failed with EACCES or EPERM: true when that may help. */
bool posix_retry_as_server(const struct posix_store *s, int err);

/* The locks for what has this identity. Many share one, so a thread holds at most one of each kind,
 * and takes a name's before an attribute's. */
pthread_mutex_t *posix_name_lock(struct posix_store *s, uint64_t dev, uint64_t ino);
pthread_mutex_t *posix_attr_lock(struct posix_store *s, uint64_t dev, uint64_t ino);

/* The operations, by file. */
enum fs_err posix_open(struct store *s, const struct store_cred *cred, const struct store_open *q,
                       unsigned how, struct store_opened *ret);
void posix_close(struct store_file *f);

enum fs_err posix_attr(struct store_file *f, struct store_attr *ret);
enum fs_err posix_set_attr(struct store_file *f, const struct store_cred *cred, unsigned what,
                           const struct store_attr *a);

enum fs_err posix_read(struct store_file *f, void *p, size_t n, uint64_t off, unsigned how,
                       size_t *ret_n);
enum fs_err posix_write(struct store_file *f, const void *p, size_t n, uint64_t off, unsigned how);
enum fs_err posix_warm(struct store_file *f, uint64_t off, size_t n, unsigned how);
int posix_fd(struct store_file *f);
enum fs_err posix_resize(struct store_file *f, uint64_t size);
enum fs_err posix_allocate(struct store_file *f, uint64_t off, uint64_t len, enum store_alloc kind);
enum fs_err posix_ranges(struct store_file *f, uint64_t off, uint64_t len, struct store_range *r,
                         size_t cap, size_t *ret_n);
enum fs_err posix_copy(struct store_file *from, uint64_t off, struct store_file *to,
                       uint64_t to_off, uint64_t len, uint64_t *ret_n);
enum fs_err posix_sync(struct store_file *f);

enum fs_err posix_rename(struct store *s, const struct store_cred *cred, struct store_file *f,
                         const char *path, const char *to, bool replace, char **ret_path);
enum fs_err posix_link(struct store *s, const struct store_cred *cred, struct store_file *f,
                       const char *path, const char *to, bool replace);
enum fs_err posix_remove(struct store *s, const struct store_cred *cred, struct store_file *f,
                         const char *path);

enum fs_err posix_dir_open(struct store_file *f, struct store_dir **ret);
enum fs_err posix_dir_next(struct store_dir *d, struct store_entry *ret);
enum fs_err posix_dir_attr(struct store_dir *d, struct store_attr *ret);
void posix_dir_close(struct store_dir *d);

enum fs_err posix_xattr_get(struct store_file *f, const char *name, void *p, size_t n,
                            size_t *ret_n);
enum fs_err posix_xattr_set(struct store_file *f, const struct store_cred *cred, const char *name,
                            struct bytes value);
enum fs_err posix_xattr_list(struct store_file *f,
                             bool (*cb)(void *ctx, const char *name, struct bytes value),
                             void *ctx);
enum fs_err posix_sd_get(struct store_file *f, void *p, size_t n, size_t *ret_n);
enum fs_err posix_sd_set(struct store_file *f, struct bytes sd);

#endif
