/* See flush.h. */
#include "mount/flush.h"

#include <errno.h>

#include "base/clock.h"
#include "mount/attr.h"
#include "mount/handle.h"
#include "mount/notifier.h"
#include "mount/write.h"

#define OLD_MS 2000u

struct flush_wait {
        struct list link;
        flush_done done;
        void *arg;
};

/* A write or a change in flight. */
struct sending {
        struct file *f;   /* its node is pinned */
        struct extent *e; /* NULL: pend */
        struct frevo_change pend;
        unsigned tries;
};

#define TRIES_MAX 4u

static void pump(struct file *f);
static void send(struct sending *s);

/* ---- the books ---------------------------------------------------------------------------------
 */

static bool has_work(const struct file *f)
{
        return !wb_is_empty(&f->wb) || f->has_pend || f->is_new || f->writing;
}

static void fail(struct file *f, int err)
{
        if (!f->write_err)
                f->write_err = err;
}

void flush_set_writer(struct file *f, struct handle *h)
{
        if (f->writer)
                handle_put(f->m, h);
        else
                f->writer = h;
}

void flush_note(struct file *f)
{
        if (!list_empty(&f->dirty_link))
                return;
        f->dirty_since_ms = clock_ms();
        list_add_last(&f->m->dirty, &f->dirty_link);
        node_pin(f->n);
}

static void extent_gone(struct file *f, struct extent *e)
{
        f->m->dirty_bytes -= e->n;
        wb_sent(&f->wb, e);
        write_resume(f->m);
}

/* The last of it is at the server, or lost. */
static void settled(struct file *f)
{
        struct mount *m = f->m;
        struct node *n = f->n;
        struct list all;
        list_init(&all);
        list_each_safe (&f->flushers, it, next) {
                list_remove(it);
                list_add_last(&all, it);
        }
        int err = f->write_err;
        if (!list_empty(&all))
                f->write_err = 0;
        node_pin(n);
        if (!list_empty(&f->dirty_link)) {
                list_remove(&f->dirty_link);
                node_unpin(&m->nodes, n);
        }
        struct handle *h = f->writer;
        f->writer = NULL;
        while (!list_empty(&all)) {
                struct flush_wait *w = list_entry(all.next, struct flush_wait, link);
                list_remove(&w->link);
                w->done(w->arg, err);
                free(w);
        }
        if (h)
                handle_put(m, h);
        node_unpin(&m->nodes, n);
}

/* ---- one thing in flight -----------------------------------------------------------------------
 */

static void sent(struct sending *s, int err)
{
        struct file *f = s->f;
        struct mount *m = f->m;
        struct node *n = f->n;
        if (err)
                fail(f, err);
        f->writing--;
        m->writes--;
        if (s->e) {
                attr_stale(n); /* what the server made of the times, only it knows */
                extent_gone(f, s->e);
        }
        node_changed(m, n);
        free(s);
        pump(f);
        node_unpin(&m->nodes, n);
}

static void revived(void *arg, int err)
{
        struct sending *s = arg;
        if (err)
                sent(s, err == ENOENT ? ESTALE : err);
        else
                send(s);
}

static void came_back(void *arg, const struct frevo_result *r)
{
        struct sending *s = arg;
        if (r->err == ESTALE && s->f->writer && s->tries++ < TRIES_MAX)
                handle_revive(s->f->m, s->f->writer, revived, s);
        else
                sent(s, r->err);
}

static void no_memory(void *arg)
{
        sent(arg, ENOMEM);
}

static void send(struct sending *s)
{
        struct frevo_file *f = s->f->writer->f;
        const struct frevo_op *op =
                s->e ? frevo_write_start(f, s->e->off, s->e->data, (uint32_t)s->e->n, came_back, s)
                     : frevo_fchange_start(f, &s->pend, came_back, s);
        if (!op)
                notifier_call(s->f->m->notifier, no_memory, s);
}

static struct sending *sending_new(struct file *f)
{
        struct sending *s = calloc(1, sizeof *s);
        if (!s)
                return NULL;
        s->f = f;
        f->writing++;
        f->m->writes++;
        node_pin(f->n);
        return s;
}

/* ---- new files ---------------------------------------------------------------------------------
 */

struct putting {
        struct file *f;   /* its node is pinned */
        struct extent *e; /* NULL: empty */
};

static void drop_dirty(struct file *f)
{
        f->is_new = f->has_pend = false;
        f->m->dirty_bytes -= f->wb.bytes;
        wb_cut(&f->wb, 0);
        f->m->dirty_bytes += f->wb.bytes;
}

