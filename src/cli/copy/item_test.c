/* What is copied, and under which name it grows. */
#include "base/testing.h"

#include "base/utf16.h"
#include "cli/copy/item.h"
#include "cli/copy/part_name.h"

static void test_times(void **state)
{
        static const struct {
                int64_t a, b;
                bool same;
        } rows[] = {
                {0, 0, true},
                {1234567890123456789, 1234567890123456700, true},
                {1234567890123456789, 1234567890123456800, false},
                {1000000000123456700, 1000000000000000000, true},  /* whole seconds there */
                {1000000000123456700, 1000000001000000000, true},  /* rounded up */
                {1000000000123456700, 1000000003000000000, false}, /* too far */
                {1000000000000000000, 1000000001000000000, false}, /* both say whole seconds */
                {-150, -200, true},
                {INT64_MIN, INT64_MAX, false},
        };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                assert_int_equal(item_same_time(rows[i].a, rows[i].b), rows[i].same);
                assert_int_equal(item_same_time(rows[i].b, rows[i].a), rows[i].same);
        }
}

static void test_decisions(void **state)
{
        struct item file = {.kind = ITEM_FILE, .size = 5, .write_ns = 100100};
        struct item longer = {.kind = ITEM_FILE, .size = 6, .write_ns = 100100};
        struct item later = {.kind = ITEM_FILE, .size = 5, .write_ns = 100300};
        struct item folder = {.kind = ITEM_FOLDER}, link = {.kind = ITEM_LINK};
        const struct {
                const struct item *source, *target;
                bool always;
                enum decision want;
        } rows[] = {
                {&file, NULL, false, DECIDE_COPY},      {&file, &file, false, DECIDE_SAME},
                {&file, &file, true, DECIDE_COPY},      {&file, &longer, false, DECIDE_COPY},
                {&file, &later, false, DECIDE_COPY},    {&file, &folder, false, DECIDE_CONFLICT},
                {&file, &link, false, DECIDE_CONFLICT}, {&folder, &file, true, DECIDE_CONFLICT},
                {&folder, NULL, false, DECIDE_DESCEND}, {&folder, &folder, false, DECIDE_DESCEND},
                {&link, NULL, false, DECIDE_SKIP},      {&link, &file, false, DECIDE_SKIP},
        };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                assert_int_equal(item_decide(rows[i].source, rows[i].target, rows[i].always),
                                 rows[i].want);
}

static void test_part_names(void **state)
{
        char a[PART_NAME_MAX], b[PART_NAME_MAX];
        part_name(a, "film.mkv", 1000, 123400);
        assert_true(strncmp(a, ".film.mkv.", 10) == 0);
        assert_true(part_name_is(a));
        part_name(b, "film.mkv", 1000, 123499);
        assert_string_equal(a, b); /* beyond SMB's grain */
        part_name(b, "film.mkv", 1000, 123500);
        assert_string_not_equal(a, b);
        part_name(b, "film.mkv", 1001, 123400);
        assert_string_not_equal(a, b);
        assert_false(part_name_is("film.mkv"));
        assert_false(part_name_is(".frevo-part"));
        assert_false(part_name_is(".x.0123456789abcdeg.frevo-part"));
        assert_false(part_name_is("x.0123456789abcdef.frevo-part"));
        assert_true(part_name_is(".x.0123456789abcdef.frevo-part"));
}

static void test_long_names_are_cut_between_characters(void **state)
{
        char name[256] = "", out[PART_NAME_MAX], other[PART_NAME_MAX];
        for (size_t i = 0; i + 3 < 255; i += 3)
                memcpy(name + i, "\xe2\x82\xac", 4);
        part_name(out, name, 1, 1);
        assert_true(strlen(out) <= 255);
        assert_true(utf8_valid(out));
        assert_true(part_name_is(out));
        name[251] = 'x', name[252] = 0;
        part_name(other, name, 1, 1);
        assert_string_not_equal(out, other);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_times),
                cmocka_unit_test(test_decisions),
                cmocka_unit_test(test_part_names),
                cmocka_unit_test(test_long_names_are_cut_between_characters),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
