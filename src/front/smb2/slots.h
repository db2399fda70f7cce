/* A table of pointers by small number, for tree connects and opens: O(1) add, look-up, removal.
 *
 * An id handed to a peer is made of the slot's index and its generation, so that an id that was
 * given back is not valid again at once. Not thread-safe.
 */
#ifndef FREVO_FRONT_SMB2_SLOTS_H
#define FREVO_FRONT_SMB2_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct slot {
        void *p; /* NULL = free */
        uint32_t generation, next_free;
};

struct slots {
        struct slot *slot;
        uint32_t cap, used, first_free; /* first_free: cap = none */
        uint32_t max;
};

void slots_init(struct slots *s, uint32_t max);
void slots_fini(struct slots *s); /* forgets the pointers */
/* The index, or UINT32_MAX at the maximum or without memory. */
uint32_t slots_add(struct slots *s, void *p);
/* NULL when free or past the end. */
void *slots_get(const struct slots *s, uint32_t i);
uint32_t slots_generation(const struct slots *s, uint32_t i);
void slots_remove(struct slots *s, uint32_t i);

#endif
