/* See lease.h. */
#include "mount/lease.h"

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
