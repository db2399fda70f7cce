/* Making a new file or directory, [MS-FSA] 2.1.5.1.1: the parent's consent, what the child
 * inherits, and undoing it when the rest of the request fails. Called by open.c, on workers. */
#include "base/limits.h"
#include "fs/access.h"
#include "fs/acl.h"
#include "fs/name.h"
#include "fs/open.h"

/* Attributes that clients may set, [MS-FSA] 2.1.5.1.1. */
#define DOS_SETTABLE                                                                               \
        ((uint32_t)(STORE_DOS_READONLY | STORE_DOS_HIDDEN | STORE_DOS_SYSTEM | STORE_DOS_ARCHIVE | \
                    STORE_DOS_TEMPORARY | STORE_DOS_OFFLINE | STORE_DOS_NOT_INDEXED))

struct creation {
        const struct opening *g;
        bool dir;
        uint32_t dos;
        uint8_t *sd; /* the child's descriptor; NULL: none of its own */
        size_t sd_len;
};

static enum fs_err check_new(const struct creation *c)
{
        const struct fs_open_req *q = c->g->q;
        if (c->dir && q->dos & STORE_DOS_TEMPORARY)
                return FS_INVALID;
        if (q->dos & STORE_DOS_READONLY && q->options & FS_OPT_DELETE_ON_CLOSE)
                return FS_CANNOT_DELETE;
        if (c->g->v->config.read_only)
                return FS_DENIED;
        if (q->grant_key && lease_is_taken(c->g->client, q->grant_key))
                return FS_INVALID; /* before anything is made */
        if (c->g->want & FS_SYSTEM_SECURITY && !(c->g->cred->privileges & FS_PRIV_SECURITY))
                return FS_PRIVILEGE;
        return FS_OK;
}

/* The descriptor that the client gave or the parent passes on; leaves c->sd NULL for neither. */
static enum fs_err make_sd(struct creation *c, const struct access_sd *parent)
{
        const struct opening *g = c->g;
        struct secdesc given;
        if (g->q->sd.n && !secdesc_decode(g->q->sd, &given))
                return FS_INVALID;
        if (g->q->sd.n && !(g->v->store->caps & STORE_CAP_SD))
                return FS_OK; /* this file system keeps none: says so in its attributes */
        if (!g->q->sd.n && !parent->buf)
                return FS_OK;
        uint8_t *buf = malloc(LIMIT_SD_BYTES);
        if (!buf)
                return FS_NO_MEMORY;
        struct writer w = wr_into(buf, LIMIT_SD_BYTES);
        enum fs_err e = FS_OK;
        bool any = true;
        if (g->q->sd.n)
                e = acl_complete(&w, g->cred, &given, parent->buf ? &parent->sd : NULL, c->dir);
        else
                any = acl_inherit(&w, g->cred, &parent->sd, c->dir);
        if (!e && !wr_ok(&w))
                e = FS_INVALID;
        if (e || !any) {
                free(buf);
                return e;
        }
        c->sd = buf;
        c->sd_len = w.at;
        return FS_OK;
}

static enum fs_err parent_allows(struct creation *c, const struct store_opened *p)
{
        const struct opening *g = c->g;
        struct node *n = node_lookup(g->v->fs, p->attr.dev, p->attr.ino);
        bool pending = n && node_delete_pending(n, g->v->root, p->real_path);
        node_put(n);
        if (pending)
                return FS_DELETE_PENDING;
        struct access_sd sd;
        enum fs_err e = access_sd_load(p->file, NULL, &sd);
        if (e)
                return e;
        uint32_t need = c->dir ? FS_APPEND_DATA : FS_WRITE_DATA;
        bool restore = g->cred->privileges & FS_PRIV_RESTORE && g->q->options & FS_OPT_BACKUP;
        /* Without a descriptor the file system itself decides, when it is asked to create. */
        if (sd.buf && !restore && !(acl_allowed(g->cred, &sd.sd) & need))
                e = FS_DENIED;
        if (!e)
                e = make_sd(c, &sd);
        access_sd_free(&sd);
        c->dos |= p->attr.dos & STORE_DOS_NOT_INDEXED;
        return e;
}

