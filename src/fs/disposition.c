/* What dispositions do to a file's contents: overwriting and superseding ([MS-FSA] 2.1.5.1.2), and
 * the space and EAs that a request brings along. Called by open.c and create.c, on workers. */
#include "fs/open.h"

#define DOS_OVERWRITE                                                                              \
        ((uint32_t)(STORE_DOS_READONLY | STORE_DOS_HIDDEN | STORE_DOS_SYSTEM |                     \
                    STORE_DOS_TEMPORARY | STORE_DOS_OFFLINE))

enum fs_err open_overwrite_check(const struct fs_open_req *q, const struct store_attr *a)
{
        if (a->kind == STORE_DIR)
                return FS_OK; /* refused for what it is, see check_kind */
        if (a->dos & STORE_DOS_READONLY)
                return FS_DENIED;
        uint32_t kept = STORE_DOS_HIDDEN | STORE_DOS_SYSTEM;
        /* Who does not know that the file is hidden or a system file does not replace it. */
        return a->dos & kept & ~q->dos ? FS_DENIED : FS_OK;
}

struct ea_names {
        char **name;
        size_t n;
        bool failed;
};

static bool collect(void *ctx, const char *name, struct bytes value)
{
        struct ea_names *c = ctx;
        (void)value;
        char **more = reallocarray(c->name, c->n + 1, sizeof(char *));
        if (more)
                c->name = more;
        char *copy = more ? strdup(name) : NULL;
        if (!copy) {
                c->failed = true;
                return false;
        }
        c->name[c->n++] = copy;
        return true;
}

/* An overwritten file keeps none of its EAs. */
static enum fs_err drop_eas(struct fs_open *o)
{
        const struct store_ops *ops = store_file_ops(o->file);
        if (!ops->xattr_list)
                return FS_OK;
        struct ea_names c = {0};
        enum fs_err e = ops->xattr_list(o->file, collect, &c);
        if (!e && c.failed)
                e = FS_NO_MEMORY;
        if (e == FS_UNSUPPORTED)
                e = FS_OK;
        for (size_t i = 0; i < c.n; i++) {
                if (!e)
                        e = ops->xattr_set(o->file, NULL, c.name[i], bytes_of(NULL, 0));
                free(c.name[i]);
        }
        free(c.name);
        return e;
}

enum fs_err open_fill(const struct opening *g, struct fs_open *o)
{
        const struct store_ops *ops = store_file_ops(o->file);
        enum fs_err e = FS_OK;
        if (g->q->alloc_bytes && !o->node->dir && o->writable) {
                e = ops->allocate(o->file, 0, g->q->alloc_bytes, STORE_ALLOC_RESERVE);
                if (e == FS_UNSUPPORTED || (e == FS_NO_SPACE && g->q->no_alloc_fail))
                        e = FS_OK;
        }
        for (size_t i = 0; !e && i < g->q->neas; i++)
                e = ops->xattr_set
                            ? ops->xattr_set(o->file, NULL, g->q->eas[i].name, g->q->eas[i].value)
                            : FS_UNSUPPORTED;
        return e;
}

enum fs_err open_overwrite(const struct opening *g, struct fs_open *o,
                           const struct store_attr *before)
{
        const struct store_ops *ops = store_file_ops(o->file);
        struct store_attr a = {.dos = (g->q->dos & DOS_OVERWRITE) | STORE_DOS_ARCHIVE};
        enum fs_err e = ops->resize(o->file, 0); /* byte-range locks have no say here */
        if (!e && a.dos != before->dos)
                e = ops->set_attr(o->file, NULL, STORE_SET_DOS, &a);
        if (!e)
                e = drop_eas(o);
        if (!e)
                e = open_drop_streams(o);
        if (!e)
                e = open_fill(g, o);
        pthread_mutex_lock(&o->node->mutex);
        o->node->archived = !e;
        o->node->sparse = false;
        pthread_mutex_unlock(&o->node->mutex);
        if (!e)
                notify_changed(o, FS_CHANGE_ATTR | FS_CHANGE_SIZE | FS_CHANGE_WRITE);
        return e;
}
