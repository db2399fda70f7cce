/* libfrevo: a client for SMB 2 and 3 that keeps a slow line full.
 *
 * Conventions of the whole library
 * - A *context* is used by one thread at a time, and so is everything made with it. Several
 * contexts in several threads know nothing of each other.
 * - Each operation exists twice. frevo_x_start() sends it and returns; `done` is called exactly
 * once, later, from frevo_service() or from inside a synchronous call, never from inside the start.
 *   frevo_x() waits. Any number of operations may be in flight; they complete in any order.
 * - An error is 0 or an errno value. The server's own word is in frevo_result.ntstatus.
 * - Paths are UTF-8, parts separated by '/', relative to the share; "" is the share's root.
 * Characters that SMB forbids in names (a line break, < > : " | ? *, a final dot or space) travel
 * as the private code points that macOS and Linux use for them, and come back as themselves. A part
 * that holds '\\', or is "." or "..", is refused with EINVAL. A colon is no stream separator in a
 * path: streams are named in frevo_open_how.stream.
 * - Names that a server hands out were checked: never empty, "." or "..", without '/', '\\', NUL.
 * - Strings and memory given to a start function are copied or no longer needed when it returns,
 *   except data to be written, which must stay until done. What a result points to is valid during
 *   `done` only, except objects, which come with a reference for the callee.
 * - Times are nanoseconds since 1970-01-01 UTC, with a grain of 100; FREVO_TIME_KEEP leaves one
 * alone.
 * - "Costs" counts round trips when the connection stands and credits are there.
 */
#ifndef FREVO_FREVO_H
#define FREVO_FREVO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FREVO_API __attribute__((visibility("default")))
#define FREVO_TIME_KEEP INT64_MIN

struct frevo_ctx;
struct frevo_share; /* a share of a server, connected or about to be connected again */
struct frevo_file;  /* an open file or directory */
struct frevo_op;    /* an operation in flight; gone when done was called */
struct frevo_data;  /* bytes of a reply, kept */

/* ---- context ----------------------------------------------------------------------------------
 */

/* NULL with errno set. */
FREVO_API struct frevo_ctx *frevo_new(void);
/* Everything made with it must have been released. Operations in flight end with ECANCELED. */
FREVO_API void frevo_free(struct frevo_ctx *c);

/* For a poll loop of the caller's: wait until frevo_fd() is readable or frevo_timeout_ms() is over
 * (-1 = no end), then call frevo_service(), which never blocks. */
FREVO_API int frevo_fd(const struct frevo_ctx *c);
FREVO_API int frevo_timeout_ms(struct frevo_ctx *c);
FREVO_API void frevo_service(struct frevo_ctx *c);
/* Without one: waits at most timeout_ms (-1 = no end) for something to happen, and does it. */
FREVO_API void frevo_wait(struct frevo_ctx *c, int timeout_ms);
/* Any thread, signal handlers too: ends a frevo_wait(). */
FREVO_API void frevo_wake(struct frevo_ctx *c);

struct frevo_counts {
        uint64_t round_trips; /* frames sent that asked for an answer */
        uint64_t requests;    /* SMB2 requests in them */
        uint64_t bytes_out, bytes_in;
        uint64_t waits;    /* frames that had to wait for credits */
        uint64_t connects; /* connections made, the first ones included */
};
FREVO_API struct frevo_counts frevo_count(const struct frevo_ctx *c);

/* ---- results ----------------------------------------------------------------------------------
 */

enum frevo_type { FREVO_FILE, FREVO_DIRECTORY, FREVO_SYMLINK, FREVO_OTHER };

struct frevo_stat {
        enum frevo_type type;
        uint32_t attributes; /* Windows': FILE_ATTRIBUTE_* of [MS-FSCC] 2.6 */
        uint64_t size, allocated;
        uint64_t id;    /* the file's number in its volume; 0 where the server did not say */
        uint32_t links; /* 0 where it was not asked for */
        int64_t create_ns, access_ns, write_ns, change_ns;
};

struct frevo_entry {
        const char *name;
        struct frevo_stat stat; /* links is 0 */
};

/* Rights to cache ([MS-SMB2] 2.2.13.2.8). */
enum frevo_lease { FREVO_LEASE_READ = 1, FREVO_LEASE_HANDLE = 2, FREVO_LEASE_WRITE = 4 };

