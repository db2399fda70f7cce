/* Byte-range locks, [MS-FSA] 2.1.4.10, 2.1.5.8 and 2.1.5.9. They hang on the node, belong to an
 * open, and are mandatory: io.c, copy.c and sparse.c ask lock_check_io(). */
#include "base/limits.h"
#include "fs/grant.h"
#include "fs/open.h"

struct brlock {
        struct list in_node;
        struct fs_open *owner; /* borrowed: its close frees the lock */
        uint64_t off, len;
        bool exclusive;
};

struct range {
        struct fs_open *owner;
        uint64_t off, len;
        bool exclusive; /* a lock or access that tolerates no other */
        bool io;        /* reading or writing, not locking */
};

static bool is_nothing(uint64_t off, uint64_t len)
{
        return off == 0 && len == 0;
}

/* [MS-FSA] 2.1.4.10 with its arithmetic: an empty range at off reaches from off to off-1, so it
 * meets a range that has bytes on both sides of off. Reads and writes always have a length here. */
static bool overlaps(const struct range *r, const struct brlock *b)
{
        if (is_nothing(r->off, r->len) || is_nothing(b->off, b->len))
                return false;
        uint64_t last_r = r->off + r->len - 1, last_b = b->off + b->len - 1;
        return r->off <= last_b && last_r >= b->off;
}

static bool range_conflicts(const struct range *r, const struct brlock *b)
{
        if (!overlaps(r, b))
                return false;
        if (!b->exclusive)
                return r->exclusive;
        return b->owner != r->owner || (r->exclusive && !r->io);
}

static bool any_conflict(struct node *n, const struct range *r)
{
        list_each (&n->locks, it) {
                if (range_conflicts(r, list_entry(it, struct brlock, in_node)))
                        return true;
        }
        return false;
}

enum fs_err lock_check_io(struct fs_open *o, uint64_t off, uint64_t len, bool write)
{
        struct range r = {.owner = o, .off = off, .len = len, .exclusive = write, .io = true};
        if (len == 0)
                return FS_OK;
        if (off + len - 1 < off)
                r.len = UINT64_MAX - off;
        pthread_mutex_lock(&o->node->mutex);
        bool hit = any_conflict(o->node, &r);
        pthread_mutex_unlock(&o->node->mutex);
        return hit ? FS_LOCK_CONFLICT : FS_OK;
}

static void lock_free(struct brlock *b)
{
        list_remove(&b->in_node);
        b->owner->nlocks--;
        atomic_fetch_sub(&b->owner->vol->fs->nlocks, 1);
        free(b);
}

bool lock_drop_all(struct fs_open *o)
{
        bool any = o->nlocks > 0;
        list_each_safe (&o->node->locks, it, nxt) {
                struct brlock *b = list_entry(it, struct brlock, in_node);
                if (b->owner == o)
                        lock_free(b);
        }
        return any;
}

/* ---- locking ---- */

static enum fs_err take_one(struct fs_open *o, const struct fs_lock *l)
{
        struct range r = {.owner = o,
                          .off = l->off,
                          .len = l->len,
                          .exclusive = l->flags & FS_LOCK_EXCLUSIVE};
        if (any_conflict(o->node, &r))
                return FS_LOCK_DENIED;
        if (o->nlocks >= LIMIT_LOCKS_PER_OPEN)
                return FS_TOO_MANY;
        struct brlock *b = malloc(sizeof *b);
        if (!b)
                return FS_NO_MEMORY;
        *b = (struct brlock){.owner = o, .off = l->off, .len = l->len, .exclusive = r.exclusive};
        list_add_last(&o->node->locks, &b->in_node);
        o->nlocks++;
        atomic_fetch_add(&o->vol->fs->nlocks, 1);
        return FS_OK;
}

/* The newest n locks of the node go: those that this call has just added. */
static void take_back(struct node *n, size_t count)
{
        while (count--)
                lock_free(list_entry(n->locks.prev, struct brlock, in_node));
}

static enum fs_err take_all(struct fs_open *o, const struct fs_lock *l, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                enum fs_err e = take_one(o, &l[i]);
                if (e) {
                        take_back(o->node, i);
                        return e;
                }
        }
        return FS_OK;
}

static enum fs_err lock_or_park(struct fs_open *o, const struct fs_lock *l, size_t n,
                                struct fs_waiter *w)
{
        enum fs_err e = FS_CLOSED;
        pthread_mutex_lock(&o->node->mutex);
        if (!atomic_load(&o->closed))
                e = take_all(o, l, n);
        if (e == FS_LOCK_DENIED && w) {
                node_park(o->node, w);
                e = FS_PARKED;
        }
        pthread_mutex_unlock(&o->node->mutex);
        return e;
}

/* ---- unlocking ---- */

/* Exactly this range, held by this open; an exclusive lock before a shared one. */
static struct brlock *lock_lookup(struct fs_open *o, const struct fs_lock *l)
{
        struct brlock *found = NULL;
        list_each (&o->node->locks, it) {
                struct brlock *b = list_entry(it, struct brlock, in_node);
                if (b->owner != o || b->off != l->off || b->len != l->len)
                        continue;
                found = b;
                if (b->exclusive)
                        break;
        }
        return found;
}

static enum fs_err unlock_all(struct fs_open *o, const struct fs_lock *l, size_t n)
{
        enum fs_err e = FS_OK;
        size_t done = 0;
        pthread_mutex_lock(&o->node->mutex);
        for (; !e && done < n; done++) {
                struct brlock *b = lock_lookup(o, &l[done]);
                if (b)
                        lock_free(b);
                else
                        e = FS_NOT_LOCKED;
        }
        pthread_mutex_unlock(&o->node->mutex);
        if (done)
                node_wake(o->node);
        return e;
}

/* ---- the call ---- */

static enum fs_err check_list(const struct fs_lock *l, size_t n)
{
        if (n == 0 || n > LIMIT_LOCKS_PER_REQUEST)
                return FS_INVALID;
        bool unlock = l[0].flags == FS_LOCK_UNLOCK;
        for (size_t i = 0; i < n; i++) {
                unsigned f = l[i].flags;
                if (f != FS_LOCK_UNLOCK && f != FS_LOCK_SHARED && f != FS_LOCK_EXCLUSIVE)
                        return FS_INVALID;
                if ((f == FS_LOCK_UNLOCK) != unlock)
                        return FS_INVALID;
                if (l[i].len && l[i].off + l[i].len - 1 < l[i].off)
                        return FS_TOO_BIG;
        }
        return FS_OK;
}

enum fs_err fs_lock(struct fs_open *o, const struct fs_lock *l, size_t n, struct fs_waiter *w)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (o->node->dir)
                return FS_INVALID;
        if (!(o->access & (FS_READ_DATA | FS_WRITE_DATA | FS_EXECUTE | FS_APPEND_DATA)))
                return FS_DENIED;
        e = check_list(l, n);
        if (e)
                return e;
        if (l[0].flags == FS_LOCK_UNLOCK)
                return unlock_all(o, l, n);
        grant_data_changes(o); /* who locks wants to see, and be seen */
        return lock_or_park(o, l, n, w);
}
