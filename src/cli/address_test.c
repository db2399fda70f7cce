/* Addresses and paths as text. */
#include "cli/address.h"

#include "base/testing.h"

static void test_passwords_are_not_shown(void **state)
{
        static const struct {
                const char *url, *shown;
        } rows[] = {
                {"smb://anna:secret@host/share/a", "smb://anna@host/share/a"},
                {"smb://dom;anna:se@cret@host:4450/x", "smb://dom;anna@host:4450/x"},
                {"smb://anna@host/a:b@c", "smb://anna@host/a:b@c"},
                {"SMB://:x@[::1]:445/x", "SMB://@[::1]:445/x"},
                {"smb://host", "smb://host"},
                {"smb://", "smb://"},
                {"file:x@y", "file:x@y"},
        };
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char *shown = cli_url_shown(rows[i].url);
                assert_string_equal(shown, rows[i].shown);
                free(shown);
        }
}

static void test_address_of_a_path(void **state)
{
        static const struct {
                const char *url, *path, *want;
        } rows[] = {
                {"smb://h/s", "", "smb://h/s"},
                {"smb://h/s/", "a/b", "smb://h/s/a/b"},
                {"smb://u:p@h//s/x/y", "a%b", "smb://u@h//s/a%25b"},
        };
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char *got = cli_url_of(rows[i].url, rows[i].path);
                assert_string_equal(got, rows[i].want);
                free(got);
        }
}

static void test_same_share(void **state)
{
        (void)state;
        assert_true(cli_same_share("smb://h/s/a", "smb://H/S"));
        assert_true(cli_same_share("smb://u@h/s", "smb://u@h/s/"));
        assert_false(cli_same_share("smb://u@h/s", "smb://v@h/s"));
        assert_false(cli_same_share("smb://h/s", "smb://h/st"));
        assert_false(cli_same_share("smb://h/s", "smb://h"));
}

static void test_tidy_and_join(void **state)
{
        static const struct {
                const char *path, *want;
        } rows[] = {{"", ""},         {"/", ""},       {"///", ""},          {"a", "a"},
                    {"/a/b/", "a/b"}, {"a//b", "a/b"}, {"//a///b//", "a/b"}, {"./a", "./a"}};
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char path[32];
                (void)snprintf(path, sizeof path, "%s", rows[i].path);
                cli_path_tidy(path);
                assert_string_equal(path, rows[i].want);
        }
        char *a = cli_path_join("", "c"), *b = cli_path_join("a/b", "c"),
             *c = cli_path_join("a", "");
        assert_string_equal(a, "c");
        assert_string_equal(b, "a/b/c");
        assert_string_equal(c, "a");
        assert_string_equal(cli_path_last(b), "c");
        assert_string_equal(cli_path_last(c), "a");
        free(a);
        free(b);
        free(c);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_passwords_are_not_shown),
                cmocka_unit_test(test_address_of_a_path),
                cmocka_unit_test(test_same_share),
                cmocka_unit_test(test_tidy_and_join),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
