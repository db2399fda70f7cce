/* See write.h. */
#include "mount/write.h"

#include <errno.h>

#include "mount/attr.h"
#include "mount/flush.h"
#include "mount/handle.h"
#include "mount/notifier.h"

/* All that may wait here: enough to fill 10 Gb/s at 50 ms. */
#define DIRTY_MAX (64u * 1024 * 1024)
#define TRIES_MAX 4u

struct write_call {
        struct list link; /* in mount.stalled */
        struct mount *m;
        fuse_req_t req;
        struct node *n; /* pinned */
        struct open_file *o;
        struct handle *h; /* in use, if not NULL */
        uint64_t off;
        size_t size;
        unsigned tries;
        char data[];
};

static void finish(struct write_call *c, int err)
{
        struct mount *m = c->m;
        if (err)
                (void)fuse_reply_err(c->req, err);
        else
                (void)fuse_reply_write(c->req, c->size);
        if (c->h)
                handle_put(m, c->h);
        node_unpin(&m->nodes, c->n);
        free(c);
}

/* ---- through -----------------------------------------------------------------------------------
 */

static void send(struct write_call *c);

static void revived(void *arg, int err)
{
        struct write_call *c = arg;
        if (err)
                finish(c, err == ENOENT ? ESTALE : err);
        else
                send(c);
}

static void written(void *arg, const struct frevo_result *r)
{
        struct write_call *c = arg;
        if (r->err == ESTALE && c->tries++ < TRIES_MAX) {
                handle_revive(c->m, c->h, revived, c);
                return;
        }
        if (!r->err) {
                file_grew(c->n->file, c->off, c->size);
                attr_stale(c->n);
        }
        finish(c, r->err);
}

static void send(struct write_call *c)
{
        if (!frevo_write_start(c->h->f, c->off, c->data, (uint32_t)c->size, written, c))
                finish(c, ENOMEM);
}

static void have_handle(void *arg, const struct handle_result *r)
{
        struct write_call *c = arg;
        if (r->err) {
                finish(c, r->err);
                return;
        }
        c->h = r->h;
        send(c);
}

/* What the buffer holds goes first: nothing may overtake. */
static void buffer_empty(void *arg, int err)
{
        struct write_call *c = arg;
        if (err) {
                finish(c, err);
                return;
        }
        if (c->o->h) {
                c->h = c->o->h;
                c->h->users++;
                send(c);
                return;
        }
        handle_get(c->m, c->n, &(struct handle_how){.access = c->o->access, .less_will_do = true},
                   have_handle, c);
}

/* ---- into the buffer ---------------------------------------------------------------------------
 */

static bool may_buffer(const struct file *f)
{
        return f->is_new || (!f->breaking && (file_lease(f->n) & FREVO_LEASE_WRITE));
}

static int into_buffer(struct file *f, const struct open_file *o, uint64_t off, const char *data,
                       size_t n)
{
        size_t before = f->wb.bytes;
        bool ok = wb_write(&f->wb, off, data, n);
        f->m->dirty_bytes += f->wb.bytes - before;
        flush_note(f);
        if (o->h && !f->writer && !f->is_new) {
                o->h->users++;
                flush_set_writer(f, o->h);
        }
        if (ok)
                file_grew(f, off, n);
        flush_some(f);
        return ok ? 0 : ENOMEM;
}

static struct write_call *call_new(fuse_req_t req, struct node *n, const char *buf, size_t size,
                                   off_t off, struct open_file *o)
{
        struct write_call *c = malloc(sizeof *c + size);
        if (!c)
                return NULL;
        *c = (struct write_call){
                .m = mount_of(req), .req = req, .n = n, .o = o, .off = (uint64_t)off, .size = size};
        list_init(&c->link);
        memcpy(c->data, buf, size);
        node_pin(n);
        return c;
}

/* Until some of what is on its way has arrived; if nothing is, all that waits has to go. */
static void stall(struct mount *m, struct write_call *c)
{
        list_add_last(&m->stalled, &c->link);
        if (m->writes == 0)
                flush_all(m);
}

void write_op(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
              struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct node *n = node_of(m, ino);
        struct open_file *o = open_file_of(fi);
        struct file *f = n->file;
        if (may_buffer(f) && m->dirty_bytes < DIRTY_MAX) {
                int err = into_buffer(f, o, (uint64_t)off, buf, size);
                if (err)
                        (void)fuse_reply_err(req, err);
                else
                        (void)fuse_reply_write(req, size);
                return;
        }
        struct write_call *c = call_new(req, n, buf, size, off, o);
        if (!c)
                (void)fuse_reply_err(req, ENOMEM);
        else if (may_buffer(f))
                stall(m, c);
        else if (file_is_unsettled(n))
                flush_file(f, buffer_empty, c);
        else
                buffer_empty(c, 0);
}

void write_resume(struct mount *m)
{
        while (!list_empty(&m->stalled) && m->dirty_bytes < DIRTY_MAX) {
                struct write_call *c = list_entry(m->stalled.next, struct write_call, link);
                struct file *f = c->n->file;
                list_remove(&c->link);
                if (may_buffer(f))
                        finish(c, into_buffer(f, c->o, c->off, c->data, c->size));
                else
                        flush_file(f, buffer_empty, c);
        }
        if (!list_empty(&m->stalled) && m->writes == 0)
                flush_all(m);
}
