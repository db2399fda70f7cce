/* The one way to build bytes: a writer into memory of a fixed maximum, with *sticky overflow*.
 *
 * A put that does not fit writes nothing and marks the writer full; later puts are dropped too.
 * An encoder is a flat column of puts and one wr_ok() by whoever gave the buffer. Fields known only
 * later are reserved with wr_u16_later/wr_u32_later and filled with wr_fill_*.
 * Little-endian unless the name says `be`.
 */
#ifndef FREVO_BASE_WRITER_H
#define FREVO_BASE_WRITER_H

#include "base/bytes.h"

struct writer {
        uint8_t *p; /* borrowed from the caller for the writer's life */
        size_t max;
        size_t at; /* bytes written; 0 <= at <= max */
        bool full; /* sticky */
};

static inline struct writer wr_into(void *p, size_t max)
{
        return (struct writer){.p = p, .max = max};
}

static inline bool wr_ok(const struct writer *w)
{
        return !w->full;
}

static inline size_t wr_left(const struct writer *w)
{
        return w->full ? 0 : w->max - w->at;
}

/* What was written so far; a view into the writer's memory. */
static inline struct bytes wr_done(const struct writer *w)
{
        return bytes_of(w->p, w->at);
}

void wr_u8(struct writer *w, uint8_t v);
void wr_u16(struct writer *w, uint16_t v);
void wr_u32(struct writer *w, uint32_t v);
void wr_u64(struct writer *w, uint64_t v);
void wr_u16be(struct writer *w, uint16_t v);
void wr_u24be(struct writer *w, uint32_t v);
void wr_u32be(struct writer *w, uint32_t v);
void wr_u64be(struct writer *w, uint64_t v);
void wr_bytes(struct writer *w, struct bytes b);
void wr_zero(struct writer *w, size_t n);
/* Pads with zeros to a multiple of `a` (a power of two), counted from offset `from` of the writer.
 */
void wr_align_from(struct writer *w, size_t from, size_t a);
static inline void wr_align(struct writer *w, size_t a)
{
        wr_align_from(w, 0, a);
}

/* Room for n bytes that the caller fills itself at once; NULL (and full) if they do not fit. */
uint8_t *wr_room(struct writer *w, size_t n);

/* Reserves a field (written as 0) and returns its offset for the wr_fill call. */
size_t wr_u16_later(struct writer *w);
size_t wr_u32_later(struct writer *w);
/* Does nothing on a full writer. */
void wr_fill_u16(struct writer *w, size_t mark, uint16_t v);
void wr_fill_u32(struct writer *w, size_t mark, uint32_t v);

#endif
