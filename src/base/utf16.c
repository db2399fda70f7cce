/* See utf16.h. Upper case comes from the C library's C.UTF-8 tables, read once into an array. */
#include "base/utf16.h"

#include <locale.h>
#include <pthread.h>
#include <sys/random.h>
#include <wctype.h>

#include "base/cursor.h"

static bool is_high(uint32_t u)
{
        return u >= 0xD800 && u < 0xDC00;
}

static bool is_low(uint32_t u)
{
        return u >= 0xDC00 && u < 0xE000;
}

size_t utf8_put(uint32_t cp, char out[4])
{
        if (cp < 0x80) {
                out[0] = (char)cp;
                return 1;
        }
        if (cp < 0x800) {
                out[0] = (char)(0xC0 | cp >> 6);
                out[1] = (char)(0x80 | (cp & 0x3F));
                return 2;
        }
        if (cp < 0x10000) {
                out[0] = (char)(0xE0 | cp >> 12);
                out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
                out[2] = (char)(0x80 | (cp & 0x3F));
                return 3;
        }
        out[0] = (char)(0xF0 | cp >> 18);
        out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
        out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[3] = (char)(0x80 | (cp & 0x3F));
        return 4;
}

/* Length of the sequence that lead byte c starts and its first payload bits; 0 for no lead byte. */
static size_t lead(uint8_t c, uint32_t *bits)
{
        if (c >= 0xC2 && c < 0xE0)
                return *bits = c & 0x1F, 2;
        if (c >= 0xE0 && c < 0xF0)
                return *bits = c & 0x0F, 3;
        if (c >= 0xF0 && c < 0xF5)
                return *bits = c & 0x07, 4;
        return 0;
}

static uint32_t next_or(const char **s, uint32_t invalid)
{
        uint8_t c = (uint8_t) * *s;
        if (c < 0x80) {
                *s += c != 0;
                return c;
        }
        uint32_t cp = 0;
        size_t n = lead(c, &cp);
        for (size_t i = 1; i < n; i++) {
                uint8_t t = (uint8_t)(*s)[i];
                if ((t & 0xC0) != 0x80)
                        n = 0; /* also ends the loop */
                cp = cp << 6 | (t & 0x3F);
        }
        bool overlong = (n == 3 && cp < 0x800) || (n == 4 && cp < 0x10000);
        if (n == 0 || overlong || cp > 0x10FFFF) {
                *s += 1;
                return invalid;
        }
        *s += n;
        return cp;
}

uint32_t utf8_next(const char **s)
{
        return next_or(s, 0xFFFD);
}

bool utf8_valid(const char *s)
{
        uint32_t cp;
        while ((cp = next_or(&s, UINT32_MAX)) != 0)
                if (cp == UINT32_MAX)
                        return false;
        return true;
}

bool utf16_to_utf8(struct bytes in, char *out, size_t cap)
{
        struct cursor c = cur_of(in);
        size_t at = 0;
        if (cap == 0)
                return false;
        out[0] = 0;
        while (cur_left(&c) >= 2) {
                uint32_t u = cur_u16(&c);
                if (is_high(u) && cur_left(&c) >= 2) {
                        uint32_t v = (uint32_t)(c.b.p[c.at] | c.b.p[c.at + 1] << 8);
                        if (is_low(v)) {
                                cur_skip(&c, 2);
                                u = 0x10000 + ((u - 0xD800) << 10) + (v - 0xDC00);
                        }
                }
                char enc[4];
                size_t n = utf8_put(u, enc);
                if (u == 0 || n >= cap - at) {
                        out[0] = 0;
                        return false;
                }
                memcpy(out + at, enc, n);
                at += n;
        }
        out[cur_left(&c) == 0 ? at : 0] = 0;
        return cur_left(&c) == 0;
}

char *utf16_to_utf8_new(struct bytes in)
{
        size_t cap = in.n / 2 * 3 + 1;
        char *s = malloc(cap);
        if (s && !utf16_to_utf8(in, s, cap)) {
                free(s);
                s = NULL;
        }
        return s;
}

void wr_utf16(struct writer *w, const char *s)
{
        uint32_t cp;
        while ((cp = utf8_next(&s)) != 0) {
                if (cp >= 0x10000) {
                        wr_u16(w, (uint16_t)(0xD800 + ((cp - 0x10000) >> 10)));
                        wr_u16(w, (uint16_t)(0xDC00 + ((cp - 0x10000) & 0x3FF)));
                } else {
                        wr_u16(w, (uint16_t)cp);
                }
        }
}

size_t utf16_len(const char *s)
{
        size_t n = 0;
        uint32_t cp;
        while ((cp = utf8_next(&s)) != 0)
                n += cp >= 0x10000 ? 4 : 2;
        return n;
}

static uint32_t upper_of[0x10000]; /* BMP; the few cased letters above it are asked one by one */
static locale_t utf8_locale;
static uint64_t hash_seed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_tables(void)
{
        utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
        for (uint32_t cp = 0; cp < 0x10000; cp++)
                upper_of[cp] = utf8_locale ? (uint32_t)towupper_l((wint_t)cp, utf8_locale) : cp;
        if (!utf8_locale)
                for (uint32_t cp = 'a'; cp <= 'z'; cp++)
                        upper_of[cp] = cp - 32;
        if (getrandom(&hash_seed, sizeof hash_seed, 0) != sizeof hash_seed)
                hash_seed = 0x9E3779B97F4A7C15u; /* only weakens flooding resistance */
}

uint32_t upcase(uint32_t cp)
{
        (void)pthread_once(&once, load_tables); /* cannot fail with a static once */
        if (cp < 0x10000)
                return upper_of[cp];
        return utf8_locale ? (uint32_t)towupper_l((wint_t)cp, utf8_locale) : cp;
}

int name_casecmp(const char *a, const char *b)
{
        for (;;) {
                uint32_t x = upcase(utf8_next(&a)), y = upcase(utf8_next(&b));
                if (x != y)
                        return x < y ? -1 : 1;
                if (x == 0)
                        return 0;
        }
}

uint64_t name_casehash(const char *s)
{
        (void)upcase('a'); /* loads the seed */
        uint64_t h = hash_seed;
        uint32_t cp;
        while ((cp = utf8_next(&s)) != 0) {
                h ^= upcase(cp);
                h *= 0xFF51AFD7ED558CCDu;
                h ^= h >> 32;
        }
        return h;
}

char *utf8_upcase_new(const char *s)
{
        char *out = malloc(strlen(s) * 3 + 1); /* an invalid byte grows to U+FFFD's three */
        if (!out)
                return NULL;
        size_t at = 0;
        uint32_t cp;
        while ((cp = utf8_next(&s)) != 0)
                at += utf8_put(upcase(cp), out + at);
        out[at] = 0;
        return out;
}
