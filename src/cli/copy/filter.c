/* Patterns of names. The matcher goes back only to the last star of each kind, so that no pattern
 * costs more than its length times the text's, twice. */
#include "cli/copy/filter.h"

#include <stdlib.h>

bool filter_add(struct filter *f, const char *pattern, bool include)
{
        if (f->n == FILTER_RULES_MAX)
                return false;
        struct filter_rule *more = reallocarray(f->rules, f->n + 1, sizeof *more);
        if (!more)
                return false;
        f->rules = more;
        f->rules[f->n++] = (struct filter_rule){.pattern = pattern, .include = include};
        return true;
}

void filter_fini(struct filter *f)
{
        free(f->rules);
        *f = (struct filter){0};
}

/* A set as [a-z] or [!a-z] at p: its length, or 0 when it is not closed; *ret_in: c belongs to it.
 */
static size_t set_match(const char *p, size_t n, char c, bool *ret_in)
{
        size_t i = 1;
        bool negated = i < n && (p[i] == '!' || p[i] == '^');
        bool in = false;
        i += negated;
        for (size_t first = i; i < n && (p[i] != ']' || i == first); i++) {
                unsigned char from = (unsigned char)p[i], to = from, is = (unsigned char)c;
                if (i + 2 < n && p[i + 1] == '-' && p[i + 2] != ']')
                        to = (unsigned char)p[i += 2];
                in |= from <= is && is <= to;
        }
        *ret_in = in != negated && c != '/';
        return i < n ? i + 1 : 0;
}

/* How much of the pattern at p stands for the one character c; 0 = it does not. No stars here. */
static size_t one_match(const char *p, size_t n, char c)
{
        bool in = false;
        size_t set = n && *p == '[' ? set_match(p, n, c, &in) : 0;
        if (!n || !c)
                return 0;
        if (set)
                return in ? set : 0;
        if (*p == '?')
                return c != '/';
        if (*p == '\\' && n > 1)
                return p[1] == c ? 2 : 0;
        return *p == c;
}

struct star { /* where to go on when the rest does not fit */
        size_t pattern;
        const char *text; /* NULL = none seen */
};

/* Lets a star take one character more. False when it cannot. */
static bool star_grow(struct star *s, bool over_slashes)
{
        if (!s->text || !*s->text || (*s->text == '/' && !over_slashes))
                return false;
        s->text++;
        return true;
}

bool filter_glob(const char *p, size_t n, const char *text)
{
        struct star narrow = {0}, wide = {0};
        size_t i = 0;
        while (*text || i < n) {
                size_t step = 0;
                if (i + 1 < n && p[i] == '*' && p[i + 1] == '*') {
                        i += 2;
                        if (i < n && p[i] == '/' && filter_glob(p + i + 1, n - i - 1, text))
                                return true; /* no folder at all fits it too */
                        wide = (struct star){.pattern = i, .text = text};
                        narrow = (struct star){0};
                } else if (i < n && p[i] == '*') {
                        narrow = (struct star){.pattern = ++i, .text = text};
                } else if ((step = one_match(p + i, n - i, *text))) {
                        i += step;
                        text++;
                } else if (star_grow(&narrow, false)) {
                        i = narrow.pattern;
                        text = narrow.text;
                } else if (star_grow(&wide, true)) {
                        i = wide.pattern;
                        text = wide.text;
                        narrow = (struct star){0};
                } else {
                        return false;
                }
        }
        return true;
}

static bool rule_fits(const struct filter_rule *r, const char *path, bool is_folder)
{
        const char *p = r->pattern, *last = strrchr(path, '/');
        size_t n = strlen(p);
        if (n && p[n - 1] == '/') {
                if (!is_folder)
                        return false;
                n--;
        }
        if (!memchr(p, '/', n))
                return filter_glob(p, n, last ? last + 1 : path);
        return *p == '/' ? filter_glob(p + 1, n - 1, path) : filter_glob(p, n, path);
}

bool filter_takes(const struct filter *f, const char *path, bool is_folder)
{
        bool includes_only = f->n > 0;
        for (size_t i = 0; i < f->n; i++) {
                if (rule_fits(&f->rules[i], path, is_folder))
                        return f->rules[i].include;
                includes_only &= f->rules[i].include;
        }
        return is_folder || !includes_only;
}
