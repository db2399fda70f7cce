/* See handle.h. */
#include "mount/handle.h"

#include <errno.h>

#include "base/clock.h"
#include "mount/attr.h"
#include "mount/lease.h"
#include "mount/notifier.h"

#define IDLE_MS 20000u

struct opening {
        struct mount *m;
        struct node *n; /* pinned */
        struct handle_how how;
        uint64_t asked;
        handle_done done;
        void *arg;
};

struct revive_wait {
        struct list link;
        void (*done)(void *arg, int err);
        void *arg;
};

/* ---- closing -----------------------------------------------------------------------------------
 */

static void closed(void *arg, const struct frevo_result *r)
{
        struct mount *m = arg;
        (void)r; /* what was written was flushed before */
        m->in_flight--;
}

static void forget(struct mount *m, struct handle *h)
{
        list_remove(&h->link);
        if (!list_empty(&h->idle)) {
                list_remove(&h->idle);
                m->n_idle--;
        }
        if (h->n->file && list_empty(&h->n->file->handles))
                h->n->file->cached = false;
        node_unpin(&m->nodes, h->n);
        free(h);
}

static void close_now(struct mount *m, struct handle *h)
{
        if (frevo_close_start(h->f, closed, m))
                m->in_flight++;
        forget(m, h);
}

void handle_put(struct mount *m, struct handle *h)
{
        if (--h->users)
                return;
        if (h->n->gone || h->owes || !(frevo_lease_held(h->f) & FREVO_LEASE_HANDLE) ||
            m->conf.idle_handles == 0) {
                close_now(m, h);
                return;
        }
        h->idle_since_ms = clock_ms();
        list_add_last(&m->idle, &h->idle);
        if (++m->n_idle > m->conf.idle_handles)
                close_now(m, list_entry(m->idle.next, struct handle, idle));
}

void handle_close_old(struct mount *m)
{
        uint64_t now = clock_ms();
        list_each_safe (&m->idle, it, next) {
                struct handle *h = list_entry(it, struct handle, idle);
                if (now - h->idle_since_ms < IDLE_MS)
                        break;
                close_now(m, h);
        }
}

void handle_close_all_idle(struct mount *m)
{
        while (!list_empty(&m->idle))
                close_now(m, list_entry(m->idle.next, struct handle, idle));
}

struct closing {
        struct mount *m;
        unsigned n;
        void (*done)(void *arg);
        void *arg;
};

static void one_closed(struct closing *c)
{
        if (--c->n)
                return;
        c->done(c->arg);
        free(c);
}

static void closed_of_many(void *arg, const struct frevo_result *r)
{
        struct closing *c = arg;
        (void)r; /* it is closed in any case */
        c->m->in_flight--;
        one_closed(c);
}

void handle_close_idle(struct mount *m, struct node *n, void (*done)(void *arg), void *arg)
{
        struct closing *c = malloc(sizeof *c);
        if (c)
                *c = (struct closing){.m = m, .n = 1, .done = done, .arg = arg};
        list_each_safe (&m->idle, it, next) {
                struct handle *h = list_entry(it, struct handle, idle);
                if (!node_is_below(h->n, n))
                        continue;
                if (!c) { /* then nobody waits */
                        close_now(m, h);
                        continue;
                }
                if (frevo_close_start(h->f, closed_of_many, c)) {
                        c->n++;
                        m->in_flight++;
                }
                forget(m, h);
        }
        if (c)
                one_closed(c);
        else
                done(arg);
}

/* ---- opening -----------------------------------------------------------------------------------
 */

static bool is_usable(const struct handle *h)
{
        return h->users || (frevo_lease_held(h->f) & FREVO_LEASE_HANDLE);
}

struct handle *handle_use(struct node *n, uint32_t access)
{
        if (!n->file)
                return NULL;
        list_each (&n->file->handles, it) {
                struct handle *h = list_entry(it, struct handle, link);
                if ((h->access & access) != access || !is_usable(h))
                        continue;
                if (h->users++ == 0) {
                        struct mount *m = n->file->m;
                        list_remove(&h->idle);
                        m->n_idle--;
                }
                return h;
        }
        return NULL;
}

static struct handle *handle_new(struct opening *o, struct frevo_file *f)
{
        struct handle *h = calloc(1, sizeof *h);
        if (!h)
                return NULL;
        h->n = o->n;
        h->f = f;
        h->access = o->how.access;
        h->users = 1;
        list_init(&h->idle);
        list_init(&h->waiting);
        list_add_last(&o->n->file->handles, &h->link);
        node_pin(h->n);
        return h;
}

static void open_begin(struct opening *o);

