/* Reading: from the buffer of what was written, from blocks that were read ahead, from the server.
 */
#include "mount/read.h"

#include <errno.h>

#include "mount/attr.h"
#include "mount/flush.h"
#include "mount/handle.h"
#include "mount/lease.h"
#include "mount/notifier.h"

#define TRIES_MAX 4u
#define PARTS_MAX 8u /* blocks that one read of the kernel's can touch */

struct read_call {
        struct mount *m;
        fuse_req_t req;
        struct node *n; /* pinned */
        struct open_file *o;
        struct handle *h; /* in use, if not NULL */
        uint64_t off;
        size_t size;
        unsigned tries;
        struct block *parts[PARTS_MAX]; /* in use */
        unsigned n_parts, waiting;
        struct list link; /* in mount.reads */
};

static void call_end(struct read_call *c)
{
        struct mount *m = c->m;
        /* The right to cache may have ended while this was on its way. */
        if (!c->o->direct && !(file_lease(c->n) & FREVO_LEASE_READ) && !file_is_unsettled(c->n))
                lease_note_uncached(c->n->file);
        for (unsigned i = 0; i < c->n_parts; i++)
                ra_release(&c->n->file->ra, c->parts[i]);
        if (c->h)
                handle_put(m, c->h);
        node_unpin(&m->nodes, c->n);
        free(c);
}

static void fail(struct read_call *c, int err)
{
        (void)fuse_reply_err(c->req, err);
        call_end(c);
}

/* ---- from the server ---------------------------------------------------------------------------
 */

static void send(struct read_call *c);

static void revived(void *arg, int err)
{
        struct read_call *c = arg;
        if (err)
                fail(c, err == ENOENT ? ESTALE : err);
        else
                send(c);
}

static void came(void *arg, const struct frevo_result *r)
{
        struct read_call *c = arg;
        if (r->err == ESTALE && c->tries++ < TRIES_MAX) {
                handle_revive(c->m, c->h, revived, c);
                return;
        }
        if (r->err) {
                fail(c, r->err);
                return;
        }
        (void)fuse_reply_buf(c->req, r->data, r->n);
        call_end(c);
}

static void send(struct read_call *c)
{
        if (!frevo_read_start(c->h->f, c->off, (uint32_t)c->size, came, c))
                fail(c, ENOMEM);
}

/* ---- from blocks -------------------------------------------------------------------------------
 */

struct block_call {
        struct mount *m;
        struct node *n;   /* pinned */
        struct handle *h; /* in use */
        struct block *b;
        unsigned tries;
};

static void block_send(struct block_call *k);

static size_t add_part(struct iovec *v, const struct block *b, uint64_t off, size_t n)
{
        size_t at = (size_t)(off - b->off);
        if (at >= b->got)
                return 0;
        if (n > b->got - at)
                n = b->got - at;
        *v = (struct iovec){.iov_base = (void *)(uintptr_t)(b->data + at), .iov_len = n};
        return n;
}

static void answer(struct read_call *c)
{
        struct iovec v[PARTS_MAX];
        int n = 0;
        uint64_t at = c->off, end = c->off + c->size;
        for (unsigned i = 0; i < c->n_parts && at < end; i++) {
                const struct block *b = c->parts[i];
                if (b->state == BLOCK_FAILED) {
                        fail(c, b->err);
                        return;
                }
                uint64_t to = b->off + b->n < end ? b->off + b->n : end;
                size_t got = add_part(&v[n], b, at, (size_t)(to - at));
                n += got != 0;
                at += got;
                if (at < to)
                        break; /* the file ends here */
        }
        (void)fuse_reply_iov(c->req, v, n);
        ra_consumed(&c->n->file->ra, c->off, c->size);
        call_end(c);
}

static bool all_here(const struct read_call *c)
{
        for (unsigned i = 0; i < c->n_parts; i++)
                if (c->parts[i]->state == BLOCK_ASKED)
                        return false;
        return true;
}

static bool waits_for(const struct read_call *c, const struct block *b)
{
        for (unsigned i = 0; i < c->n_parts; i++)
                if (c->parts[i] == b)
                        return true;
        return false;
}

static void block_over(struct block_call *k, int err, const struct frevo_result *r)
{
        struct mount *m = k->m;
        struct node *n = k->n;
        struct frevo_data *keep = err || !r->n ? NULL : frevo_data_keep(r);
        if (!err && r->n && !keep)
                err = ENOMEM;
        k->b->users++; /* stays while we look for who waits */
        ra_came(&n->file->ra, k->b, err, keep ? r->data : NULL, keep ? r->n : 0, keep);
        list_each_safe (&m->reads, it, next) {
                struct read_call *c = list_entry(it, struct read_call, link);
                if (!waits_for(c, k->b) || !all_here(c))
                        continue;
                list_remove(it);
                answer(c);
        }
        ra_release(&n->file->ra, k->b);
        handle_put(m, k->h);
        node_unpin(&m->nodes, n);
        free(k);
}