void flush_drop(struct file *f)
{
        drop_dirty(f);
        pump(f);
}

/* The name is not ours after all. */
static void put_failed(struct file *f, int err)
{
        fail(f, err);
        drop_dirty(f);
        if (!f->n->gone)
                node_detach(&f->m->nodes, f->n);
}

static void put_done(void *arg, const struct frevo_result *r)
{
        struct putting *p = arg;
        struct file *f = p->f;
        struct mount *m = f->m;
        struct node *n = f->n;
        f->putting = false;
        if (r->err == ECONNRESET || r->err == ETIMEDOUT) {
                /* It may be there, by us: another try finds it, and is the same. */
                f->new_exclusive = false;
                if (p->e) {
                        list_remove(&p->e->link);
                        list_add_first(&f->wb.dirty, &p->e->link);
                        p->e->sending = false;
                }
        } else if (r->err) {
                if (p->e)
                        extent_gone(f, p->e);
                put_failed(f, r->err);
        } else {
                f->is_new = false;
                if (p->e)
                        extent_gone(f, p->e);
                if (wb_is_empty(&f->wb) && !f->has_pend) {
                        uint64_t id = n->stat.id;
                        n->stat = r->stat;
                        n->stat.id = r->stat.id ? r->stat.id : id;
                        n->fresh_until_ms = clock_ms() + m->conf.cache_ms;
                }
                node_changed(m, n);
        }
        free(p);
        pump(f);
        node_unpin(&m->nodes, n);
}

static struct frevo_put_how put_how(const struct file *f)
{
        struct frevo_put_how how = {
                .exclusive = f->new_exclusive,
                .durable = f->new_durable,
                .create_ns = FREVO_TIME_KEEP,
                .access_ns = FREVO_TIME_KEEP,
                .write_ns = FREVO_TIME_KEEP,
                .attributes = f->n->stat.attributes,
        };
        if (f->has_pend) {
                how.access_ns = f->pend.access_ns;
                how.write_ns = f->pend.write_ns;
        }
        return how;
}

/* A new file whose bytes are one extent goes out whole. */
static bool fits_put(const struct file *f)
{
        const struct list *d = &f->wb.dirty;
        if (list_empty(d))
                return f->n->stat.size == 0;
        const struct extent *e = list_entry(d->next, struct extent, link);
        return d->next == d->prev && e->off == 0 && e->n == f->n->stat.size &&
               e->n <= f->m->max_write;
}

static bool put_begin(struct file *f)
{
        AUTO_FREE char *path = node_path(&f->m->nodes, f->n, NULL);
        struct putting *p = path ? malloc(sizeof *p) : NULL;
        if (!p)
                return false;
        struct frevo_put_how how = put_how(f);
        *p = (struct putting){.f = f, .e = wb_send(&f->wb, true)};
        if (!frevo_put_start(f->m->share, path, p->e ? p->e->data : NULL, p->e ? p->e->n : 0, &how,
                             put_done, p)) {
                free(p);
                return false;
        }
        f->has_pend = false;
        f->putting = true;
        node_pin(f->n);
        return true;
}

struct making {
        struct file *f;
        flush_done done;
        void *arg;
};

static void made(void *arg, const struct handle_result *r)
{
        struct making *w = arg;
        struct file *f = w->f;
        struct mount *m = f->m;
        struct node *n = f->n;
        f->putting = false;
        if (r->err) {
                put_failed(f, r->err);
        } else {
                f->is_new = false;
                flush_set_writer(f, r->h);
                node_changed(m, n);
        }
        w->done(w->arg, r->err);
        pump(f);
        free(w);
        node_unpin(&m->nodes, n);
}

static void again(void *arg, int err)
{
        struct making *w = arg;
        struct file *f = w->f;
        struct node *n = f->n;
        struct mount *m = f->m;
        (void)err; /* stays with the file */
        flush_materialize(f, w->done, w->arg);
        free(w);
        node_unpin(&m->nodes, n);
}

void flush_materialize(struct file *f, flush_done done, void *arg)
{
        struct making *w = f->is_new ? malloc(sizeof *w) : NULL;
        if (!w) {
                done(arg, f->is_new ? ENOMEM : 0);
                return;
        }
        *w = (struct making){.f = f, .done = done, .arg = arg};
        node_pin(f->n);
        if (f->putting) { /* it is on its way as a whole: wait for that */
                flush_file(f, again, w);
                return;
        }
        f->putting = true;
        handle_get(f->m, f->n,
                   &(struct handle_how){.access = FREVO_READ | FREVO_WRITE,
                                        .disposition = f->new_exclusive ? FREVO_CREATE_NEW
                                                                        : FREVO_OPEN_OR_CREATE,
                                        .attributes = f->n->stat.attributes},
                   made, w);
}

