/* See stream_table.h. */
#include "store/posix/stream_table.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/utf16.h"

enum { STRIPES = 64 };

static struct {
        pthread_mutex_t mutex[STRIPES];
        struct posix_stream *first[STRIPES];
} table = {.mutex = {[0 ... STRIPES - 1] = PTHREAD_MUTEX_INITIALIZER}};

static unsigned stripe_of(uint64_t dev, uint64_t ino)
{
        return (unsigned)(((ino ^ dev) * 0x9E3779B97F4A7C15u) >> 32) % STRIPES;
}

void stream_lock(uint64_t dev, uint64_t ino)
{
        (void)pthread_mutex_lock(&table.mutex[stripe_of(dev, ino)]); /* cannot fail */
}

void stream_unlock(uint64_t dev, uint64_t ino)
{
        (void)pthread_mutex_unlock(&table.mutex[stripe_of(dev, ino)]);
}

struct posix_stream *stream_lookup(uint64_t dev, uint64_t ino, const char *name)
{
        struct posix_stream *st = table.first[stripe_of(dev, ino)];
        while (st &&
               (st->gone || st->ino != ino || st->dev != dev || name_casecmp(st->name, name) != 0))
                st = st->next;
        return st;
}

struct posix_stream *stream_get(uint64_t dev, uint64_t ino, const char *name)
{
        static _Atomic uint64_t last_id;
        struct posix_stream *st = stream_lookup(dev, ino, name);
        if (st) {
                st->refs++;
                return st;
        }
        st = calloc(1, sizeof *st);
        char *copy = strdup(name);
        if (!st || !copy) {
                free(st);
                free(copy);
                return NULL;
        }
        struct posix_stream **first = &table.first[stripe_of(dev, ino)];
        *st = (struct posix_stream){.next = *first,
                                    .refs = 1,
                                    .dev = dev,
                                    .ino = ino,
                                    .id = atomic_fetch_add(&last_id, 1) + 1,
                                    .name = copy};
        *first = st;
        return st;
}

void stream_put(struct posix_stream *st)
{
        if (!st)
                return;
        uint64_t dev = st->dev, ino = st->ino;
        stream_lock(dev, ino);
        bool last = --st->refs == 0;
        struct posix_stream **at = &table.first[stripe_of(dev, ino)];
        while (last && *at != st)
                at = &(*at)->next;
        if (last)
                *at = st->next;
        stream_unlock(dev, ino);
        if (last) {
                free(st->name);
                free(st);
        }
}
