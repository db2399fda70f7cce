/* The one way to read bytes that we did not make ourselves: network, xattrs, files.
 *
 * A cursor reads a borrowed view with *sticky failure*: a get past the end returns 0 and marks the
 * cursor bad; every later get also returns 0. A decoder is a flat column of gets and one cur_ok()
 * at the end. Two rules keep that safe:
 *   - a loop tests cur_ok() each round;
 *   - no decoded number sizes an allocation, an index or a loop before the cursor was tested and
 *     the number was compared with a named limit.
 * All multi-byte gets are little-endian unless the name says `be`.
 *
 * Offset+length pairs and NextEntryOffset chains are read by cur_window() and cur_chain_next() and
 * nowhere else; both hand out sub-views, so that inner parsing cannot leave its window.
 */
#ifndef FREVO_BASE_CURSOR_H
#define FREVO_BASE_CURSOR_H

#include "base/bytes.h"

struct cursor {
        struct bytes b; /* the whole view; offsets count from its start */
        size_t at;      /* 0 <= at <= b.n */
        bool bad;       /* sticky */
};

static inline struct cursor cur_of(struct bytes b)
{
        return (struct cursor){.b = b};
}

/* A cursor over all of b, standing at `at`; bad from the start if b is shorter. Offsets handed to
 * cur_window() still count from b's start. */
struct cursor cur_at(struct bytes b, size_t at);

static inline bool cur_ok(const struct cursor *c)
{
        return !c->bad;
}

/* Bytes not yet read; 0 when bad. */
static inline size_t cur_left(const struct cursor *c)
{
        return c->bad ? 0 : c->b.n - c->at;
}

static inline void cur_fail(struct cursor *c)
{
        c->bad = true;
}

uint8_t cur_u8(struct cursor *c);
uint16_t cur_u16(struct cursor *c);
uint32_t cur_u32(struct cursor *c);
uint64_t cur_u64(struct cursor *c);
uint16_t cur_u16be(struct cursor *c);
uint32_t cur_u24be(struct cursor *c);
uint32_t cur_u32be(struct cursor *c);
uint64_t cur_u64be(struct cursor *c);

void cur_skip(struct cursor *c, size_t n);
/* The next n bytes as a view; empty and bad if there are fewer. */
struct bytes cur_bytes(struct cursor *c, size_t n);
/* All that is left. */
struct bytes cur_rest(struct cursor *c);
/* Copies n bytes to `out`; zeros `out` and turns bad if there are fewer. */
void cur_copy(struct cursor *c, void *out, size_t n);
/* Moves forward to a multiple of `a` (a power of two) from the view's start. Reaching past the end
 * is bad. */
void cur_align(struct cursor *c, size_t a);

/* The window [off, off+len) of the whole view, off counted from the view's start. Bad unless it
 * lies wholly inside, off >= not_before, and off is a multiple of `align` (1 = any). A window of
 * length 0 is always an empty view, whatever off says: peers send any offset then. Does not move
 * the cursor. */
struct bytes cur_window(struct cursor *c, uint64_t off, uint64_t len, size_t not_before,
                        size_t align);

/* One step along a NextEntryOffset chain. `*rest` is what is left of the chain; the first four
 * bytes of each entry are the offset of the next, relative to this one's start, 0 in the last.
 * Sets *entry to this entry (its NextEntryOffset included, bounded by the next entry) and advances
 * *rest; empties *rest after the last. Returns false at the end of the chain and when the chain
 * is malformed: then *bad is set. An entry has at least `min` bytes (min >= 4); each step goes
 * forward by at least `min` and by a multiple of `align`. */
bool cur_chain_next(struct bytes *rest, struct bytes *entry, size_t min, size_t align, bool *bad);

#endif
