/* See ntacl.h. */
#include "store/posix/ntacl.h"

#include "base/cursor.h"

enum { SD_HEADER = 20, V1_HEADER = 8, HASH_OLD = 16, HASH = 64 };

/* Copies a descriptor ([MS-DTYP] 2.4.6) whose offsets count from `from` before it, so that they
 * count from `to` before it. */
static bool rebase(struct bytes sd, size_t from, size_t to, struct writer *w)
{
        struct cursor c = cur_of(sd);
        uint8_t head[4];
        uint32_t off[4];
        cur_copy(&c, head, sizeof head); /* revision, padding, control */
        for (size_t i = 0; i < 4; i++) { /* owner, group, SACL, DACL; 0: none */
                off[i] = cur_u32(&c);
                if (off[i] && (off[i] < from + SD_HEADER || off[i] - from > sd.n))
                        return false;
        }
        if (!cur_ok(&c))
                return false;
        wr_bytes(w, bytes_of(head, sizeof head));
        for (size_t i = 0; i < 4; i++)
                wr_u32(w, off[i] ? (uint32_t)(off[i] - from + to) : 0);
        wr_bytes(w, cur_rest(&c));
        return wr_ok(w);
}

/* Moves past the fourth version's description and the hash of the permissions' own form. */
static void skip_v4(struct cursor *c)
{
        while (cur_left(c) > 0 && cur_u8(c) != 0)
                ;
        cur_align(c, 4);
        cur_skip(c, 8); /* time */
        cur_skip(c, HASH);
}

bool ntacl_decode(struct bytes b, struct writer *out)
{
        struct cursor c = cur_of(b);
        uint16_t version = cur_u16(&c), again = cur_u16(&c);
        bool has_body = cur_u32(&c) != 0;
        if (version != again || version < 1 || version > 4 || !has_body)
                return false;
        if (version >= 2 && cur_u32(&c) == 0)
                return false; /* no descriptor */
        if (version == 2)
                cur_skip(&c, HASH_OLD);
        if (version >= 3)
                cur_skip(&c, 2 + HASH); /* kind of hash, hash */
        if (version == 4)
                skip_v4(&c);
        cur_align(&c, 4);
        size_t at = c.at;
        return cur_ok(&c) && rebase(cur_rest(&c), at, 0, out);
}

bool ntacl_encode(struct writer *w, struct bytes sd)
{
        wr_u16(w, 1);
        wr_u16(w, 1);
        wr_u32(w, 0x20000); /* a pointer that is not null */
        return rebase(sd, 0, V1_HEADER, w);
}
