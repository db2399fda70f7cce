/* See fs_err.h. */
#include "base/fs_err.h"

const char *fs_err_text(enum fs_err e)
{
        static const char *const text[] = {
#define X(name, t) [FS_##name] = #name ": " t,
                FS_ERR_TABLE(X)
#undef X
        };
        return (unsigned)e < FS_ERR_COUNT ? text[e] : "unknown error";
}
