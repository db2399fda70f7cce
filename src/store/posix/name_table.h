/* The set of names of one directory, found by folded form. Not thread-safe. */
#ifndef FREVO_STORE_POSIX_NAME_TABLE_H
#define FREVO_STORE_POSIX_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_item;
struct name_table {
        struct name_item **buckets;
        size_t nbuckets, count;
};

/* Adding a name twice, or removing one that is not there, does nothing. False: no memory. */
bool name_table_add(struct name_table *t, const char *name);
void name_table_remove(struct name_table *t, const char *name);
/* See name_index_find for which; NULL: none. Valid until the table changes. */
const char *name_table_find(const struct name_table *t, const char *name);
void name_table_fini(struct name_table *t);

#endif
