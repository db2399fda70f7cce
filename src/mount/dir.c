/* The kept listing of a folder: see dir.h. What the kernel reads of it is readdir.c's. */
#include "mount/dir.h"

#include <ctype.h>
#include <errno.h>

#include "base/clock.h"
#include "mount/attr.h"
#include "mount/file.h"
#include "mount/notifier.h"

/* Look-ups of single names within MISS_MS after which the listing is worth its bytes. */
#define MISSES 2u
#define MISS_MS 3000u
/* Listings longer than this are fetched only for somebody who reads them. */
#define NAMES_CHEAP 4000u
#define ROUNDS_MAX 3u
/* Folders that are kept open for their leases. */
#define HELD_MAX 256u

struct dir {
        struct mount *m;
        struct node *n;
        struct list waiters; /* of struct dir_wait */
        bool fetching, complete;
        bool muddy; /* we changed names ourselves while the listing was on its way */
        unsigned in_flight, rounds;
        int err;
        uint64_t asked, until_ms, round;
        unsigned names; /* in the newest listing */
        unsigned misses;
        uint64_t miss_ms;        /* when they began */
        struct frevo_file *held; /* the folder, open for its lease; then n is pinned */
        struct list held_link;   /* in mount.dirs_held, oldest first */
        bool leased;
};

struct dir_wait {
        struct list link;
        dir_done done;
        void *arg;
};

/* One of the two operations of a fetch. */
struct fetch {
        struct mount *m;
        struct node *n; /* pinned */
};

static struct dir *dir_get(struct mount *m, struct node *n)
{
        if (n->dir)
                return n->dir;
        struct dir *d = calloc(1, sizeof *d);
        if (!d)
                return NULL;
        d->m = m;
        d->n = n;
        list_init(&d->waiters);
        list_init(&d->held_link);
        return n->dir = d;
}

bool dir_is_leased(const struct node *n)
{
        return n && n->dir && n->dir->leased &&
               (frevo_lease_held(n->dir->held) & FREVO_LEASE_READ) != 0;
}

bool dir_is_fresh(const struct node *n)
{
        const struct dir *d = n->dir;
        return d && d->complete && !n->gone && (dir_is_leased(n) || clock_ms() < d->until_ms);
}

void dir_is_new(struct mount *m, struct node *n)
{
        struct dir *d = dir_get(m, n);
        if (!d)
                return;
        d->complete = true;
        d->until_ms = clock_ms() + m->conf.cache_ms;
}

bool dir_counts_miss(struct mount *m, struct node *n)
{
        struct dir *d = dir_get(m, n);
        uint64_t now = clock_ms();
        if (!d || !m->conf.cache_ms)
                return false;
        if (now - d->miss_ms > MISS_MS) {
                d->misses = 0;
                d->miss_ms = now;
        }
        return ++d->misses > MISSES && d->names <= NAMES_CHEAP;
}

/* Servers fold case by tables of their own; only of plain ASCII is it sure what they do. */
static bool is_ascii(const char *s)
{
        while (*s && !((unsigned char)*s & 0x80))
                s++;
        return *s == 0;
}

bool dir_surely_lacks(const struct mount *m, const struct node *n, const char *name)
{
        (void)m;
        if (!is_ascii(name))
                return false;
        list_each (&n->children, it) {
                const struct node *c = list_entry(it, struct node, sibling);
                if (c->listed && strcasecmp(c->name, name) == 0)
                        return false;
        }
        return true;
}

/* ---- leases ------------------------------------------------------------------------------------
 */

void dir_stale(struct mount *m, struct node *n)
{
        struct dir *d = n->dir;
        attr_stale(n);
        notifier_inval_inode(m->notifier, node_ino(m, n), -1, 0);
        if (!d)
                return;
        bool told = d->leased; /* the kernel has long timeouts from us */
        d->complete = d->leased = false;
        d->until_ms = 0;
        node_pin(n);
        list_each_safe (&n->children, it, next) {
                struct node *c = list_entry(it, struct node, sibling);
                attr_stale(c);
                if (told && c->lookups)
                        notifier_inval_entry(m->notifier, node_ino(m, n), c->name);
        }
        node_unpin(&m->nodes, n);
}

static void closed(void *arg, const struct frevo_result *r)
{
        struct mount *m = arg;
        (void)r; /* nothing was written through it */
        m->in_flight--;
}

