/* See dosattrib.h. */
#include "store/posix/dosattrib.h"

#include "base/cursor.h"
#include "store/store.h"

enum valid { HAS_DOS = 0x1, HAS_BTIME = 0x10 };

/* "0x22": all there was before versions. The text is not trusted to end. */
static bool text_decode(struct bytes text, struct dosattrib *ret)
{
        if (text.n < 3 || text.n > 10 || text.p[0] != '0' || (text.p[1] | 32) != 'x')
                return false;
        uint32_t v = 0;
        for (size_t i = 2; i < text.n; i++) {
                uint8_t c = text.p[i];
                uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : (uint32_t)((c | 32) - 'a') + 10;
                if (digit > 15)
                        return false;
                v = v << 4 | digit;
        }
        *ret = (struct dosattrib){.has_dos = true, .dos = v & STORE_DOS_KEPT};
        return true;
}

/* Versions 1 to 3 carry sizes, which the file itself knows better, before the creation time. */
static bool fields_decode(struct cursor *c, uint16_t version, struct dosattrib *ret)
{
        uint32_t valid = version == 1 ? HAS_DOS | HAS_BTIME : cur_u32(c);
        struct dosattrib d = {.has_dos = valid & HAS_DOS, .has_btime = valid & HAS_BTIME};
        d.dos = cur_u32(c) & STORE_DOS_KEPT;
        if (version <= 3) {
                cur_skip(c, 4); /* size of the extended attributes */
                cur_align(c, 8);
                cur_skip(c, 16); /* size, allocation */
        } else if (version == 4) {
                cur_skip(c, 8); /* a time of invention, used for file ids once */
        }
        d.btime_ft = (int64_t)cur_u64(c);
        if (!cur_ok(c))
                return false;
        if (d.btime_ft == 0)
                d.has_btime = false;
        *ret = d;
        return true;
}

bool dosattrib_decode(struct bytes b, struct dosattrib *ret)
{
        size_t n = 0;
        while (n < b.n && b.p[n])
                n++;
        if (n + 1 >= b.n)
                return text_decode(bytes_first(b, n), ret);
        struct cursor c = cur_at(b, n + 1);
        cur_align(&c, 2);
        uint16_t version = cur_u16(&c), again = cur_u16(&c);
        cur_align(&c, 4);
        if (!cur_ok(&c) || version != again || version < 1 || version > 5)
                return false;
        return fields_decode(&c, version, ret);
}

void dosattrib_encode(struct writer *w, const struct dosattrib *d, bool is_dir)
{
        wr_u16(w, 0); /* empty text and its alignment */
        wr_u16(w, 5);
        wr_u16(w, 5);
        wr_u16(w, 0); /* alignment */
        wr_u32(w, (d->has_dos ? HAS_DOS : 0u) | (d->has_btime ? HAS_BTIME : 0u));
        wr_u32(w, (d->dos & STORE_DOS_KEPT) | (is_dir ? DOSATTRIB_DIR : 0u));
        wr_u64(w, (uint64_t)d->btime_ft);
}