struct frevo_result {
        int err;           /* 0 or an errno; then only ntstatus and what a function names are set */
        uint32_t ntstatus; /* the server's; 0xffffffff when no server said anything */
        struct frevo_share *share;
        struct frevo_file *file;
        struct frevo_stat stat;
        bool created; /* open, put: the file was not there before */
        const void *data;
        size_t n; /* bytes of data; bytes written */
        const struct frevo_entry *entries;
        size_t n_entries;
};
typedef void (*frevo_done)(void *arg, const struct frevo_result *r);

/* In `done`, of a result with data: keeps the bytes in place until frevo_data_free(), which any
 * thread may call. NULL without memory. */
FREVO_API struct frevo_data *frevo_data_keep(const struct frevo_result *r);
FREVO_API void frevo_data_free(struct frevo_data *d);

/* Asks for an early end; done comes in any case, with ECANCELED or with what had happened by then.
 */
FREVO_API void frevo_cancel(struct frevo_op *op);

/* What an error means to a person, and what to do: "no such file or folder (STATUS_...)". Static.
 */
FREVO_API const char *frevo_error_text(int err, uint32_t ntstatus);
FREVO_API const char *frevo_status_name(uint32_t ntstatus); /* "STATUS_..." or "" */

/* ---- connecting -------------------------------------------------------------------------------
 */

enum frevo_auth {
        FREVO_AUTH_ANY, /* a Kerberos ticket if there is one for the server, else NTLM */
        FREVO_AUTH_NTLM,
        FREVO_AUTH_KERBEROS,
        FREVO_AUTH_ANONYMOUS,
};

/* Zeroed: defaults. Signing is always demanded, except of anonymous sessions, which have no key. */
struct frevo_options {
        enum frevo_auth auth;
        const char *user, *domain; /* override the URL's */
        const char *password;      /* NTLM; wiped from the library's memory with the share */
        uint16_t min_dialect, max_dialect; /* 0x0202 ... 0x0311; 0 = all */
        bool encrypt;                      /* refuse servers that cannot */
        unsigned channels;     /* most connections to one server; 0 = as many as seem to pay */
        unsigned timeout_ms;   /* a server that says nothing for this long is gone; 0 = 60 s */
        unsigned reconnect_ms; /* how long operations wait for a lost server; 0 = not at all */
};

/* smb://[[domain;]user[:password]@]host[:port][/share[/path]]; %XX is decoded; [::1] for IPv6. */
struct frevo_url {
        char *domain, *user, *password, *host, *share,
                *path; /* NULL where absent; path "" at least */
        uint16_t port; /* 445 by default */
};
/* 0, EINVAL (*ret_why, static text, says what is wrong) or ENOMEM. */
FREVO_API int frevo_url_parse(const char *text, struct frevo_url *out, const char **ret_why);
FREVO_API void frevo_url_free(struct frevo_url *u);

/* Connects to url's server and share. Result: share. Costs 4 and the name's resolution, or 1 when
 * the context has a connection to that server as that user already. */
FREVO_API struct frevo_op *frevo_connect_start(struct frevo_ctx *c, const struct frevo_url *url,
                                               const struct frevo_options *how, frevo_done done,
                                               void *arg);
FREVO_API int frevo_connect(struct frevo_ctx *c, const struct frevo_url *url,
                            const struct frevo_options *how, struct frevo_share **ret_share);
/* Drops the caller's reference; the last one disconnects, after what is in flight. NULL is allowed.
 */
FREVO_API void frevo_share_release(struct frevo_share *s);

struct frevo_share_info {
        uint16_t dialect; /* 0x0311 */
        bool encrypted, is_signed, guest;
        uint32_t max_read, max_write, max_list; /* bytes that one request can carry */
        unsigned channels;
        unsigned rtt_us; /* the shortest seen; 0 = not known yet */
        bool leases, directory_leases;
};
FREVO_API struct frevo_share_info frevo_share_info(const struct frevo_share *s);

struct frevo_share_entry {
        const char *name, *comment;
        uint32_t type; /* 0 disk, 1 printer, 3 pipe; | 0x80000000 hidden */
};
/* Shares of a server (a connection to IPC$ is made for it). *ret is one block, to be free()d. */
FREVO_API int frevo_list_shares(struct frevo_ctx *c, const struct frevo_url *url,
                                const struct frevo_options *how, struct frevo_share_entry **ret,
                                size_t *ret_n);

