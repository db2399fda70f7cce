/* What a volume of files must be able to do: the only thing the file service knows of disks.
 *
 * A backend (posix, mem, fault and trace around another) fills a struct store_ops. Every call is
 * synchronous and may be made from any thread, several at once, also on one file. `how` says
 * whether it may block: with STORE_NOWAIT a call that might wait for a disk returns FS_AGAIN,
 * without side effects, and is made again on a worker without the flag. (A store that answers over
 * a network blocks a worker, never a loop.)
 *
 * Names. A path is UTF-8 (see base/utf16.h for lone surrogates), '/' between components, no leading
 * or trailing '/'; "" is the root. The caller has excluded "", "." and ".." as components, NUL, and
 * names that are too long. Look-up is without regard to case unless STORE_EXACT is given: an exact
 * match wins; a new name is refused (FS_EXISTS) when another spelling exists. No name and no
 * symbolic link leads out of the volume's root; links inside it are followed unless STORE_NOFOLLOW.
 *
 * Who acts. `cred` NULL means the server itself (for its own metadata, after the file service has
 * checked access). Otherwise the call has that user's rights on the file system as well.
 *
 * Errors are enum fs_err; outputs (ret_*) are set on FS_OK only. No call logs above debug.
 */
#ifndef FREVO_STORE_STORE_H
#define FREVO_STORE_STORE_H

#include <sys/types.h>

#include "base/bytes.h"
#include "base/fs_err.h"

enum store_how {
        STORE_NOWAIT = 1u << 0,
};

/* Who acts on the file system. Immutable once made; shared by reference by its owner. */
struct store_cred {
        uid_t uid;
        gid_t gid;
        const gid_t *groups; /* borrowed for the cred's life */
        size_t ngroups;
};

enum store_kind { STORE_FILE, STORE_DIR, STORE_SYMLINK, STORE_OTHER };

/* DOS attributes that a store keeps; bit values as every Windows client knows them. */
enum store_dos {
        STORE_DOS_READONLY = 0x1,
        STORE_DOS_HIDDEN = 0x2,
        STORE_DOS_SYSTEM = 0x4,
        STORE_DOS_ARCHIVE = 0x20,
        STORE_DOS_TEMPORARY = 0x100,
        STORE_DOS_SPARSE = 0x200,
        STORE_DOS_COMPRESSED = 0x800,
        STORE_DOS_OFFLINE = 0x1000,
        STORE_DOS_NOT_INDEXED = 0x2000,
        STORE_DOS_KEPT = 0x3B27,
};

struct store_attr {
        uint64_t dev, ino; /* identity while any handle is open */
        enum store_kind kind;
        uint32_t mode; /* permission bits only */
        uid_t uid;
        gid_t gid;
        uint32_t nlink;
        uint64_t size, alloc_bytes;
        int64_t btime_ft, atime_ft, mtime_ft, ctime_ft; /* FILETIME */
        uint32_t dos;                                   /* enum store_dos; 0 when never set */
        /* Of a named stream's handle, told apart while any handle of it is open, whatever it is
         * called by then; 0: the unnamed one. kind is then STORE_FILE, size and alloc_bytes are the
         * stream's, all else is the file's. */
        uint64_t stream_id;
};

/* Which members set_attr takes. */
enum store_set {
        STORE_SET_BTIME = 1u << 0,
        STORE_SET_ATIME = 1u << 1,
        STORE_SET_MTIME = 1u << 2,
        STORE_SET_DOS = 1u << 3,
        STORE_SET_MODE = 1u << 4,
        STORE_SET_OWNER = 1u << 5, /* uid; (uid_t)-1 leaves it */
        STORE_SET_GROUP = 1u << 6,
};

enum store_open_flags {
        STORE_READ = 1u << 0, /* neither READ nor WRITE: a handle for attributes and names only */
        STORE_WRITE = 1u << 1,
        STORE_CREATE = 1u << 2,    /* make it when missing */
        STORE_EXCL = 1u << 3,      /* with CREATE: FS_EXISTS when it is there */
        STORE_MUST_DIR = 1u << 4,  /* FS_NOT_DIR; with CREATE: makes a directory */
        STORE_MUST_FILE = 1u << 5, /* FS_IS_DIR */
        STORE_NOFOLLOW = 1u << 6,  /* a link as last component is opened itself, for attributes */
        STORE_EXACT = 1u << 7,
};

