/* What a file keeps besides its data: extended attributes, a security descriptor, named streams. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf16.h"
#include "store/mem/streams.h"
#include "store/mem/volume.h"

static struct mem_xattr **find_xattr(struct mem_node *n, const char *name)
{
        struct mem_xattr **at = &n->xattrs;
        while (*at && name_casecmp((*at)->name, name) != 0)
                at = &(*at)->next;
        return at;
}

enum fs_err mem_xattr_get(struct store_file *sf, const char *name, void *p, size_t n, size_t *ret_n)
{
        LOCKED_FILE f = lock_file(sf);
        const struct mem_xattr *x = *find_xattr(f->node, name);
        if (!x)
                return FS_NO_SUCH_ATTR;
        if (x->n > n)
                return FS_BUFFER_SMALL;
        memcpy(p, x->value, x->n);
        *ret_n = x->n;
        return FS_OK;
}

enum fs_err mem_xattr_set(struct store_file *sf, const struct store_cred *cred, const char *name,
                          struct bytes value)
{
        (void)cred;
        LOCKED_FILE f = lock_file(sf);
        struct mem_xattr **at = find_xattr(f->node, name), *old = *at;
        if (value.n == 0 && !old)
                return FS_NO_SUCH_ATTR;
        if (value.n > LIMIT_XATTR_BYTES || *name == 0 || strlen(name) > 255)
                return *name == 0 ? FS_BAD_NAME : FS_TOO_BIG;
        struct mem_xattr *x = value.n ? calloc(1, sizeof *x) : NULL;
        if (x) {
                x->name = strdup(old ? old->name : name);
                x->value = malloc(value.n);
                x->n = value.n;
                x->next = old ? old->next : NULL;
        }
        if (value.n && (!x || !x->name || !x->value)) {
                if (x)
                        free(x->name);
                free(x);
                return FS_NO_MEMORY;
        }
        if (x)
                memcpy(x->value, value.p, value.n);
        *at = x ? x : old->next;
        if (old) {
                free(old->name);
                free(old->value);
                free(old);
        }
        f->node->attr.ctime_ft = clock_now_ft();
        return FS_OK;
}

enum fs_err mem_xattr_list(struct store_file *sf,
                           bool (*cb)(void *ctx, const char *name, struct bytes value), void *ctx)
{
        LOCKED_FILE f = lock_file(sf);
        for (const struct mem_xattr *x = f->node->xattrs; x; x = x->next)
                if (!cb(ctx, x->name, bytes_of(x->value, x->n)))
                        break;
        return FS_OK;
}

enum fs_err mem_sd_get(struct store_file *sf, void *p, size_t n, size_t *ret_n)
{
        LOCKED_FILE f = lock_file(sf);
        if (!f->node->sd)
                return FS_NO_SUCH_ATTR;
        if (f->node->sd_n > n)
                return FS_BUFFER_SMALL;
        memcpy(p, f->node->sd, f->node->sd_n);
        *ret_n = f->node->sd_n;
        return FS_OK;
}

enum fs_err mem_sd_set(struct store_file *sf, struct bytes sd)
{
        LOCKED_FILE f = lock_file(sf);
        f->node->attr.ctime_ft = clock_now_ft();
        return mem_keep_sd(f->node, sd);
}

enum fs_err mem_stream_list(struct store_file *sf,
                            bool (*cb)(void *ctx, const char *name, uint64_t size,
                                       uint64_t alloc_bytes),
                            void *ctx)
{
        LOCKED_FILE f = lock_file(sf);
        for (const struct mem_node *n = f->node->streams; n; n = n->next_stream)
                if (!cb(ctx, n->stream_name, n->attr.size,
                        (uint64_t)n->pages.used * MEM_PAGE_BYTES))
                        break;
        return FS_OK;
}

enum fs_err mem_rename_stream(struct store_file *sf, const char *to, bool replace)
{
        LOCKED_FILE f = lock_file(sf);
        if (f->data == f->node || !*to)
                return FS_INVALID;
        if (strlen(to) > 255)
                return FS_TOO_LONG;
        enum fs_err e = mem_stream_rename(f->node, f->data, to, replace);
        if (!e)
                f->node->attr.ctime_ft = clock_now_ft();
        return e;
}

enum fs_err mem_keep_sd(struct mem_node *n, struct bytes sd)
{
        if (sd.n > LIMIT_SD_BYTES)
                return FS_TOO_BIG;
        uint8_t *copy = malloc(sd.n ? sd.n : 1);
        if (!copy)
                return FS_NO_MEMORY;
        if (sd.n)
                memcpy(copy, sd.p, sd.n);
        free(n->sd);
        n->sd = copy;
        n->sd_n = sd.n;
        return FS_OK;
}
