/* A page of a listing: what QUERY_DIRECTORY answered, as entries that a caller may be handed. Pure.
 */
#ifndef FREVO_CLIENT_PAGE_H
#define FREVO_CLIENT_PAGE_H

#include "frevo/frevo.h"

#include "base/auto.h"
#include "base/bytes.h"
#include "wire/fscc/class.h"

#define PAGE_CLASS FILE_ID_BOTH_DIRECTORY_INFORMATION

struct page {
        void *mem; /* one block, to be free()d: entries and their names */
        struct frevo_entry *entries;
        size_t n;
        size_t n_seen;     /* with "." and "..", and those left out */
        bool is_bad;       /* malformed from some entry on, or names that no caller may see */
        struct bytes last; /* the last entry's name as it came: tells pages apart */
};

/* "." and ".." are left out, and so is what names.h refuses. False without memory. */
bool page_decode(struct bytes listing, struct page *out) MUST_USE;

#endif