static void nothing(void *arg, int err)
{
        (void)arg;
        (void)err; /* put_failed() noted it */
}

static void pump_new(struct file *f)
{
        if (f->putting || list_empty(&f->flushers))
                return;
        if (f->n->gone) /* removed before it was there: its bytes stay for who has it open */
                settled(f);
        else if (!fits_put(f))
                flush_materialize(f, nothing, NULL);
        else if (!put_begin(f))
                put_failed(f, ENOMEM);
}

/* ---- the pump ----------------------------------------------------------------------------------
 */

static void writer_opened(void *arg, const struct handle_result *r)
{
        struct file *f = arg;
        struct mount *m = f->m;
        struct node *n = f->n;
        f->opening_writer = false;
        if (r->err) {
                fail(f, r->err);
                drop_dirty(f);
        } else {
                flush_set_writer(f, r->h);
        }
        pump(f);
        node_unpin(&m->nodes, n);
}

static void open_writer(struct file *f)
{
        if (f->opening_writer)
                return;
        f->opening_writer = true;
        node_pin(f->n);
        handle_get(f->m, f->n,
                   &(struct handle_how){.access = FREVO_READ | FREVO_WRITE, .less_will_do = true},
                   writer_opened, f);
}

static void send_ready(struct file *f, bool all)
{
        struct sending *s;
        struct extent *e;
        while ((e = wb_send(&f->wb, all)) != NULL) {
                s = sending_new(f);
                if (!s) {
                        fail(f, ENOMEM);
                        extent_gone(f, e);
                        continue;
                }
                s->e = e;
                send(s);
        }
        /* Behind the data, whose arrival sets times as well. */
        if (!all || !f->has_pend || !wb_is_empty(&f->wb) || !(s = sending_new(f)))
                return;
        s->pend = f->pend;
        f->has_pend = false;
        send(s);
}

static void pump(struct file *f)
{
        bool all = !list_empty(&f->flushers);
        if (f->is_new)
                pump_new(f);
        if (f->is_new)
                return;
        if (!f->writer && (!wb_is_empty(&f->wb) || f->has_pend)) {
                if (all || f->wb.bytes >= f->wb.extent_max)
                        open_writer(f);
                if (!f->writer)
                        return;
        }
        send_ready(f, all);
        if (!has_work(f))
                settled(f);
}

void flush_some(struct file *f)
{
        if (!list_empty(&f->dirty_link))
                pump(f);
}

void flush_file(struct file *f, flush_done done, void *arg)
{
        if (!has_work(f)) {
                int err = f->write_err;
                f->write_err = 0;
                done(arg, err);
                return;
        }
        struct flush_wait *w = malloc(sizeof *w);
        if (!w) {
                done(arg, ENOMEM);
                return;
        }
        *w = (struct flush_wait){.done = done, .arg = arg};
        list_add_last(&f->flushers, &w->link);
        node_pin(f->n);
        struct mount *m = f->m;
        struct node *n = f->n;
        pump(f);
        node_unpin(&m->nodes, n);
}

/* ---- by the clock ------------------------------------------------------------------------------
 */

static void flushed(void *arg, int err)
{
        struct file *f = arg;
        struct mount *m = f->m;
        struct node *n = f->n;
        if (err)
                fail(f, err); /* for whoever asks next */
        node_unpin(&m->nodes, n);
}

static void flush_older(struct mount *m, uint64_t than_ms)
{
        struct list *it = m->dirty.next;
        while (it != &m->dirty) {
                struct file *f = list_entry(it, struct file, dirty_link);
                it = it->next;
                if (f->dirty_since_ms > than_ms || !list_empty(&f->flushers))
                        continue;
                struct file *next =
                        it == &m->dirty ? NULL : list_entry(it, struct file, dirty_link);
                if (next)
                        node_pin(next->n);
                node_pin(f->n);
                flush_file(f, flushed, f);
                if (!next)
                        break;
                bool still = !list_empty(&next->dirty_link);
                node_unpin(&m->nodes, next->n);
                if (!still)
                        break; /* the list moved: the rest next time */
        }
}

void flush_old(struct mount *m)
{
        uint64_t now = clock_ms();
        flush_older(m, now > OLD_MS ? now - OLD_MS : 0);
}

void flush_all(struct mount *m)
{
        flush_older(m, UINT64_MAX);
}
