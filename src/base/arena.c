/* See arena.h. Blocks double as needed; large requests get a block of their own. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK 1024

struct arena_block {
        struct arena_block *prev;
        size_t at, size;
        _Alignas(max_align_t) uint8_t mem[];
};

void arena_init(struct arena *a, size_t max_bytes)
{
        *a = (struct arena){.max_bytes = max_bytes};
}

void arena_reset(struct arena *a)
{
        for (struct arena_block *b = a->last; b;) {
                struct arena_block *prev = b->prev;
                free(b);
                b = prev;
        }
        arena_init(a, a->max_bytes);
}

void *arena_alloc(struct arena *a, size_t n)
{
        if (n > a->max_bytes - a->used_bytes || a->max_bytes - a->used_bytes - n < 16)
                return NULL;
        n = (n + 15) & ~(size_t)15;
        struct arena_block *b = a->last;
        if (!b || n > b->size - b->at) {
                size_t size = b ? b->size * 2 : FIRST_BLOCK;
                size = n > size ? n : size;
                b = malloc(sizeof *b + size);
                if (!b)
                        return NULL;
                *b = (struct arena_block){.prev = a->last, .size = size};
                a->last = b;
        }
        void *p = b->mem + b->at;
        b->at += n;
        a->used_bytes += n;
        return memset(p, 0, n);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
        char *p = arena_alloc(a, n + 1);
        return p ? memcpy(p, s, n) : NULL;
}
