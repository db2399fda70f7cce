/* See around.h. One function a call, all alike; calls that the inner store leaves NULL stay NULL.
 */
#include "store/around/around.h"

#include <stdlib.h>

struct around {
        struct store store;   /* first */
        struct store_ops ops; /* without what the inner store lacks */
        struct store *inner;
        const struct around_hooks *hooks;
        void *ctx;
};

struct around_file {
        struct store_file_head head; /* first */
        struct store_file *inner;
};

struct around_dir {
        struct around *a;
        struct store_dir *inner;
};

const char *store_op_name(enum store_op op)
{
        static const char *const name[] = {
#define X(n) #n,
                STORE_OP_TABLE(X)
#undef X
        };
        return (unsigned)op < STORE_OP_COUNT ? name[op] : "?";
}

static struct around *around_of(struct store *s)
{
        return (struct around *)(void *)s; /* NOLINT: first member */
}

static struct around *of_file(struct store_file *f)
{
        return around_of(((struct around_file *)(void *)f)->head.store); /* NOLINT: ours */
}

static struct store_file *inner_of(struct store_file *f)
{
        return ((struct around_file *)(void *)f)->inner; /* NOLINT: ours */
}

void *store_around_ctx(struct store *s)
{
        return around_of(s)->ctx;
}

static enum fs_err before(struct around *a, struct around_call *c)
{
        return a->hooks->before ? a->hooks->before(a->ctx, c) : FS_OK;
}

static enum fs_err after(struct around *a, const struct around_call *c, enum fs_err e)
{
        return a->hooks->after ? a->hooks->after(a->ctx, c, e) : e;
}

/* The body of every call: `call` runs unless `before` refuses. */
#define PASS(a, c, call)                                                                           \
        do {                                                                                       \
                enum fs_err e_ = before((a), (c));                                                 \
                return after((a), (c), e_ ? e_ : (call));                                          \
        } while (0)

static void a_free(struct store *s)
{
        if (!s)
                return;
        struct around *a = around_of(s);
        a->inner->ops->free(a->inner);
        if (a->hooks->free)
                a->hooks->free(a->ctx);
        free(a);
}

static enum fs_err open_inner(struct around *a, const struct store_cred *cred,
                              const struct store_open *q, unsigned how, struct store_opened *ret)
{
        struct around_file *f = calloc(1, sizeof *f);
        if (!f)
                return FS_NO_MEMORY;
        enum fs_err e = a->inner->ops->open(a->inner, cred, q, how, ret);
        if (e) {
                free(f);
                return e;
        }
        f->head.store = &a->store;
        f->inner = ret->file;
        ret->file = (struct store_file *)(void *)f;
        return FS_OK;
}

static enum fs_err a_open(struct store *s, const struct store_cred *cred,
                          const struct store_open *q, unsigned how, struct store_opened *ret)
{
        struct around_call c = {.op = STORE_OP_open, .how = how, .path = q->path};
        PASS(around_of(s), &c, open_inner(around_of(s), cred, q, how, ret));
}

static void a_close(struct store_file *f)
{
        if (!f)
                return;
        store_file_ops(inner_of(f))->close(inner_of(f));
        free(f);
}

static enum fs_err a_attr(struct store_file *f, struct store_attr *ret)
{
        struct around_call c = {.op = STORE_OP_attr};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->attr(inner_of(f), ret));
}

static enum fs_err a_set_attr(struct store_file *f, const struct store_cred *cred, unsigned what,
                              const struct store_attr *at)
{
        struct around_call c = {.op = STORE_OP_set_attr};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->set_attr(inner_of(f), cred, what, at));
}

static enum fs_err a_read(struct store_file *f, void *p, size_t n, uint64_t off, unsigned how,
                          size_t *ret_n)
{
        struct around_call c = {.op = STORE_OP_read, .how = how, .off = off, .n = n};
        PASS(of_file(f), &c,
             store_file_ops(inner_of(f))->read(inner_of(f), p, c.n, off, how, ret_n));
}

static enum fs_err a_write(struct store_file *f, const void *p, size_t n, uint64_t off,
                           unsigned how)
{
        struct around_call c = {.op = STORE_OP_write, .how = how, .off = off, .n = n};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->write(inner_of(f), p, c.n, off, how));
}

