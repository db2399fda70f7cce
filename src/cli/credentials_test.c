/* Which line of the credentials file is taken. */
#include "cli/credentials.h"

#include "base/testing.h"

static const char file[] = "# HOST USER PASSWORD\n"
                           "\n"
                           "nas.example anna one two \n"
                           "  NAS.example\tDOM\\bert\t #3\r\n"
                           "broken\n"
                           "nouser \n"
                           "empty eva\n"
                           "* * last";

static void test_find(void **state)
{
        static const struct {
                const char *host, *user, *want_user, *want;
        } rows[] = {
                {"nas.example", NULL, "anna", "one two "},
                {"NAS.EXAMPLE", "anna", "anna", "one two "},
                {"nas.example", "dom\\bert", "DOM\\bert", "#3"},
                {"nas.example", "carl", "carl", "last"},
                {"other", NULL, NULL, "last"},
                {"empty", "eva", "eva", ""},
                {"broken", "x", "x", "last"},
        };
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char text[sizeof file];
                const char *user = "unset", *password = "unset";
                memcpy(text, file, sizeof file);
                assert_true(credentials_find(text, rows[i].host, rows[i].user, &user, &password));
                assert_string_equal(password, rows[i].want);
                if (rows[i].want_user)
                        assert_string_equal(user, rows[i].want_user);
                else
                        assert_null(user);
        }
}

static void test_nothing_fits(void **state)
{
        const char *user = NULL, *password = NULL;
        char text[] = "nas anna x\n#* * y\n", none[] = "";
        (void)state;
        assert_false(credentials_find(text, "other", NULL, &user, &password));
        assert_false(credentials_find(none, "nas", NULL, &user, &password));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_find),
                cmocka_unit_test(test_nothing_fits),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
