/* Addresses and paths as text. */
#include "cli/address.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"

static const char scheme[] = "smb://";

bool cli_is_url(const char *text)
{
        return strncasecmp(text, scheme, sizeof scheme - 1) == 0;
}

char *cli_url_shown(const char *url)
{
        char *shown = strdup(url);
        if (!shown || !cli_is_url(url))
                return shown;
        char *authority = shown + sizeof scheme - 1;
        size_t n = strcspn(authority, "/");
        char *at = memrchr(authority, '@', n);
        char *colon = at ? memchr(authority, ':', (size_t)(at - authority)) : NULL;
        if (colon)
                memmove(colon, at, strlen(at) + 1);
        return shown;
}

/* Bytes of "smb://host/share" in an address. */
static size_t share_end(const char *url)
{
        const char *s = url + (cli_is_url(url) ? sizeof scheme - 1 : 0);
        s += strcspn(s, "/");
        s += strspn(s, "/");
        s += strcspn(s, "/");
        return (size_t)(s - url);
}

char *cli_url_of(const char *url, const char *path)
{
        AUTO_FREE char *shown = cli_url_shown(url);
        size_t n = shown ? share_end(shown) : 0;
        char *out = shown ? malloc(n + 2 + 3 * strlen(path)) : NULL;
        if (!out)
                return NULL;
        memcpy(out, shown, n);
        if (*path)
                out[n++] = '/';
        for (; *path; path++) {
                out[n++] = *path;
                if (*path == '%') { /* would be decoded when the address is given back */
                        out[n++] = '2';
                        out[n++] = '5';
                }
        }
        out[n] = 0;
        return out;
}

bool cli_same_share(const char *a, const char *b)
{
        size_t n = share_end(a);
        return n == share_end(b) && strncasecmp(a, b, n) == 0;
}

char *cli_path_join(const char *folder, const char *name)
{
        size_t a = strlen(folder), b = strlen(name);
        char *out = malloc(a + b + 2);
        if (!out)
                return NULL;
        memcpy(out, folder, a);
        if (a && b)
                out[a++] = '/';
        memcpy(out + a, name, b + 1);
        return out;
}

void cli_path_tidy(char *path)
{
        char *to = path;
        for (const char *s = path; *s; s++)
                if (*s != '/' || (s[1] && s[1] != '/' && to > path))
                        *to++ = *s;
        *to = 0;
}

const char *cli_path_last(const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash ? slash + 1 : path;
}
