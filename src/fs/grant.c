/* See grant.h. */
#include "fs/grant.h"

#include "fs/client.h"

#define ALL_GRANTS ((unsigned)(FS_GRANT_READ | FS_GRANT_WRITE | FS_GRANT_HANDLE))
/* Opening for these alone disturbs no cache, [MS-FSA] 2.1.4.12, OPEN; of leases also not for
 * reading the descriptor. */
#define QUIET_RIGHTS ((uint32_t)(FS_READ_ATTR | FS_WRITE_ATTR | FS_SYNCHRONIZE))
#define QUIET_RIGHTS_LEASE (QUIET_RIGHTS | (uint32_t)FS_READ_SD)

/* ---- telling ---- */

static void tell(const struct grant_notice *n)
{
        struct fs_client *c = n->lease ? n->lease->client : n->open->client;
        bool takes = client_takes_grants(c);
        if (n->lease && takes)
                client_break_lease(c, n->lease, &n->what);
        else if (n->lease) /* there is nobody to wait for */
                fs_lease_revoke(n->lease);
        else if (takes)
                client_break(c, n->open, n->what.keep);
        else
                fs_grant_revoke(n->open);
}

void grant_tell(struct grant_notices *t)
{
        for (unsigned i = 0; i < t->n; i++) {
                tell(&t->item[i]);
                fs_open_unref(t->item[i].open);
                fs_lease_unref(t->item[i].lease);
        }
        t->n = 0;
        t->full = false;
}

/* True when there was room. */
static bool note(struct grant_notices *t, const struct grant *g, const struct fs_break *b)
{
        t->full = t->n == GRANT_NOTICES;
        if (t->full)
                return false;
        t->item[t->n++] = (struct grant_notice){
                .open = g->open ? fs_open_ref(g->open) : NULL,
                .lease = g->lease ? fs_lease_ref(g->lease) : NULL,
                .what = *b,
        };
        return true;
}

/* ---- taking ---- */

static struct grant *grant_of(struct fs_open *o)
{
        return o->lease ? &o->lease->grant : &o->grant;
}

static void set_held(struct node *n, struct grant *g, unsigned held)
{
        if (held && !g->held) {
                list_add_last(&n->grants, &g->in_node);
                atomic_fetch_add(&n->ngrants, 1);
        } else if (!held && g->held) {
                list_remove(&g->in_node);
                atomic_fetch_sub(&n->ngrants, 1);
        }
        g->held = held;
}

/* What is left of `held` to its holder when others need `lose`. An oplock knows but one step below
 * its own: READ. */
static unsigned rest_of(const struct grant *g, unsigned held, unsigned lose)
{
        unsigned rest = held & ~lose;
        if (g->open && rest != held)
                rest &= FS_GRANT_READ;
        return rest & FS_GRANT_READ ? rest : 0;
}

/* The holder shall be left with `rest`. */
static void begin_break(struct node *n, struct grant *g, unsigned rest, struct grant_notices *t)
{
        struct fs_break b = {
                .from = g->held,
                .keep = rest,
                .ack = g->held & (FS_GRANT_WRITE | FS_GRANT_HANDLE),
                .epoch = (uint16_t)(g->epoch + 1),
        };
        if (!note(t, g, &b))
                return;
        g->epoch = b.epoch;
        g->breaking = b.ack;
        g->keep = g->may = rest;
        if (!b.ack)
                set_held(n, g, rest);
}

/* Others need what g holds of `lose`. True: they have to wait for it. Reading is never worth
 * waiting for, and who only wants readers' copies gone does not mind handles ([MS-FSA] 2.1.4.12).
 * Whoever comes while there is more to break than was told waits until that is over. */
static bool take(struct node *n, struct grant *g, unsigned lose, struct grant_notices *t)
{
        unsigned rest = rest_of(g, g->held, lose);
        bool wait = g->held & FS_GRANT_WRITE || g->held & lose & FS_GRANT_HANDLE;
        bool more = g->breaking && g->may != g->keep;
        if (rest == g->held)
                return more;
        if (g->breaking)
                g->may = rest_of(g, g->may, lose); /* one thing after the other: see acknowledge */
        else
                begin_break(n, g, rest, t);
        return wait || more;
}

static bool is_others(const struct grant *g, const struct fs_open *o)
{
        return g->lease ? g->lease != o->lease : g->open != o;
}

