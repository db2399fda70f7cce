/* What people see of names, sizes and times. */
#include "cli/printable.h"

#include "base/testing.h"

static void test_names(void **state)
{
        static const struct {
                const char *name, *want;
        } rows[] = {
                {"plain.txt", "plain.txt"},
                {"", ""},
                {"\xc3\xbc \xe6\x97\xa5", "\xc3\xbc \xe6\x97\xa5"},
                {"a\nb\tc\x1b[31m", "a\\nb\\tc\\x1b[31m"},
                {"\x01\x7f\\", "\\x01\\x7f\\\\"},
                {"\xc2\x9b"
                 "31m",
                 "\\x9b31m"}, /* CSI in one character */
                {"a\xff\xc3", "a\\xff\\xc3"},
                {"cod\xe2\x80\xaegpj.exe", "cod\\u{202e}gpj.exe"},
                {"\xed\xa0\x80", "\\u{d800}"}, /* half a pair */
                {"\xef\xbf\xbd", "\xef\xbf\xbd"},
                {"\xf3\xa0\x81\x81", "\\u{e0041}"},
        };
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char *got = printable_new(rows[i].name);
                assert_string_equal(got, rows[i].want);
                free(got);
        }
}

/* No byte string may make a control character come out, or overrun what printable_new() allots. */
static void test_every_pair_of_bytes(void **state)
{
        (void)state;
        for (unsigned a = 1; a < 256; a++)
                for (unsigned b = 1; b < 256; b++) {
                        char name[] = {(char)a, (char)b, (char)0x80, 0};
                        char *got = printable_new(name);
                        for (const char *s = got; *s; s++)
                                assert_true((unsigned char)*s >= 0x20 && *s != 0x7f);
                        assert_true(strlen(got) <= 12);
                        free(got);
                }
}

static void test_sizes(void **state)
{
        static const struct {
                uint64_t n;
                const char *size, *amount;
        } rows[] = {
                {0, "0", "0 B"},
                {999, "999", "999 B"},
                {1023, "1023", "1.0 kB"},
                {1024, "1.0K", "1.0 kB"},
                {1025, "1.1K", "1.0 kB"},
                {10 * 1024, "10K", "10 kB"},
                {10 * 1024 + 1, "11K", "10 kB"},
                {1048576, "1.0M", "1.0 MB"},
                {1500000000, "1.4G", "1.5 GB"},
                {UINT64_MAX, "16E", "18 EB"},
        };
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char out[PRINTABLE_SIZE_MAX];
                printable_size(out, rows[i].n);
                assert_string_equal(out, rows[i].size);
                printable_amount(out, rows[i].n);
                assert_string_equal(out, rows[i].amount);
        }
}

static void test_times(void **state)
{
        char out[PRINTABLE_TIME_MAX];
        (void)state;
        assert_int_equal(setenv("TZ", "UTC", 1), 0);
        tzset();
        printable_time(out, 1764556795123456700, false);
        assert_string_equal(out, "2025-12-01 02:39");
        printable_time(out, 1764556795123456700, true);
        assert_string_equal(out, "2025-12-01 02:39:55.123456700 +0000");
        printable_time_utc(out, 1764556795123456700);
        assert_string_equal(out, "2025-12-01T02:39:55.1234567Z");
        printable_time_utc(out, -1);
        assert_string_equal(out, "1969-12-31T23:59:59.9999999Z");
        printable_time_utc(out, 0);
        assert_string_equal(out, "1970-01-01T00:00:00Z");
        printable_time(out, INT64_MIN, true); /* whatever it says, it stays in its buffer */
        printable_time(out, INT64_MAX, true);
}

static void test_durations(void **state)
{
        static const struct {
                uint64_t s;
                const char *want;
        } rows[] = {{0, "0:00"},       {67, "1:07"},        {3599, "59:59"},
                    {3600, "1:00:00"}, {86399, "23:59:59"}, {4 * 86400 + 7200, "4d 02h"}};
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char out[PRINTABLE_SIZE_MAX];
                printable_duration(out, rows[i].s);
                assert_string_equal(out, rows[i].want);
        }
}

static void test_width(void **state)
{
        (void)state;
        assert_int_equal(printable_width("abc"), 3);
        assert_int_equal(printable_width("\xe6\x97\xa5\xe6\x9c\xac"), 4);
        assert_int_equal(printable_width("e\xcc\x81"), 1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_names),     cmocka_unit_test(test_every_pair_of_bytes),
                cmocka_unit_test(test_sizes),     cmocka_unit_test(test_times),
                cmocka_unit_test(test_durations), cmocka_unit_test(test_width),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
