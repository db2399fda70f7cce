/* The map of homes.h: chained buckets; a random seed keeps peers from choosing collisions. */
#include "front/smb2/homes.h"

#include <pthread.h>

#include "base/list.h"
#include "crypto/hash.h"

#define BUCKETS 1024u

struct home {
        struct list link;
        struct smb2_guid guid;
        unsigned loop, conns;
};

struct smb2_homes {
        pthread_mutex_t lock;
        uint64_t seed;
        struct list buckets[BUCKETS];
};

struct smb2_homes *smb2_homes_new(void)
{
        struct smb2_homes *h = calloc(1, sizeof *h);
        if (!h)
                return NULL;
        pthread_mutex_init(&h->lock, NULL);
        crypto_random(&h->seed, sizeof h->seed);
        for (unsigned i = 0; i < BUCKETS; i++)
                list_init(&h->buckets[i]);
        return h;
}

void smb2_homes_free(struct smb2_homes *h)
{
        if (!h)
                return;
        for (unsigned i = 0; i < BUCKETS; i++)
                list_each_safe (&h->buckets[i], it, next)
                        free(list_entry(it, struct home, link));
        pthread_mutex_destroy(&h->lock);
        free(h);
}

static struct list *bucket_of(struct smb2_homes *h, const struct smb2_guid *guid)
{
        uint64_t v = h->seed;
        for (unsigned i = 0; i < sizeof guid->b; i++)
                v = (v ^ guid->b[i]) * 0x100000001b3u;
        return &h->buckets[(v ^ v >> 32) % BUCKETS];
}

static struct home *home_lookup(struct list *bucket, const struct smb2_guid *guid)
{
        list_each (bucket, it) {
                struct home *e = list_entry(it, struct home, link);
                if (smb2_guid_eq(e->guid, *guid))
                        return e;
        }
        return NULL;
}

int smb2_homes_enter(struct smb2_homes *h, const struct smb2_guid *guid, unsigned loop)
{
        int ret = -1;
        pthread_mutex_lock(&h->lock);
        struct list *bucket = bucket_of(h, guid);
        struct home *e = home_lookup(bucket, guid);
        if (!e && (e = calloc(1, sizeof *e))) {
                e->guid = *guid;
                e->loop = loop;
                list_add_first(bucket, &e->link);
        }
        if (e) {
                e->conns++;
                ret = (int)e->loop;
        }
        pthread_mutex_unlock(&h->lock);
        return ret;
}

void smb2_homes_leave(struct smb2_homes *h, const struct smb2_guid *guid)
{
        pthread_mutex_lock(&h->lock);
        struct home *e = home_lookup(bucket_of(h, guid), guid);
        if (e && --e->conns == 0) {
                list_remove(&e->link);
                free(e);
        }
        pthread_mutex_unlock(&h->lock);
}
