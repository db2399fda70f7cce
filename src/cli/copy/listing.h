/* What a folder holds, on either side. */
#ifndef FREVO_CLI_COPY_LISTING_H
#define FREVO_CLI_COPY_LISTING_H

#include "base/auto.h"
#include "cli/copy/item.h"
#include "frevo/frevo.h"

struct listing {
        struct item *items; /* owns them and their names */
        size_t n, capacity;
        bool folded; /* sorted without regard to case */
};

/* Copies the name. False without memory. */
MUST_USE bool listing_add(struct listing *l, const struct item *i);
/* Before the first find. fold: names that differ in case only are one, as on SMB servers. */
void listing_sort(struct listing *l, bool fold);
/* NULL = not there. Of several that differ in case only, the very one if it is there. */
const struct item *listing_find(const struct listing *l, const char *name);
void listing_fini(struct listing *l);

/* Adds what the folder fd holds. 0 or an errno. */
int listing_read_local(struct listing *l, int fd);
/* Adds a page of a server's. False without memory. */
MUST_USE bool listing_add_remote(struct listing *l, const struct frevo_entry *e, size_t n);

struct stat;
/* Without a name. */
struct item item_of_stat(const struct stat *st);
struct item item_of_remote(const struct frevo_stat *st);

#endif