/* ---- whole files and folders, by path ---------------------------------------------------------
 */

/* Costs 1. Result: stat. A symbolic link itself, not what it points to. */
FREVO_API struct frevo_op *frevo_stat_start(struct frevo_share *s, const char *path,
                                            frevo_done done, void *arg);
FREVO_API int frevo_stat(struct frevo_share *s, const char *path, struct frevo_stat *ret);

/* The first `max` bytes of a file: open, read and close in one round trip. Result: data, n, stat
 * (stat.size > n: there is more). max at most frevo_share_info.max_read. */
FREVO_API struct frevo_op *frevo_get_start(struct frevo_share *s, const char *path, uint32_t max,
                                           frevo_done done, void *arg);
/* *ret is to be free()d; files beyond max give EFBIG. */
FREVO_API int frevo_get(struct frevo_share *s, const char *path, size_t max, void **ret,
                        size_t *ret_n);

struct frevo_put_how {
        bool exclusive;                         /* EEXIST if the file is there */
        bool durable;                           /* flushed to disk before the answer */
        uint32_t attributes;                    /* 0 = the server's default */
        int64_t create_ns, access_ns, write_ns; /* FREVO_TIME_KEEP = now */
};
/* Creates or replaces a file with n bytes (at most max_write): open, write, set times, close in one
 * round trip. data stays the caller's until done. how may be NULL: then times are left alone. */
FREVO_API struct frevo_op *frevo_put_start(struct frevo_share *s, const char *path,
                                           const void *data, size_t n,
                                           const struct frevo_put_how *how, frevo_done done,
                                           void *arg);
FREVO_API int frevo_put(struct frevo_share *s, const char *path, const void *data, size_t n,
                        const struct frevo_put_how *how);

/* A folder's entries that match `pattern` (NULL = all; * and ? as in Windows). Pages: done is
 * called with entries until one call has n_entries == 0 (the end, err tells how it ended). One
 * round trip for the first thousand entries or so, and one for each further. "." and ".." are left
 * out. */
FREVO_API struct frevo_op *frevo_list_start(struct frevo_share *s, const char *path,
                                            const char *pattern, frevo_done done, void *arg);
/* All of them: *ret is one block, to be free()d. */
FREVO_API int frevo_list(struct frevo_share *s, const char *path, const char *pattern,
                         struct frevo_entry **ret, size_t *ret_n);

/* Each costs 1. */
FREVO_API struct frevo_op *frevo_mkdir_start(struct frevo_share *s, const char *path,
                                             frevo_done done, void *arg); /* result: stat; EEXIST */
FREVO_API int frevo_mkdir(struct frevo_share *s, const char *path);
/* A file or an empty folder. "" is refused with EINVAL. */
FREVO_API struct frevo_op *frevo_remove_start(struct frevo_share *s, const char *path,
                                              bool directory, frevo_done done, void *arg);
FREVO_API int frevo_remove(struct frevo_share *s, const char *path, bool directory);
FREVO_API struct frevo_op *frevo_rename_start(struct frevo_share *s, const char *from,
                                              const char *to, bool replace, frevo_done done,
                                              void *arg);
FREVO_API int frevo_rename(struct frevo_share *s, const char *from, const char *to, bool replace);
/* A hard link `to` for the file `from`. */
FREVO_API struct frevo_op *frevo_link_start(struct frevo_share *s, const char *from, const char *to,
                                            bool replace, frevo_done done, void *arg);
FREVO_API int frevo_link(struct frevo_share *s, const char *from, const char *to, bool replace);

struct frevo_change { /* FREVO_TIME_KEEP, attributes 0, has_size false: left alone */
        int64_t create_ns, access_ns, write_ns, change_ns;
        uint32_t attributes;
        bool has_size;
        uint64_t size;
};
FREVO_API struct frevo_op *frevo_change_start(struct frevo_share *s, const char *path,
                                              const struct frevo_change *ch, frevo_done done,
                                              void *arg);
FREVO_API int frevo_change(struct frevo_share *s, const char *path, const struct frevo_change *ch);

