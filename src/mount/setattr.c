/* See setattr.h.
 *
 * Of a mode, the owner's right to write is kept (as the read-only attribute, of files); what else
 * it says is accepted and forgotten. Owners other than the mount's are refused, but with -o quiet.
 */
#include "mount/setattr.h"

#include <errno.h>

#include "mount/attr.h"
#include "mount/flush.h"
#include "mount/handle.h"

#define NS_PER_S 1000000000

struct setattr_call {
        struct mount *m;
        fuse_req_t req;
        struct node *n;   /* pinned */
        struct handle *h; /* in use, if not NULL */
        struct frevo_change ch;
};

static void finish(struct setattr_call *c, int err)
{
        struct mount *m = c->m;
        if (err)
                (void)fuse_reply_err(c->req, err);
        else
                attr_reply(m, c->req, c->n);
        if (c->h)
                handle_put(m, c->h);
        node_unpin(&m->nodes, c->n);
        free(c);
}

/* What the server has done, or will be told: n as it is now. */
static void apply(struct mount *m, struct node *n, const struct frevo_change *ch)
{
        struct frevo_stat *st = &n->stat;
        if (ch->access_ns != FREVO_TIME_KEEP)
                st->access_ns = ch->access_ns;
        if (ch->write_ns != FREVO_TIME_KEEP)
                st->write_ns = ch->write_ns;
        if (ch->attributes)
                st->attributes = ch->attributes;
        if (ch->has_size) {
                st->size = st->allocated = ch->size;
                if (ch->write_ns == FREVO_TIME_KEEP)
                        st->write_ns = attr_now_ns();
        }
        st->change_ns = attr_now_ns();
        node_changed(m, n);
}

static void changed(void *arg, const struct frevo_result *r)
{
        struct setattr_call *c = arg;
        if (!r->err) {
                apply(c->m, c->n, &c->ch);
                if (c->ch.has_size && c->n->file)
                        ra_invalidate(&c->n->file->ra, c->ch.size, 0);
                attr_stale(c->n);
        }
        finish(c, r->err);
}

/* ---- to the server -----------------------------------------------------------------------------
 */

static void ask(struct setattr_call *c)
{
        /* 2: FILE_WRITE_DATA, which a size needs; times are set through such a handle as well. */
        c->h = handle_use(c->n, FREVO_WRITE);
        if (c->h) {
                if (!frevo_fchange_start(c->h->f, &c->ch, changed, c))
                        finish(c, ENOMEM);
                return;
        }
        AUTO_FREE char *path = node_path(&c->m->nodes, c->n, NULL);
        int err = path ? ENOMEM : errno;
        if (!path || !frevo_change_start(c->m->share, path, &c->ch, changed, c))
                finish(c, err);
}

static void buffer_empty(void *arg, int err)
{
        struct setattr_call *c = arg;
        if (err)
                finish(c, err);
        else
                ask(c);
}

static void made(void *arg, int err)
{
        struct setattr_call *c = arg;
        if (err)
                finish(c, err);
        else
                flush_file(c->n->file, buffer_empty, c);
}

/* ---- with the data -----------------------------------------------------------------------------
 */

static void merge(struct frevo_change *into, bool is_there, const struct frevo_change *ch)
{
        if (!is_there) {
                *into = *ch;
                return;
        }
        if (ch->access_ns != FREVO_TIME_KEEP)
                into->access_ns = ch->access_ns;
        if (ch->write_ns != FREVO_TIME_KEEP)
                into->write_ns = ch->write_ns;
        if (ch->attributes)
                into->attributes = ch->attributes;
}

/* Times and attributes of a file that has something to be written anyway, which nobody else can see
 * before that is: they go out with it. */
static bool may_wait(const struct setattr_call *c)
{
        const struct file *f = c->n->file;
        if (!f || f->breaking || f->putting)
                return false;
        if (f->is_new)
                return !c->ch.has_size || c->ch.size <= c->n->stat.size;
        return !c->ch.has_size && !wb_is_empty(&f->wb) &&
               (file_lease(c->n) & FREVO_LEASE_WRITE) != 0;
}

static void keep_for_later(struct setattr_call *c)
{
        struct file *f = c->n->file;
        if (c->ch.has_size) {
                size_t before = f->wb.bytes;
                wb_cut(&f->wb, c->ch.size);
                c->m->dirty_bytes -= before - f->wb.bytes;
        }
        apply(c->m, c->n, &c->ch);
        c->ch.has_size = false;
        merge(&f->pend, f->has_pend, &c->ch);
        f->has_pend = true;
        flush_note(f);
        finish(c, 0);
}

/* ---- what is asked for -------------------------------------------------------------------------
 */

static int64_t ns_of(struct timespec ts)
{
        return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static struct frevo_change change_of(const struct node *n, const struct stat *attr, int to_set)
{
        struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                  .access_ns = FREVO_TIME_KEEP,
                                  .write_ns = FREVO_TIME_KEEP,
                                  .change_ns = FREVO_TIME_KEEP};
        if (to_set & FUSE_SET_ATTR_SIZE) {
                ch.has_size = true;
                ch.size = (uint64_t)attr->st_size;
        }
        if (to_set & FUSE_SET_ATTR_ATIME_NOW)
                ch.access_ns = attr_now_ns();
        else if (to_set & FUSE_SET_ATTR_ATIME)
                ch.access_ns = ns_of(attr->st_atim);
        if (to_set & FUSE_SET_ATTR_MTIME_NOW)
                ch.write_ns = attr_now_ns();
        else if (to_set & FUSE_SET_ATTR_MTIME)
                ch.write_ns = ns_of(attr->st_mtim);
        if (to_set & FUSE_SET_ATTR_MODE && n->stat.type == FREVO_FILE) {
                uint32_t now = n->stat.attributes & ~ATTRIBUTE_NORMAL;
                uint32_t then = attr->st_mode & S_IWUSR ? now & ~ATTRIBUTE_READONLY
                                                        : now | ATTRIBUTE_READONLY;
                if (then != now)
                        ch.attributes = then ? then : ATTRIBUTE_NORMAL;
        }
        return ch;
}

static bool is_nothing(const struct frevo_change *ch)
{
        return !ch->has_size && !ch->attributes && ch->access_ns == FREVO_TIME_KEEP &&
               ch->write_ns == FREVO_TIME_KEEP;
}

static bool is_refused(const struct mount *m, const struct stat *attr, int to_set)
{
        bool other = (to_set & FUSE_SET_ATTR_UID && attr->st_uid != m->conf.uid) ||
                     (to_set & FUSE_SET_ATTR_GID && attr->st_gid != m->conf.gid);
        return other && !m->conf.quiet;
}

void setattr_op(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
                struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct node *n = node_of(m, ino);
        struct setattr_call *c = malloc(sizeof *c);
        (void)fi;
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        *c = (struct setattr_call){.m = m, .req = req, .n = n, .ch = change_of(n, attr, to_set)};
        node_pin(n);
        if (is_refused(m, attr, to_set))
                finish(c, EPERM);
        else if (is_nothing(&c->ch))
                finish(c, 0);
        else if (may_wait(c))
                keep_for_later(c);
        else if (n->file && n->file->is_new)
                flush_materialize(n->file, made, c);
        else if (file_is_unsettled(n))
                flush_file(n->file, buffer_empty, c);
        else
                ask(c);
}
