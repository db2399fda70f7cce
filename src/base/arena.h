/* Memory of one request: many allocations, one end. Not thread-safe: one call owns one arena. */
#ifndef FREVO_BASE_ARENA_H
#define FREVO_BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
        struct arena_block *last; /* newest block; NULL = nothing allocated yet */
        size_t used_bytes, max_bytes;
};

/* max_bytes bounds the sum of all allocations. Allocates nothing. */
void arena_init(struct arena *a, size_t max_bytes);
/* Frees everything; the arena is as after arena_init. */
void arena_reset(struct arena *a);
/* Zeroed memory, aligned for any type, valid until arena_reset; NULL past the maximum. */
void *arena_alloc(struct arena *a, size_t n);
/* A NUL-terminated copy of s[0..n). */
char *arena_strndup(struct arena *a, const char *s, size_t n);

#endif
