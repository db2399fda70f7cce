/* See der.h. Nesting is bounded by the callers: each descends by name, none recurses. */
#include "wire/spnego/der.h"

static size_t get_length(struct cursor *c)
{
        uint8_t first = cur_u8(c);
        if (first < 0x80)
                return first;
        unsigned count = first & 0x7F;
        if (count == 0 || count > 4) {
                cur_fail(c);
                return 0;
        }
        size_t n = 0;
        while (count-- > 0)
                n = n << 8 | cur_u8(c);
        return n;
}

bool der_next(struct cursor *c, uint8_t *tag, struct bytes *body)
{
        *tag = cur_u8(c);
        if ((*tag & 0x1F) == 0x1F)
                cur_fail(c); /* multi-byte tags occur nowhere in SPNEGO */
        size_t n = get_length(c);
        *body = cur_bytes(c, n);
        return cur_ok(c);
}

struct bytes der_expect(struct cursor *c, uint8_t tag)
{
        uint8_t got;
        struct bytes body;
        if (der_next(c, &got, &body) && got == tag)
                return body;
        cur_fail(c);
        return bytes_of(NULL, 0);
}

uint8_t der_peek(const struct cursor *c)
{
        return cur_left(c) ? c->b.p[c->at] : 0;
}

size_t der_begin(struct writer *w, uint8_t tag)
{
        wr_u8(w, tag);
        wr_u8(w, 0); /* filled by der_end */
        return w->at;
}

void der_end(struct writer *w, size_t mark)
{
        size_t n = w->at - mark;
        size_t extra = n < 0x80 ? 0 : n < 0x100 ? 1 : n < 0x10000 ? 2 : 3;
        if (!wr_ok(w) || (extra && !wr_room(w, extra)))
                return;
        if (extra == 0) {
                w->p[mark - 1] = (uint8_t)n;
                return;
        }
        memmove(w->p + mark + extra, w->p + mark, n);
        w->p[mark - 1] = (uint8_t)(0x80 | extra);
        for (size_t i = extra; i-- > 0; n >>= 8)
                w->p[mark + i] = (uint8_t)n;
}

void der_put(struct writer *w, uint8_t tag, struct bytes body)
{
        size_t m = der_begin(w, tag);
        wr_bytes(w, body);
        der_end(w, m);
}
