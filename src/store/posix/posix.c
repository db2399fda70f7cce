/* See posix.h. The volume itself: its table of operations, its locks, who acts, and its space. */
#include "store/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "base/limits.h"
#include "store/posix/dosattrib.h"
#include "store/posix/identity.h"
#include "store/posix/posix_err.h"
#include "store/posix/stream.h"

enum fs_err posix_become(const struct posix_store *s, const struct store_cred *cred)
{
        return s->conf.unprivileged ? FS_OK : identity_become(cred);
}

bool posix_retry_as_server(const struct posix_store *s, int err)
{
        bool denied = err == EACCES || err == EPERM;
        return denied && !s->conf.unprivileged && identity_become(NULL) == FS_OK;
}

static pthread_mutex_t *lock_of(pthread_mutex_t lock[POSIX_LOCKS], uint64_t dev, uint64_t ino)
{
        uint64_t h = (ino ^ dev) * 0x9E3779B97F4A7C15u;
        return &lock[(h >> 32) % POSIX_LOCKS];
}

pthread_mutex_t *posix_name_lock(struct posix_store *s, uint64_t dev, uint64_t ino)
{
        return lock_of(s->name_lock, dev, ino);
}

pthread_mutex_t *posix_attr_lock(struct posix_store *s, uint64_t dev, uint64_t ino)
{
        return lock_of(s->attr_lock, dev, ino);
}

static void posix_free(struct store *st)
{
        struct posix_store *s = posix_store_of(st);
        if (!st)
                return;
        name_index_free(s->index);
        for (size_t i = 0; i < POSIX_LOCKS; i++) {
                (void)pthread_mutex_destroy(&s->name_lock[i]);
                (void)pthread_mutex_destroy(&s->attr_lock[i]);
        }
        (void)close(s->root);
        free(s);
}

static enum fs_err posix_space(struct store *st, struct store_space *ret)
{
        struct posix_store *s = posix_store_of(st);
        struct statvfs v;
        if (fstatvfs(s->root, &v) != 0)
                return posix_err(errno);
        uint64_t unit = v.f_frsize;
        *ret = (struct store_space){
                .total_bytes = v.f_blocks * unit,
                .free_bytes = v.f_bfree * unit,
                .avail_bytes = v.f_bavail * unit,
                .block_bytes = (uint32_t)unit,
                .serial = v.f_fsid,
                .name_max = (uint32_t)v.f_namemax,
                .read_only = s->conf.read_only || (v.f_flag & ST_RDONLY),
        };
        return FS_OK;
}

static const struct store_ops ops = {
        .name = "posix",
        .free = posix_free,
        .open = posix_open,
        .close = posix_close,
        .attr = posix_attr,
        .set_attr = posix_set_attr,
        .read = posix_read,
        .write = posix_write,
        .warm = posix_warm,
        .fd = posix_fd,
        .resize = posix_resize,
        .allocate = posix_allocate,
        .ranges = posix_ranges,
        .copy = posix_copy,
        .sync = posix_sync,
        .rename = posix_rename,
        .link = posix_link,
        .remove = posix_remove,
        .dir_open = posix_dir_open,
        .dir_next = posix_dir_next,
        .dir_attr = posix_dir_attr,
        .dir_close = posix_dir_close,
        .xattr_get = posix_xattr_get,
        .xattr_set = posix_xattr_set,
        .xattr_list = posix_xattr_list,
        .sd_get = posix_sd_get,
        .sd_set = posix_sd_set,
        .stream_list = posix_stream_list,
        .stream_rename = posix_stream_rename,
        .space = posix_space,
};

/* What this file system can keep, asked of the root; by its path, since O_PATH has no such calls.
 */
/* ext4's files end at 16 TiB less a block, where NTFS's end 64 KiB earlier: clients that know the
 * one are told so before they meet the other's EFBIG in the middle of a write. */
#define EXT4_MAX_FILE_BYTES 0xFFFFFFF0000u

static uint64_t ask_max_file_bytes(const struct posix_store *s)
{
        struct statfs st;
        if (fstatfs(s->root, &st) != 0 || st.f_type != EXT4_SUPER_MAGIC)
                return 0;
        return EXT4_MAX_FILE_BYTES;
}

static unsigned ask_caps(const struct posix_store *s)
{
        unsigned caps = STORE_CAP_SPARSE;
        char path[32];
        uint8_t blob[DOSATTRIB_MAX_BYTES];
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", s->root);
        if (getxattr(path, DOSATTRIB_NAME, blob, sizeof blob) >= 0 || errno != EOPNOTSUPP)
                caps |= STORE_CAP_XATTR | STORE_CAP_SD | STORE_CAP_STREAMS;
        return s->conf.case_sensitive ? caps | STORE_CAP_CASE_SENSITIVE : caps;
}

enum fs_err store_posix_new(const char *dir, const struct store_posix_config *c, struct store **ret)
{
        struct store_posix_config conf = c ? *c : (struct store_posix_config){0};
        if (!conf.unprivileged && !identity_can_switch())
                return FS_PRIVILEGE;
        struct posix_store *s = calloc(1, sizeof *s);
        if (!s)
                return FS_NO_MEMORY;
        s->conf = conf;
        s->root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (s->root < 0) {
                enum fs_err e = posix_err(errno);
                free(s);
                return e;
        }
        if (!conf.case_sensitive)
                s->index = name_index_new(!conf.unprivileged, LIMIT_DIR_INDEX_ENTRIES);
        if (!conf.case_sensitive && !s->index) {
                (void)close(s->root);
                free(s);
                return FS_NO_MEMORY;
        }
        for (size_t i = 0; i < POSIX_LOCKS; i++) {
                (void)pthread_mutex_init(&s->name_lock[i], NULL); /* cannot fail on Linux */
                (void)pthread_mutex_init(&s->attr_lock[i], NULL);
        }
        s->store = (struct store){
                .ops = &ops, .caps = ask_caps(s), .max_file_bytes = ask_max_file_bytes(s)};
        *ret = &s->store;
        return FS_OK;
}
