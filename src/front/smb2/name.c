/* Paths of the wire to paths of the file service. What a name may contain is the file service's
 * business; here is only what the protocol adds: separators, streams, a leading separator. */
#include "base/limits.h"
#include "base/utf16.h"
#include "front/smb2/call.h"

/* Splits "dir/name:stream:$DATA" at the first ':' of the last component. */
static enum fs_err split_stream(char *path, char **ret_stream)
{
        char *colon = strchr(path, ':');
        *ret_stream = NULL;
        if (!colon)
                return FS_OK;
        if (strchr(colon, '/')) /* a ':' in a directory's name */
                return FS_BAD_NAME;
        *colon = 0;
        char *stream = colon + 1, *type = strchr(stream, ':');
        if (type) {
                *type++ = 0;
                if (strcasecmp(type, "$DATA") != 0)
                        return FS_BAD_NAME;
        }
        if (!type && !*stream) /* "name:" names nothing */
                return FS_BAD_NAME;
        *ret_stream = stream;
        return FS_OK;
}

enum fs_err smb2_path_decode(struct smb2_call *c, struct bytes utf16, char **ret_path,
                             char **ret_stream)
{
        if (utf16.n > 2 * LIMIT_PATH_UTF16)
                return FS_TOO_LONG;
        size_t cap = utf16.n / 2 * 3 + 1;
        char *path = arena_alloc(c->arena, cap);
        if (!path)
                return FS_NO_MEMORY;
        if (!utf16_to_utf8(utf16, path, cap))
                return FS_BAD_NAME;
        if (*path == '\\') /* [MS-SMB2] 3.3.5.9: the name must not begin with a separator */
                return FS_INVALID;
        if (strchr(path, '/'))
                return FS_BAD_NAME;
        for (char *p = path; *p; p++)
                if (*p == '\\')
                        *p = '/';
        size_t n = strlen(path);
        if (n && path[n - 1] == '/') /* "dir\" is "dir" to every client */
                path[n - 1] = 0;
        *ret_path = path;
        return split_stream(path, ret_stream);
}
