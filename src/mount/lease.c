/* See lease.h. */
#include "mount/lease.h"

#include <errno.h>

#include "base/clock.h"
#include "mount/attr.h"
#include "mount/flush.h"
#include "mount/handle.h"
#include "mount/notifier.h"

/* Everything that a break asks for is done. */
static void answer(struct file *f)
{
        f->breaking = false;
        list_each (&f->handles, it) {
                struct handle *h = list_entry(it, struct handle, link);
                if (!h->owes)
                        continue;
                h->owes = false;
                frevo_lease_ack(h->f);
        }
}

static void step_done(struct file *f)
{
        struct mount *m = f->m;
        struct node *n = f->n;
        if (--f->break_waits == 0)
                answer(f);
        node_unpin(&m->nodes, n);
}

static void kernel_told(void *file)
{
        step_done(file);
}

/* An error stays with the file, for whoever flushes or syncs it next. */
static void flushed(void *file, int err)
{
        struct file *f = file;
        if (err)
                f->write_err = err;
        step_done(f);
}

static void idle_closed(void *file)
{
        step_done(file);
}

static void step_begin(struct file *f)
{
        f->break_waits++;
        node_pin(f->n);
}

static struct handle *handle_of(const struct file *f, const struct frevo_file *of)
{
        list_each (&f->handles, it) {
                struct handle *h = list_entry(it, struct handle, link);
                if (h->f == of)
                        return h;
        }
        return NULL;
}

int lease_broken(void *file, struct frevo_file *of, unsigned now)
{
        struct file *f = file;
        struct handle *h = handle_of(f, of);
        if (!h)
                return 0; /* it is on its way out */
        node_pin(f->n);
        h->owes = true;
        f->breaking = true;
        step_begin(f); /* so that nothing is answered in here */
        if (!(now & FREVO_LEASE_WRITE) && file_is_unsettled(f->n)) {
                step_begin(f);
                flush_file(f, flushed, f);
        }
        if (!(now & FREVO_LEASE_READ)) {
                f->cached = false;
                ra_invalidate(&f->ra, 0, 0);
                attr_stale(f->n);
                step_begin(f);
                notifier_inval_inode(f->m->notifier, node_ino(f->m, f->n), 0, 0);
                notifier_call(f->m->notifier, kernel_told, f);
        }
        if (!(now & FREVO_LEASE_HANDLE)) {
                step_begin(f);
                handle_close_idle(f->m, f->n, idle_closed, f);
        }
        struct mount *m = f->m;
        struct node *n = f->n;
        step_done(f);
        node_unpin(&m->nodes, n);
        return 1;
}

/* ---- again -------------------------------------------------------------------------------------
 */

#define REGAIN_PAUSE_MS 1000u

struct regain_wait {
        struct list link;
        void (*done)(void *arg);
        void *arg;
};

static void closed(void *arg, const struct frevo_result *r)
{
        struct mount *m = arg;
        (void)r; /* the rights are the key's: the other opens keep them */
        m->in_flight--;
}

static void regained(void *arg, const struct frevo_result *r)
{
        struct file *f = arg;
        struct mount *m = f->m;
        struct node *n = f->n;
        struct list all;
        list_init(&all);
        f->regaining = false;
        if (!r->err) {
                attr_take(m, n, &r->stat, n->changed_at);
                if (frevo_close_start(r->file, closed, m))
                        m->in_flight++;
        }
        if (!(file_lease(n) & FREVO_LEASE_READ))
                f->regain_failed_ms = clock_ms();
        list_each_safe (&f->regainers, it, next) {
                list_remove(it);
                list_add_last(&all, it);
        }
        while (!list_empty(&all)) {
                struct regain_wait *w = list_entry(all.next, struct regain_wait, link);
                list_remove(&w->link);
                w->done(w->arg);
                free(w);
        }
        node_unpin(&m->nodes, n);
}

static bool regain_begin(struct file *f)
{
        AUTO_FREE char *path = node_path(&f->m->nodes, f->n, NULL);
        const struct frevo_open_how how = {
                .options = 0x40,
                .lease = FREVO_LEASE_READ | FREVO_LEASE_HANDLE,
                .lease_key = f->lease_key,
                .lease_broken = lease_broken,
                .lease_arg = f,
        };
        return path && frevo_open_start(f->m->share, path, &how, regained, f);
}

void lease_regain(struct file *f, void (*done)(void *arg), void *arg)
{
        bool in_vain = f->n->gone || f->breaking || !frevo_share_info(f->m->share).leases ||
                       clock_ms() - f->regain_failed_ms < REGAIN_PAUSE_MS;
        struct regain_wait *w = in_vain ? NULL : malloc(sizeof *w);
        if (!w || (!f->regaining && !regain_begin(f))) {
                free(w);
                done(arg);
                return;
        }
        *w = (struct regain_wait){.done = done, .arg = arg};
        list_add_last(&f->regainers, &w->link);
        if (!f->regaining)
                node_pin(f->n);
        f->regaining = true;
}

void lease_note_uncached(struct file *f)
{
        if (list_empty(&f->uncached_link))
                list_add_last(&f->m->uncached, &f->uncached_link);
}

void lease_forget_uncached(struct mount *m)
{
        list_each_safe (&m->uncached, it, next) {
                struct file *f = list_entry(it, struct file, uncached_link);
                list_remove(it);
                notifier_inval_inode(m->notifier, node_ino(m, f->n), 0, 0);
        }
}