static void let_go(struct dir *d)
{
        struct mount *m = d->m;
        struct frevo_file *f = d->held;
        if (!f)
                return;
        d->held = NULL;
        list_remove(&d->held_link);
        m->n_dirs_held--;
        if (d->leased) /* what it protected is believed a little longer */
                d->until_ms = clock_ms() + m->conf.cache_ms;
        d->leased = false;
        if (frevo_close_start(f, closed, m))
                m->in_flight++;
        node_unpin(&m->nodes, d->n);
}

static void hold(struct dir *d, struct frevo_file *f)
{
        struct mount *m = d->m;
        d->held = f;
        d->leased = (frevo_lease_held(f) & FREVO_LEASE_READ) != 0;
        node_pin(d->n);
        list_add_last(&m->dirs_held, &d->held_link);
        m->n_dirs_held++;
        if (!d->leased)
                let_go(d);
        else if (m->n_dirs_held > HELD_MAX)
                let_go(list_entry(m->dirs_held.next, struct dir, held_link));
}

void dir_let_go(struct node *n)
{
        if (n->dir)
                let_go(n->dir);
}

void dir_let_go_below(struct mount *m, const struct node *n)
{
        list_each_safe (&m->dirs_held, it, next) {
                struct dir *d = list_entry(it, struct dir, held_link);
                if (node_is_below(d->n, n))
                        let_go(d);
        }
}

void dir_let_go_all(struct mount *m)
{
        while (!list_empty(&m->dirs_held))
                let_go(list_entry(m->dirs_held.next, struct dir, held_link));
}

struct told {
        struct mount *m;
        struct node *n; /* pinned */
        struct frevo_file *f;
};

/* The kernel has forgotten: now the server may go on. Closing is part of the answer. */
static void kernel_told(void *arg)
{
        struct told *t = arg;
        struct dir *d = t->n->dir;
        if (d->held == t->f) {
                frevo_lease_ack(t->f);
                let_go(d);
        }
        node_unpin(&t->m->nodes, t->n);
        free(t);
}

static int dir_broken(void *arg, struct frevo_file *f, unsigned now)
{
        struct dir *d = arg;
        if (now & FREVO_LEASE_READ)
                return 0;
        struct told *t = malloc(sizeof *t);
        dir_stale(d->m, d->n);
        if (!t)
                return 0;
        *t = (struct told){.m = d->m, .n = d->n, .f = f};
        node_pin(d->n);
        notifier_call(d->m->notifier, kernel_told, t);
        return 1;
}

/* ---- fetching ----------------------------------------------------------------------------------
 */

static void fetch_begin(struct mount *m, struct node *n);

static void tell(struct dir *d, int err)
{
        struct list all;
        list_init(&all);
        list_each_safe (&d->waiters, it, next) {
                list_remove(it);
                list_add_last(&all, it);
        }
        while (!list_empty(&all)) {
                struct dir_wait *w = list_entry(all.next, struct dir_wait, link);
                list_remove(&w->link);
                w->done(w->arg, err);
                free(w);
        }
}

/* Names that the listing did not have are gone, unless they are newer than it. */
static void drop_unseen(struct mount *m, struct node *n, const struct dir *d)
{
        list_each_safe (&n->children, it, next) {
                struct node *c = list_entry(it, struct node, sibling);
                if (c->seen == d->round || c->changed_at > d->asked || file_is_unsettled(c))
                        continue;
                if (c->lookups || c->pins)
                        node_detach(&m->nodes, c);
                else
                        node_unlist(&m->nodes, c);
        }
}

static void fetch_end(struct mount *m, struct node *n)
{
        struct dir *d = n->dir;
        if (!d->err && d->muddy && d->rounds < ROUNDS_MAX) {
                fetch_begin(m, n);
                return;
        }
        d->fetching = false;
        if (!d->err && !d->muddy) {
                drop_unseen(m, n, d);
                d->complete = true;
                d->until_ms = clock_ms() + m->conf.cache_ms;
        }
        tell(d, d->err);
}

static void one_done(struct fetch *f)
{
        struct mount *m = f->m;
        struct node *n = f->n;
        if (--n->dir->in_flight == 0)
                fetch_end(m, n);
        node_unpin(&m->nodes, n);
        free(f);
}

