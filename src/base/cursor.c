/* See cursor.h. Every bounds test of every decoder is one of the few in this file. */
#include "base/cursor.h"

#include <assert.h>

static const uint8_t *take(struct cursor *c, size_t n)
{
        if (c->bad || n > c->b.n - c->at) {
                c->bad = true;
                return NULL;
        }
        const uint8_t *p = n ? c->b.p + c->at : c->b.p; /* an empty view may have no memory */
        c->at += n;
        return p;
}

static uint64_t get_le(struct cursor *c, size_t n)
{
        const uint8_t *p = take(c, n);
        uint64_t v = 0;
        if (p)
                for (size_t i = n; i-- > 0;)
                        v = v << 8 | p[i];
        return v;
}

static uint64_t get_be(struct cursor *c, size_t n)
{
        const uint8_t *p = take(c, n);
        uint64_t v = 0;
        if (p)
                for (size_t i = 0; i < n; i++)
                        v = v << 8 | p[i];
        return v;
}

struct cursor cur_at(struct bytes b, size_t at)
{
        bool bad = at > b.n;
        return (struct cursor){.b = b, .at = bad ? b.n : at, .bad = bad};
}

uint8_t cur_u8(struct cursor *c)
{
        return (uint8_t)get_le(c, 1);
}

uint16_t cur_u16(struct cursor *c)
{
        return (uint16_t)get_le(c, 2);
}

uint32_t cur_u32(struct cursor *c)
{
        return (uint32_t)get_le(c, 4);
}

uint64_t cur_u64(struct cursor *c)
{
        return get_le(c, 8);
}

uint16_t cur_u16be(struct cursor *c)
{
        return (uint16_t)get_be(c, 2);
}

uint32_t cur_u24be(struct cursor *c)
{
        return (uint32_t)get_be(c, 3);
}

uint32_t cur_u32be(struct cursor *c)
{
        return (uint32_t)get_be(c, 4);
}

uint64_t cur_u64be(struct cursor *c)
{
        return get_be(c, 8);
}

void cur_skip(struct cursor *c, size_t n)
{
        (void)take(c, n); /* failure is sticky in the cursor */
}

struct bytes cur_bytes(struct cursor *c, size_t n)
{
        const uint8_t *p = take(c, n);
        return bytes_of(p, p ? n : 0);
}

struct bytes cur_rest(struct cursor *c)
{
        return cur_bytes(c, cur_left(c));
}

void cur_copy(struct cursor *c, void *out, size_t n)
{
        const uint8_t *p = take(c, n);
        if (p && n)
                memcpy(out, p, n);
        else if (n)
                memset(out, 0, n);
}

void cur_align(struct cursor *c, size_t a)
{
        assert(a && (a & (a - 1)) == 0);
        cur_skip(c, (a - (c->at & (a - 1))) & (a - 1));
}

struct bytes cur_window(struct cursor *c, uint64_t off, uint64_t len, size_t not_before,
                        size_t align)
{
        assert(align);
        if (c->bad || len == 0)
                return bytes_of(NULL, 0);
        if (off < not_before || off % align != 0 || off > c->b.n || len > c->b.n - off) {
                c->bad = true;
                return bytes_of(NULL, 0);
        }
        return bytes_of(c->b.p + off, (size_t)len);
}

bool cur_chain_next(struct bytes *rest, struct bytes *entry, size_t min, size_t align, bool *bad)
{
        assert(min >= 4 && align);
        if (rest->n == 0)
                return false;
        struct cursor c = cur_of(*rest);
        uint32_t next = cur_u32(&c);
        if (!cur_ok(&c) || rest->n < min ||
            (next != 0 && (next < min || next % align != 0 || next > rest->n))) {
                *bad = true;
                return false;
        }
        *entry = next ? bytes_first(*rest, next) : *rest;
        *rest = next ? bytes_from(*rest, next) : bytes_of(NULL, 0);
        if (next && rest->n < min) { /* the promised next entry does not fit */
                *bad = true;
                return false;
        }
        return true;
}
