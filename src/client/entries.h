/* A list of names with sizes, as streams and extended attributes are reported. */
#ifndef FREVO_CLIENT_ENTRIES_H
#define FREVO_CLIENT_ENTRIES_H

#include "frevo/frevo.h"

#include "base/arena.h"
#include "base/auto.h"

struct entries {
        struct arena names;
        struct frevo_entry *e;
        size_t n, room;
};

/* max_bytes bounds the names. */
void entries_init(struct entries *l, size_t max_bytes);
void entries_fini(struct entries *l);
/* name[0..n) is copied; false without memory. */
bool entries_add(struct entries *l, const char *name, size_t n,
                 const struct frevo_stat *stat) MUST_USE;

#endif
