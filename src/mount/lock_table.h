/* The byte-range locks of this machine's processes on one file, as POSIX has them: an owner has one
 * kind of lock on each byte, and a new one replaces the old. flock(2)'s are owners of another kind,
 * which do not see the others. Pure.
 *
 * Each entry stands for one lock at the server, of the same range and kind; a change is a plan of
 * what to unlock and lock there.
 */
#ifndef FREVO_MOUNT_LOCK_TABLE_H
#define FREVO_MOUNT_LOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/list.h"

enum lock_kind { LOCK_KIND_NONE, LOCK_KIND_READ, LOCK_KIND_WRITE };

struct lock {
        struct list link;
        uint64_t owner;
        bool flock;
        uint64_t from, to; /* both included */
        enum lock_kind kind;
        int32_t pid;
};

struct lock_table {
        struct list locks; /* of struct lock */
};

void lock_table_init(struct lock_table *t);
void lock_table_fini(struct lock_table *t);

/* A lock of somebody else's that is in want's way; NULL. */
const struct lock *lock_conflict(const struct lock_table *t, const struct lock *want);
/* Is what want asks for there already? */
bool lock_is_held(const struct lock_table *t, const struct lock *want);

/* What the server has to do for `want` (kind LOCK_KIND_NONE: to unlock), in order. */
struct lock_step {
        uint64_t from, to;
        enum lock_kind kind; /* LOCK_KIND_NONE: unlock what was locked so */
};
#define LOCK_STEPS_MAX 64u
/* Changes the table and writes down the steps; the last one is the wanted lock itself, if want's
 * kind is not LOCK_KIND_NONE. Returns their number; 0 without memory or with too many (nothing
 * changed), and when nothing is to be done. */
size_t lock_change(struct lock_table *t, const struct lock *want,
                   struct lock_step steps[LOCK_STEPS_MAX], bool *ret_ok);
/* The server refused the wanted lock. */
void lock_refused(struct lock_table *t, const struct lock *want);
/* Some lock of that owner; NULL. */
const struct lock *lock_of(const struct lock_table *t, uint64_t owner, bool flock);

#endif
