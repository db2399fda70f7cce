/* Whoever runs the test: begin gives the process's own identity, end the one before; as root, the
 * one before may be somebody else's. */
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_files.h"
#include "base/testing.h"

static uid_t fsuid(void)
{
        return (uid_t)syscall(SYS_setfsuid, (uid_t)-1);
}

static void there_and_back(void **state)
{
        (void)syscall(SYS_setfsuid, 12345); /* refused, unless root */
        uid_t user = fsuid();
        uid_t before = own_files_begin();
        assert_int_equal(before, user);
        assert_int_equal(fsuid(), geteuid());
        own_files_end(before);
        assert_int_equal(fsuid(), user);
        (void)syscall(SYS_setfsuid, geteuid());
        assert_int_equal(fsuid(), geteuid());
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
