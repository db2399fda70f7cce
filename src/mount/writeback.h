/* Bytes that were written but are not at the server yet: one buffer a file. Pure.
 *
 * It holds extents. Those that are *dirty* do not overlap each other; those that are *sending* are
 * with the server, must not change, and may be covered by newer dirty ones, which have to wait for
 * them.
 */
#ifndef FREVO_MOUNT_WRITEBACK_H
#define FREVO_MOUNT_WRITEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/list.h"

struct extent {
        struct list link;
        uint64_t off;
        size_t n, room;
        bool sending;
        uint8_t *data;
        void *owner; /* the buffer's */
};

struct writeback {
        struct list dirty, sending; /* of struct extent; dirty: in order of offsets */
        size_t bytes;               /* in all of them */
        size_t extent_max;          /* bytes of one */
        void *owner;
};

void wb_init(struct writeback *w, size_t extent_max, void *owner);
void wb_fini(struct writeback *w);
static inline bool wb_is_empty(const struct writeback *w)
{
        return list_empty(&w->dirty) && list_empty(&w->sending);
}

/* Copies data in. False without memory: then a part may be in, which does no harm. */
bool wb_write(struct writeback *w, uint64_t off, const void *data, size_t n) MUST_USE;
/* The next extent to be sent, marked as sending; NULL: none. all: those that could still grow as
 * well; otherwise full ones only. */
struct extent *wb_send(struct writeback *w, bool all);
/* It is at the server, or given up: freed. */
void wb_sent(struct writeback *w, struct extent *e);
/* Forgets what is dirty from `size` on. */
void wb_cut(struct writeback *w, uint64_t size);

/* Anything of [off, +n) in here? */
bool wb_touches(const struct writeback *w, uint64_t off, size_t n);
/* All of it? Then wb_read() has an answer. */
bool wb_covers(const struct writeback *w, uint64_t off, size_t n);
/* Copies what is in here of [off, +n) over out. */
void wb_read(const struct writeback *w, uint64_t off, void *out, size_t n);

#endif