/* Another file under a name that we knew: the old one lives on only where it is open. */
static struct node *child_for(struct mount *m, struct node *n, const struct frevo_entry *e)
{
        struct node *c = node_child(&m->nodes, n, e->name);
        bool other = c && (c->stat.type != e->stat.type ||
                           (c->stat.id && e->stat.id && c->stat.id != e->stat.id));
        if (other && c->changed_at <= n->dir->asked) {
                node_detach(&m->nodes, c);
                c = NULL;
        }
        return c ? c : node_add(&m->nodes, n, e->name);
}

static void take_entries(struct mount *m, struct node *n, const struct frevo_result *r)
{
        struct dir *d = n->dir;
        for (size_t i = 0; i < r->n_entries; i++) {
                struct node *c = child_for(m, n, &r->entries[i]);
                if (!c) {
                        d->err = ENOMEM;
                        return;
                }
                c->seen = d->round;
                c->listed = true;
                attr_take(m, c, &r->entries[i].stat, d->asked);
        }
        d->names += (unsigned)r->n_entries;
}

static void listed(void *arg, const struct frevo_result *r)
{
        struct fetch *f = arg;
        struct dir *d = f->n->dir;
        d->muddy |= f->n->changed_at > d->asked;
        if (r->n_entries) {
                take_entries(f->m, f->n, r);
                return;
        }
        if (r->err && !d->err)
                d->err = r->err;
        one_done(f);
}

static void opened(void *arg, const struct frevo_result *r)
{
        struct fetch *f = arg;
        struct dir *d = f->n->dir;
        if (!r->err) { /* without it the listing is believed for a while only */
                attr_take(f->m, f->n, &r->stat, d->asked);
                hold(d, r->file);
        }
        one_done(f);
}

static struct fetch *fetch_new(struct mount *m, struct node *n)
{
        struct fetch *f = malloc(sizeof *f);
        if (!f)
                return NULL;
        *f = (struct fetch){.m = m, .n = n};
        node_pin(n);
        n->dir->in_flight++;
        return f;
}

static void no_memory(void *arg)
{
        struct fetch *f = arg;
        if (!f->n->dir->err)
                f->n->dir->err = f->n->gone ? ENOENT : ENOMEM;
        one_done(f);
}

/* The lease first: a listing that was made before it would be one too old. The server works on both
 * in the order they come in. */
static void ask_for_lease(struct mount *m, struct node *n, const char *path)
{
        struct fetch *f = fetch_new(m, n);
        if (!f)
                return;
        const struct frevo_open_how how = {
                .options = 1,
                .access = FREVO_READ,
                .lease = FREVO_LEASE_READ | FREVO_LEASE_HANDLE,
                .lease_broken = dir_broken,
                .lease_arg = n->dir,
        };
        if (!frevo_open_start(m->share, path, &how, opened, f))
                notifier_call(m->notifier, no_memory, f);
}

static void fetch_begin(struct mount *m, struct node *n)
{
        struct dir *d = n->dir;
        AUTO_FREE char *path = node_path(&m->nodes, n, NULL);
        d->fetching = true;
        d->muddy = false;
        d->err = 0;
        d->rounds++;
        d->round = ++m->changes;
        d->asked = m->changes;
        d->names = 0;
        if (path && !d->held && frevo_share_info(m->share).directory_leases)
                ask_for_lease(m, n, path);
        struct fetch *f = fetch_new(m, n);
        if (!f) {
                d->fetching = false;
                tell(d, ENOMEM);
                return;
        }
        if (!path || !frevo_list_start(m->share, path, NULL, listed, f))
                notifier_call(m->notifier, no_memory, f);
}

void dir_fetch(struct mount *m, struct node *n, dir_done done, void *arg)
{
        struct dir *d = dir_get(m, n);
        struct dir_wait *w = d ? malloc(sizeof *w) : NULL;
        if (!w) {
                done(arg, ENOMEM);
                return;
        }
        *w = (struct dir_wait){.done = done, .arg = arg};
        list_add_last(&d->waiters, &w->link);
        if (d->fetching)
                return;
        d->rounds = 0;
        fetch_begin(m, n);
}

void dir_fini(struct node *n)
{
        free(n->dir);
        n->dir = NULL;
}