static void block_revived(void *arg, int err)
{
        struct block_call *k = arg;
        if (err)
                block_over(k, err == ENOENT ? ESTALE : err, NULL);
        else
                block_send(k);
}

static void block_came(void *arg, const struct frevo_result *r)
{
        struct block_call *k = arg;
        if (r->err == ESTALE && k->tries++ < TRIES_MAX)
                handle_revive(k->m, k->h, block_revived, k);
        else
                block_over(k, r->err, r);
}

static void block_no_memory(void *arg)
{
        block_over(arg, ENOMEM, NULL);
}

static void block_send(struct block_call *k)
{
        if (!frevo_read_start(k->h->f, k->b->off, k->b->n, block_came, k))
                notifier_call(k->m->notifier, block_no_memory, k);
}

static bool fetch(struct read_call *c, struct block *b)
{
        struct block_call *k = malloc(sizeof *k);
        if (!k) {
                ra_came(&c->n->file->ra, b, ENOMEM, NULL, 0, NULL);
                return false;
        }
        *k = (struct block_call){.m = c->m, .n = c->n, .h = c->h, .b = b};
        c->h->users++;
        node_pin(c->n);
        block_send(k);
        return true;
}

/* Takes the blocks that hold what c wants; false: they cannot all be had. */
static bool take_parts(struct read_call *c, uint64_t size)
{
        uint64_t end = c->off + c->size < size ? c->off + c->size : size;
        for (uint64_t at = c->off; at < end;) {
                struct block *b = ra_find(&c->n->file->ra, at);
                if (!b || c->n_parts == PARTS_MAX)
                        return false;
                b->users++;
                c->parts[c->n_parts++] = b;
                at = b->off + b->n;
        }
        return true;
}

/* False: better not. */
static bool from_blocks(struct read_call *c)
{
        struct readahead *ra = &c->n->file->ra;
        uint64_t size = c->n->stat.size;
        struct block *b;
        if (!ra_note(ra, c->off, c->size) || c->off >= size)
                return false;
        while ((b = ra_ask(ra, c->off, c->size, size)) != NULL)
                if (!fetch(c, b))
                        break;
        if (!take_parts(c, size))
                return false;
        if (all_here(c))
                answer(c);
        else
                list_add_last(&c->m->reads, &c->link);
        return true;
}

/* ---- where from --------------------------------------------------------------------------------
 */

static void read_now(void *arg)
{
        struct read_call *c = arg;
        bool may_cache = !c->o->direct && (file_lease(c->n) & FREVO_LEASE_READ);
        if (may_cache && from_blocks(c))
                return;
        send(c);
}

/* The kernel caches what it reads through this open: it should be protected again. */
static void read_on(struct read_call *c)
{
        if (c->o->direct || (file_lease(c->n) & FREVO_LEASE_READ))
                read_now(c);
        else
                lease_regain(c->n->file, read_now, c);
}

static void have_handle(void *arg, const struct handle_result *r)
{
        struct read_call *c = arg;
        c->h = r->h;
        if (r->err)
                fail(c, r->err);
        else
                read_on(c);
}

static void buffer_empty(void *arg, int err)
{
        struct read_call *c = arg;
        if (err) {
                fail(c, err);
        } else if (c->o->h) {
                c->h = c->o->h;
                c->h->users++;
                read_on(c);
        } else {
                handle_get(c->m, c->n, &(struct handle_how){.access = c->o->access}, have_handle,
                           c);
        }
}

/* A file that is all here: what was never written is zero. */
static void from_buffer(struct read_call *c, uint64_t size)
{
        size_t n = c->off >= size ? 0 : c->off + c->size > size ? (size_t)(size - c->off) : c->size;
        AUTO_FREE char *out = calloc(1, n + 1);
        if (!out) {
                fail(c, ENOMEM);
                return;
        }
        wb_read(&c->n->file->wb, c->off, out, n);
        (void)fuse_reply_buf(c->req, out, n);
        call_end(c);
}

void read_op(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct node *n = node_of(m, ino);
        struct read_call *c = calloc(1, sizeof *c);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        *c = (struct read_call){.m = m,
                                .req = req,
                                .n = n,
                                .o = open_file_of(fi),
                                .off = (uint64_t)off,
                                .size = size};
        list_init(&c->link);
        node_pin(n);
        struct file *f = n->file;
        uint64_t end = (uint64_t)off + size < n->stat.size ? (uint64_t)off + size : n->stat.size;
        bool all = (uint64_t)off < end && wb_covers(&f->wb, (uint64_t)off, (size_t)(end - c->off));
        if (f->is_new || (all && (file_lease(n) & FREVO_LEASE_WRITE)))
                from_buffer(c, n->stat.size);
        else if (wb_touches(&f->wb, c->off, size) || (file_is_unsettled(n) && !all))
                flush_file(f, buffer_empty, c);
        else
                buffer_empty(c, 0);
}