struct frevo_space {
        uint64_t total_bytes, free_bytes, available_bytes; /* available: to this user */
        uint32_t block_bytes;
        uint32_t name_max; /* UTF-16 units */
        uint32_t fs_attributes;
};
FREVO_API struct frevo_op *frevo_space_start(struct frevo_share *s, frevo_done done, void *arg);
/* Result of the above: data points to a struct frevo_space. */
FREVO_API int frevo_space(struct frevo_share *s, struct frevo_space *ret);

/* A Windows security descriptor, self-relative ([MS-DTYP] 2.4.6). what: 1 owner, 2 group, 4 DACL,
 * 8 SACL. Query's result: data. */
FREVO_API struct frevo_op *frevo_get_acl_start(struct frevo_share *s, const char *path,
                                               uint32_t what, frevo_done done, void *arg);
FREVO_API struct frevo_op *frevo_set_acl_start(struct frevo_share *s, const char *path,
                                               uint32_t what, const void *sd, size_t n,
                                               frevo_done done, void *arg);
FREVO_API int frevo_get_acl(struct frevo_share *s, const char *path, uint32_t what, void **ret,
                            size_t *ret_n);
FREVO_API int frevo_set_acl(struct frevo_share *s, const char *path, uint32_t what, const void *sd,
                            size_t n);

/* Where a symbolic link points to, as data (UTF-8, with a NUL behind it that n does not count). */
FREVO_API struct frevo_op *frevo_readlink_start(struct frevo_share *s, const char *path,
                                                frevo_done done, void *arg);

/* ---- open files -------------------------------------------------------------------------------
 */

enum frevo_access { /* the common ones; any mask of [MS-SMB2] 2.2.13.1 is allowed */
                    FREVO_READ = 0x00120089,
                    FREVO_WRITE = 0x00120116,
                    FREVO_DELETE = 0x00010000,
                    FREVO_STAT = 0x00100080,
};
enum frevo_disposition { /* [MS-SMB2] 2.2.13 */
                         FREVO_OPEN_EXISTING = 1,
                         FREVO_CREATE_NEW = 2,
                         FREVO_OPEN_OR_CREATE = 3,
                         FREVO_TRUNCATE_EXISTING = 4,
                         FREVO_CREATE_OR_TRUNCATE = 5,
};
struct frevo_open_how {
        uint32_t access;                    /* 0 = FREVO_READ */
        enum frevo_disposition disposition; /* 0 = FREVO_OPEN_EXISTING */
        uint32_t deny;                      /* to others: 1 read, 2 write, 4 delete; 0 = nothing */
        uint32_t options;                   /* FILE_* create options; 1 = directory, 0x40 = file */
        uint32_t attributes;
        const char *stream;       /* NULL = the file's data */
        bool durable;             /* ask for an open that outlives a lost connection */
        unsigned lease;           /* enum frevo_lease bits wanted; 0 = none */
        const uint8_t *lease_key; /* 16 bytes: one a file; NULL = made for this open */
        /* The server takes back rights: `now` is what is left. The library has acknowledged when
         * this returns 0; return 1 to do so later by frevo_lease_ack(), after writing back. */
        int (*lease_broken)(void *arg, struct frevo_file *f, unsigned now);
        void *lease_arg;
};
/* Costs 1. Result: file, stat, created. */
FREVO_API struct frevo_op *frevo_open_start(struct frevo_share *s, const char *path,
                                            const struct frevo_open_how *how, frevo_done done,
                                            void *arg);
FREVO_API int frevo_open(struct frevo_share *s, const char *path, const struct frevo_open_how *how,
                         struct frevo_file **ret);
/* Consumes the caller's reference, also on error. Result: stat (if the server gave it). */
FREVO_API struct frevo_op *frevo_close_start(struct frevo_file *f, frevo_done done, void *arg);
FREVO_API int frevo_close(struct frevo_file *f);
/* What the file holds in caching rights now. */
FREVO_API unsigned frevo_lease_held(const struct frevo_file *f);
FREVO_API void frevo_lease_ack(struct frevo_file *f);

/* Any n: longer ones than max_read are split and go out together. Result: data, n; n shorter than
 * asked for only at the end of the file (0 behind it). Of a split read data is one copy. */
FREVO_API struct frevo_op *frevo_read_start(struct frevo_file *f, uint64_t off, uint32_t n,
                                            frevo_done done, void *arg);
