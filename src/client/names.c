/* See names.h. One table maps both ways; the rest is walking over parts. */
#include "client/names.h"

#include <errno.h>

#include "base/cursor.h"
#include "base/utf16.h"

#define PRIVATE_BASE 0xF000u
#define PRIVATE_SPACE 0xF028u
#define PRIVATE_DOT 0xF029u

/* Where each forbidden character goes; control characters by their own number. */
static const struct {
        char plain;
        uint16_t private;
} reserved[] = {
        {'"', 0xF020}, {'*', 0xF021}, {':', 0xF022}, {'<', 0xF023},
        {'>', 0xF024}, {'?', 0xF025}, {'|', 0xF027},
};

static uint32_t to_private(uint32_t cp, bool is_last)
{
        if (cp < 0x20)
                return PRIVATE_BASE + cp;
        if (is_last && cp == ' ')
                return PRIVATE_SPACE;
        if (is_last && cp == '.')
                return PRIVATE_DOT;
        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
                if (cp == (uint8_t)reserved[i].plain)
                        return reserved[i].private;
        return cp;
}

/* U+F028 and U+F029 count at the end of a part only: elsewhere nobody needs them to stand for
 * something else, and there they come back as they are. */
static uint32_t from_private(uint32_t cp, bool is_last)
{
        if (cp > PRIVATE_BASE && cp < PRIVATE_BASE + 0x20)
                return cp - PRIVATE_BASE;
        if (is_last && cp == PRIVATE_SPACE)
                return ' ';
        if (is_last && cp == PRIVATE_DOT)
                return '.';
        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
                if (cp == reserved[i].private)
                        return (uint8_t)reserved[i].plain;
        return cp;
}

/* ---- to a server ------------------------------------------------------------------------------
 */

static void unit_put(struct writer *w, uint32_t cp)
{
        if (cp < 0x10000) {
                wr_u16(w, (uint16_t)cp);
                return;
        }
        cp -= 0x10000;
        wr_u16(w, (uint16_t)(0xD800 + (cp >> 10)));
        wr_u16(w, (uint16_t)(0xDC00 + (cp & 0x3FF)));
}

static bool is_dot_or_dots(const char *s, size_t n)
{
        return (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.');
}

/* One part, n bytes of valid UTF-8. wild: * and ? go out as they are. */
static int part_put(struct writer *w, const char *s, size_t n, bool wild)
{
        const char *end = s + n;
        size_t from = w->at;
        if (memchr(s, '\\', n) || is_dot_or_dots(s, n))
                return EINVAL;
        while (s < end) {
                uint32_t cp = utf8_next(&s);
                bool keep = wild && (cp == '*' || cp == '?' || cp == '.');
                unit_put(w, keep ? cp : to_private(cp, s == end));
        }
        if (!wr_ok(w) || w->at - from > 2 * (size_t)LIMIT_NAME_UTF16)
                return ENAMETOOLONG;
        return 0;
}

int name_path_put(struct writer *w, const char *path)
{
        size_t from = w->at;
        if (!utf8_valid(path))
                return EILSEQ;
        while (*path) {
                size_t n = strcspn(path, "/");
                if (n) {
                        if (w->at > from)
                                wr_u16(w, '\\');
                        int err = part_put(w, path, n, false);
                        if (err)
                                return err;
                }
                path += n + (path[n] == '/');
        }
        return w->at - from > 2 * (size_t)LIMIT_PATH_UTF16 ? ENAMETOOLONG : 0;
}

int name_path_new(const char *path, struct bytes *ret)
{
        size_t room = name_path_room(path);
        uint8_t *p = malloc(room ? room : 1);
        if (!p)
                return ENOMEM;
        struct writer w = wr_into(p, room);
        int err = name_path_put(&w, path);
        if (err)
                free(p);
        else
                *ret = wr_done(&w);
        return err;
}

static int single_put(struct writer *w, const char *s, bool wild)
{
        if (!utf8_valid(s))
                return EILSEQ;
        if (!*s || strchr(s, '/'))
                return EINVAL;
        return part_put(w, s, strlen(s), wild);
}

int name_pattern_put(struct writer *w, const char *pattern)
{
        return single_put(w, pattern, true);
}

int name_stream_put(struct writer *w, const char *stream)
{
        return single_put(w, stream, false);
}

/* ---- from a server ----------------------------------------------------------------------------
 */

/* In place: text of one part or of a whole target. It never grows. */
static void unmap(char *s)
{
        const char *from = s;
        char *to = s;
        while (*from) {
                uint32_t cp = utf8_next(&from);
                to += utf8_put(from_private(cp, *from == 0), to);
        }
        *to = 0;
}

bool name_get(struct bytes utf16, char *out)
{
        out[0] = 0;
        if (utf16.n == 0 || utf16.n > 2 * (size_t)LIMIT_NAME_UTF16 ||
            !utf16_to_utf8(utf16, out, NAME_UTF8_MAX))
                return false;
        unmap(out);
        return !strpbrk(out, "/\\") && !is_dot_or_dots(out, strlen(out));
}

bool name_is_dots(struct bytes utf16)
{
        static const uint8_t dots[] = {'.', 0, '.', 0};
        return bytes_eq(utf16, bytes_of(dots, 2)) || bytes_eq(utf16, bytes_of(dots, 4));
}

/* Bytes of the part that rest begins with. */
static size_t part_len(struct bytes rest)
{
        size_t n = 0;
        while (n + 2 <= rest.n && !(rest.p[n] == '\\' && rest.p[n + 1] == 0))
                n += 2;
        return n + 2 > rest.n ? rest.n : n;
}

char *name_path_get_new(struct bytes utf16)
{
        if (utf16.n == 0 || utf16.n > 2 * (size_t)LIMIT_PATH_UTF16)
                return NULL;
        char *out = malloc(utf16.n / 2 * 3 + NAME_UTF8_MAX);
        size_t at = 0;
        for (struct bytes rest = utf16; out;) {
                size_t n = part_len(rest);
                if (!name_get(bytes_first(rest, n), out + at)) {
                        free(out);
                        return NULL;
                }
                at += strlen(out + at);
                if (n == rest.n)
                        break;
                out[at++] = '/';
                rest = bytes_from(rest, n + 2);
        }
        return out;
}

char *name_target_get_new(struct bytes utf16)
{
        char *s = utf16_to_utf8_new(utf16);
        if (!s)
                return NULL;
        for (char *p = s; *p; p++)
                if (*p == '\\')
                        *p = '/';
        unmap(s);
        return s;
}
