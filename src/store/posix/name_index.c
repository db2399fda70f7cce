/* See name_index.h.
 *
 * Directories are spread over a few shards by identity; each has one mutex and one inotify queue.
 * Building is race-free because the watch comes first, then the reading (without the lock), then
 * the events that came meanwhile (kept in order as `pending`): each event is of a set, adding or
 * removing one name, so that taking in one whose effect was already read does no harm, and the
 * kernel queues a directory's events in the order in which its lock was held for the changes. */
#include "store/posix/name_index.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "base/list.h"
#include "base/log.h"
#include "base/utf16.h"
#include "store/posix/dir_read.h"
#include "store/posix/identity.h"
#include "store/posix/name_table.h"
#include "store/posix/posix_err.h"

enum {
        SHARDS = 4,
        SLOTS = 1024,
        MAX_DIRS = 8192, /* watches held by one shard */
        BUILD_TRIES = 3,
        EVENT_MAX = sizeof(struct inotify_event) + 256,
        EVENTS_BYTES = 16 * 1024,
};

enum state { BUILDING, READY };
/* How names in a directory are found. */
enum mode { BY_TABLE, BY_SCAN, BY_KERNEL };

struct change {
        struct change *next;
        bool add;
        char name[];
};

struct index_dir {
        struct list lru;           /* READY ones, newest first */
        struct index_dir *next_id; /* same slot of by_id */
        struct index_dir *next_wd; /* same slot of by_wd */
        uint64_t dev, ino;
        int wd; /* -1: not watched */
        enum state state;
        enum mode mode;
        bool stale; /* BUILDING only: what is read may be wrong */
        struct name_table names;
        struct change *pending, **pending_end; /* BUILDING only */
};

struct shard {
        pthread_mutex_t lock;
        pthread_cond_t built;
        int events; /* inotify; -1: could not be had */
        bool asked; /* for events */
        struct index_dir *by_id[SLOTS], *by_wd[SLOTS];
        struct list lru;
        size_t ndirs;
};

struct name_index {
        bool switch_identity;
        size_t max_names;
        _Atomic size_t names;
        _Atomic uint64_t builds, scans;
        atomic_bool told; /* that watches ran out */
        struct shard shard[SHARDS];
};

struct name_index *name_index_new(bool switch_identity, size_t max_names)
{
        struct name_index *ix = calloc(1, sizeof *ix);
        if (!ix)
                return NULL;
        ix->switch_identity = switch_identity;
        ix->max_names = max_names;
        for (size_t i = 0; i < SHARDS; i++) {
                (void)pthread_mutex_init(&ix->shard[i].lock, NULL); /* cannot fail on Linux */
                (void)pthread_cond_init(&ix->shard[i].built, NULL);
                list_init(&ix->shard[i].lru);
                ix->shard[i].events = -1;
        }
        return ix;
}

static size_t slot_id(uint64_t dev, uint64_t ino)
{
        uint64_t h = (ino ^ dev << 48) * 0x9E3779B97F4A7C15u;
        return (size_t)(h >> 32) % SLOTS;
}

static size_t slot_wd(int wd)
{
        return (unsigned)wd % SLOTS;
}

static struct index_dir *find_id(struct shard *sh, uint64_t dev, uint64_t ino)
{
        struct index_dir *d = sh->by_id[slot_id(dev, ino)];
        while (d && (d->ino != ino || d->dev != dev))
                d = d->next_id;
        return d;
}

static struct index_dir *find_wd(struct shard *sh, int wd)
{
        struct index_dir *d = sh->by_wd[slot_wd(wd)];
        while (d && d->wd != wd)
                d = d->next_wd;
        return d;
}

static void free_changes(struct index_dir *d)
{
        while (d->pending) {
                struct change *c = d->pending;
                d->pending = c->next;
                free(c);
        }
        d->pending_end = &d->pending;
}

static void forget_names(struct name_index *ix, struct index_dir *d)
{
        atomic_fetch_sub(&ix->names, d->names.count);
        name_table_fini(&d->names);
}

static void unhook(struct shard *sh, struct index_dir *d)
{
        struct index_dir **at = &sh->by_id[slot_id(d->dev, d->ino)];
        while (*at != d)
                at = &(*at)->next_id;
        *at = d->next_id;
        if (d->wd >= 0) {
                at = &sh->by_wd[slot_wd(d->wd)];
                while (*at != d)
                        at = &(*at)->next_wd;
                *at = d->next_wd;
        }
        list_remove(&d->lru);
        sh->ndirs--;
}

