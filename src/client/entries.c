/* See entries.h. */
#include "client/entries.h"

#include <stdlib.h>

void entries_init(struct entries *l, size_t max_bytes)
{
        *l = (struct entries){0};
        arena_init(&l->names, max_bytes);
}

void entries_fini(struct entries *l)
{
        arena_reset(&l->names);
        free(l->e);
        l->e = NULL;
        l->n = l->room = 0;
}

bool entries_add(struct entries *l, const char *name, size_t n, const struct frevo_stat *stat)
{
        char *copy = arena_strndup(&l->names, name, n);
        if (!copy)
                return false;
        if (l->n == l->room) {
                size_t room = l->room ? 2 * l->room : 16;
                struct frevo_entry *more = realloc(l->e, room * sizeof *more);
                if (!more)
                        return false;
                l->e = more;
                l->room = room;
        }
        l->e[l->n++] = (struct frevo_entry){.name = copy, .stat = *stat};
        return true;
}
