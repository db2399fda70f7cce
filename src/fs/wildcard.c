/* See wildcard.h. The pattern is run as a set of places ("here the rest of the pattern may start"):
 * one pass over the name, no backtracking, so that no pattern can make a listing slow. */
#include "fs/wildcard.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf16.h"

#define STAR '*'
#define ANY '?'
#define DOS_STAR '<'
#define DOS_QM '>'
#define DOS_DOT '"'

struct matcher {
        uint32_t expr[LIMIT_NAME_UTF16 + 1]; /* upper case, 0 at the end */
        size_t n;
        bool at[LIMIT_NAME_UTF16 + 1]; /* at[i]: expr[i..] has to match what is left of the name */
};

bool wildcard_has(const char *pattern)
{
        return strpbrk(pattern, "*?<>\"") != NULL;
}

/* Places reached without consuming; c is the next character of the name, 0 at its end. */
static void skip_empty(struct matcher *m, uint32_t c)
{
        for (size_t i = 0; i < m->n; i++) {
                uint32_t e = m->expr[i];
                if (!m->at[i])
                        continue;
                if (e == STAR || e == DOS_STAR || (e == DOS_QM && (c == '.' || c == 0)) ||
                    (e == DOS_DOT && c == 0))
                        m->at[i + 1] = true;
        }
}

/* Where pattern character e leads when it consumes c: 0 nowhere, 1 here again, 2 to the next. */
static int consume(uint32_t e, uint32_t c, bool more_dots)
{
        switch (e) {
        case STAR:
                return 1;
        case DOS_STAR:
                return c != '.' || more_dots ? 1 : 0;
        case DOS_QM:
                return c != '.' ? 2 : 0;
        case DOS_DOT:
                return c == '.' ? 2 : 0;
        case ANY:
                return 2;
        default:
                return e == upcase(c) ? 2 : 0;
        }
}

static bool step(struct matcher *m, uint32_t c, bool more_dots)
{
        bool alive = false, from_before = false;
        for (size_t i = 0; i <= m->n; i++) {
                bool was = m->at[i];
                int to = was && i < m->n ? consume(m->expr[i], c, more_dots) : 0;
                m->at[i] = from_before || to == 1;
                from_before = to == 2;
                alive |= m->at[i] || from_before;
        }
        return alive;
}

static bool compile(struct matcher *m, const char *pattern)
{
        m->n = 0;
        while (*pattern) {
                if (m->n == LIMIT_NAME_UTF16)
                        return false;
                m->expr[m->n++] = upcase(utf8_next(&pattern));
        }
        memset(m->at, 0, sizeof m->at);
        m->at[0] = true;
        return true;
}

bool wildcard_match(const char *pattern, const char *name)
{
        if (!*pattern || !*name)
                return *pattern == *name;
        if (strcmp(pattern, "*") == 0 || strcmp(pattern, "*.*") == 0)
                return true;
        if (!wildcard_has(pattern))
                return name_casecmp(pattern, name) == 0;
        struct matcher m;
        if (!compile(&m, pattern))
                return false;
        while (*name) {
                uint32_t c = utf8_next(&name);
                skip_empty(&m, c);
                if (!step(&m, c, strchr(name, '.') != NULL))
                        return false;
        }
        skip_empty(&m, 0);
        return m.at[m.n];
}