FREVO_API int frevo_read(struct frevo_file *f, uint64_t off, void *buf, size_t n, size_t *ret_n);
/* All or an error. data stays the caller's until done, and is never changed. Result: n. */
FREVO_API struct frevo_op *frevo_write_start(struct frevo_file *f, uint64_t off, const void *data,
                                             uint32_t n, frevo_done done, void *arg);
FREVO_API int frevo_write(struct frevo_file *f, uint64_t off, const void *data, size_t n);
FREVO_API struct frevo_op *frevo_flush_start(struct frevo_file *f, frevo_done done, void *arg);
FREVO_API int frevo_flush(struct frevo_file *f);
FREVO_API struct frevo_op *frevo_fstat_start(struct frevo_file *f, frevo_done done, void *arg);
FREVO_API struct frevo_op *frevo_fchange_start(struct frevo_file *f, const struct frevo_change *ch,
                                               frevo_done done, void *arg);
FREVO_API struct frevo_op *frevo_frename_start(struct frevo_file *f, const char *to, bool replace,
                                               frevo_done done, void *arg);
/* The file goes when the last open of it is closed (or does not: on = false). */
FREVO_API struct frevo_op *frevo_fremove_start(struct frevo_file *f, bool on, frevo_done done,
                                               void *arg);

enum frevo_lock { FREVO_LOCK_SHARED = 1, FREVO_LOCK_EXCLUSIVE = 2, FREVO_UNLOCK = 4 };
/* wait = false: EAGAIN when somebody else has a lock in the way. Cancel ends the wait. */
FREVO_API struct frevo_op *frevo_lock_start(struct frevo_file *f, uint64_t off, uint64_t n,
                                            enum frevo_lock how, bool wait, frevo_done done,
                                            void *arg);

/* Copies [from_off, +n) of `from` to `to` inside the server (both of one share's session). Result:
 * n. ENOTSUP where the server cannot. */
FREVO_API struct frevo_op *frevo_copy_range_start(struct frevo_file *from, uint64_t from_off,
                                                  struct frevo_file *to, uint64_t to_off,
                                                  uint64_t n, frevo_done done, void *arg);
struct frevo_range {
        uint64_t off, n;
};
/* The parts of [off, +n) that hold data. Result: data points to an array of struct frevo_range, n
 * is its number of BYTES. */
FREVO_API struct frevo_op *frevo_ranges_start(struct frevo_file *f, uint64_t off, uint64_t n,
                                              frevo_done done, void *arg);
/* Marks a file sparse (on), or makes [off, +n) a hole. */
FREVO_API struct frevo_op *frevo_sparse_start(struct frevo_file *f, bool on, frevo_done done,
                                              void *arg);
FREVO_API struct frevo_op *frevo_zero_start(struct frevo_file *f, uint64_t off, uint64_t n,
                                            frevo_done done, void *arg);

/* Alternate streams. Result: entries (name "" is the file's data itself; stat.size,
 * stat.allocated). */
FREVO_API struct frevo_op *frevo_streams_start(struct frevo_file *f, frevo_done done, void *arg);
/* Extended attributes. Result: entries (names; stat.size) or data. n = 0 of a set removes. */
FREVO_API struct frevo_op *frevo_list_eas_start(struct frevo_file *f, frevo_done done, void *arg);
FREVO_API struct frevo_op *frevo_get_ea_start(struct frevo_file *f, const char *name,
                                              frevo_done done, void *arg);
FREVO_API struct frevo_op *frevo_set_ea_start(struct frevo_file *f, const char *name,
                                              const void *data, size_t n, frevo_done done,
                                              void *arg);

enum frevo_event_kind {
        FREVO_ADDED = 1,
        FREVO_REMOVED = 2,
        FREVO_MODIFIED = 3,
        FREVO_RENAMED_OLD = 4,
        FREVO_RENAMED_NEW = 5,
        FREVO_OVERFLOW = 100, /* news were lost: list again */
};
struct frevo_event {
        enum frevo_event_kind kind;
        const char *name; /* relative to the folder; parts separated by '/' */
};
/* News of an open folder. Called with data = an array of struct frevo_event, n = its number of
 * BYTES, again and again until cancelled or failed (n == 0: the end). filter 0 = everything. */
FREVO_API struct frevo_op *frevo_watch_start(struct frevo_file *dir, bool recursive,
                                             uint32_t filter, frevo_done done, void *arg);

#ifdef __cplusplus
}
#endif
#endif