struct store_open {
        const char *path;
        unsigned flags;
        uint32_t mode;   /* for a new file or directory */
        struct bytes sd; /* for a new one: security descriptor to keep, or empty */
        uint32_t dos;    /* for a new one: enum store_dos */
        /* NULL: the file or directory itself. Else a named stream of it (UTF-8, without type):
         * CREATE and EXCL speak of the stream; a missing file is made for it, as above. Without
         * STORE_CAP_STREAMS: FS_UNSUPPORTED. */
        const char *stream;
};

struct store_file; /* an open handle; the backend's */
struct store_dir;  /* one pass over a directory; the backend's */

struct store_opened {
        struct store_file *file; /* owned by the caller: store_close */
        struct store_attr attr;
        bool created;
        char *real_path;   /* as spelled on disk; malloc'd, the caller frees */
        char *real_stream; /* the same of a named stream; NULL where none was asked for */
};

struct store_range {
        uint64_t off, len;
};

enum store_alloc { STORE_ALLOC_RESERVE, STORE_ALLOC_PUNCH, STORE_ALLOC_ZERO };

struct store_space {
        uint64_t total_bytes, free_bytes, avail_bytes; /* avail: for an ordinary user */
        uint32_t block_bytes;
        uint64_t serial;   /* stable per volume */
        uint32_t name_max; /* bytes */
        bool read_only;
};

enum store_caps {
        STORE_CAP_SPARSE = 1u << 0, /* punch and ranges are real */
        STORE_CAP_XATTR = 1u << 1,
        STORE_CAP_SD = 1u << 2, /* security descriptors can be kept */
        STORE_CAP_REFLINK = 1u << 3,
        STORE_CAP_CASE_SENSITIVE = 1u << 4, /* names that differ in case can both exist locally */
        STORE_CAP_STREAMS = 1u << 5,        /* files and directories have named streams */
};

struct store_ops;

/* A mounted volume. Embedded as the first member of the backend's own struct. */
struct store {
        const struct store_ops *ops;
        unsigned caps;
        uint64_t max_file_bytes; /* no file can be longer; 0 = as long as an offset can say */
};

struct store_entry {
        const char *name; /* UTF-8, valid until the next dir_next; never "." or ".." */
        uint64_t ino;
};

struct store_ops {
        const char *name;
        void (*free)(struct store *s);
        enum fs_err (*open)(struct store *s, const struct store_cred *cred,
                            const struct store_open *q, unsigned how, struct store_opened *ret);
        void (*close)(struct store_file *f);
        enum fs_err (*attr)(struct store_file *f, struct store_attr *ret);
        enum fs_err (*set_attr)(struct store_file *f, const struct store_cred *cred, unsigned what,
                                const struct store_attr *a);
        /* Reads until n bytes or the end of the file; *ret_n < n only at the end. */
        enum fs_err (*read)(struct store_file *f, void *p, size_t n, uint64_t off, unsigned how,
                            size_t *ret_n);
        /* Writes all n bytes or fails. (FS_AGAIN only when nothing was written.) */
        enum fs_err (*write)(struct store_file *f, const void *p, size_t n, uint64_t off,
                             unsigned how);
        /* FS_OK when [off, off+n) can be read without waiting for a disk; else FS_AGAIN, or brings
         * it in when `how` allows to block. NULL: reads never wait. */
        enum fs_err (*warm)(struct store_file *f, uint64_t off, size_t n, unsigned how);
        /* A descriptor that sendfile can read the file's data from, valid until close; -1: none.
         * NULL: never any. */
        int (*fd)(struct store_file *f);
        enum fs_err (*resize)(struct store_file *f, uint64_t size);
        enum fs_err (*allocate)(struct store_file *f, uint64_t off, uint64_t len,
                                enum store_alloc kind);
        /* Data ranges of [off, off+len), ascending, at most cap; FS_BUFFER_SMALL when there are
         * more (the first cap are set then, too). */
        enum fs_err (*ranges)(struct store_file *f, uint64_t off, uint64_t len,
                              struct store_range *r, size_t cap, size_t *ret_n);
        /* Copies within or between files of one store, as far as the source reaches; overlapping
         * ranges of one file give memmove's result. FS_UNSUPPORTED: read and write instead. */
        enum fs_err (*copy)(struct store_file *from, uint64_t off, struct store_file *to,
                            uint64_t to_off, uint64_t len, uint64_t *ret_n);
        /* Data and what is needed to find it are on disk when this returns. */
        enum fs_err (*sync)(struct store_file *f);

