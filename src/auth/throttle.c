/* See throttle.h. One table of keys (user with address, address alone): a linear search over
 * a few thousand entries costs microseconds, on a path that has just failed or runs once a sign-in.
 */
#include "auth/throttle.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf16.h"

enum {
        TABLE = 1024,
        FIRST_DELAY_MS = 1000,
        LONGEST_DELAY_MS = 60 * 1000,
        FORGET_MS = 15 * 60 * 1000
};

struct entry {
        uint64_t hash; /* 0 = free; seeded per process, so a collision cannot be aimed at */
        uint64_t last_ms;
        unsigned failures;
};

struct throttle {
        pthread_mutex_t lock; /* guards the table */
        struct entry table[TABLE];
};

struct throttle *throttle_new(void)
{
        struct throttle *t = calloc(1, sizeof *t);
        if (t && pthread_mutex_init(&t->lock, NULL) != 0) {
                free(t);
                t = NULL;
        }
        return t;
}

void throttle_free(struct throttle *t)
{
        if (!t)
                return;
        (void)pthread_mutex_destroy(&t->lock); /* nobody uses it any more: the caller's promise */
        free(t);
}

/* 0 for an unknown address: nothing is kept about those. */
static uint64_t address_key(const char *address)
{
        return address && *address ? name_casehash(address) | 1 : 0;
}

/* 0 without a name. */
static uint64_t user_key(const char *user, const char *address)
{
        if (!user || !*user)
                return 0;
        return (name_casehash(user) * 0x9E3779B97F4A7C15u ^ address_key(address)) | 1;
}

static bool forgotten(const struct entry *e)
{
        return clock_ms() - e->last_ms > FORGET_MS;
}

static struct entry *find(struct throttle *t, uint64_t hash)
{
        for (size_t i = 0; hash && i < TABLE; i++)
                if (t->table[i].hash == hash)
                        return forgotten(&t->table[i]) ? NULL : &t->table[i];
        return NULL;
}

static uint64_t wait_of(struct throttle *t, uint64_t hash, unsigned free_failures)
{
        const struct entry *e = find(t, hash);
        if (!e || e->failures < free_failures)
                return 0;
        unsigned doublings = e->failures - free_failures;
        uint64_t delay = doublings >= 6 ? LONGEST_DELAY_MS : (uint64_t)FIRST_DELAY_MS << doublings;
        uint64_t gone = clock_ms() - e->last_ms;
        return gone >= delay ? 0 : delay - gone;
}

uint64_t throttle_wait_ms(struct throttle *t, const char *user, const char *address)
{
        (void)pthread_mutex_lock(&t->lock); /* fails only for broken mutexes */
        uint64_t u = wait_of(t, user_key(user, address), LIMIT_AUTH_FAILURES);
        uint64_t a = wait_of(t, address_key(address), LIMIT_AUTH_FAILURES_ADDRESS);
        (void)pthread_mutex_unlock(&t->lock);
        return u > a ? u : a;
}

/* The entry of `hash`, or a free one, or the one that failed longest ago. */
static struct entry *slot(struct throttle *t, uint64_t hash)
{
        struct entry *oldest = &t->table[0];
        for (size_t i = 0; i < TABLE; i++) {
                struct entry *e = &t->table[i];
                if (e->hash == hash)
                        return e;
                if (oldest->hash && (!e->hash || e->last_ms < oldest->last_ms))
                        oldest = e;
        }
        *oldest = (struct entry){.hash = hash};
        return oldest;
}

static void count(struct throttle *t, uint64_t hash)
{
        if (!hash)
                return;
        struct entry *e = slot(t, hash);
        if (forgotten(e))
                e->failures = 0;
        e->last_ms = clock_ms();
        if (e->failures < 1000)
                e->failures++;
}

void throttle_failed(struct throttle *t, const char *user, const char *address)
{
        (void)pthread_mutex_lock(&t->lock);
        count(t, user_key(user, address));
        count(t, address_key(address));
        (void)pthread_mutex_unlock(&t->lock);
}

/* The address's count stays: one good account must not buy guesses at the others. */
void throttle_succeeded(struct throttle *t, const char *user, const char *address)
{
        (void)pthread_mutex_lock(&t->lock);
        struct entry *e = find(t, user_key(user, address));
        if (e)
                *e = (struct entry){0};
        (void)pthread_mutex_unlock(&t->lock);
}
