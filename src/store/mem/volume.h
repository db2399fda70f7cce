/* What the files of this folder share: the volume and its open files, and how they are locked. */
#ifndef FREVO_STORE_MEM_VOLUME_H
#define FREVO_STORE_MEM_VOLUME_H

#include <pthread.h>

#include "base/auto.h"
#include "store/mem/tree.h"

struct mem_store {
        struct store store; /* first */
        pthread_mutex_t lock;
        struct mem_node *root;
        uint64_t next_ino, serial;
};

struct mem_file {
        struct store_file_head head; /* first */
        struct mem_node *node;       /* the file */
        struct mem_node *data;       /* the same, or the named stream that was opened */
        unsigned flags;
};

static inline struct mem_store *mem_store_of(struct store *s)
{
        return (struct mem_store *)(void *)s; /* NOLINT: first member */
}

static inline struct mem_file *mem_file_of(struct store_file *f)
{
        return (struct mem_file *)(void *)f; /* NOLINT: the backend's own */
}

static inline struct mem_store *lock_store(struct store *s)
{
        (void)pthread_mutex_lock(&mem_store_of(s)->lock); /* a plain mutex does not fail */
        return mem_store_of(s);
}

static inline struct mem_file *lock_file(struct store_file *f)
{
        (void)lock_store(mem_file_of(f)->head.store);
        return mem_file_of(f);
}

static inline void unlock_store(struct mem_store *s)
{
        (void)pthread_mutex_unlock(&s->lock);
}
AUTO_DEFINE(unlock_store, struct mem_store *);
#define LOCKED AUTO(unlock_store) struct mem_store *

static inline void unlock_file(struct mem_file *f)
{
        unlock_store(mem_store_of(f->head.store));
}
AUTO_DEFINE(unlock_file, struct mem_file *);
#define LOCKED_FILE AUTO(unlock_file) struct mem_file *

/* The lock is held. Copies sd. */
enum fs_err mem_keep_sd(struct mem_node *n, struct bytes sd);

/* Operations of store.h, in kept.c. */
enum fs_err mem_xattr_get(struct store_file *f, const char *name, void *p, size_t n, size_t *ret_n);
enum fs_err mem_xattr_set(struct store_file *f, const struct store_cred *cred, const char *name,
                          struct bytes value);
enum fs_err mem_xattr_list(struct store_file *f,
                           bool (*cb)(void *ctx, const char *name, struct bytes value), void *ctx);
enum fs_err mem_sd_get(struct store_file *f, void *p, size_t n, size_t *ret_n);
enum fs_err mem_sd_set(struct store_file *f, struct bytes sd);
enum fs_err mem_stream_list(struct store_file *f,
                            bool (*cb)(void *ctx, const char *name, uint64_t size,
                                       uint64_t alloc_bytes),
                            void *ctx);
enum fs_err mem_rename_stream(struct store_file *f, const char *to, bool replace);

#endif