/* What o, opening with `access`, needs of g. */
static unsigned needs(const struct fs_open *o, uint32_t access, enum grant_stage stage,
                      const struct grant *g)
{
        bool batch = g->open && g->held & FS_GRANT_WRITE && g->held & FS_GRANT_HANDLE;
        uint32_t quiet = g->lease ? QUIET_RIGHTS_LEASE : QUIET_RIGHTS;
        if (stage == GRANT_SHARE_CONFLICT)
                return g->lease ? FS_GRANT_HANDLE : 0;
        if (!o->overwrites && !(access & ~quiet))
                return 0;
        if (stage == GRANT_BEFORE_SHARE_CHECK && !batch)
                return 0;
        return o->overwrites ? FS_GRANT_READ | FS_GRANT_WRITE : FS_GRANT_WRITE;
}

bool grant_in_the_way(struct fs_open *o, uint32_t access, enum grant_stage stage,
                      struct grant_notices *t)
{
        struct node *n = o->node;
        bool wait = false;
        if (o->anchor) /* a stream's opener does not touch the file's data */
                return false;
        if (atomic_load_explicit(&n->ngrants, memory_order_relaxed) == 0)
                return false;
        list_each_safe (&n->grants, it, nxt) {
                struct grant *g = list_entry(it, struct grant, in_node);
                unsigned lose = is_others(g, o) ? needs(o, access, stage, g) : 0;
                if (lose && take(n, g, lose, t))
                        wait = true;
        }
        return wait;
}

bool grant_recall_handles(struct node *n, struct fs_open *o, struct grant_notices *t)
{
        bool wait = false;
        list_each_safe (&n->grants, it, nxt) {
                struct grant *g = list_entry(it, struct grant, in_node);
                if (is_others(g, o) && g->held & FS_GRANT_HANDLE && take(n, g, FS_GRANT_HANDLE, t))
                        wait = true;
        }
        return wait;
}

void grant_recall_now(struct fs_open *o)
{
        struct node *n = o->node;
        struct grant_notices t = {0};
        bool more = true;
        while (more) {
                pthread_mutex_lock(&n->mutex);
                (void)grant_recall_handles(n, o, &t); /* whoever wants to wait asks himself */
                pthread_mutex_unlock(&n->mutex);
                more = t.full;
                grant_tell(&t);
        }
}

static void take_copies(struct fs_open *o, bool own)
{
        struct node *n = o->node;
        struct grant_notices t = {0};
        bool more = atomic_load_explicit(&n->ngrants, memory_order_relaxed) != 0;
        while (more) {
                pthread_mutex_lock(&n->mutex);
                list_each_safe (&n->grants, it, nxt) {
                        struct grant *g = list_entry(it, struct grant, in_node);
                        if (is_others(g, o) || (own && g->open && g->held == FS_GRANT_READ))
                                (void)take(n, g, FS_GRANT_READ | FS_GRANT_WRITE, &t);
                }
                pthread_mutex_unlock(&n->mutex);
                more = t.full;
                grant_tell(&t);
        }
}

/* An oplock for reading is lost by its own open's changes, too ([MS-FSA] 2.1.4.12). Who changes
 * data waits for nobody. */
void grant_data_changes(struct fs_open *o)
{
        take_copies(o, true);
}

void grant_overwrites(struct fs_open *o)
{
        take_copies(o, false);
}

/* ---- giving ---- */

/* What the other grants leave of `want`: a writer is alone, and an oplock for reading does not go
 * with kept handles ([MS-FSA] 2.1.5.18.1, .2). */
static unsigned beside_grants(const struct fs_open *o, unsigned want)
{
        list_each (&o->node->grants, it) {
                const struct grant *g = list_entry(it, struct grant, in_node);
                if (!is_others(g, o))
                        continue;
                if (g->held & FS_GRANT_WRITE || (!o->lease && g->held & FS_GRANT_HANDLE))
                        return 0;
                want &= o->lease && g->lease ? ALL_GRANTS & ~(unsigned)FS_GRANT_WRITE
                                             : (unsigned)FS_GRANT_READ;
        }
        return want;
}

static unsigned beside_opens(const struct fs_open *o, unsigned want)
{
        uint32_t quiet = o->lease ? QUIET_RIGHTS_LEASE : QUIET_RIGHTS;
        unsigned shared = o->lease ? FS_GRANT_READ | FS_GRANT_HANDLE : FS_GRANT_READ;
        list_each (&o->node->opens, it) {
                struct fs_open *x = list_entry(it, struct fs_open, in_node);
                bool mine = x == o || (o->lease && x->lease == o->lease);
                if (!mine && !x->anchor && x->access & ~quiet)
                        want &= shared;
        }
        return want;
}

