/* See lease.h: the table of a client's leases, and how opens come to theirs. */
#include "fs/lease.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "fs/client.h"
#include "fs/open.h"

void lease_table_init(struct lease_table *t)
{
        pthread_mutex_init(&t->mutex, NULL);
}

void lease_table_fini(struct lease_table *t)
{
        assert(t->n == 0);
        free(t->buckets);
        pthread_mutex_destroy(&t->mutex);
}

/* The client chose the key: where the table is in memory, it does not know. */
static struct fs_lease **place_of(const struct lease_table *t, const struct fs_grant_key *key)
{
        uint64_t a, b;
        memcpy(&a, key->b, 8);
        memcpy(&b, key->b + 8, 8);
        uint64_t h = (a ^ (uintptr_t)t) * 0x9E3779B97F4A7C15u;
        h = (h ^ h >> 32 ^ b ^ (uintptr_t)t->buckets) * 0xC2B2AE3D27D4EB4Fu;
        struct fs_lease **p = &t->buckets[(h ^ h >> 32) & (t->nbuckets - 1)];
        while (*p && memcmp((*p)->key.b, key->b, sizeof key->b) != 0)
                p = &(*p)->next;
        return p;
}

static struct fs_lease *lookup(const struct lease_table *t, const struct fs_grant_key *key)
{
        return t->nbuckets ? *place_of(t, key) : NULL;
}

/* Doubles the buckets when there are as many leases; false only when there is no bucket at all. */
static bool grow(struct lease_table *t)
{
        if (t->n < t->nbuckets)
                return true;
        size_t old = t->nbuckets, n = old ? old * 2 : 16;
        struct fs_lease **was = t->buckets, **fresh = calloc(n, sizeof(struct fs_lease *));
        if (!fresh)
                return old != 0;
        t->buckets = fresh;
        t->nbuckets = n;
        for (size_t i = 0; i < old; i++) {
                while (was[i]) {
                        struct fs_lease *l = was[i];
                        was[i] = l->next;
                        l->next = NULL;
                        *place_of(t, &l->key) = l;
                }
        }
        free(was);
        return true;
}

static void add(struct lease_table *t, struct fs_lease *l)
{
        *place_of(t, &l->key) = l;
        t->n++;
}

static struct fs_lease *lease_new(struct fs_open *o, const struct fs_open_req *q)
{
        struct fs_lease *l = calloc(1, sizeof *l);
        if (!l)
                return NULL;
        atomic_init(&l->refs, 1);
        l->client = fs_client_ref(o->client);
        l->node = node_ref(o->node);
        l->key = *q->grant_key;
        l->grant.lease = l;
        l->grant.epoch = q->grant_epoch;
        list_init(&l->grant.in_node);
        return l;
}

/* t->mutex is held. FS_NOT_FOUND: the client has none with that key; `fresh` (may be NULL) becomes
 * it where there is room. */
static enum fs_err use(struct lease_table *t, struct fs_open *o, const struct fs_grant_key *key,
                       struct fs_lease *fresh)
{
        struct fs_lease *l = lookup(t, key);
        if (l && l->node != o->node)
                return atomic_load(&l->doomed) ? FS_OK : FS_INVALID;
        if (!l && (!fresh || t->n >= LIMIT_LEASES_PER_CLIENT || !grow(t)))
                return FS_NOT_FOUND;
        if (!l)
                add(t, l = fresh);
        l->users++;
        o->lease = fs_lease_ref(l);
        return FS_OK;
}

enum fs_err lease_join(struct fs_open *o, const struct fs_open_req *q)
{
        if (o->node->dir || !client_takes_leases(o->client))
                return FS_OK;
        struct lease_table *t = client_leases(o->client);
        struct fs_lease *fresh = NULL;
        pthread_mutex_lock(&t->mutex);
        enum fs_err e = use(t, o, q->grant_key, NULL);
        pthread_mutex_unlock(&t->mutex);
        if (e == FS_NOT_FOUND && (fresh = lease_new(o, q))) {
                pthread_mutex_lock(&t->mutex);
                e = use(t, o, q->grant_key, fresh);
                pthread_mutex_unlock(&t->mutex);
        }
        fs_lease_unref(fresh);
        return e == FS_NOT_FOUND ? FS_OK : e; /* no room: nothing is granted */
}

void lease_leave(struct fs_lease *l)
{
        struct lease_table *t = client_leases(l->client);
        pthread_mutex_lock(&t->mutex);
        if (--l->users == 0) {
                *place_of(t, &l->key) = l->next;
                l->next = NULL;
                t->n--;
        }
        pthread_mutex_unlock(&t->mutex);
}

bool lease_is_taken(struct fs_client *c, const struct fs_grant_key *key)
{
        struct lease_table *t = client_leases(c);
        pthread_mutex_lock(&t->mutex);
        struct fs_lease *l = lookup(t, key);
        bool taken = l && !atomic_load(&l->doomed);
        pthread_mutex_unlock(&t->mutex);
        return taken;
}

void lease_doom(struct node *n, bool doomed)
{
        list_each (&n->opens, it) {
                struct fs_open *o = list_entry(it, struct fs_open, in_node);
                if (o->lease)
                        atomic_store(&o->lease->doomed, doomed);
        }
}

/* ---- for fronts ---- */

struct fs_lease *fs_open_lease(const struct fs_open *o)
{
        return o->lease;
}

struct fs_lease *fs_lease_get(struct fs_client *c, const struct fs_grant_key *key)
{
        struct lease_table *t = client_leases(c);
        pthread_mutex_lock(&t->mutex);
        struct fs_lease *l = lookup(t, key);
        if (l)
                fs_lease_ref(l);
        pthread_mutex_unlock(&t->mutex);
        return l;
}

struct fs_lease *fs_lease_ref(struct fs_lease *l)
{
        atomic_fetch_add(&l->refs, 1);
        return l;
}

void fs_lease_unref(struct fs_lease *l)
{
        if (!l || atomic_fetch_sub(&l->refs, 1) != 1)
                return;
        node_put(l->node);
        fs_client_unref(l->client);
        free(l);
}

void *fs_lease_front(const struct fs_lease *l)
{
        return l->front;
}

void fs_lease_set_front(struct fs_lease *l, void *front)
{
        l->front = front;
}
