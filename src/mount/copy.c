/* See copy.h. Where the server cannot, the kernel reads and writes instead (EOPNOTSUPP). */
#include "mount/copy.h"

#include <errno.h>

#include "mount/attr.h"
#include "mount/flush.h"
#include "mount/handle.h"

/* One request's: the caller asks again for more, and can be interrupted in between. */
#define COPY_MAX (256u * 1024 * 1024)

struct copy_call {
        struct mount *m;
        fuse_req_t req;
        struct node *from, *to;       /* pinned */
        struct handle *from_h, *to_h; /* in use */
        uint64_t from_off, to_off, n;
};

static void finish(struct copy_call *c, int err)
{
        struct mount *m = c->m;
        if (err)
                (void)fuse_reply_err(c->req, err);
        else
                (void)fuse_reply_write(c->req, (size_t)c->n);
        handle_put(m, c->from_h);
        handle_put(m, c->to_h);
        node_unpin(&m->nodes, c->from);
        node_unpin(&m->nodes, c->to);
        free(c);
}

static void copied(void *arg, const struct frevo_result *r)
{
        struct copy_call *c = arg;
        if (!r->err && r->n) {
                c->n = r->n;
                file_grew(c->to->file, c->to_off, r->n);
                attr_stale(c->to);
        }
        finish(c, r->err ? r->err : r->n ? 0 : EOPNOTSUPP);
}

/* A copy ends at the end of the file, as a read does. */
static void both_flushed(void *arg, int err)
{
        struct copy_call *c = arg;
        uint64_t size = c->from->stat.size;
        uint64_t left = c->from_off < size ? size - c->from_off : 0;
        if (c->n > left)
                c->n = left;
        if (err || !c->n)
                finish(c, err);
        else if (!frevo_copy_range_start(c->from_h->f, c->from_off, c->to_h->f, c->to_off, c->n,
                                         copied, c))
                finish(c, ENOMEM);
}

static void from_flushed(void *arg, int err)
{
        struct copy_call *c = arg;
        if (err)
                finish(c, err);
        else
                flush_file(c->to->file, both_flushed, c);
}

/* NOLINTNEXTLINE(readability-function-size): the shape is FUSE's */
void copy_op(fuse_req_t req, fuse_ino_t from, off_t from_off, struct fuse_file_info *from_fi,
             fuse_ino_t to, off_t to_off, struct fuse_file_info *to_fi, size_t n, int flags)
{
        struct mount *m = mount_of(req);
        const struct open_file *a = open_file_of(from_fi), *b = open_file_of(to_fi);
        (void)flags; /* there are none yet */
        /* Without leases the size here may be old; servers copy no ranges of one file over itself.
         */
        if (!a->h || !b->h || from == to ||
            !(file_is_unsettled(a->n) || (file_lease(a->n) & FREVO_LEASE_READ))) {
                (void)fuse_reply_err(req, EOPNOTSUPP);
                return;
        }
        struct copy_call *c = malloc(sizeof *c);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        *c = (struct copy_call){.m = m,
                                .req = req,
                                .from = node_of(m, from),
                                .to = node_of(m, to),
                                .from_h = a->h,
                                .to_h = b->h,
                                .from_off = (uint64_t)from_off,
                                .to_off = (uint64_t)to_off,
                                .n = n < COPY_MAX ? n : COPY_MAX};
        c->from_h->users++;
        c->to_h->users++;
        node_pin(c->from);
        node_pin(c->to);
        flush_file(c->from->file, from_flushed, c);
}
