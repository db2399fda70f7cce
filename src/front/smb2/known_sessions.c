/* The table of known_sessions.h: chained buckets by id; ids are random, so that they spread. */
#include "front/smb2/known_sessions.h"

#include <pthread.h>

#include "base/list.h"
#include "crypto/hash.h"

#define BUCKETS 1024u

struct known {
        struct list link;
        struct smb2_known_session s;
};

struct smb2_known_sessions {
        pthread_mutex_t lock;
        struct list buckets[BUCKETS];
};

struct smb2_known_sessions *smb2_known_sessions_new(void)
{
        struct smb2_known_sessions *k = calloc(1, sizeof *k);
        if (!k)
                return NULL;
        pthread_mutex_init(&k->lock, NULL);
        for (unsigned i = 0; i < BUCKETS; i++)
                list_init(&k->buckets[i]);
        return k;
}

static void known_free(struct known *e)
{
        secret_wipe(e, sizeof *e);
        free(e);
}

void smb2_known_sessions_free(struct smb2_known_sessions *k)
{
        if (!k)
                return;
        for (unsigned i = 0; i < BUCKETS; i++)
                list_each_safe (&k->buckets[i], it, next)
                        known_free(list_entry(it, struct known, link));
        pthread_mutex_destroy(&k->lock);
        free(k);
}

static struct list *bucket_of(struct smb2_known_sessions *k, uint64_t id)
{
        return &k->buckets[(id ^ id >> 10 ^ id >> 32) % BUCKETS];
}

static struct known *known_lookup(struct list *bucket, uint64_t id)
{
        list_each (bucket, it) {
                struct known *e = list_entry(it, struct known, link);
                if (e->s.id == id)
                        return e;
        }
        return NULL;
}

bool smb2_known_sessions_add(struct smb2_known_sessions *k, const struct smb2_known_session *s)
{
        struct known *e = calloc(1, sizeof *e);
        if (!e)
                return false;
        e->s = *s;
        pthread_mutex_lock(&k->lock);
        list_add_first(bucket_of(k, s->id), &e->link);
        pthread_mutex_unlock(&k->lock);
        return true;
}

void smb2_known_sessions_remove(struct smb2_known_sessions *k, uint64_t id)
{
        pthread_mutex_lock(&k->lock);
        struct known *e = known_lookup(bucket_of(k, id), id);
        if (e)
                list_remove(&e->link);
        pthread_mutex_unlock(&k->lock);
        if (e)
                known_free(e);
}

bool smb2_known_sessions_find(struct smb2_known_sessions *k, uint64_t id,
                              struct smb2_known_session *ret)
{
        pthread_mutex_lock(&k->lock);
        struct known *e = known_lookup(bucket_of(k, id), id);
        if (e)
                *ret = e->s;
        pthread_mutex_unlock(&k->lock);
        return e != NULL;
}
