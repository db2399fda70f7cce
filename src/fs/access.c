/* See access.h. Called by open.c for every existing file, and for parents by create.c, rename.c. */
#include "fs/access.h"

#include "base/limits.h"
#include "fs/acl.h"
#include "fs/name.h"
#include "fs/open.h"

/* The stored bytes in new memory. Most files have none, and most descriptors are short. */
static enum fs_err read_sd(struct store_file *f, uint8_t **ret, size_t *ret_n)
{
        uint8_t small[512];
        enum fs_err e = store_file_ops(f)->sd_get(f, small, sizeof small, ret_n);
        if (e && e != FS_BUFFER_SMALL)
                return e;
        *ret = malloc(e ? LIMIT_SD_BYTES : *ret_n);
        if (!*ret)
                return FS_NO_MEMORY;
        if (e)
                return store_file_ops(f)->sd_get(f, *ret, LIMIT_SD_BYTES, ret_n);
        memcpy(*ret, small, *ret_n);
        return FS_OK;
}

enum fs_err access_sd_load(struct store_file *f, struct node *n, struct access_sd *ret)
{
        const struct store_ops *ops = store_file_ops(f);
        *ret = (struct access_sd){0};
        if (!ops->sd_get)
                return FS_OK;
        if (n) {
                pthread_mutex_lock(&n->mutex);
                bool none = n->no_sd;
                pthread_mutex_unlock(&n->mutex);
                if (none)
                        return FS_OK;
        }
        uint8_t *buf = NULL;
        size_t len = 0;
        enum fs_err e = read_sd(f, &buf, &len);
        if (!e && !secdesc_decode(bytes_of(buf, len), &ret->sd))
                e = FS_CORRUPT;
        if (e) {
                free(buf);
                if (e != FS_NO_SUCH_ATTR && e != FS_UNSUPPORTED)
                        return e;
                if (n) {
                        pthread_mutex_lock(&n->mutex);
                        n->no_sd = true;
                        pthread_mutex_unlock(&n->mutex);
                }
                return FS_OK;
        }
        ret->buf = buf;
        return FS_OK;
}

uint32_t access_of(const struct fs_cred *cred, const struct access_sd *s,
                   const struct store_attr *a)
{
        return s->buf ? acl_allowed(cred, &s->sd) : acl_allowed_by_mode(cred, a);
}

enum fs_err access_of_path(struct fs_volume *v, const struct fs_cred *cred, const char *path,
                           const struct store_cred *as, struct access_path *ret)
{
        struct store_open so = {.path = path};
        struct store_opened o;
        enum fs_err e = v->store->ops->open(v->store, as, &so, 0, &o);
        if (e)
                return e;
        struct access_sd sd;
        e = access_sd_load(o.file, NULL, &sd);
        if (!e) {
                ret->attr = o.attr;
                ret->has_sd = sd.buf != NULL;
                ret->allowed = access_of(cred, &sd, &o.attr);
                if (v->config.read_only)
                        ret->allowed &= ~ACCESS_MODIFY;
                access_sd_free(&sd);
        }
        v->store->ops->close(o.file);
        free(o.real_path);
        return e;
}

/* What the parent adds: DELETE by its DELETE_CHILD, READ_ATTR by being listable. */
static enum fs_err add_parents_say(const struct access_question *q, uint32_t *allowed)
{
        uint32_t open_bits = (FS_DELETE | FS_READ_ATTR) & ~*allowed;
        if (!q->path[0] || !open_bits)
                return FS_OK;
        if (!(q->want & FS_MAXIMUM_ALLOWED) && !((q->want | q->also) & open_bits))
                return FS_OK;
        AUTO_FREE char *parent = name_parent_new(q->path);
        struct access_path p;
        if (!parent)
                return FS_NO_MEMORY;
        enum fs_err e = access_of_path(q->v, q->cred, parent, NULL, &p);
        if (e)
                return e == FS_NOT_FOUND ? FS_OK : e; /* moved away: says nothing any more */
        if (p.allowed & FS_DELETE_CHILD)
                *allowed |= FS_DELETE;
        if (p.allowed & FS_READ_DATA)
                *allowed |= FS_READ_ATTR;
        return FS_OK;
}