static void drop(struct name_index *ix, struct shard *sh, struct index_dir *d)
{
        unhook(sh, d);
        if (d->wd >= 0)
                (void)inotify_rm_watch(sh->events, d->wd); /* fails when the directory is gone */
        forget_names(ix, d);
        free_changes(d);
        free(d);
}

void name_index_free(struct name_index *ix)
{
        if (!ix)
                return;
        for (size_t i = 0; i < SHARDS; i++) {
                struct shard *sh = &ix->shard[i];
                for (size_t k = 0; k < SLOTS; k++)
                        while (sh->by_id[k])
                                drop(ix, sh, sh->by_id[k]);
                if (sh->events >= 0)
                        (void)close(sh->events);
                (void)pthread_mutex_destroy(&sh->lock);
                (void)pthread_cond_destroy(&sh->built);
        }
        free(ix);
}

/* ---- events --------------------------------------------------------------------------------- */

/* What cannot be taken in makes the directory unknown again; while it is being built, its builder
 * sees to that. */
static void distrust(struct name_index *ix, struct shard *sh, struct index_dir *d)
{
        if (d->state == BUILDING)
                d->stale = true;
        else
                drop(ix, sh, d);
}

static void distrust_all(struct name_index *ix, struct shard *sh)
{
        for (size_t k = 0; k < SLOTS; k++) {
                struct index_dir *d = sh->by_id[k], *next;
                for (; d; d = next) {
                        next = d->next_id;
                        distrust(ix, sh, d);
                }
        }
}

static bool keep_change(struct index_dir *d, const char *name, bool add)
{
        size_t n = strlen(name) + 1;
        struct change *c = malloc(sizeof *c + n);
        if (!c)
                return false;
        c->next = NULL;
        c->add = add;
        memcpy(c->name, name, n);
        *d->pending_end = c;
        d->pending_end = &c->next;
        return true;
}

static bool apply(struct name_index *ix, struct index_dir *d, const char *name, bool add)
{
        size_t before = d->names.count;
        bool ok = true;
        if (add)
                ok = !utf8_valid(name) || name_table_add(&d->names, name);
        else
                name_table_remove(&d->names, name);
        atomic_fetch_add(&ix->names, d->names.count - before); /* may wrap down: as meant */
        return ok;
}

static void take_event(struct name_index *ix, struct shard *sh, const struct inotify_event *ev)
{
        if (ev->mask & IN_Q_OVERFLOW) {
                distrust_all(ix, sh);
                return;
        }
        struct index_dir *d = find_wd(sh, ev->wd);
        if (!d)
                return; /* dropped before */
        if (ev->mask & (IN_IGNORED | IN_DELETE_SELF | IN_UNMOUNT)) {
                distrust(ix, sh, d);
                return;
        }
        if (ev->len == 0 || d->mode != BY_TABLE)
                return;
        bool add = ev->mask & (IN_CREATE | IN_MOVED_TO);
        bool ok =
                d->state == BUILDING ? keep_change(d, ev->name, add) : apply(ix, d, ev->name, add);
        if (!ok)
                distrust(ix, sh, d);
}

/* Takes in all that happened before the call. One read, when little did: the kernel gives all
 * there is as long as the longest event still fits. */
static void drain(struct name_index *ix, struct shard *sh)
{
        _Alignas(struct inotify_event) char buf[EVENTS_BYTES];
        ssize_t n;
        do {
                if (sh->events < 0)
                        return;
                n = read(sh->events, buf, sizeof buf);
                for (ssize_t at = 0; at < n;) {
                        const struct inotify_event *ev = (const void *)(buf + at);
                        take_event(ix, sh, ev);
                        at += (ssize_t)(sizeof *ev + ev->len);
                }
        } while (n > (ssize_t)(sizeof buf - EVENT_MAX) || (n < 0 && errno == EINTR));
}

/* ---- building ------------------------------------------------------------------------------- */

static void get_events(struct shard *sh)
{
        if (!sh->asked)
                sh->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        sh->asked = true;
}

