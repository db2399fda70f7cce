/* Which paths and names clients may use. Pure. */
#ifndef FREVO_FS_NAME_H
#define FREVO_FS_NAME_H

#include "base/fs_err.h"

/* A path below the root: "" or components separated by single '/'. FS_BAD_PATH for a "." or
 * ".." component; FS_BAD_NAME for an empty one, control characters, characters that no Windows name
 * may hold ([MS-FSCC] 2.1.5), or bytes that are no UTF-8; FS_TOO_LONG past LIMIT_NAME_UTF16 or
 * LIMIT_PATH_UTF16. Trailing dots and spaces are kept: only Win32 strips them, the wire does not.
 */
enum fs_err name_check_path(const char *path) MUST_USE;

/* A stream's name without type, [MS-FSCC] 2.1.5.3. */
enum fs_err name_check_stream(const char *name) MUST_USE;

/* One component that may hold wildcards, "." or "..": a listing's pattern. */
enum fs_err name_check_pattern(const char *pattern) MUST_USE;

/* The last component; "" of the root. Points into path. */
const char *name_last(const char *path);
/* A copy of everything before the last component ("" for names in the root). Caller frees. */
char *name_parent_new(const char *path);
/* dir/name in new memory; just name when dir is "". */
char *name_join_new(const char *dir, const char *name);

#endif
