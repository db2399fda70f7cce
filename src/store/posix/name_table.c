/* See name_table.h. */
#include "store/posix/name_table.h"

#include "base/utf16.h"

struct name_item {
        struct name_item *next;
        uint64_t hash;
        char name[];
};

enum { FIRST_BUCKETS = 16 };

static struct name_item **bucket(const struct name_table *t, uint64_t hash)
{
        return &t->buckets[hash & (t->nbuckets - 1)];
}

static bool grow(struct name_table *t)
{
        if (t->count < t->nbuckets)
                return true;
        struct name_table big = {.nbuckets = t->nbuckets ? t->nbuckets * 2 : FIRST_BUCKETS,
                                 .count = t->count};
        big.buckets = calloc(big.nbuckets, sizeof(struct name_item *));
        if (!big.buckets)
                return false;
        for (size_t i = 0; i < t->nbuckets; i++) {
                struct name_item *it = t->buckets[i], *next;
                for (; it; it = next) {
                        next = it->next;
                        it->next = *bucket(&big, it->hash);
                        *bucket(&big, it->hash) = it;
                }
        }
        free(t->buckets);
        *t = big;
        return true;
}

bool name_table_add(struct name_table *t, const char *name)
{
        uint64_t h = name_casehash(name);
        if (t->nbuckets)
                for (struct name_item *it = *bucket(t, h); it; it = it->next)
                        if (it->hash == h && strcmp(it->name, name) == 0)
                                return true;
        size_t n = strlen(name) + 1;
        struct name_item *it = malloc(sizeof *it + n);
        if (!it || !grow(t)) {
                free(it);
                return false;
        }
        it->hash = h;
        memcpy(it->name, name, n);
        it->next = *bucket(t, h);
        *bucket(t, h) = it;
        t->count++;
        return true;
}

void name_table_remove(struct name_table *t, const char *name)
{
        if (!t->nbuckets)
                return;
        uint64_t h = name_casehash(name);
        for (struct name_item **at = bucket(t, h); *at; at = &(*at)->next) {
                if ((*at)->hash != h || strcmp((*at)->name, name) != 0)
                        continue;
                struct name_item *it = *at;
                *at = it->next;
                free(it);
                t->count--;
                return;
        }
}

const char *name_table_find(const struct name_table *t, const char *name)
{
        if (!t->nbuckets)
                return NULL;
        uint64_t h = name_casehash(name);
        const char *best = NULL;
        for (const struct name_item *it = *bucket(t, h); it; it = it->next) {
                if (it->hash != h || name_casecmp(it->name, name) != 0)
                        continue;
                if (strcmp(it->name, name) == 0)
                        return it->name;
                if (!best || strcmp(it->name, best) < 0)
                        best = it->name;
        }
        return best;
}

void name_table_fini(struct name_table *t)
{
        for (size_t i = 0; i < t->nbuckets; i++) {
                struct name_item *it = t->buckets[i], *next;
                for (; it; it = next) {
                        next = it->next;
                        free(it);
                }
        }
        free(t->buckets);
        *t = (struct name_table){0};
}
