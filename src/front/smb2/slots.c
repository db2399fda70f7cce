/* The table of slots.h: an array that doubles, its free entries chained by index. */
#include "front/smb2/slots.h"

#include <assert.h>

void slots_init(struct slots *s, uint32_t max)
{
        *s = (struct slots){.max = max};
}

void slots_fini(struct slots *s)
{
        free(s->slot);
        *s = (struct slots){0};
}

static int slots_grow(struct slots *s)
{
        uint32_t cap = s->cap ? s->cap * 2 : 4;
        struct slot *slot = realloc(s->slot, cap * sizeof *slot);
        if (!slot)
                return -1;
        for (uint32_t i = s->cap; i < cap; i++)
                slot[i] = (struct slot){.next_free = i + 1}; /* the last one's is the new cap */
        s->slot = slot;
        s->first_free = s->cap;
        s->cap = cap;
        return 0;
}

uint32_t slots_add(struct slots *s, void *p)
{
        if (s->used >= s->max || (s->first_free == s->cap && slots_grow(s)))
                return UINT32_MAX;
        uint32_t i = s->first_free;
        s->first_free = s->slot[i].next_free;
        s->slot[i].p = p;
        s->slot[i].generation++;
        s->used++;
        return i;
}

void *slots_get(const struct slots *s, uint32_t i)
{
        return i < s->cap ? s->slot[i].p : NULL;
}

uint32_t slots_generation(const struct slots *s, uint32_t i)
{
        return s->slot[i].generation;
}

void slots_remove(struct slots *s, uint32_t i)
{
        assert(i < s->cap && s->slot[i].p);
        s->slot[i].p = NULL;
        s->slot[i].next_free = s->first_free;
        s->first_free = i;
        s->used--;
}
