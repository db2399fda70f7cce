/* frevo_url_parse(): smb://[[domain;]user[:password]@]host[:port][/share[/path]]. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frevo/frevo.h"

#include "base/utf16.h"
#include "crypto/hash.h"

#define SCHEME "smb://"
#define DEFAULT_PORT 445u
#define MAX_PORT 65535u

/* A piece of the text, not decoded yet. */
struct span {
        const char *p;
        size_t n;
};

static const char no_memory[] = "out of memory";

/* Cuts s at the first `c`: what is in front of it; *rest is what is behind. Without one *has is
 * false and all of s is in front. */
static struct span cut(struct span s, char c, struct span *rest, bool *has)
{
        const char *at = s.n ? memchr(s.p, c, s.n) : NULL;
        *has = at != NULL;
        if (!at)
                return s;
        size_t n = (size_t)(at - s.p);
        *rest = (struct span){at + 1, s.n - n - 1};
        return (struct span){s.p, n};
}

static int hex_value(char c)
{
        static const char digits[] = "0123456789abcdef";
        char lower = c >= 'A' && c <= 'F' ? (char)(c | 0x20) : c;
        const char *at = c ? strchr(digits, lower) : NULL;
        return at ? (int)(at - digits) : -1;
}

/* The byte that %XX at s.p stands for; -1: none, or NUL, which no text may hold. */
static int escape_value(struct span s)
{
        int hi = s.n >= 3 ? hex_value(s.p[1]) : -1, lo = s.n >= 3 ? hex_value(s.p[2]) : -1;
        int value = hi < 0 || lo < 0 ? -1 : hi << 4 | lo;
        return value == 0 ? -1 : value;
}

/* Decoded, in new memory; NULL: *why. */
static char *decode(struct span s, const char **why)
{
        char *out = malloc(s.n + 1), *to = out; /* NOLINT: s lies in a string, n + 1 is no 0 */
        if (!out)
                *why = no_memory;
        for (size_t i = 0; out && i < s.n; i++) {
                int c = (unsigned char)s.p[i];
                if (c == '%') {
                        c = escape_value((struct span){s.p + i, s.n - i});
                        i += 2;
                }
                if (c < 0) {
                        free(out);
                        *why = "a '%' needs two hexadecimal digits behind it, and %00 is no "
                               "character";
                        return NULL;
                }
                *to++ = (char)c;
        }
        if (out)
                *to = 0;
        if (out && !utf8_valid(out)) {
                free(out);
                *why = "not valid UTF-8";
                return NULL;
        }
        return out;
}

static bool parse_user(struct span s, struct frevo_url *u, const char **why)
{
        struct span rest, name;
        bool has;
        struct span head = cut(s, ':', &rest, &has);
        if (has && !(u->password = decode(rest, why)))
                return false;
        struct span domain = cut(head, ';', &name, &has);
        if (!has)
                name = head;
        else if (!(u->domain = decode(domain, why)))
                return false;
        u->user = decode(name, why);
        return u->user != NULL;
}

static bool parse_port(struct span s, struct frevo_url *u, const char **why)
{
        unsigned port = 0;
        for (size_t i = 0; i < s.n; i++) {
                if (s.p[i] < '0' || s.p[i] > '9' || port > MAX_PORT) {
                        port = 0;
                        break;
                }
                port = port * 10 + (unsigned)(s.p[i] - '0');
        }
        if (port == 0 || port > MAX_PORT) {
                *why = "the port must be a number from 1 to 65535";
                return false;
        }
        u->port = (uint16_t)port;
        return true;
}

static bool is_host(const char *s)
{
        for (const char *p = s; *p; p++)
                if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("/\\@", *p))
                        return false;
        return *s != 0;
}

/* In brackets: an IPv6 address, whose colons are no port's. */
static bool parse_host(struct span s, struct frevo_url *u, const char **why)
{
        struct span host, rest = {NULL, 0};
        bool has_port, has_end;
        if (s.n && s.p[0] == '[') {
                host = cut((struct span){s.p + 1, s.n - 1}, ']', &rest, &has_end);
                if (!has_end || (rest.n && rest.p[0] != ':')) {
                        *why = "an IPv6 address needs brackets on both sides";
                        return false;
                }
                has_port = rest.n > 0;
                if (has_port)
                        rest = (struct span){rest.p + 1, rest.n - 1};
        } else {
                host = cut(s, ':', &rest, &has_port);
                if (has_port && memchr(rest.p, ':', rest.n)) {
                        *why = "an IPv6 address must stand in brackets, as in smb://[::1]/share";
                        return false;
                }
        }
        if (has_port && !parse_port(rest, u, why))
                return false;
        u->host = decode(host, why);
        if (!u->host)
                return false;
        if (!is_host(u->host))
                *why = "no server's name";
        return is_host(u->host);
}

static bool parse_share(struct span s, struct frevo_url *u, const char **why)
{
        struct span path = {s.p, 0};
        bool has;
        struct span share = cut(s, '/', &path, &has);
        if (share.n == 0 && path.n) {
                *why = "a share's name is missing in front of the path";
                return false;
        }
        if (share.n && !(u->share = decode(share, why)))
                return false;
        if (u->share && strpbrk(u->share, "/\\")) {
                *why = "a share's name holds no '/' and no '\\'";
                return false;
        }
        u->path = decode(path, why);
        return u->path != NULL;
}

static bool parse(const char *text, struct frevo_url *u, const char **why)
{
        if (strncasecmp(text, SCHEME, strlen(SCHEME)) != 0) {
                *why = "an address begins with smb://";
                return false;
        }
        struct span all = {text + strlen(SCHEME), strlen(text + strlen(SCHEME))}, rest = {text, 0};
        bool has;
        struct span authority = cut(all, '/', &rest, &has);
        /* A password may hold an @: the last one counts. */
        const char *at = memrchr(authority.p, '@', authority.n);
        struct span host = authority;
        if (at) {
                size_t n = (size_t)(at - authority.p);
                host = (struct span){at + 1, authority.n - n - 1};
                if (!parse_user((struct span){authority.p, n}, u, why))
                        return false;
        }
        return parse_host(host, u, why) && parse_share(rest, u, why);
}

int frevo_url_parse(const char *text, struct frevo_url *out, const char **ret_why)
{
        struct frevo_url u = {.port = DEFAULT_PORT};
        const char *why = NULL;
        if (parse(text, &u, &why)) {
                *out = u;
                return 0;
        }
        frevo_url_free(&u);
        if (ret_why)
                *ret_why = why;
        return why == no_memory ? ENOMEM : EINVAL;
}

void frevo_url_free(struct frevo_url *u)
{
        if (u->password)
                secret_wipe(u->password, strlen(u->password));
        free(u->domain);
        free(u->user);
        free(u->password);
        free(u->host);
        free(u->share);
        free(u->path);
        *u = (struct frevo_url){0};
}
