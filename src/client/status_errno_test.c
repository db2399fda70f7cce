/* Every error that the wire's table names has an errno of its own and a sentence with its name. */
#include <errno.h>

#include "base/testing.h"
#include "client/op.h"
#include "wire/smb2/status.h"

static void test_golden(void **state)
{
        static const struct {
                uint32_t status;
                int err;
        } t[] = {
                {STATUS_SUCCESS, 0},
                {STATUS_PENDING, 0},
                {STATUS_BUFFER_OVERFLOW, 0},
                {STATUS_NO_MORE_FILES, 0},
                {STATUS_NOTIFY_ENUM_DIR, 0},
                {STATUS_STOPPED_ON_SYMLINK, ELOOP}, /* a warning by its number only */
                {STATUS_OBJECT_NAME_NOT_FOUND, ENOENT},
                {STATUS_OBJECT_PATH_NOT_FOUND, ENOENT},
                {STATUS_OBJECT_NAME_COLLISION, EEXIST},
                {STATUS_ACCESS_DENIED, EACCES},
                {STATUS_LOGON_FAILURE, EACCES},
                {STATUS_SHARING_VIOLATION, EBUSY},
                {STATUS_LOCK_NOT_GRANTED, EAGAIN},
                {STATUS_FILE_IS_A_DIRECTORY, EISDIR},
                {STATUS_NOT_A_DIRECTORY, ENOTDIR},
                {STATUS_DIRECTORY_NOT_EMPTY, ENOTEMPTY},
                {STATUS_DISK_FULL, ENOSPC},
                {STATUS_QUOTA_EXCEEDED, EDQUOT},
                {STATUS_NOT_SAME_DEVICE, EXDEV},
                {STATUS_CANCELLED, ECANCELED},
                {STATUS_CANNOT_DELETE, EPERM},
                {STATUS_MEDIA_WRITE_PROTECTED, EROFS},
                {STATUS_NOT_SUPPORTED, ENOTSUP},
                {0xc0ffee00u, EIO},
                {STATUS_INVALID, EIO},
                {0x40000000u, 0},
                {0x80001234u, 0},
        };
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
                assert_int_equal(status_errno(t[i].status), t[i].err);
        (void)state;
}

/* Those that are just EIO are named here, so that a new status is not forgotten in the table. */
static void test_complete(void **state)
{
        static const uint32_t all[] = {
#define X(name, value, text) name,
                NT_STATUS_TABLE(X)
#undef X
        };
        static const uint32_t eio[] = {
                STATUS_UNSUCCESSFUL,       STATUS_END_OF_FILE,
                STATUS_DATA_ERROR,         STATUS_CRC_ERROR,
                STATUS_EA_CORRUPT_ERROR,   STATUS_PROCEDURE_NOT_FOUND,
                STATUS_INTERNAL_ERROR,     STATUS_UNEXPECTED_NETWORK_ERROR,
                STATUS_FILE_CORRUPT_ERROR, STATUS_UNEXPECTED_IO_ERROR,
                STATUS_VERIFIER_STOP,
        };
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
                bool is_eio = false;
                for (size_t j = 0; j < sizeof eio / sizeof eio[0]; j++)
                        is_eio |= eio[j] == all[i];
                int err = status_errno(all[i]);
                if (nt_status_is_error(all[i]) && (err == 0 || (err == EIO) != is_eio))
                        fail_msg("%s has no row", nt_status_name(all[i]));
        }
        (void)state;
}

static void test_words(void **state)
{
        static const uint32_t all[] = {
#define X(name, value, text) name,
                NT_STATUS_TABLE(X)
#undef X
        };
        for (size_t i = 1; i < sizeof all / sizeof all[0]; i++) {
                const char *text = frevo_error_text(EIO, all[i]);
                assert_non_null(strstr(text, frevo_status_name(all[i])));
                assert_non_null(strstr(text, " ("));
        }
        assert_string_equal(frevo_error_text(ENOENT, STATUS_OBJECT_NAME_NOT_FOUND),
                            "no such file or folder (STATUS_OBJECT_NAME_NOT_FOUND)");
        assert_string_equal(frevo_error_text(ENOENT, STATUS_INVALID), "no such file or folder");
        assert_string_equal(frevo_error_text(ENOENT, 0), "no such file or folder");
        assert_string_equal(frevo_status_name(STATUS_ACCESS_DENIED), "STATUS_ACCESS_DENIED");
        assert_string_equal(frevo_status_name(0xc0ffee00u), "");
        assert_non_null(frevo_error_text(EIO, 0xc0ffee00u));
        assert_string_equal(frevo_error_text(99999, STATUS_INVALID), "unknown error");
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_golden),
                cmocka_unit_test(test_complete),
                cmocka_unit_test(test_words),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
