#include "front/smb2/call.h"

#include "base/testing.h"

/* Every failure has a status, each of them an error that clients have a name for. */
static void test_complete(void **state)
{
        assert_int_equal(smb2_status_of_fs(FS_OK), STATUS_SUCCESS);
        for (unsigned e = FS_OK + 1; e < FS_ERR_COUNT; e++) {
                uint32_t status = smb2_status_of_fs((enum fs_err)e);
                if (status == STATUS_SUCCESS || !nt_status_name(status))
                        fail_msg("no status for %s", fs_err_text((enum fs_err)e));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_complete)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
