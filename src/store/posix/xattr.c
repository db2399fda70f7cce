/* Clients' extended attributes, kept as user.NAME, and the kept security descriptor.
 *
 * The store's own attributes, and those of other programs that hold more than they say (streams,
 * Mac metadata), are neither shown nor touched by these calls: whoever could write them would forge
 * descriptors, and feed parsers. */
#include <errno.h>

#include "base/limits.h"
#include "base/utf16.h"
#include "store/posix/ntacl.h"
#include "store/posix/posix_err.h"
#include "store/posix/volume.h"
#include "store/posix/xattr_raw.h"

#define USER "user."
enum { USER_LEN = 5, FULL_NAME = 256, LIST_BYTES = 64 * 1024 };

/* Compared without case: clients' names are. */
static bool is_own(const char *name)
{
        static const char *const prefix[] = {"DOSATTRIB", "DosStream.",    "NTACL",
                                             "SAMBA_PAI", "org.netatalk.", "Frevo."};
        for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++)
                if (strncasecmp(name, prefix[i], strlen(prefix[i])) == 0)
                        return true;
        return false;
}

static bool full_name(const char *name, char out[FULL_NAME])
{
        int n = snprintf(out, FULL_NAME, USER "%s", name);
        return *name && n > 0 && n < FULL_NAME;
}

/* The names on disk, each ending in NUL, in *ret (malloc'd); bytes or -errno. */
static ssize_t list_names(const struct posix_file *f, char **ret)
{
        char *p = malloc(LIST_BYTES + 1);
        if (!p)
                return -ENOMEM;
        ssize_t n = xattr_raw_list(f, p, LIST_BYTES);
        if (n < 0) {
                free(p);
                return n;
        }
        p[n] = 0;
        *ret = p;
        return n;
}

/* The full name on disk that `name` means: another spelling if there is one, else its own. */
static enum fs_err find_name(const struct posix_file *f, const char *name, char out[FULL_NAME])
{
        AUTO_FREE char *names = NULL;
        if (!full_name(name, out))
                return FS_BAD_NAME;
        ssize_t n = list_names(f, &names);
        if (n < 0)
                return posix_err((int)-n);
        const char *other = NULL;
        for (const char *it = names; it < names + n; it += strlen(it) + 1) {
                if (strcmp(it, out) == 0)
                        return FS_OK;
                if (strncmp(it, USER, USER_LEN) == 0 && name_casecmp(it + USER_LEN, name) == 0)
                        other = it;
        }
        if (other)
                (void)full_name(other + USER_LEN, out); /* the kernel's names fit */
        return FS_OK;
}

enum fs_err posix_xattr_get(struct store_file *sf, const char *name, void *p, size_t n,
                            size_t *ret_n)
{
        struct posix_file *f = posix_file_of(sf);
        char full[FULL_NAME];
        uint8_t none[1];
        if (is_own(name))
                return FS_NO_SUCH_ATTR;
        enum fs_err e = find_name(f, name, full);
        if (e)
                return e;
        ssize_t r = xattr_raw_get(f, full, n ? p : none, n ? n : 1);
        if (r > 0 && n == 0)
                r = -ERANGE;
        if (r < 0)
                return posix_err((int)-r);
        *ret_n = (size_t)r;
        return FS_OK;
}

enum fs_err posix_xattr_set(struct store_file *sf, const struct store_cred *cred, const char *name,
                            struct bytes value)
{
        struct posix_file *f = posix_file_of(sf);
        char full[FULL_NAME];
        if (is_own(name))
                return FS_DENIED;
        if (value.n > LIMIT_XATTR_BYTES)
                return FS_TOO_BIG;
        enum fs_err e = posix_become(posix_file_store(f), cred);
        if (!e)
                e = find_name(f, name, full);
        if (e)
                return e;
        int r = xattr_raw_set(f, full, value);
        if (r == -E2BIG || r == -ERANGE)
                return FS_TOO_BIG;
        return r < 0 ? posix_err(-r) : FS_OK;
}

