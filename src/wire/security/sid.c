/* See sid.h. */
#include "wire/security/sid.h"

#include <ctype.h>
#include <inttypes.h>

struct sid sid_get(struct cursor *c)
{
        struct sid s = {0};
        s.revision = cur_u8(c);
        s.count = cur_u8(c);
        s.authority = (uint64_t)cur_u16be(c) << 32;
        s.authority |= cur_u32be(c);
        if (s.revision != 1 || s.count > SID_MAX_SUBS)
                cur_fail(c);
        for (size_t i = 0; i < s.count && cur_ok(c); i++)
                s.sub[i] = cur_u32(c);
        return cur_ok(c) ? s : (struct sid){0};
}

void sid_put(struct writer *w, const struct sid *s)
{
        wr_u8(w, s->revision);
        wr_u8(w, s->count);
        wr_u16be(w, (uint16_t)(s->authority >> 32));
        wr_u32be(w, (uint32_t)s->authority);
        for (size_t i = 0; i < s->count && i < SID_MAX_SUBS; i++)
                wr_u32(w, s->sub[i]);
}

size_t sid_len(const struct sid *s)
{
        return 8 + 4 * (size_t)s->count;
}

bool sid_decode(struct bytes in, struct sid *out)
{
        struct cursor c = cur_of(in);
        struct sid s = sid_get(&c);
        if (!cur_ok(&c) || cur_left(&c) != 0)
                return false;
        *out = s;
        return true;
}

int sid_cmp(const struct sid *a, const struct sid *b)
{
        if (a->authority != b->authority)
                return a->authority < b->authority ? -1 : 1;
        for (size_t i = 0; i < a->count && i < b->count; i++)
                if (a->sub[i] != b->sub[i])
                        return a->sub[i] < b->sub[i] ? -1 : 1;
        return (a->count > b->count) - (a->count < b->count);
}

bool sid_eq(const struct sid *a, const struct sid *b)
{
        return a->revision == b->revision && sid_cmp(a, b) == 0;
}

bool sid_is_in_domain(const struct sid *s, const struct sid *d)
{
        struct sid without_rid = *s;
        if (s->count == 0 || s->count != d->count + 1)
                return false;
        without_rid.count--;
        return sid_eq(&without_rid, d);
}

void sid_to_text(const struct sid *s, char out[SID_TEXT_MAX])
{
        const char *form = s->authority > UINT32_MAX ? "S-1-0x%012" PRIX64 : "S-1-%" PRIu64;
        /* Each part was counted into SID_TEXT_MAX, so nothing is ever cut. */
        int at = snprintf(out, SID_TEXT_MAX, form, s->authority & 0xFFFFFFFFFFFFu);
        for (size_t i = 0; i < s->count && i < SID_MAX_SUBS && at > 0; i++)
                at += snprintf(out + at, SID_TEXT_MAX - (size_t)at, "-%" PRIu32, s->sub[i]);
}

/* Digits of `base` into *v, at most `max`; no leading zero in decimal. */
static bool number(const char **text, unsigned base, uint64_t max, uint64_t *v)
{
        const char *p = *text;
        if (base == 10 && p[0] == '0' && isdigit((unsigned char)p[1]))
                return false;
        *v = 0;
        for (;; p++) {
                unsigned char ch = (unsigned char)*p;
                if (base == 16 ? !isxdigit(ch) : !isdigit(ch))
                        break;
                unsigned digit = isdigit(ch) ? ch - (unsigned)'0' : (ch | 32u) - 'a' + 10u;
                *v = *v * base + digit;
                if (*v > max)
                        return false;
        }
        if (p == *text)
                return false;
        *text = p;
        return true;
}

bool sid_of_text(const char *text, struct sid *out)
{
        struct sid s = {.revision = 1};
        const char *p = text;
        if ((p[0] != 'S' && p[0] != 's') || p[1] != '-' || p[2] != '1' || p[3] != '-')
                return false;
        p += 4;
        bool is_hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
        if (is_hex)
                p += 2;
        if (!number(&p, is_hex ? 16 : 10, is_hex ? 0xFFFFFFFFFFFFu : UINT32_MAX, &s.authority))
                return false;
        while (*p == '-' && s.count < SID_MAX_SUBS) {
                uint64_t v;
                p++;
                if (!number(&p, 10, UINT32_MAX, &v))
                        return false;
                s.sub[s.count++] = (uint32_t)v;
        }
        if (*p != 0 || s.count == 0)
                return false;
        *out = s;
        return true;
}