        /* Names. `path` is the real path of an open file `f`; FS_STALE when path no longer names
         * it. New names keep the letter case given. `replace` allows an existing target (a file,
         * or, for a directory, never). *ret_path as in store_opened. A named stream's handle:
         * remove takes the stream alone away, whatever the path; rename and link are FS_INVALID. */
        enum fs_err (*rename)(struct store *s, const struct store_cred *cred, struct store_file *f,
                              const char *path, const char *to, bool replace, char **ret_path);
        enum fs_err (*link)(struct store *s, const struct store_cred *cred, struct store_file *f,
                            const char *path, const char *to, bool replace);
        enum fs_err (*remove)(struct store *s, const struct store_cred *cred, struct store_file *f,
                              const char *path);

        /* One pass over directory f, which stays open at least as long. dir_next gives names,
         * FS_NO_MORE at the end; dir_attr the attributes of the name dir_next gave last
         * (FS_NOT_FOUND if it vanished). Not thread-safe per pass. */
        enum fs_err (*dir_open)(struct store_file *f, struct store_dir **ret);
        enum fs_err (*dir_next)(struct store_dir *d, struct store_entry *ret);
        enum fs_err (*dir_attr)(struct store_dir *d, struct store_attr *ret);
        void (*dir_close)(struct store_dir *d);

        /* Extended attributes as clients see them (the store hides its own). get: value into p[n],
         * whole or FS_BUFFER_SMALL; names compare without case. set: an empty value removes.
         * list calls back with each name and value until cb returns false. NULL: no such thing. */
        enum fs_err (*xattr_get)(struct store_file *f, const char *name, void *p, size_t n,
                                 size_t *ret_n);
        enum fs_err (*xattr_set)(struct store_file *f, const struct store_cred *cred,
                                 const char *name, struct bytes value);
        enum fs_err (*xattr_list)(struct store_file *f,
                                  bool (*cb)(void *ctx, const char *name, struct bytes value),
                                  void *ctx);
        /* The kept security descriptor, self-relative. FS_NO_SUCH_ATTR when none was ever kept.
         * NULL: the store keeps none. */
        enum fs_err (*sd_get)(struct store_file *f, void *p, size_t n, size_t *ret_n);
        enum fs_err (*sd_set)(struct store_file *f, struct bytes sd);

        /* Named streams of the file that f is open on, by any stream's handle; until cb returns
         * false. stream_rename: of f itself, by any handle of it from then on; `replace` takes
         * another stream of that name away. NULL: there are none. */
        enum fs_err (*stream_list)(struct store_file *f,
                                   bool (*cb)(void *ctx, const char *name, uint64_t size,
                                              uint64_t alloc_bytes),
                                   void *ctx);
        enum fs_err (*stream_rename)(struct store_file *f, const char *to, bool replace);

        enum fs_err (*space)(struct store *s, struct store_space *ret);
};

/* Thin callers: store_open(s, ...) is s->ops->open(s, ...); file calls find their ops in the
 * handle, whose first member is its store. */
struct store_file_head {
        struct store *store;
};

static inline const struct store_ops *store_file_ops(struct store_file *f)
{
        return ((struct store_file_head *)(void *)f)->store->ops; /* NOLINT: first member */
}

#endif