enum fs_err posix_xattr_list(struct store_file *sf,
                             bool (*cb)(void *ctx, const char *name, struct bytes value), void *ctx)
{
        struct posix_file *f = posix_file_of(sf);
        AUTO_FREE char *names = NULL;
        AUTO_FREE uint8_t *value = malloc(LIMIT_XATTR_BYTES);
        ssize_t n = value ? list_names(f, &names) : -ENOMEM;
        if (n < 0)
                return n == -EOPNOTSUPP ? FS_OK : posix_err((int)-n);
        for (const char *it = names; it < names + n; it += strlen(it) + 1) {
                if (strncmp(it, USER, USER_LEN) != 0 || is_own(it + USER_LEN) || !utf8_valid(it))
                        continue;
                ssize_t r = xattr_raw_get(f, it, value, LIMIT_XATTR_BYTES);
                if (r < 0) /* vanished, or too big for any client */
                        continue;
                if (!cb(ctx, it + USER_LEN, bytes_of(value, (size_t)r)))
                        break;
        }
        return FS_OK;
}

/* ---- security descriptors ------------------------------------------------------------------- */

/* Without privileges ours comes first, else what Samba kept counts: it can be read, not replaced.
 * With them, what a local user wrote under user.* is nothing to us. */
static ssize_t get_blob(const struct posix_file *f, uint8_t *p, size_t n)
{
        ssize_t r = -ENODATA;
        if (posix_file_store(f)->conf.unprivileged)
                r = xattr_raw_get(f, NTACL_NAME_UNPRIVILEGED, p, n);
        return r == -ENODATA ? xattr_raw_get(f, NTACL_NAME, p, n) : r;
}

static enum fs_err unwrap(struct bytes blob, void *scratch, struct bytes *ret_sd)
{
        struct writer w = wr_into(scratch, blob.n); /* the wrapping only adds */
        if (!ntacl_decode(blob, &w))
                return FS_CORRUPT;
        *ret_sd = wr_done(&w);
        return FS_OK;
}

static enum fs_err hand_out(struct bytes sd, void *p, size_t n, size_t *ret_n)
{
        if (sd.n > n)
                return FS_BUFFER_SMALL;
        memcpy(p, sd.p, sd.n);
        *ret_n = sd.n;
        return FS_OK;
}

static enum fs_err sd_get_long(const struct posix_file *f, void *p, size_t n, size_t *ret_n)
{
        size_t max = LIMIT_SD_BYTES + NTACL_OVERHEAD_BYTES;
        AUTO_FREE uint8_t *blob = malloc(max), *scratch = malloc(max);
        struct bytes sd;
        if (!blob || !scratch)
                return FS_NO_MEMORY;
        ssize_t r = get_blob(f, blob, max);
        if (r < 0)
                return posix_err((int)-r);
        enum fs_err e = unwrap(bytes_of(blob, (size_t)r), scratch, &sd);
        return e ? e : hand_out(sd, p, n, ret_n);
}

/* Asked at every open: what most files have, nothing or little, needs no memory. */
enum fs_err posix_sd_get(struct store_file *sf, void *p, size_t n, size_t *ret_n)
{
        struct posix_file *f = posix_file_of(sf);
        uint8_t blob[1024], scratch[1024];
        struct bytes sd;
        ssize_t r = get_blob(f, blob, sizeof blob);
        if (r == -EOPNOTSUPP)
                return FS_NO_SUCH_ATTR;
        if (r == -ERANGE)
                return sd_get_long(f, p, n, ret_n);
        if (r < 0)
                return posix_err((int)-r);
        enum fs_err e = unwrap(bytes_of(blob, (size_t)r), scratch, &sd);
        return e ? e : hand_out(sd, p, n, ret_n);
}

enum fs_err posix_sd_set(struct store_file *sf, struct bytes sd)
{
        struct posix_file *f = posix_file_of(sf);
        size_t max = LIMIT_SD_BYTES + NTACL_OVERHEAD_BYTES;
        AUTO_FREE uint8_t *blob = malloc(max);
        if (!blob)
                return FS_NO_MEMORY;
        struct writer w = wr_into(blob, max);
        if (sd.n > LIMIT_SD_BYTES || !ntacl_encode(&w, sd))
                return FS_INVALID;
        enum fs_err e = posix_become(posix_file_store(f), NULL);
        if (e)
                return e;
        bool own_name = posix_file_store(f)->conf.unprivileged;
        int r = xattr_raw_set(f, own_name ? NTACL_NAME_UNPRIVILEGED : NTACL_NAME, wr_done(&w));
        return r < 0 ? posix_err(-r) : FS_OK;
}
