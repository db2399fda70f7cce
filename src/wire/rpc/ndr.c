/* See ndr.h. */
#include "wire/rpc/ndr.h"

#include "base/limits.h"
#include "base/utf16.h"

#define FIRST_REFERENT 0x00020000u /* any non-zero, distinct numbers do; these are customary */

uint32_t ndr_get_u32(struct cursor *c)
{
        cur_align(c, 4);
        return cur_u32(c);
}

bool ndr_get_pointer(struct cursor *c)
{
        return ndr_get_u32(c) != 0;
}

struct bytes ndr_get_wstring(struct cursor *c)
{
        uint32_t max = ndr_get_u32(c);
        uint32_t offset = cur_u32(c);
        uint32_t actual = cur_u32(c);
        if (!cur_ok(c) || offset != 0 || actual == 0 || actual > max || actual > LIMIT_RPC_STRING) {
                cur_fail(c);
                return bytes_of(NULL, 0);
        }
        struct bytes s = cur_bytes(c, (size_t)actual * 2);
        for (size_t i = 0; i + 1 < s.n; i += 2)
                if (s.p[i] == 0 && s.p[i + 1] == 0)
                        return bytes_first(s, i);
        cur_fail(c); /* no NUL */
        return bytes_of(NULL, 0);
}

uint32_t ndr_get_count(struct cursor *c, size_t min_element)
{
        uint32_t n = ndr_get_u32(c);
        if (n > cur_left(c) / min_element)
                cur_fail(c);
        return cur_ok(c) ? n : 0;
}

void ndr_put_u32(struct ndr_writer *n, uint32_t v)
{
        wr_align(n->w, 4);
        wr_u32(n->w, v);
}

void ndr_put_pointer(struct ndr_writer *n, bool present)
{
        ndr_put_u32(n, present ? FIRST_REFERENT + 4 * n->pointers++ : 0);
}

void ndr_put_wstring(struct ndr_writer *n, const char *s)
{
        uint32_t units = (uint32_t)(utf16_len(s) / 2 + 1);
        ndr_put_u32(n, units); /* maximum */
        wr_u32(n->w, 0);       /* offset */
        wr_u32(n->w, units);   /* actual */
        wr_utf16(n->w, s);
        wr_u16(n->w, 0);
}

size_t ndr_wstring_len(const char *s)
{
        return (12 + utf16_len(s) + 2 + 3) & ~(size_t)3;
}

void ndr_put_byte_array(struct ndr_writer *n, struct bytes b)
{
        ndr_put_u32(n, (uint32_t)b.n);
        wr_bytes(n->w, b);
}
