/* See name.h. The one place where a name from outside is judged: open, rename, link and listings
 * all come through here. */
#include "fs/name.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf16.h"

#define RESERVED "\"*:<>?|\\"
#define RESERVED_PATTERN ":|\\/"

/* Checks one component and moves *s behind it. */
static enum fs_err check_component(const char **s, const char *reserved, size_t *units)
{
        const char *from = *s;
        size_t n = 0;
        while (**s && **s != '/') {
                uint32_t cp = utf8_next(s);
                if (cp < 0x20 || (cp < 0x80 && strchr(reserved, (int)cp)))
                        return FS_BAD_NAME;
                n += cp > 0xFFFF ? 2 : 1;
        }
        size_t len = (size_t)(*s - from);
        if (len == 0)
                return FS_BAD_NAME;
        *units += n;
        return n > LIMIT_NAME_UTF16 ? FS_TOO_LONG : FS_OK;
}

static bool is_dots(const char *from, const char *end)
{
        size_t n = (size_t)(end - from);
        return (n == 1 && from[0] == '.') || (n == 2 && from[0] == '.' && from[1] == '.');
}

enum fs_err name_check_path(const char *path)
{
        if (!*path)
                return FS_OK;
        if (!utf8_valid(path))
                return FS_BAD_NAME;
        size_t units = 0;
        for (const char *s = path;; s++) {
                const char *from = s;
                enum fs_err e = check_component(&s, RESERVED, &units);
                if (e)
                        return e;
                if (is_dots(from, s))
                        return FS_BAD_PATH;
                if (++units > LIMIT_PATH_UTF16)
                        return FS_TOO_LONG;
                if (!*s)
                        return FS_OK;
        }
}

enum fs_err name_check_pattern(const char *pattern)
{
        if (!utf8_valid(pattern))
                return FS_BAD_NAME;
        size_t units = 0;
        const char *s = pattern;
        enum fs_err e = check_component(&s, RESERVED_PATTERN, &units);
        return !e && *s ? FS_BAD_NAME : e;
}

enum fs_err name_check_stream(const char *name)
{
        size_t units = 0;
        if (!*name || !utf8_valid(name) || strpbrk(name, "\\/:"))
                return FS_BAD_NAME;
        while (*name)
                units += utf8_next(&name) > 0xFFFF ? 2 : 1;
        return units > LIMIT_NAME_UTF16 ? FS_TOO_LONG : FS_OK;
}

const char *name_last(const char *path)
{
        const char *s = strrchr(path, '/');
        return s ? s + 1 : path;
}

char *name_parent_new(const char *path)
{
        const char *last = name_last(path);
        return strndup(path, last > path ? (size_t)(last - path) - 1 : 0);
}

char *name_join_new(const char *dir, const char *name)
{
        size_t d = strlen(dir), n = strlen(name);
        char *s = malloc(d + n + 2);
        if (!s)
                return NULL;
        memcpy(s, dir, d);
        if (d)
                s[d++] = '/';
        memcpy(s + d, name, n + 1);
        return s;
}
