/* Extended attributes, [MS-FSA] 2.1.5.12.12 and 2.1.5.15.6. */
#include "base/limits.h"
#include "fs/open.h"

enum fs_err fs_list_ea(struct fs_open *o,
                       bool (*cb)(void *ctx, const char *name, struct bytes value), void *ctx)
{
        enum fs_err e = open_check(o, FS_READ_EA);
        if (e)
                return e;
        const struct store_ops *ops = store_file_ops(o->file);
        return ops->xattr_list ? ops->xattr_list(o->file, cb, ctx) : FS_UNSUPPORTED;
}

/* [MS-FSCC] 2.4.16: 1 to 255 ASCII characters, and none of these. */
static bool name_is_valid(const char *name)
{
        size_t n = strlen(name);
        if (n == 0 || n > 255)
                return false;
        for (; *name; name++) {
                if ((unsigned char)*name < 0x20 || (unsigned char)*name > 0x7E ||
                    strchr("\"*+,/:;<=>?[\\]|", *name))
                        return false;
        }
        return true;
}

enum fs_err fs_set_ea(struct fs_open *o, const struct fs_ea *eas, size_t n)
{
        enum fs_err e = open_check(o, FS_WRITE_EA);
        if (e)
                return e;
        const struct store_ops *ops = store_file_ops(o->file);
        if (!ops->xattr_set)
                return FS_UNSUPPORTED;
        for (size_t i = 0; i < n; i++) {
                if (!name_is_valid(eas[i].name))
                        return FS_BAD_NAME;
                if (eas[i].value.n > LIMIT_EA_BYTES)
                        return FS_TOO_BIG;
        }
        for (size_t i = 0; !e && i < n; i++) {
                e = ops->xattr_set(o->file, cred_of_store(o->cred), eas[i].name, eas[i].value);
                if (e == FS_NO_SUCH_ATTR && eas[i].value.n == 0)
                        e = FS_OK; /* removing what is not there */
        }
        if (!e && n)
                notify_changed(o, FS_CHANGE_EA);
        return e;
}
