/* See writer.h. */
#include "base/writer.h"

#include <assert.h>

uint8_t *wr_room(struct writer *w, size_t n)
{
        if (w->full || n > w->max - w->at) {
                w->full = true;
                return NULL;
        }
        uint8_t *p = w->p + w->at;
        w->at += n;
        return p;
}

static void put_le(uint8_t *p, uint64_t v, size_t n)
{
        for (size_t i = 0; i < n; i++, v >>= 8)
                p[i] = (uint8_t)v;
}

static void wr_le(struct writer *w, uint64_t v, size_t n)
{
        uint8_t *p = wr_room(w, n);
        if (p)
                put_le(p, v, n);
}

static void wr_be(struct writer *w, uint64_t v, size_t n)
{
        uint8_t *p = wr_room(w, n);
        for (size_t i = n; p && i-- > 0; v >>= 8)
                p[i] = (uint8_t)v;
}

void wr_u8(struct writer *w, uint8_t v)
{
        wr_le(w, v, 1);
}

void wr_u16(struct writer *w, uint16_t v)
{
        wr_le(w, v, 2);
}

void wr_u32(struct writer *w, uint32_t v)
{
        wr_le(w, v, 4);
}

void wr_u64(struct writer *w, uint64_t v)
{
        wr_le(w, v, 8);
}

void wr_u16be(struct writer *w, uint16_t v)
{
        wr_be(w, v, 2);
}

void wr_u24be(struct writer *w, uint32_t v)
{
        wr_be(w, v, 3);
}

void wr_u32be(struct writer *w, uint32_t v)
{
        wr_be(w, v, 4);
}

void wr_u64be(struct writer *w, uint64_t v)
{
        wr_be(w, v, 8);
}

void wr_bytes(struct writer *w, struct bytes b)
{
        uint8_t *p = wr_room(w, b.n);
        if (p && b.n)
                memcpy(p, b.p, b.n);
}

void wr_zero(struct writer *w, size_t n)
{
        uint8_t *p = wr_room(w, n);
        if (p && n)
                memset(p, 0, n);
}

void wr_align_from(struct writer *w, size_t from, size_t a)
{
        assert(a && (a & (a - 1)) == 0 && from <= w->at);
        wr_zero(w, (a - ((w->at - from) & (a - 1))) & (a - 1));
}

size_t wr_u16_later(struct writer *w)
{
        size_t mark = w->at;
        wr_u16(w, 0);
        return mark;
}

size_t wr_u32_later(struct writer *w)
{
        size_t mark = w->at;
        wr_u32(w, 0);
        return mark;
}

void wr_fill_u16(struct writer *w, size_t mark, uint16_t v)
{
        if (!w->full)
                put_le(w->p + mark, v, 2);
}

void wr_fill_u32(struct writer *w, size_t mark, uint32_t v)
{
        if (!w->full)
                put_le(w->p + mark, v, 4);
}
