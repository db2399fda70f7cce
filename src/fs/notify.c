/* Change notification, [MS-FSA] 2.1.5.11 and 2.1.4.1: what happens below a watched directory is
 * kept for its open, up to a bound, and handed out with the next request. Requests wait among the
 * waiters of the directory's node, oldest first. */
#include "fs/notify.h"

#include <stdatomic.h>

#include "base/limits.h"
#include "base/utf16.h"
#include "fs/name.h"
#include "fs/open.h"

#define EVENT_HEAD_BYTES 12u /* what an entry takes at a client besides its name */

struct event {
        struct list link;
        unsigned action; /* enum fs_change_action */
        char name[];     /* below the watched directory */
};

struct watch {
        struct list in_root;
        struct list fired_link; /* while `fired`: in the list of whoever will wake the waiters */
        struct fs_open *open;   /* borrowed: its close frees the watch; a reference while fired */
        uint32_t filter;
        bool recursive, fired, overflowed;
        size_t max_bytes, bytes; /* as a client would be told */
        struct list events;
};

void notify_root_init(struct notify_root *r)
{
        pthread_mutex_init(&r->mutex, NULL);
        list_init(&r->watches);
}

void notify_root_fini(struct notify_root *r)
{
        pthread_mutex_destroy(&r->mutex);
}

/* ---- what is kept ---- */

static void drop_events(struct watch *w)
{
        list_each_safe (&w->events, it, nxt)
                free(list_entry(it, struct event, link));
        list_init(&w->events);
        w->bytes = 0;
}

static void overflow(struct watch *w)
{
        drop_events(w);
        w->overflowed = true;
}

/* A file that goes on changing is told of once. */
static bool says_the_same(const struct watch *w, const char *name, unsigned action)
{
        if (action != FS_CHANGE_MODIFIED || list_empty(&w->events))
                return false;
        const struct event *last = list_entry(w->events.prev, struct event, link);
        return last->action == action && strcmp(last->name, name) == 0;
}

static void keep_event(struct watch *w, const char *name, unsigned action)
{
        if (w->overflowed || says_the_same(w, name, action))
                return;
        size_t bytes = (w->bytes + 3) / 4 * 4 + EVENT_HEAD_BYTES + utf16_len(name);
        size_t len = strlen(name) + 1;
        struct event *e = bytes <= w->max_bytes ? malloc(sizeof *e + len) : NULL;
        if (!e) {
                overflow(w);
                return;
        }
        e->action = action;
        memcpy(e->name, name, len);
        list_add_last(&w->events, &e->link);
        w->bytes = bytes;
}

/* `path` as seen from the watched directory; NULL: out of its sight. */
static const char *name_in(struct watch *w, const char *path)
{
        const char *name = NULL;
        struct fs_open *o = w->open;
        pthread_mutex_lock(&o->node->mutex);
        if (!atomic_load(&o->closed)) {
                size_t n = strlen(o->link->path);
                if (n == 0)
                        name = path;
                else if (strncmp(path, o->link->path, n) == 0 && path[n] == '/')
                        name = path + n + 1;
        }
        pthread_mutex_unlock(&o->node->mutex);
        if (name && (!*name || (!w->recursive && strchr(name, '/'))))
                return NULL;
        return name;
}

/* ---- telling ---- */

struct change {
        const char *path;
        uint32_t what;
        unsigned action;
        uint32_t but_not; /* who watches for these knows already */
};

/* r->mutex is held. */
static void tell(struct watch *w, const struct change *c, size_t n, struct list *fired)
{
        bool any = false;
        for (size_t i = 0; i < n; i++) {
                bool hears = w->filter & c[i].what && !(w->filter & c[i].but_not);
                const char *name = hears ? name_in(w, c[i].path) : NULL;
                if (!name)
                        continue;
                keep_event(w, name, c[i].action);
                any = true;
        }
        if (!any || w->fired)
                return; /* whoever has it in its list wakes the waiters after this */
        w->fired = true;
        fs_open_ref(w->open);
        list_add_last(fired, &w->fired_link);
}

/* Wakes without the lock; a watch that ended meanwhile has left the list. */
static void wake_fired(struct notify_root *r, struct list *fired)
{
        for (;;) {
                pthread_mutex_lock(&r->mutex);
                if (list_empty(fired)) {
                        pthread_mutex_unlock(&r->mutex);
                        return;
                }
                struct watch *w = list_entry(fired->next, struct watch, fired_link);
                struct fs_open *o = w->open;
                list_remove(&w->fired_link);
                w->fired = false;
                pthread_mutex_unlock(&r->mutex);
                node_wake(o->node);
                fs_open_unref(o);
        }
}

static void tell_all(struct fs_root *root, const struct change *c, size_t n)
{
        struct notify_root *r = &root->notify;
        struct list fired;
        list_init(&fired);
        pthread_mutex_lock(&r->mutex);
        list_each (&r->watches, it)
                tell(list_entry(it, struct watch, in_root), c, n, &fired);
        pthread_mutex_unlock(&r->mutex);
        wake_fired(r, &fired);
}

