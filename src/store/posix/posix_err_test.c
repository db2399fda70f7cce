/* Every errno has a reading; those that file system calls give have their own. */
#include <errno.h>

#include "base/testing.h"
#include "store/posix/posix_err.h"

static void never_success(void **state)
{
        (void)state;
        for (int i = -1; i < 200; i++) {
                enum fs_err e = posix_err(i);
                assert_true(e != FS_OK && (unsigned)e < FS_ERR_COUNT);
        }
}

/* What open(2), read(2), write(2), rename(2), unlink(2), fallocate(2), setxattr(2) list, except
 * those that are FS_IO by nature. */
static void none_forgotten(void **state)
{
        (void)state;
        static const int listed[] = {
                EACCES, EPERM,  EBUSY,        EDQUOT,    EEXIST,  EFAULT, EFBIG,  EINVAL, EISDIR,
                ELOOP,  EMFILE, ENAMETOOLONG, ENFILE,    ENODEV,  ENOENT, ENOMEM, ENOSPC, ENOTDIR,
                ENXIO,  EROFS,  EOPNOTSUPP,   EOVERFLOW, ETXTBSY, EAGAIN, EXDEV,  EMLINK, ENOTEMPTY,
                EBADF,  ENOSYS, ESPIPE,       ERANGE,    ENODATA, E2BIG,  ESTALE, EILSEQ, EUCLEAN};
        for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
                if (posix_err(listed[i]) == FS_IO)
                        fail_msg("errno %d", listed[i]);
        assert_int_equal(posix_err(EIO), FS_IO);
        assert_int_equal(posix_err(ENOSPC), FS_NO_SPACE);
        assert_int_equal(posix_err(EDQUOT), FS_QUOTA);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(never_success),
                cmocka_unit_test(none_forgotten),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
