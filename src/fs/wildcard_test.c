/* Patterns as [MS-FSA] 2.1.4.4 describes them, and names as name.c lets them in. */
#include "base/testing.h"

#include "fs/name.h"
#include "fs/wildcard.h"

static const struct {
        const char *pattern, *name;
        bool match;
} cases[] = {
        {"*", "anything", true},
        {"*.*", "nodot", true}, /* the special case */
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"abc", "ABC", true},
        {"abc", "abcd", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"a?", "a", false},
        {"*.txt", "x.TXT", true},
        {"*.txt", "x.txt.bak", false},
        {"a*b*c", "aXXbYYc", true},
        {"a*b*c", "aXXcYYb", false},
        {"****x", "aaaaax", true},
        {"<", "abc", true},
        {"<", "a.c", false}, /* may not swallow the last dot */
        {"<.txt", "a.b.txt", true},
        {"<.txt", "a.b", false},
        {"<.", "a", false},
        {"<\"", "a", true},
        {"<\"*", "a", true}, /* how old clients write "*.*" */
        {"<\"*", "a.b.c", true},
        {">>>", "a", true}, /* ends early at the end of the name */
        {">>>", "abc", true},
        {">>>", "abcd", false},
        {">>>.txt", "a.txt", true}, /* ... and at a dot */
        {">>>.txt", "abcd.txt", false},
        {">>.>>", "a.b", true},
        {"a\"b", "a.b", true},
        {"a\"", "a", true},
        {"a\"", "a.", true},
        {"a\"b", "ab", false},
        {"\xC3\xA4*", "\xC3\x84rger", true}, /* a-umlaut, either case */
        {"?", "\xF0\x9F\x98\x80", true},     /* one code point beyond the basic plane */
};

static void test_cases(void **state)
{
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                if (wildcard_match(cases[i].pattern, cases[i].name) != cases[i].match)
                        fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].name);
        }
}

/* The other way to say it: recursive, slow, obvious. */
static bool slow(const char *p, const char *n)
{
        bool more_dots = *n && strchr(n + 1, '.');
        switch (*p) {
        case 0:
                return !*n;
        case '*':
                return slow(p + 1, n) || (*n && slow(p, n + 1));
        case '<':
                return slow(p + 1, n) || (*n && (*n != '.' || more_dots) && slow(p, n + 1));
        case '>':
                return (!*n || *n == '.') ? slow(p + 1, n) : slow(p + 1, n + 1);
        case '"':
                return (!*n && slow(p + 1, n)) || (*n == '.' && slow(p + 1, n + 1));
        case '?':
                return *n && slow(p + 1, n + 1);
        default:
                return *n == *p && slow(p + 1, n + 1);
        }
}

static void spell(char *out, size_t n, const char *letters, unsigned long code)
{
        size_t base = strlen(letters);
        for (size_t i = 0; i < n; i++, code /= base)
                out[i] = letters[code % base];
        out[n] = 0;
}

static void test_against_the_slow_way(void **state)
{
        char p[8], n[8];
        for (unsigned long pc = 0; pc < 7 * 7 * 7 * 7; pc++) {
                spell(p, 4, "a.*<>\"?", pc);
                if (strcmp(p, "*.*") == 0 || !wildcard_has(p))
                        continue;
                for (unsigned long nc = 0; nc < 16; nc++) {
                        spell(n, 4, "a.", nc);
                        if (wildcard_match(p, n) != slow(p, n))
                                fail_msg("'%s' on '%s'", p, n);
                }
        }
}

static void test_no_pattern_is_slow(void **state)
{
        char p[256], n[256];
        memset(p, '*', 254);
        p[253] = 'b';
        p[254] = 0;
        memset(n, 'a', 255);
        n[255] = 0;
        assert_false(wildcard_match(p, n));
        char longer[400];
        memset(longer, '*', 399);
        longer[399] = 0;
        assert_false(wildcard_match(longer, "a")); /* longer than any name */
}

static const struct {
        const char *path;
        enum fs_err e;
} paths[] = {
        {"", FS_OK},
        {"a", FS_OK},
        {"a/b/c", FS_OK},
        {"a. ", FS_OK}, /* kept: only Win32 strips them */
        {"...", FS_OK},
        {"\xED\xA0\x80x", FS_OK}, /* a lone surrogate, as base/utf16.h keeps it */
        {"..", FS_BAD_PATH},
        {"..", FS_BAD_PATH},
        {"a//b", FS_BAD_NAME},
        {".", FS_BAD_PATH},
        {"a/../b", FS_BAD_PATH},
        {"..", FS_BAD_PATH},
        {"a\\b", FS_BAD_NAME},
        {"a:b", FS_BAD_NAME},
        {"..", FS_BAD_PATH},
        {"..", FS_BAD_PATH},
        {"..", FS_BAD_PATH},
        {"..", FS_BAD_PATH},
        {"..", FS_BAD_PATH},
        {"a\"", FS_BAD_NAME},
        {"a\x1F", FS_BAD_NAME},
        {"a\xFF", FS_BAD_NAME},
};

static void test_paths(void **state)
{
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                if (name_check_path(paths[i].path) != paths[i].e)
                        fail_msg("path '%s'", paths[i].path);
        }
}

static void test_lengths(void **state)
{
        char s[40000];
        memset(s, 'x', sizeof s);
        s[255] = 0;
        assert_int_equal(name_check_path(s), FS_OK);
        s[255] = 'x';
        s[256] = 0;
        assert_int_equal(name_check_path(s), FS_TOO_LONG);
        for (size_t i = 0; i < sizeof s; i++)
                s[i] = i % 2 ? '/' : 'x';
        s[31999] = 0;
        assert_int_equal(name_check_path(s), FS_OK);
        s[31999] = '/';
        s[32001] = 0;
        assert_int_equal(name_check_path(s), FS_TOO_LONG);
}

static void test_patterns(void **state)
{
        assert_int_equal(name_check_pattern("*"), FS_OK);
        assert_int_equal(name_check_pattern(".."), FS_OK);
        assert_int_equal(name_check_pattern("a<b>\"?*"), FS_OK);
        assert_int_equal(name_check_pattern("a/b"), FS_BAD_NAME);
        assert_int_equal(name_check_pattern("a:b"), FS_BAD_NAME);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_cases),
                cmocka_unit_test(test_against_the_slow_way),
                cmocka_unit_test(test_no_pattern_is_slow),
                cmocka_unit_test(test_paths),
                cmocka_unit_test(test_lengths),
                cmocka_unit_test(test_patterns),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