static void watch(struct name_index *ix, struct shard *sh, struct index_dir *d, int fd)
{
        char path[32];
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        get_events(sh);
        d->wd = sh->events < 0 ? -1
                               : inotify_add_watch(sh->events, path,
                                                   IN_CREATE | IN_DELETE | IN_MOVE |
                                                           IN_DELETE_SELF | IN_ONLYDIR);
        if (d->wd < 0) {
                d->mode = BY_SCAN;
                if (!atomic_exchange(&ix->told, true))
                        log_debug("no change events for directories (%s): they are scanned "
                                  "at each look-up without regard to case",
                                  strerrordesc_np(errno));
                return;
        }
        d->next_wd = sh->by_wd[slot_wd(d->wd)];
        sh->by_wd[slot_wd(d->wd)] = d;
}

/* Other machines change these without our kernel's knowing. */
static bool is_remote(int fd)
{
        static const unsigned long remote[] = {0x6969,     0x517B,     0xFF534D42, 0xFE534D42,
                                               0x65735546, 0x01021997, 0x00C36400, 0x5346414F,
                                               0x01161970, 0x7461636F, 0x0BD00BD0, 0x47504653};
        struct statfs st;
        if (fstatfs(fd, &st) != 0)
                return true;
        for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
                if ((unsigned long)st.f_type == remote[i])
                        return true;
        return false;
}

static enum mode mode_of(int fd)
{
        unsigned long flags = 0;
        if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL))
                return BY_KERNEL;
        return is_remote(fd) ? BY_SCAN : BY_TABLE;
}

/* Without the shard's lock: d is BUILDING, its table and mode are the builder's. */
static bool read_names(struct name_index *ix, struct index_dir *d, int fd)
{
        struct dir_read r;
        if (dir_read_init(&r, fd) != 0)
                return false;
        uint64_t ino;
        int err;
        const char *name;
        bool ok = true;
        while (ok && (name = dir_read_next(&r, &ino, &err)))
                ok = apply(ix, d, name, true) && atomic_load(&ix->names) < 2 * ix->max_names;
        dir_read_fini(&r);
        return ok && err == 0;
}

