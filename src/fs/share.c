/* See share.h. */
#include "fs/share.h"

#include "fs/fs.h"

_Static_assert(SHARE_RIGHTS ==
                       (FS_READ_DATA | FS_WRITE_DATA | FS_APPEND_DATA | FS_EXECUTE | FS_DELETE),
               "the header spares its users fs.h");

/* Does `access` do something that `share` does not allow? */
static bool oversteps(uint32_t access, uint32_t share)
{
        return ((access & (FS_READ_DATA | FS_EXECUTE)) && !(share & FS_SHARE_READ)) ||
               ((access & (FS_WRITE_DATA | FS_APPEND_DATA)) && !(share & FS_SHARE_WRITE)) ||
               ((access & FS_DELETE) && !(share & FS_SHARE_DELETE));
}

bool share_conflicts(uint32_t access_a, uint32_t share_a, uint32_t access_b, uint32_t share_b)
{
        if (!(access_a & SHARE_RIGHTS) || !(access_b & SHARE_RIGHTS))
                return false;
        return oversteps(access_a, share_b) || oversteps(access_b, share_a);
}
