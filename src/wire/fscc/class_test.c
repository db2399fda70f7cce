#include "wire/fscc/class.h"

#include "base/testing.h"

/* Rows of [MS-FSCC] 2.4 and 2.5: which directions exist over SMB2. */
static void directions(void **state)
{
        (void)state;
        static const struct {
                unsigned cls;
                bool query, set;
        } row[] = {
                {FILE_BASIC_INFORMATION, true, true},
                {FILE_STANDARD_INFORMATION, true, false},
                {FILE_NAME_INFORMATION, false, false}, /* LOCAL */
                {FILE_RENAME_INFORMATION, false, true},
                {FILE_MODE_INFORMATION, true, true},
                {FILE_ALLOCATION_INFORMATION, false, true},
                {FILE_ALL_INFORMATION, true, false},
                {FILE_NORMALIZED_NAME_INFORMATION, true, false},
                {FILE_SHORT_NAME_INFORMATION, false, true},
                {FILE_ID_INFORMATION, true, false},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                const struct fscc_class *c = fscc_file_class(row[i].cls);
                assert_non_null(c);
                assert_int_equal(c->query_min != CLASS_NEVER, row[i].query);
                assert_int_equal(c->set_min != CLASS_NEVER, row[i].set);
        }
        assert_int_equal(fscc_fs_class(FILE_FS_CONTROL_INFORMATION)->set_min, 48);
        assert_int_equal(fscc_fs_class(FILE_FS_SIZE_INFORMATION)->set_min, CLASS_NEVER);
}

static void unknown_numbers(void **state)
{
        (void)state;
        static const unsigned none[] = {0, 26, 27, 29, 33, 46, 50, 82, 255, 256, UINT32_MAX};
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
                assert_null(fscc_file_class(none[i]));
        assert_null(fscc_fs_class(0));
        assert_null(fscc_fs_class(9)); /* driver path: local */
        assert_null(fscc_fs_class(257));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(directions),
                cmocka_unit_test(unknown_numbers),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
