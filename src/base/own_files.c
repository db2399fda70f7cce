/* See own_files.h. The kernel's calls themselves: the C library would change all threads at once.
 */
#include "base/own_files.h"

#include <sys/syscall.h>
#include <unistd.h>

static uid_t set_fsuid(uid_t uid) /* returns the one before */
{
        return (uid_t)syscall(SYS_setfsuid, uid);
}

uid_t own_files_begin(void)
{
        return set_fsuid(geteuid());
}

/* Never fails for an identity that the thread had; going on with another would be worse than
 * ending. */
void own_files_end(uid_t before)
{
        (void)set_fsuid(before);
        uid_t now = set_fsuid((uid_t)-1); /* an impossible one changes nothing */
        if (now != before)
                __builtin_trap();
}
