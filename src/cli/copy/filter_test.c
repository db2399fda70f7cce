/* Which names patterns take. The expectations are the header's words, one by one. */
#include "base/testing.h"

#include "cli/copy/filter.h"

static void test_globs(void **state)
{
        static const struct {
                const char *pattern, *text;
                bool fits;
        } rows[] = {
                {"", "", true},
                {"", "a", false},
                {"abc", "abc", true},
                {"abc", "abcd", false},
                {"*", "", true},
                {"*", "abc", true},
                {"*", "a/b", false},
                {"*.jpg", "a.jpg", true},
                {"*.jpg", ".jpg", true},
                {"*.jpg", "a.jpg.png", false},
                {"a*b*c", "aXXbYYbZc", true},
                {"a*b*c", "aXXbYY", false},
                {"a*/c", "ab/c", true},
                {"a*/c", "a/b/c", false},
                {"a/**/c", "a/c", true},
                {"a/**/c", "a/x/y/c", true},
                {"a/**", "a/x/y", true},
                {"a/**", "b/x", false},
                {"**", "any/thing", true},
                {"**/x*", "a/b/xy", true},
                {"**/x*", "xy", true},
                {"**/x*z", "a/xy/z", false},
                {"?", "a", true},
                {"?", "/", false},
                {"?", "", false},
                {"[a-c]x", "bx", true},
                {"[a-c]x", "dx", false},
                {"[!a-c]x", "dx", true},
                {"[]]", "]", true},
                {"[a", "[a", true},
                {"[!a]", "/", false},
                {"\\*", "*", true},
                {"\\*", "a", false},
                {"\\", "\\", true},
        };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                if (filter_glob(rows[i].pattern, strlen(rows[i].pattern), rows[i].text) !=
                    rows[i].fits)
                        fail_msg("'%s' on '%s'", rows[i].pattern, rows[i].text);
}

static void test_many_stars_end(void **state)
{
        char text[2001], pattern[401];
        memset(text, 'a', 2000);
        text[2000] = 0;
        for (size_t i = 0; i < 400; i += 2)
                pattern[i] = '*', pattern[i + 1] = 'a';
        pattern[400] = 0;
        pattern[399] = 'b';
        assert_false(filter_glob(pattern, 400, text));
}

static void test_first_rule_decides(void **state)
{
        struct filter f = {0};
        assert_true(filter_takes(&f, "anything", false));
        assert_true(filter_add(&f, "keep.tmp", true));
        assert_true(filter_add(&f, "*.tmp", false));
        assert_true(filter_add(&f, "cache/", false));
        assert_true(filter_add(&f, "/top/*.o", false));
        assert_true(filter_takes(&f, "a/keep.tmp", false));
        assert_false(filter_takes(&f, "a/b.tmp", false));
        assert_true(filter_takes(&f, "a/b.txt", false));
        assert_false(filter_takes(&f, "a/cache", true));
        assert_true(filter_takes(&f, "a/cache", false));
        assert_false(filter_takes(&f, "top/x.o", false));
        assert_true(filter_takes(&f, "a/top/x.o", false));
        filter_fini(&f);
}

static void test_includes_alone_exclude_the_rest(void **state)
{
        struct filter f = {0};
        assert_true(filter_add(&f, "*.jpg", true));
        assert_true(filter_takes(&f, "a/b.jpg", false));
        assert_false(filter_takes(&f, "a/b.png", false));
        assert_true(filter_takes(&f, "a", true));
        filter_fini(&f);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_globs),
                cmocka_unit_test(test_many_stars_end),
                cmocka_unit_test(test_first_rule_decides),
                cmocka_unit_test(test_includes_alone_exclude_the_rest),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