static enum fs_err a_warm(struct store_file *f, uint64_t off, size_t n, unsigned how)
{
        struct around_call c = {.op = STORE_OP_warm, .how = how, .off = off, .n = n};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->warm(inner_of(f), off, n, how));
}

static int a_fd(struct store_file *f)
{
        return store_file_ops(inner_of(f))->fd(inner_of(f));
}

static enum fs_err a_resize(struct store_file *f, uint64_t size)
{
        struct around_call c = {.op = STORE_OP_resize, .off = size};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->resize(inner_of(f), size));
}

static enum fs_err a_allocate(struct store_file *f, uint64_t off, uint64_t len,
                              enum store_alloc kind)
{
        struct around_call c = {.op = STORE_OP_allocate, .off = off};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->allocate(inner_of(f), off, len, kind));
}

static enum fs_err a_ranges(struct store_file *f, uint64_t off, uint64_t len, struct store_range *r,
                            size_t cap, size_t *ret_n)
{
        struct around_call c = {.op = STORE_OP_ranges, .off = off};
        PASS(of_file(f), &c,
             store_file_ops(inner_of(f))->ranges(inner_of(f), off, len, r, cap, ret_n));
}

static enum fs_err a_copy(struct store_file *from, uint64_t off, struct store_file *to,
                          uint64_t to_off, uint64_t len, uint64_t *ret_n)
{
        struct around_call c = {.op = STORE_OP_copy, .off = off};
        PASS(of_file(from), &c,
             store_file_ops(inner_of(from))
                     ->copy(inner_of(from), off, inner_of(to), to_off, len, ret_n));
}

static enum fs_err a_sync(struct store_file *f)
{
        struct around_call c = {.op = STORE_OP_sync};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->sync(inner_of(f)));
}

static enum fs_err a_rename(struct store *s, const struct store_cred *cred, struct store_file *f,
                            const char *path, const char *to, bool replace, char **ret_path)
{
        struct around_call c = {.op = STORE_OP_rename, .path = path};
        struct store *in = around_of(s)->inner;
        PASS(around_of(s), &c, in->ops->rename(in, cred, inner_of(f), path, to, replace, ret_path));
}

static enum fs_err a_link(struct store *s, const struct store_cred *cred, struct store_file *f,
                          const char *path, const char *to, bool replace)
{
        struct around_call c = {.op = STORE_OP_link, .path = path};
        struct store *in = around_of(s)->inner;
        PASS(around_of(s), &c, in->ops->link(in, cred, inner_of(f), path, to, replace));
}

static enum fs_err a_remove(struct store *s, const struct store_cred *cred, struct store_file *f,
                            const char *path)
{
        struct around_call c = {.op = STORE_OP_remove, .path = path};
        struct store *in = around_of(s)->inner;
        PASS(around_of(s), &c, in->ops->remove(in, cred, inner_of(f), path));
}

static struct around_dir *dir_of(struct store_dir *d)
{
        return (struct around_dir *)(void *)d; /* NOLINT: ours */
}

static enum fs_err open_dir_inner(struct store_file *f, struct store_dir **ret)
{
        struct around_dir *d = calloc(1, sizeof *d);
        if (!d)
                return FS_NO_MEMORY;
        d->a = of_file(f);
        enum fs_err e = store_file_ops(inner_of(f))->dir_open(inner_of(f), &d->inner);
        if (e)
                free(d);
        else
                *ret = (struct store_dir *)(void *)d;
        return e;
}

static enum fs_err a_dir_open(struct store_file *f, struct store_dir **ret)
{
        struct around_call c = {.op = STORE_OP_dir_open};
        PASS(of_file(f), &c, open_dir_inner(f, ret));
}

static enum fs_err a_dir_next(struct store_dir *d, struct store_entry *ret)
{
        struct around_call c = {.op = STORE_OP_dir_next};
        struct around_dir *o = dir_of(d);
        PASS(o->a, &c, o->a->inner->ops->dir_next(o->inner, ret));
}

static enum fs_err a_dir_attr(struct store_dir *d, struct store_attr *ret)
{
        struct around_call c = {.op = STORE_OP_dir_attr};
        struct around_dir *o = dir_of(d);
        PASS(o->a, &c, o->a->inner->ops->dir_attr(o->inner, ret));
}

static void a_dir_close(struct store_dir *d)
{
        if (!d)
                return;
        dir_of(d)->a->inner->ops->dir_close(dir_of(d)->inner);
        free(d);
}