static enum fs_err ask_parent(struct creation *c)
{
        struct store *s = c->g->v->store;
        AUTO_FREE char *path = name_parent_new(c->g->q->path);
        if (!path)
                return FS_NO_MEMORY;
        struct store_open q = {.path = path, .flags = STORE_MUST_DIR};
        struct store_opened p;
        enum fs_err e = s->ops->open(s, NULL, &q, 0, &p);
        if (e == FS_NOT_FOUND || e == FS_NOT_DIR)
                return FS_PATH_NOT_FOUND;
        if (e)
                return e;
        e = parent_allows(c, &p);
        s->ops->close(p.file);
        free(p.real_path);
        return e;
}

static enum fs_err make(const struct creation *c, unsigned *flags, struct store_opened *so)
{
        const struct opening *g = c->g;
        bool max = g->want & FS_MAXIMUM_ALLOWED;
        unsigned f = STORE_CREATE | STORE_EXCL;
        if (max || g->want & (FS_READ_DATA | FS_EXECUTE))
                f |= STORE_READ;
        if (!c->dir && (max || g->want & (FS_WRITE_DATA | FS_APPEND_DATA) || g->q->alloc_bytes))
                f |= STORE_WRITE;
        f |= c->dir ? STORE_MUST_DIR : STORE_MUST_FILE;
        if (g->q->options & FS_OPT_CASE_SENSITIVE)
                f |= STORE_EXACT;
        struct store_open q = {
                .path = g->q->path,
                .flags = f,
                .mode = c->dir ? g->v->config.dir_mode : g->v->config.file_mode,
                .sd = bytes_of(c->sd, c->sd_len),
                .dos = c->dos,
        };
        *flags = f;
        return g->v->store->ops->open(g->v->store, cred_of_store(g->cred), &q, 0, so);
}

static struct fs_open *wrap_new(const struct creation *c, struct store_opened *so, unsigned flags)
{
        const struct opening *g = c->g;
        struct fs_open *o = open_new(g, so, flags);
        if (!o)
                return NULL;
        o->share = g->q->share;
        o->anchor = g->anchor;
        /* The creator gets all that he asked for, [MS-FSA] 2.1.5.1.1. */
        o->access = g->want & FS_MAXIMUM_ALLOWED ? FS_ALL_ACCESS | (g->want & FS_SYSTEM_SECURITY)
                                                 : g->want;
        return o;
}

/* The request failed after the file was made: it goes again. */
static void undo(const struct creation *c, struct store_file *f, const char *path)
{
        struct store *s = c->g->v->store;
        (void)s->ops->remove(s, cred_of_store(c->g->cred), f, path); /* the first error counts */
}

static enum fs_err enter_new(const struct creation *c, struct store_opened *so, unsigned flags,
                             struct fs_opened *ret)
{
        struct fs_open *o = wrap_new(c, so, flags);
        if (!o)
                return FS_NO_MEMORY;
        enum fs_err e = open_enter_node(o, so->real_path, 0);
        if (!e)
                e = open_fill(c->g, o);
        if (!e && (c->g->q->alloc_bytes || c->g->q->neas))
                e = store_file_ops(o->file)->attr(o->file, &so->attr);
        if (e) {
                if (e != FS_SHARING && e != FS_DELETE_PENDING && e != FS_PARKED)
                        undo(c, o->file, so->real_path);
                fs_open_unref(o);
                return e;
        }
        o->delete_on_close = c->g->q->options & FS_OPT_DELETE_ON_CLOSE;
        notify_name(c->g->v->root, so->real_path, c->dir ? FS_CHANGE_DIR_NAME : FS_CHANGE_FILE_NAME,
                    FS_CHANGE_ADDED);
        *ret = (struct fs_opened){.open = o, .action = FS_CREATED};
        attr_show(c->g->v, &so->attr, so->real_path, &ret->attr);
        return FS_OK;
}

enum fs_err open_create(const struct opening *g, struct fs_opened *ret)
{
        if (!g->q->path[0])
                return FS_EXISTS;
        struct creation c = {.g = g, .dir = g->q->options & FS_OPT_DIR};
        c.dos = (g->q->dos & DOS_SETTABLE) | (c.dir ? 0u : (uint32_t)STORE_DOS_ARCHIVE);
        c.dos &= ~(uint32_t)STORE_DOS_NOT_INDEXED; /* the parent's, see parent_allows */
        enum fs_err e = check_new(&c);
        if (!e)
                e = ask_parent(&c);
        struct store_opened so;
        unsigned flags = 0;
        if (!e)
                e = make(&c, &flags, &so);
        free(c.sd);
        if (e)
                return e;
        e = enter_new(&c, &so, flags, ret);
        free(so.real_path);
        return e;
}
