#include "fs/short_name.h"

#include "base/testing.h"

static void makes_legal_names(void **state)
{
        (void)state;
        static const struct {
                const char *name, *is; /* NULL: made by hash */
        } row[] = {
                {"readme.txt", "README.TXT"}, {"A", "A"},        {"12345678.123", "12345678.123"},
                {"123456789.123", NULL},      {"a.long", NULL},  {"two.dots.txt", NULL},
                {"with space", NULL},         {".hidden", NULL}, {"trailing.", NULL},
                {"\xc3\xa4rger", NULL},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                char out[SHORT_NAME_MAX];
                short_name_of(row[i].name, out);
                if (row[i].is)
                        assert_string_equal(out, row[i].is);
                else if (!short_name_is_like(out, strlen(out)))
                        fail_msg("%s gives %s", row[i].name, out);
        }
}

static void does_not_depend_on_case_or_process(void **state)
{
        (void)state;
        char a[SHORT_NAME_MAX], b[SHORT_NAME_MAX];
        short_name_of("Some Long Name.html", a);
        short_name_of("sOME lONG nAME.HTML", b);
        assert_string_equal(a, b);
        assert_int_equal(a[0], 'S');
        assert_string_equal(a + 8, ".HTM");
        short_name_of("Some Long Namf.html", b);
        assert_string_not_equal(a, b);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(makes_legal_names),
                cmocka_unit_test(does_not_depend_on_case_or_process),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
