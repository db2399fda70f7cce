/* A store around another: passes every call on, and lets somebody see it before and after. What
 * trace and fault are made of. */
#ifndef FREVO_STORE_AROUND_AROUND_H
#define FREVO_STORE_AROUND_AROUND_H

#include "store/store.h"

/* A list of X() is taken for statements and never settles: */
/* clang-format off */
#define STORE_OP_TABLE(X)                                                        \
        X(open) X(attr) X(set_attr) X(read) X(write) X(warm) X(resize)           \
        X(allocate) X(ranges) X(copy) X(sync) X(rename) X(link) X(remove)        \
        X(dir_open) X(dir_next) X(dir_attr) X(xattr_get) X(xattr_set)            \
        X(xattr_list) X(sd_get) X(sd_set) X(stream_list) X(stream_rename) X(space)
/* clang-format on */

enum store_op {
#define X(name) STORE_OP_##name,
        STORE_OP_TABLE(X)
#undef X
                STORE_OP_COUNT
};

const char *store_op_name(enum store_op op);

struct around_call {
        enum store_op op;
        unsigned how;     /* enum store_how; 0 where the call has none */
        const char *path; /* open, rename, link, remove, stream_rename; else NULL */
        uint64_t off;
        size_t n;         /* read, write: bytes. `before` may make it smaller */
        enum fs_err then; /* for the hooks: `before` leaves it to `after` */
};

/* Any thread, several at once. */
struct around_hooks {
        /* FS_OK: go on; else the call fails with that. May sleep. */
        enum fs_err (*before)(void *ctx, struct around_call *c);
        /* The outcome; what is returned becomes it. */
        enum fs_err (*after)(void *ctx, const struct around_call *c, enum fs_err e);
        void (*free)(void *ctx);
        const char *name;
};

/* Takes the inner store and ctx (both end with it); NULL without memory: then takes neither. */
struct store *store_around_new(struct store *inner, const struct around_hooks *h, void *ctx);
void *store_around_ctx(struct store *s);

#endif