static int reopen_as_server(const struct name_index *ix, int fd)
{
        if (ix->switch_identity && identity_become(NULL) != FS_OK)
                return -1;
        return openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void evict(struct name_index *ix, struct shard *sh, struct index_dir *keep)
{
        while (atomic_load(&ix->names) > ix->max_names || sh->ndirs > MAX_DIRS) {
                struct index_dir *oldest = list_entry(sh->lru.prev, struct index_dir, lru);
                if (list_empty(&sh->lru) || oldest == keep)
                        break;
                drop(ix, sh, oldest);
        }
        if (keep->names.count > ix->max_names) {
                forget_names(ix, keep);
                keep->mode = BY_SCAN;
        }
}

/* Under the lock: the events that came since the watch. */
static bool settle(struct name_index *ix, struct shard *sh, struct index_dir *d)
{
        drain(ix, sh);
        bool ok = !d->stale;
        for (struct change *c = d->pending; c && ok; c = c->next)
                ok = apply(ix, d, c->name, c->add);
        free_changes(d);
        return ok;
}

/* Entered and left with the lock held; lets go of it while reading. *ret is READY, or NULL. */
static enum fs_err build(struct name_index *ix, struct shard *sh, const struct name_dir *q,
                         struct index_dir **ret)
{
        struct index_dir *d = calloc(1, sizeof *d);
        *ret = NULL;
        if (!d)
                return FS_NO_MEMORY;
        *d = (struct index_dir){.dev = q->dev, .ino = q->ino, .wd = -1, .mode = BY_TABLE};
        d->pending_end = &d->pending;
        d->next_id = sh->by_id[slot_id(d->dev, d->ino)];
        sh->by_id[slot_id(d->dev, d->ino)] = d;
        sh->ndirs++;
        AUTO_CLOSE int fd = reopen_as_server(ix, q->fd);
        enum mode mode = fd < 0 ? BY_SCAN : mode_of(fd);
        d->mode = mode;
        if (fd >= 0)
                watch(ix, sh, d, fd);
        bool ok = fd >= 0 && d->mode != BY_TABLE;
        if (fd >= 0 && d->mode == BY_TABLE) {
                (void)pthread_mutex_unlock(&sh->lock);
                atomic_fetch_add(&ix->builds, 1);
                ok = read_names(ix, d, fd);
                (void)pthread_mutex_lock(&sh->lock);
                ok = settle(ix, sh, d) && ok;
        }
        (void)pthread_cond_broadcast(&sh->built);
        /* an unwatched directory is not remembered: nothing would tell of its end */
        if (!ok || d->wd < 0) {
                drop(ix, sh, d);
                return fd < 0 ? FS_NOT_FOUND : FS_UNSUPPORTED;
        }
        d->state = READY;
        list_add_first(&sh->lru, &d->lru);
        evict(ix, sh, d);
        *ret = d;
        return FS_OK;
}

/* ---- answers -------------------------------------------------------------------------------- */

static enum fs_err scan(struct name_index *ix, const struct name_dir *q, const char *name,
                        char **ret_real)
{
        atomic_fetch_add(&ix->scans, 1);
        AUTO_CLOSE int fd = reopen_as_server(ix, q->fd);
        struct dir_read r;
        if (fd < 0)
                return FS_NOT_FOUND;
        int err = dir_read_init(&r, fd);
        if (err)
                return posix_err(err);
        char *best = NULL;
        const char *it;
        uint64_t ino;
        while ((it = dir_read_next(&r, &ino, &err))) {
                if (!utf8_valid(it) || name_casecmp(it, name) != 0)
                        continue;
                bool exact = strcmp(it, name) == 0;
                if (!exact && best && strcmp(it, best) >= 0)
                        continue;
                free(best);
                best = strdup(it);
                if (!best)
                        err = ENOMEM;
                if (exact || !best)
                        break;
        }
        dir_read_fini(&r);
        if (err) {
                free(best);
                return posix_err(err);
        }
        *ret_real = best;
        return best ? FS_OK : FS_NOT_FOUND;
}

/* With the lock held. FS_UNSUPPORTED: scan. */
static enum fs_err answer(struct shard *sh, struct index_dir *d, const char *name, char **ret_real)
{
        if (d->mode == BY_SCAN)
                return FS_UNSUPPORTED;
        list_remove(&d->lru);
        list_add_first(&sh->lru, &d->lru);
        const char *real = name_table_find(&d->names, name); /* BY_KERNEL: holds no names */
        if (!real)
                return FS_NOT_FOUND;
        *ret_real = strdup(real);
        return *ret_real ? FS_OK : FS_NO_MEMORY;
}

static enum fs_err find_locked(struct name_index *ix, struct shard *sh, const struct name_dir *q,
                               const char *name, unsigned how, char **ret_real)
{
        for (int tries = 0; tries < BUILD_TRIES;) {
                drain(ix, sh);
                struct index_dir *d = find_id(sh, q->dev, q->ino);
                if (d && d->state == READY)
                        return answer(sh, d, name, ret_real);
                if (how & STORE_NOWAIT)
                        return FS_AGAIN;
                if (d) {
                        (void)pthread_cond_wait(&sh->built, &sh->lock);
                        continue;
                }
                tries++;
                enum fs_err e = build(ix, sh, q, &d);
                if (e == FS_NOT_FOUND || e == FS_NO_MEMORY)
                        return e;
                if (d)
                        return answer(sh, d, name, ret_real);
        }
        return FS_UNSUPPORTED;
}

enum fs_err name_index_find(struct name_index *ix, const struct name_dir *q, const char *name,
                            unsigned how, char **ret_real)
{
        struct shard *sh = &ix->shard[(q->ino ^ q->ino >> 8) % SHARDS];
        (void)pthread_mutex_lock(&sh->lock); /* a plain mutex does not fail */
        enum fs_err e = find_locked(ix, sh, q, name, how, ret_real);
        (void)pthread_mutex_unlock(&sh->lock);
        if (e != FS_UNSUPPORTED)
                return e;
        return how & STORE_NOWAIT ? FS_AGAIN : scan(ix, q, name, ret_real);
}

void name_index_stats(struct name_index *ix, struct name_index_stats *ret)
{
        *ret = (struct name_index_stats){.builds = atomic_load(&ix->builds),
                                         .scans = atomic_load(&ix->scans),
                                         .names = atomic_load(&ix->names)};
        for (size_t i = 0; i < SHARDS; i++) {
                (void)pthread_mutex_lock(&ix->shard[i].lock);
                ret->dirs += ix->shard[i].ndirs;
                (void)pthread_mutex_unlock(&ix->shard[i].lock);
        }
}
