/* Building lists whose entries are linked by NextEntryOffset: listings, streams, attributes,
 * change notices, quotas. An entry is written between chain_begin() and chain_end(); one that does
 * not fit is taken back, so that the list is whole after each entry. (Reading is cur_chain_next().)
 */
#ifndef FREVO_WIRE_FSCC_CHAIN_H
#define FREVO_WIRE_FSCC_CHAIN_H

#include "base/writer.h"

struct chain_mark {
        size_t before; /* where the list ended */
        size_t start;  /* the new entry, aligned */
};

static inline struct chain_mark chain_begin(struct writer *w, size_t align)
{
        struct chain_mark m = {.before = w->at};
        wr_align(w, align);
        m.start = w->at;
        wr_u32(w, 0); /* NextEntryOffset: this is the last one so far */
        return m;
}

/* Links the entry to the list, or removes it when it did not fit. */
static inline bool chain_end(struct writer *w, struct chain_mark m, size_t *last, uint32_t *count)
{
        if (!wr_ok(w)) {
                w->at = m.before;
                w->full = false;
                return false;
        }
        if (*count > 0)
                wr_fill_u32(w, *last, (uint32_t)(m.start - *last));
        *last = m.start;
        (*count)++;
        return true;
}

#endif