static void opened(void *arg, const struct frevo_result *r)
{
        struct opening *o = arg;
        struct mount *m = o->m;
        struct handle_result res = {.err = r->err, .created = r->created};
        if (r->err == EACCES && o->how.less_will_do &&
            (o->how.access & FREVO_WRITE) == FREVO_WRITE) {
                o->how.less_will_do = false;
                o->how.access = FREVO_WRITE;
                open_begin(o);
                return;
        }
        if (!r->err) {
                res.h = handle_new(o, r->file);
                if (res.h)
                        attr_take(m, o->n, &r->stat, o->asked);
                else
                        res.err = ENOMEM;
                if (!res.h && frevo_close_start(r->file, closed, m))
                        m->in_flight++;
        }
        o->done(o->arg, &res);
        node_unpin(&m->nodes, o->n);
        free(o);
}

static void failed_early(void *arg)
{
        struct opening *o = arg;
        o->done(o->arg, &(struct handle_result){.err = o->n->gone ? ENOENT : ENOMEM});
        node_unpin(&o->m->nodes, o->n);
        free(o);
}

static unsigned lease_for(uint32_t access)
{
        unsigned rights = FREVO_LEASE_READ | FREVO_LEASE_HANDLE;
        return access & 2 ? rights | FREVO_LEASE_WRITE : rights; /* 2: FILE_WRITE_DATA */
}

static void open_begin(struct opening *o)
{
        struct mount *m = o->m;
        AUTO_FREE char *path = node_path(&m->nodes, o->n, NULL);
        const struct frevo_open_how how = {
                .access = o->how.access,
                .disposition = o->how.disposition,
                .attributes = o->how.attributes,
                .options = 0x40,
                .durable = true,
                .lease = lease_for(o->how.access),
                .lease_key = o->n->file->lease_key,
                .lease_broken = lease_broken,
                .lease_arg = o->n->file,
        };
        o->asked = m->changes;
        if (!path || !frevo_open_start(m->share, path, &how, opened, o))
                notifier_call(m->notifier, failed_early, o);
}

void handle_get(struct mount *m, struct node *n, const struct handle_how *how, handle_done done,
                void *arg)
{
        struct file *f = file_get(m, n);
        bool as_it_is = how->disposition <= FREVO_OPEN_EXISTING;
        struct handle *h = f && as_it_is ? handle_use(n, how->access) : NULL;
        if (h) {
                done(arg, &(struct handle_result){.h = h});
                return;
        }
        struct opening *o = f ? malloc(sizeof *o) : NULL;
        if (!o) {
                done(arg, &(struct handle_result){.err = ENOMEM});
                return;
        }
        *o = (struct opening){.m = m, .n = n, .how = *how, .done = done, .arg = arg};
        node_pin(n);
        open_begin(o);
}

/* ---- coming back -------------------------------------------------------------------------------
 */

struct revival {
        struct mount *m;
        struct handle *h; /* in use */
};

static void revived(struct revival *v, int err)
{
        struct mount *m = v->m;
        struct handle *h = v->h;
        h->reviving = false;
        while (!list_empty(&h->waiting)) {
                struct revive_wait *w = list_entry(h->waiting.next, struct revive_wait, link);
                list_remove(&w->link);
                w->done(w->arg, err);
                free(w);
        }
        handle_put(m, h);
        free(v);
}

static void reopened(void *arg, const struct frevo_result *r)
{
        struct revival *v = arg;
        struct mount *m = v->m;
        struct handle *h = v->h;
        if (r->err) {
                revived(v, r->err);
                return;
        }
        bool same = !r->stat.id || !h->n->stat.id || r->stat.id == h->n->stat.id;
        struct frevo_file *old = same ? h->f : r->file;
        if (same)
                h->f = r->file;
        if (frevo_close_start(old, closed, m))
                m->in_flight++;
        revived(v, same ? 0 : ESTALE);
}

static void revival_failed(void *arg)
{
        revived(arg, ESTALE);
}

static void revive_begin(struct mount *m, struct handle *h)
{
        AUTO_FREE char *path = node_path(&m->nodes, h->n, NULL);
        struct revival *v = malloc(sizeof *v);
        const struct frevo_open_how how = {
                .access = h->access,
                .options = 0x40,
                .durable = true,
                .lease = lease_for(h->access),
                .lease_key = h->n->file->lease_key,
                .lease_broken = lease_broken,
                .lease_arg = h->n->file,
        };
        if (!v)
                return; /* the waiters stay until something else revives it: memory is needed first
                         */
        *v = (struct revival){.m = m, .h = h};
        h->users++;
        h->reviving = true;
        if (!path || !frevo_open_start(m->share, path, &how, reopened, v))
                notifier_call(m->notifier, revival_failed, v);
}

void handle_revive(struct mount *m, struct handle *h, void (*done)(void *arg, int err), void *arg)
{
        struct revive_wait *w = malloc(sizeof *w);
        if (!w) {
                done(arg, ENOMEM);
                return;
        }
        *w = (struct revive_wait){.done = done, .arg = arg};
        list_add_last(&h->waiting, &w->link);
        if (!h->reviving)
                revive_begin(m, h);
}
