/* See grant.h. */
#include "fs/grant.h"

#include "fs/client.h"

/* Opening for these alone disturbs no cache, [MS-FSA] 2.1.5.1.2.1. */
#define QUIET_RIGHTS ((uint32_t)(FS_READ_ATTR | FS_WRITE_ATTR | FS_SYNCHRONIZE))

void grant_tell(struct grant_notices *t)
{
        for (unsigned i = 0; i < t->n; i++) {
                struct fs_open *o = t->open[i];
                if (client_takes_grants(o->client))
                        client_break(o->client, o, t->keep[i]);
                else /* there is nobody to wait for */
                        fs_grant_revoke(o);
                fs_open_unref(o);
        }
        t->n = 0;
}

/* True when there was room. */
static bool note(struct grant_notices *t, struct fs_open *o, unsigned keep)
{
        if (t->n == GRANT_NOTICES)
                return false;
        t->open[t->n] = fs_open_ref(o);
        t->keep[t->n++] = keep;
        return true;
}

/* x's exclusive grant shrinks; true while that is not acknowledged. */
static bool break_exclusive(struct fs_open *x, unsigned keep, struct grant_notices *t)
{
        if (!x->breaking && note(t, x, keep)) {
                x->breaking = true;
                x->break_keep = keep;
        }
        return true;
}

bool grant_in_the_way(struct fs_open *o, uint32_t access, bool overwrites, enum grant_stage stage,
                      struct grant_notices *t)
{
        struct node *n = o->node;
        bool wait = false;
        if (o->anchor) /* a stream's opener does not touch the file's data */
                return false;
        if (atomic_load_explicit(&n->ngrants, memory_order_relaxed) == 0 ||
            (!overwrites && !(access & ~QUIET_RIGHTS)))
                return false;
        list_each (&n->opens, it) {
                struct fs_open *x = list_entry(it, struct fs_open, in_node);
                bool exclusive = x->grant & FS_GRANT_WRITE;
                if (x == o || !x->grant)
                        continue;
                if (exclusive && (stage == GRANT_AFTER_SHARE_CHECK || x->grant & FS_GRANT_HANDLE))
                        wait |= break_exclusive(x, overwrites ? 0 : FS_GRANT_READ, t);
        }
        return wait;
}

unsigned grant_give(struct fs_open *o, unsigned want)
{
        struct node *n = o->node;
        bool alone = true;
        if (!want || n->dir || !list_empty(&n->locks) || !client_takes_grants(o->client))
                return 0;
        list_each (&n->opens, it) {
                struct fs_open *x = list_entry(it, struct fs_open, in_node);
                if (x != o && !x->anchor && x->access & ~QUIET_RIGHTS)
                        alone = false;
        }
        o->grant = alone ? want : want & FS_GRANT_READ;
        if (o->grant)
                atomic_fetch_add(&n->ngrants, 1);
        return o->grant;
}

/* One round: up to GRANT_NOTICES readers other than o lose their grant. */
static void take_readers(struct fs_open *o, struct grant_notices *t)
{
        pthread_mutex_lock(&o->node->mutex);
        list_each (&o->node->opens, it) {
                struct fs_open *x = list_entry(it, struct fs_open, in_node);
                if (x == o || x->grant != FS_GRANT_READ)
                        continue;
                if (!note(t, x, 0))
                        break;
                x->grant = 0;
                atomic_fetch_sub(&o->node->ngrants, 1);
        }
        pthread_mutex_unlock(&o->node->mutex);
}

void grant_data_changes(struct fs_open *o)
{
        struct grant_notices t;
        bool full = atomic_load_explicit(&o->node->ngrants, memory_order_relaxed) != 0;
        while (full) {
                t.n = 0;
                take_readers(o, &t);
                full = t.n == GRANT_NOTICES;
                grant_tell(&t);
        }
}

void grant_drop(struct fs_open *o)
{
        if (o->grant)
                atomic_fetch_sub(&o->node->ngrants, 1);
        o->grant = 0;
        o->breaking = false;
}

enum fs_err fs_grant_ack(struct fs_open *o, unsigned keep)
{
        enum fs_err e = FS_OK;
        pthread_mutex_lock(&o->node->mutex);
        if (!o->breaking || keep & ~o->break_keep) {
                e = FS_INVALID;
        } else {
                o->breaking = false;
                o->grant = keep;
                if (!keep)
                        atomic_fetch_sub(&o->node->ngrants, 1);
        }
        pthread_mutex_unlock(&o->node->mutex);
        if (!e)
                node_wake(o->node);
        return e;
}

void fs_grant_revoke(struct fs_open *o)
{
        if (fs_grant_ack(o, 0) != FS_OK)
                return; /* none was awaited, or it came just now */
}

unsigned fs_grant_held(struct fs_open *o, bool *ret_breaking, unsigned *ret_keep)
{
        pthread_mutex_lock(&o->node->mutex);
        unsigned held = o->grant;
        if (ret_breaking)
                *ret_breaking = o->breaking;
        if (ret_keep)
                *ret_keep = o->break_keep;
        pthread_mutex_unlock(&o->node->mutex);
        return held;
}

void *fs_open_front(const struct fs_open *o)
{
        return o->front;
}

void fs_open_set_front(struct fs_open *o, void *front)
{
        o->front = front;
}