static unsigned possible(const struct fs_open *o, unsigned want)
{
        struct node *n = o->node;
        if (!(want & FS_GRANT_READ) || n->dir || !list_empty(&n->locks) ||
            !client_takes_grants(o->client))
                return 0;
        return beside_opens(o, beside_grants(o, want));
}

/* A lease only grows, and not while it breaks ([MS-SMB2] 3.3.5.9.8). Who holds nothing yet takes
 * what there is; what is held grows to what was asked for or not at all. */
static void give_lease(struct fs_open *o, unsigned want)
{
        struct grant *g = &o->lease->grant;
        o->lease->entered++;
        if (o->request->options & FS_OPT_DELETE_ON_CLOSE)
                atomic_store(&o->lease->doomed, true);
        if (g->breaking || (want & g->held) != g->held)
                return;
        unsigned may = possible(o, want);
        if (may == g->held || (g->held && may != want))
                return;
        set_held(o->node, g, may);
        g->epoch++;
}

void grant_give(struct fs_open *o, unsigned want)
{
        if (o->lease)
                give_lease(o, want);
        else if (want && !o->request->grant_key)
                set_held(o->node, &o->grant, possible(o, want));
}

void grant_drop(struct fs_open *o)
{
        struct grant *g = grant_of(o);
        if (o->lease)
                lease_leave(o->lease);
        if (o->lease && --o->lease->entered)
                return;
        set_held(o->node, g, 0);
        g->breaking = false;
}

/* ---- acknowledging ---- */

/* What was asked for while the holder was giving up the rest comes next, and before its copies its
 * handles: all of it one change to count. */
static void go_on(struct node *n, struct grant *g, struct grant_notices *t)
{
        unsigned may = g->may, rest = rest_of(g, g->held, g->held & ~may);
        if (rest == g->held)
                return;
        if (g->lease && !rest && g->held != FS_GRANT_READ)
                rest = FS_GRANT_READ;
        g->epoch--;
        begin_break(n, g, rest, t); /* there is room for one */
        g->may = may;
}

static enum fs_err acknowledge(struct node *n, struct grant *g, unsigned keep)
{
        struct grant_notices t = {0};
        bool settled = false;
        enum fs_err e = FS_OK;
        pthread_mutex_lock(&n->mutex);
        if (!g->breaking || keep & ~g->keep) {
                e = FS_INVALID;
        } else {
                g->breaking = false;
                set_held(n, g, keep);
                go_on(n, g, &t);
                settled = !g->breaking;
        }
        pthread_mutex_unlock(&n->mutex);
        grant_tell(&t);
        if (settled)
                node_wake(n);
        return e;
}

enum fs_err fs_grant_ack(struct fs_open *o, unsigned keep)
{
        return acknowledge(o->node, &o->grant, keep);
}

void fs_grant_revoke(struct fs_open *o)
{
        if (fs_grant_ack(o, 0) != FS_OK)
                return; /* none was awaited, or it came just now */
}

unsigned fs_grant_held(struct fs_open *o, bool *ret_breaking, unsigned *ret_keep)
{
        const struct grant *g = grant_of(o);
        pthread_mutex_lock(&o->node->mutex);
        unsigned held = g->held;
        if (ret_breaking)
                *ret_breaking = g->breaking;
        if (ret_keep)
                *ret_keep = g->keep;
        pthread_mutex_unlock(&o->node->mutex);
        return held;
}

enum fs_err fs_lease_ack(struct fs_lease *l, unsigned keep)
{
        return acknowledge(l->node, &l->grant, keep);
}

void fs_lease_revoke(struct fs_lease *l)
{
        if (fs_lease_ack(l, 0) != FS_OK)
                return; /* as above */
        pthread_mutex_lock(&l->node->mutex);
        l->grant.epoch++; /* not what its client was told last */
        pthread_mutex_unlock(&l->node->mutex);
}

void fs_lease_state(struct fs_lease *l, struct fs_lease_state *ret)
{
        pthread_mutex_lock(&l->node->mutex);
        *ret = (struct fs_lease_state){
                .held = l->grant.held,
                .keep = l->grant.keep,
                .breaking = l->grant.breaking,
                .epoch = l->grant.epoch,
        };
        pthread_mutex_unlock(&l->node->mutex);
}

void *fs_open_front(const struct fs_open *o)
{
        return o->front;
}

void fs_open_set_front(struct fs_open *o, void *front)
{
        o->front = front;
}