/* [MS-FSA] 2.1.5.1, phase 4. */
static uint32_t by_privilege(const struct access_question *q)
{
        uint32_t r = 0;
        if (!q->backup)
                return 0;
        if (q->cred->privileges & FS_PRIV_BACKUP)
                r |= 0x120089 | FS_EXECUTE | FS_SYSTEM_SECURITY;
        if (q->cred->privileges & FS_PRIV_RESTORE)
                r |= 0x120116 | FS_WRITE_DACL | FS_WRITE_OWNER | FS_DELETE | FS_SYSTEM_SECURITY;
        return r;
}

/* What stands above every descriptor: the attribute, the share, the file system itself. */
static uint32_t mask_off(const struct access_question *q, uint32_t allowed, bool max)
{
        bool dir = q->attr->kind == STORE_DIR;
        if (!dir && q->attr->dos & STORE_DOS_READONLY)
                allowed &=
                        ~(uint32_t)(FS_WRITE_DATA | FS_APPEND_DATA | (max ? FS_DELETE_CHILD : 0));
        if (q->v->config.read_only)
                allowed &= ~ACCESS_MODIFY;
        /* By name, what the handle cannot do was refused by the store already. */
        if (max && !dir && !q->can_read)
                allowed &= ~(uint32_t)(FS_READ_DATA | FS_EXECUTE);
        if (max && !dir && !q->can_write)
                allowed &= ~(uint32_t)(FS_WRITE_DATA | FS_APPEND_DATA);
        return allowed;
}

enum fs_err access_decide(const struct access_question *q, uint32_t *ret_granted,
                          bool *ret_may_write)
{
        struct access_sd sd;
        enum fs_err e = access_sd_load(q->file, q->node, &sd);
        if (e)
                return e;
        uint32_t allowed = access_of(q->cred, &sd, q->attr) | by_privilege(q);
        access_sd_free(&sd);
        if (q->cred->privileges & FS_PRIV_SECURITY)
                allowed |= FS_SYSTEM_SECURITY;
        *ret_may_write = (allowed & FS_WRITE_DATA) != 0;
        e = add_parents_say(q, &allowed);
        if (e)
                return e;
        uint32_t must = (q->want | q->also) & ~(uint32_t)FS_MAXIMUM_ALLOWED;
        if (must & FS_SYSTEM_SECURITY & ~allowed)
                return FS_PRIVILEGE;
        bool max = q->want & FS_MAXIMUM_ALLOWED;
        allowed = mask_off(q, allowed, max);
        if (must & ~allowed)
                return FS_DENIED;
        *ret_granted = max ? (allowed & FS_ALL_ACCESS) | (q->want & FS_SYSTEM_SECURITY)
                           : q->want & allowed;
        return FS_OK;
}

enum fs_err fs_max_access(struct fs_open *o, uint32_t *ret_access)
{
        struct store_attr a;
        AUTO_FREE char *path = open_path_new(o);
        if (!path)
                return FS_NO_MEMORY;
        enum fs_err e = store_file_ops(o->file)->attr(o->file, &a);
        if (e)
                return e;
        struct access_question q = {
                .v = o->vol,
                .cred = o->cred,
                .path = path,
                .file = o->file,
                .node = open_of_file(o)->node,
                .attr = &a,
                .want = FS_MAXIMUM_ALLOWED,
                .backup = o->options & FS_OPT_BACKUP,
                .can_read = true, /* asked of the file, not of this handle */
                .can_write = true,
        };
        bool may_write;
        return access_decide(&q, ret_access, &may_write);
}
