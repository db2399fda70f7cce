/* See open.h. Making files is create.c's. */
#include "mount/open.h"

#include <errno.h>
#include <fcntl.h>

#include "mount/attr.h"
#include "mount/flush.h"
#include "mount/lock.h"
#include "mount/notifier.h"

struct open_call {
        struct mount *m;
        fuse_req_t req;
        struct node *n; /* pinned */
        struct fuse_file_info fi;
};

uint32_t open_access(int flags)
{
        return (flags & O_ACCMODE) == O_RDONLY ? FREVO_READ : FREVO_READ | FREVO_WRITE;
}

/* Without the right to cache, neither the kernel nor we do. What the kernel has from before is good
 * if the right was never gone since. */
static void set_caching(struct file *f, struct open_file *o, struct fuse_file_info *fi)
{
        bool may = f->is_new || (file_lease(f->n) & FREVO_LEASE_READ);
        o->direct = !may;
        fi->direct_io = !may;
        fi->keep_cache = may && f->cached;
        f->cached = may;
}

bool open_attach(struct mount *m, struct node *n, struct handle *h, struct fuse_file_info *fi)
{
        struct open_file *o = calloc(1, sizeof *o);
        if (!o) {
                if (h)
                        handle_put(m, h);
                return false;
        }
        o->n = n;
        o->h = h;
        o->access = open_access(fi->flags);
        node_pin(n);
        n->file->opens++;
        set_caching(n->file, o, fi);
        fi->fh = (uint64_t)(uintptr_t)o;
        return true;
}

void open_detach(struct mount *m, struct open_file *o)
{
        struct node *n = o->n;
        if (--n->file->opens == 0) {
                ra_invalidate(&n->file->ra, 0, 0);
                if (n->gone)
                        flush_drop(n->file);
        }
        if (o->h)
                handle_put(m, o->h);
        free(o);
        node_unpin(&m->nodes, n);
}

static void opened(void *arg, const struct handle_result *r)
{
        struct open_call *c = arg;
        struct mount *m = c->m;
        int err = r->err;
        if (!err && c->fi.flags & O_TRUNC) {
                struct file *f = c->n->file;
                m->dirty_bytes -= f->wb.bytes;
                wb_cut(&f->wb, 0);
                m->dirty_bytes += f->wb.bytes;
                ra_invalidate(&f->ra, 0, 0);
        }
        if (!err && !open_attach(m, c->n, r->h, &c->fi))
                err = ENOMEM;
        if (err)
                (void)fuse_reply_err(c->req, err);
        else if (fuse_reply_open(c->req, &c->fi) != 0) /* interrupted: no release will come */
                open_detach(m, open_file_of(&c->fi));
        node_unpin(&m->nodes, c->n);
        free(c);
}

static void open_begin(void *arg, int err)
{
        struct open_call *c = arg;
        if (err) {
                opened(c, &(struct handle_result){.err = err});
                return;
        }
        handle_get(c->m, c->n,
                   &(struct handle_how){
                           .access = open_access(c->fi.flags),
                           .disposition = c->fi.flags & O_TRUNC ? FREVO_TRUNCATE_EXISTING
                                                                : FREVO_OPEN_EXISTING,
                           .less_will_do = (c->fi.flags & O_ACCMODE) == O_WRONLY,
                   },
                   opened, c);
}

void open_op(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct open_call *c = malloc(sizeof *c);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        *c = (struct open_call){.m = m, .req = req, .n = node_of(m, ino), .fi = *fi};
        node_pin(c->n);
        struct file *f = c->n->file;
        if (f && f->is_new)
                flush_materialize(f, open_begin, c);
        else if (f && fi->flags & O_TRUNC && file_is_unsettled(c->n))
                flush_file(f, open_begin, c);
        else
                open_begin(c, 0);
}

/* ---- the end -----------------------------------------------------------------------------------
 */

struct sync_call {
        struct mount *m;
        fuse_req_t req;
        struct node *n;   /* pinned */
        struct handle *h; /* in use */
};

static void sync_finish(struct sync_call *c, int err)
{
        struct mount *m = c->m;
        (void)fuse_reply_err(c->req, err);
        if (c->h)
                handle_put(m, c->h);
        node_unpin(&m->nodes, c->n);
        free(c);
}

static void flushed(void *arg, int err)
{
        sync_finish(arg, err);
}

static struct sync_call *sync_new(fuse_req_t req, struct node *n)
{
        struct sync_call *c = malloc(sizeof *c);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return NULL;
        }
        *c = (struct sync_call){.m = mount_of(req), .req = req, .n = n};
        node_pin(n);
        return c;
}

static void unlocked(void *arg)
{
        struct sync_call *c = arg;
        flush_file(c->n->file, flushed, c);
}

/* close(2), of each descriptor: what was written is at the server when it returns. */
void open_op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct sync_call *c = sync_new(req, node_of(m, ino));
        if (c)
                lock_drop_owner(m, c->n, fi->lock_owner, unlocked, c);
}

static void on_disk(void *arg, const struct frevo_result *r)
{
        sync_finish(arg, r->err);
}

static void to_disk(void *arg, int err)
{
        struct sync_call *c = arg;
        struct file *f = c->n->file;
        f->new_durable = false;
        c->h = err ? NULL : handle_use(c->n, FREVO_WRITE);
        if (err || !c->h) /* nothing open to write: then there was nothing to sync */
                sync_finish(c, err);
        else if (!frevo_flush_start(c->h->f, on_disk, c))
                sync_finish(c, ENOMEM);
}

void open_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
        struct sync_call *c = sync_new(req, node_of(mount_of(req), ino));
        (void)datasync; /* the server knows no difference */
        (void)fi;
        if (!c)
                return;
        c->n->file->new_durable = true;
        flush_file(c->n->file, to_disk, c);
}

void open_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        (void)ino;
        if (fi->flock_release)
                lock_drop_flock(m, node_of(m, ino), fi->lock_owner);
        open_detach(m, open_file_of(fi));
        (void)fuse_reply_err(req, 0);
}