static bool nobody_watches(struct fs_root *r)
{
        return atomic_load(&r->notify.n) == 0;
}

void notify_name(struct fs_root *r, const char *path, uint32_t what, unsigned action)
{
        if (!nobody_watches(r))
                tell_all(r, &(struct change){path, what, action}, 1);
}

void notify_renamed(struct fs_root *r, const char *from, const char *to, bool dir)
{
        uint32_t what = dir ? FS_CHANGE_DIR_NAME : FS_CHANGE_FILE_NAME;
        if (nobody_watches(r))
                return;
        size_t n = (size_t)(name_last(from) - from), m = (size_t)(name_last(to) - to);
        bool moved = n != m || memcmp(from, to, n) != 0;
        /* Who does not watch for names is told of a file's new one as a change of the file. */
        struct change c[3] = {{from, what, moved ? FS_CHANGE_REMOVED : FS_CHANGE_OLD_NAME},
                              {to, what, moved ? FS_CHANGE_ADDED : FS_CHANGE_NEW_NAME},
                              {to, FS_CHANGE_ATTR | FS_CHANGE_CREATION, FS_CHANGE_MODIFIED, what}};
        tell_all(r, c, dir ? 2 : 3);
}

void notify_changed(struct fs_open *o, uint32_t what)
{
        if (nobody_watches(o->vol->root))
                return;
        AUTO_FREE char *path = open_path_new(o);
        if (path) /* else: closed, or without memory for news */
                notify_name(o->vol->root, path, what, FS_CHANGE_MODIFIED);
}

/* ---- watching ---- */

static struct watch *watch_new(struct fs_open *o, const struct fs_notify_req *q)
{
        struct watch *w = calloc(1, sizeof *w);
        if (!w)
                return NULL;
        w->open = o;
        w->filter = q->filter;
        w->recursive = q->recursive;
        w->max_bytes = q->max_bytes < LIMIT_NOTIFY_BYTES ? q->max_bytes : LIMIT_NOTIFY_BYTES;
        list_init(&w->events);
        struct notify_root *r = &o->vol->root->notify;
        list_add_last(&r->watches, &w->in_root);
        atomic_fetch_add(&r->n, 1);
        return o->watch = w;
}

void notify_close(struct fs_open *o)
{
        if (!o->node->dir)
                return;
        struct notify_root *r = &o->vol->root->notify;
        pthread_mutex_lock(&r->mutex);
        struct watch *w = o->watch;
        o->watch = NULL;
        bool fired = w && w->fired;
        if (w) {
                list_remove(&w->in_root);
                if (fired)
                        list_remove(&w->fired_link);
                atomic_fetch_sub(&r->n, 1);
                drop_events(w);
        }
        pthread_mutex_unlock(&r->mutex);
        free(w);
        if (fired)
                fs_open_unref(o); /* the fired list's; the caller has one */
}

/* r->mutex is held, and something is there. */
static enum fs_err hand_out(struct watch *w, const struct fs_notify_req *q)
{
        bool fits = !w->overflowed;
        list_each (&w->events, it) {
                const struct event *e = list_entry(it, struct event, link);
                fits = fits && q->take(q->ctx, e->action, e->name);
        }
        w->overflowed = false;
        drop_events(w);
        return fits ? FS_OK : FS_OVERFLOWED;
}

static enum fs_err park(struct fs_open *o, struct fs_waiter *waiter)
{
        enum fs_err e = waiter ? FS_PARKED : FS_AGAIN;
        pthread_mutex_lock(&o->node->mutex);
        if (atomic_load(&o->closed))
                e = FS_CLOSED;
        else if (o->link->delete_pending)
                e = FS_DELETE_PENDING;
        else if (waiter)
                node_park(o->node, waiter);
        pthread_mutex_unlock(&o->node->mutex);
        return e;
}

enum fs_err fs_notify(struct fs_open *o, const struct fs_notify_req *q, struct fs_waiter *waiter)
{
        enum fs_err e = open_check(o, 0);
        if (e)
                return e;
        if (!o->node->dir || o->base)
                return FS_INVALID;
        e = open_check(o, FS_READ_DATA);
        if (e)
                return e;
        if (o->vol->config.no_notify)
                return FS_UNSUPPORTED;
        struct notify_root *r = &o->vol->root->notify;
        pthread_mutex_lock(&r->mutex);
        /* Closing is noted before the watch is taken away: no watch is made after that. */
        if (!o->watch && !atomic_load(&o->closed))
                (void)watch_new(o, q);
        struct watch *w = o->watch;
        if (!w)
                e = atomic_load(&o->closed) ? FS_CLOSED : FS_NO_MEMORY;
        else if (w->overflowed || !list_empty(&w->events))
                e = hand_out(w, q);
        else
                e = park(o, waiter);
        pthread_mutex_unlock(&r->mutex);
        return e;
}
