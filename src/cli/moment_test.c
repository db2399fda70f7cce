/* Times on the command line. */
#include "cli/moment.h"

#include <time.h>

#include "base/testing.h"

static void test_dates(void **state)
{
        static const struct {
                const char *text;
                int64_t s;
        } rows[] = {
                {"1970-01-02", 86400},
                {"2026-12-01", 1796083200},
                {"2026-12-01 02:39", 1796083200 + 2 * 3600 + 39 * 60},
                {"2026-12-01T02:39:55", 1796083200 + 2 * 3600 + 39 * 60 + 55},
        };
        (void)state;
        assert_int_equal(setenv("TZ", "UTC", 1), 0);
        tzset();
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                int64_t ns = 0;
                assert_true(moment_parse(rows[i].text, &ns));
                assert_true(ns == rows[i].s * 1000000000);
        }
}

static void test_ages(void **state)
{
        int64_t a = 0, b = 0;
        (void)state;
        assert_true(moment_parse("0s", &a));
        assert_true(moment_parse("2d", &b));
        int64_t gap = a - b - 2 * INT64_C(86400000000000);
        assert_true(gap > -60 * INT64_C(1000000000) && gap <= 0);
}

static void test_no_times(void **state)
{
        static const char *const rows[] = {"",           "x",   "2026",
                                           "2026-13-01", "1d2", "-1d",
                                           "7",          "7y",  "99999999999999999999d",
                                           "2026-12-01x"};
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                int64_t ns = 0;
                assert_false(moment_parse(rows[i], &ns));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_dates),
                cmocka_unit_test(test_ages),
                cmocka_unit_test(test_no_times),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