static enum fs_err a_xattr_get(struct store_file *f, const char *name, void *p, size_t n,
                               size_t *ret_n)
{
        struct around_call c = {.op = STORE_OP_xattr_get};
        PASS(of_file(f), &c,
             store_file_ops(inner_of(f))->xattr_get(inner_of(f), name, p, n, ret_n));
}

static enum fs_err a_xattr_set(struct store_file *f, const struct store_cred *cred,
                               const char *name, struct bytes value)
{
        struct around_call c = {.op = STORE_OP_xattr_set};
        PASS(of_file(f), &c,
             store_file_ops(inner_of(f))->xattr_set(inner_of(f), cred, name, value));
}

static enum fs_err a_xattr_list(struct store_file *f,
                                bool (*cb)(void *ctx, const char *name, struct bytes value),
                                void *ctx)
{
        struct around_call c = {.op = STORE_OP_xattr_list};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->xattr_list(inner_of(f), cb, ctx));
}

static enum fs_err a_sd_get(struct store_file *f, void *p, size_t n, size_t *ret_n)
{
        struct around_call c = {.op = STORE_OP_sd_get};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->sd_get(inner_of(f), p, n, ret_n));
}

static enum fs_err a_sd_set(struct store_file *f, struct bytes sd)
{
        struct around_call c = {.op = STORE_OP_sd_set};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->sd_set(inner_of(f), sd));
}

static enum fs_err a_stream_list(struct store_file *f,
                                 bool (*cb)(void *ctx, const char *name, uint64_t size,
                                            uint64_t alloc_bytes),
                                 void *ctx)
{
        struct around_call c = {.op = STORE_OP_stream_list};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->stream_list(inner_of(f), cb, ctx));
}

static enum fs_err a_stream_rename(struct store_file *f, const char *to, bool replace)
{
        struct around_call c = {.op = STORE_OP_stream_rename, .path = to};
        PASS(of_file(f), &c, store_file_ops(inner_of(f))->stream_rename(inner_of(f), to, replace));
}

static enum fs_err a_space(struct store *s, struct store_space *ret)
{
        struct around_call c = {.op = STORE_OP_space};
        struct store *in = around_of(s)->inner;
        PASS(around_of(s), &c, in->ops->space(in, ret));
}

static const struct store_ops all_ops = {
        .free = a_free,
        .open = a_open,
        .close = a_close,
        .attr = a_attr,
        .set_attr = a_set_attr,
        .read = a_read,
        .write = a_write,
        .warm = a_warm,
        .fd = a_fd,
        .resize = a_resize,
        .allocate = a_allocate,
        .ranges = a_ranges,
        .copy = a_copy,
        .sync = a_sync,
        .rename = a_rename,
        .link = a_link,
        .remove = a_remove,
        .dir_open = a_dir_open,
        .dir_next = a_dir_next,
        .dir_attr = a_dir_attr,
        .dir_close = a_dir_close,
        .xattr_get = a_xattr_get,
        .xattr_set = a_xattr_set,
        .xattr_list = a_xattr_list,
        .sd_get = a_sd_get,
        .sd_set = a_sd_set,
        .stream_list = a_stream_list,
        .stream_rename = a_stream_rename,
        .space = a_space,
};

struct store *store_around_new(struct store *inner, const struct around_hooks *h, void *ctx)
{
        struct around *a = calloc(1, sizeof *a);
        if (!a)
                return NULL;
        const struct store_ops *in = inner->ops;
        a->ops = all_ops;
        a->ops.name = h->name;
        a->ops.warm = in->warm ? a_warm : NULL;
        a->ops.fd = in->fd ? a_fd : NULL;
        a->ops.xattr_get = in->xattr_get ? a_xattr_get : NULL;
        a->ops.xattr_set = in->xattr_set ? a_xattr_set : NULL;
        a->ops.xattr_list = in->xattr_list ? a_xattr_list : NULL;
        a->ops.sd_get = in->sd_get ? a_sd_get : NULL;
        a->ops.sd_set = in->sd_set ? a_sd_set : NULL;
        a->ops.stream_list = in->stream_list ? a_stream_list : NULL;
        a->ops.stream_rename = in->stream_rename ? a_stream_rename : NULL;
        a->store = (struct store){.ops = &a->ops, .caps = inner->caps};
        a->inner = inner;
        a->hooks = h;
        a->ctx = ctx;
        return &a->store;
}
