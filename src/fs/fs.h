/* The file service: what clients of any protocol do to shared files, and how they get along.
 *
 * Protocol-free: no wire type, status code, socket or connection. Front ends translate.
 *
 * How calls run. Every call may be made from any thread. `how` holds FS_NOWAIT when the caller is a
 * loop: then a call that might block returns FS_AGAIN without side effects, and is made again from
 * a worker without the flag. A call that must wait for another client (a lock, later the break of a
 * caching grant) puts the caller's struct fs_waiter in a queue and returns FS_PARKED, again without
 * side effects; when the waiter's `wake` runs, the call is made again from the start. src/fs/op.h
 * drives that, so that a front end writes one `run` and one `done` function an operation.
 *
 * Ownership: fs > volume > node > open. Opens are reference counted: an operation in flight holds
 * one. Nothing here points to a connection; an open belongs to a struct fs_client, which outlives
 * connections.
 *
 * Locks: the node table is sharded; each node has one mutex, held for list work only and never over
 * a store call. README.md states the invariants.
 */
#ifndef FREVO_FS_FS_H
#define FREVO_FS_FS_H

#include "base/bytes.h"
#include "base/fs_err.h"
#include "base/list.h"
#include "store/store.h"
#include "wire/security/descriptor.h" /* a format of disks as much as of wires */

enum fs_how {
        FS_NOWAIT = STORE_NOWAIT,
};

/* ---- who ------------------------------------------------------------------------------------ */

/* Whoever opens: one per signed-in client session's client. Breaks and events will be told through
 * ops; today it groups opens for lock ownership and accounting. Reference counted, thread-safe. */
struct fs_client;
struct fs_open;

struct fs_lease;

/* Rights to keep a file's data, and its handle, at the client: of one open (an oplock), or of all
 * opens of a client that name the same key (a lease; delegations are to be made of the same three).
 */
enum fs_grant {
        FS_GRANT_READ = 1u << 0,   /* reads may be answered from what was read */
        FS_GRANT_HANDLE = 1u << 1, /* the open may be kept after the application closed it */
        FS_GRANT_WRITE = 1u << 2,  /* writes may be held back: nobody else has it open */
};

/* What all opens with one key share; a key is one file's as long as any of them is open. */
struct fs_grant_key {
        uint8_t b[16];
};

/* A grant shrinks. */
struct fs_break {
        unsigned from, keep; /* enum fs_grant */
        bool ack;            /* somebody waits for fs_lease_ack(); without: it is lost already */
        uint16_t epoch;      /* of the lease, after this change */
};

struct fs_client_ops {
        /* The grant of `o` shrinks to `keep`. With WRITE or HANDLE lost somebody waits until
         * fs_grant_ack(); with READ alone lost it is lost already. Any thread, no lock held; must
         * not block or call back. ctx is what fs_client_new was given. */
        void (*grant_break)(void *ctx, struct fs_open *o, unsigned keep);
        /* The same of a lease. NULL: none are given. */
        void (*lease_break)(void *ctx, struct fs_lease *l, const struct fs_break *b);
};
/* ops NULL: nothing is ever granted. ctx outlives the client. */
struct fs_client *fs_client_new(const struct fs_client_ops *ops, void *ctx);
struct fs_client *fs_client_ref(struct fs_client *c);
void fs_client_unref(struct fs_client *c);
/* c holds no connection any more: breaks are not sent, they count as acknowledged. */
void fs_client_gone(struct fs_client *c);

enum fs_privilege {
        FS_PRIV_BACKUP = 1u << 0,
        FS_PRIV_RESTORE = 1u << 1,
        FS_PRIV_TAKE_OWNERSHIP = 1u << 2,
        FS_PRIV_SECURITY = 1u << 3,
        FS_PRIV_ADMIN = 1u << 4, /* member of BUILTIN\Administrators */
};

/* A signed-in user on one share: unix identity plus SIDs. Immutable, reference counted. */
struct fs_cred {
        struct store_cred unix_id; /* groups owned by the cred */
        bool as_server;            /* store calls run with the server's own rights */
        unsigned privileges;       /* enum fs_privilege */
        size_t nsids;              /* sids[0] is the user, sids[1] the primary group */
        struct sid *sids;          /* owned; incl. Everyone, Authenticated Users, groups */
        unsigned refs;             /* atomic */
};
/* Copies what it is given. NULL without memory. */
struct fs_cred *fs_cred_new(const struct fs_cred *like);
struct fs_cred *fs_cred_ref(struct fs_cred *c);
void fs_cred_unref(struct fs_cred *c);

/* SIDs of unix accounts, both ways: S-1-22-1-<uid>, S-1-22-2-<gid>. */
struct sid fs_sid_of_uid(uid_t uid);
struct sid fs_sid_of_gid(gid_t gid);
bool fs_uid_of_sid(const struct sid *s, uid_t *ret);
bool fs_gid_of_sid(const struct sid *s, gid_t *ret);

/* ---- volumes -------------------------------------------------------------------------------- */

struct fs;
struct fs *fs_new(void);
void fs_free(struct fs *f); /* all volumes gone */

/* Settings of one share that the file service itself acts on. */
struct fs_volume_config {
        const char *name;             /* copied; for labels and logs */
        bool read_only;               /* like a share permission: writing is FS_DENIED */
        bool hide_unreadable;         /* listings leave out what the user may not read */
        bool hide_dot_files;          /* dot files get the hidden attribute */
        const char *hide_files;       /* "/name/pattern/": get the hidden attribute; NULL = none */
        uint32_t file_mode, dir_mode; /* permission bits of new files and directories */
        /* Byte-range locks also held as local locks. Not there yet: fs_volume_config() reads back
         * false, and whoever asked tells its user. */
        bool posix_locks;
        bool no_notify; /* changes are not told: fs_notify() is FS_UNSUPPORTED */
        bool streams;   /* named streams; without: names with one are FS_BAD_NAME */
};

struct fs_volume;
/* Takes the store (frees it with the volume, and when this fails). NULL without memory. Volumes of
 * the same directory share nodes: identity is the file's, not the share's. */
struct fs_volume *fs_volume_new(struct fs *f, struct store *s, const struct fs_volume_config *c);
struct fs_volume *fs_volume_ref(struct fs_volume *v);
void fs_volume_unref(struct fs_volume *v);
const struct fs_volume_config *fs_volume_config(const struct fs_volume *v);
unsigned fs_volume_caps(const struct fs_volume *v); /* enum store_caps */
enum fs_err fs_volume_space(struct fs_volume *v, struct store_space *ret);
/* What cred may do at the volume's root at most (for TREE_CONNECT's MaximalAccess). FS_DENIED when
 * the root cannot even be opened. May block. */
enum fs_err fs_volume_access(struct fs_volume *v, struct fs_cred *cred, uint32_t *ret_access);

/* ---- waiting -------------------------------------------------------------------------------- */

/* Embedded in the caller's operation. wake() may run on any thread, at most once per parking, and
 * with no lock of fs held; the caller then makes the call again. */
struct fs_waiter {
        struct list link;
        _Atomic(void *) queue; /* the node waited on; NULL when not parked */
        uint64_t ticket;       /* place in the queue, kept when parked again; 0 in a fresh waiter */
        void (*wake)(struct fs_waiter *w);
};
/* True: w was parked and is not any more; wake() will not run. False: wake() ran or runs now. */
bool fs_waiter_cancel(struct fs_waiter *w);

/* ---- opening -------------------------------------------------------------------------------- */

/* What an opener asks for, and what it lets others do. Values are those of the access mask that
 * Windows and NFSv4 share. */
enum fs_access {
        FS_READ_DATA = 0x1,   /* list directory */
        FS_WRITE_DATA = 0x2,  /* add file */
        FS_APPEND_DATA = 0x4, /* add subdirectory */
        FS_READ_EA = 0x8,
        FS_WRITE_EA = 0x10,
        FS_EXECUTE = 0x20, /* traverse */
        FS_DELETE_CHILD = 0x40,
        FS_READ_ATTR = 0x80,
        FS_WRITE_ATTR = 0x100,
        FS_DELETE = 0x10000,
        FS_READ_SD = 0x20000,
        FS_WRITE_DACL = 0x40000,
        FS_WRITE_OWNER = 0x80000,
        FS_SYNCHRONIZE = 0x100000,
        FS_SYSTEM_SECURITY = 0x1000000,
        FS_MAXIMUM_ALLOWED = 0x2000000,
        FS_GENERIC_ALL = 0x10000000,
        FS_GENERIC_EXECUTE = 0x20000000,
        FS_GENERIC_WRITE = 0x40000000,
        FS_GENERIC_READ = 0x80000000,
        FS_ALL_ACCESS = 0x1F01FF,
};

enum fs_share { FS_SHARE_READ = 1, FS_SHARE_WRITE = 2, FS_SHARE_DELETE = 4 };

/* Values as in [MS-SMB2] 2.2.13 CreateDisposition (NFS maps onto them). */
enum fs_disposition { FS_SUPERSEDE, FS_OPEN, FS_CREATE, FS_OPEN_IF, FS_OVERWRITE, FS_OVERWRITE_IF };

enum fs_open_options {
        FS_OPT_DIR = 1u << 0,  /* must be a directory (or be made one) */
        FS_OPT_FILE = 1u << 1, /* must not be a directory */
        FS_OPT_DELETE_ON_CLOSE = 1u << 2,
        FS_OPT_BACKUP = 1u << 3,  /* backup or restore intent: privileges count */
        FS_OPT_REPARSE = 1u << 4, /* open a link itself */
        FS_OPT_WRITE_THROUGH = 1u << 5,
        FS_OPT_NO_EA = 1u << 6,
        FS_OPT_CASE_SENSITIVE = 1u << 7,
};

/* Extended attributes to set on a new file. */
struct fs_ea {
        const char *name;   /* ASCII, at most 255 */
        struct bytes value; /* empty removes */
};

struct fs_open_req {
        const char *path;   /* UTF-8, '/' separated, "" = root; checked here (FS_BAD_NAME etc.) */
        const char *stream; /* UTF-8, without type; NULL: the file or directory itself */
        uint32_t access;    /* enum fs_access; generic bits and MAXIMUM_ALLOWED are resolved here */
        uint32_t share;     /* enum fs_share */
        enum fs_disposition disposition;
        unsigned options;
        uint32_t dos;         /* enum store_dos, for a new or overwritten file */
        uint64_t alloc_bytes; /* 0 = none asked */
        bool no_alloc_fail;   /* reserved space is a wish */
        struct bytes sd;      /* self-relative descriptor for a new file; empty = inherit */
        const struct fs_ea *eas;
        size_t neas;
        unsigned want_grant; /* enum fs_grant; less or nothing may be given */
        /* NULL: the grant is this open's own. Else it is shared with the client's other opens of
         * that key; FS_INVALID when those are of another file that is there to stay. */
        const struct fs_grant_key *grant_key;
        uint16_t grant_epoch; /* where a new lease starts to count its changes */
};

enum fs_action { FS_SUPERSEDED, FS_OPENED, FS_CREATED, FS_OVERWRITTEN };

/* Attributes as clients are shown them (hidden by name, archive, directory bit... applied). */
struct fs_attr {
        uint64_t file_id; /* unique and stable on the volume */
        int64_t btime_ft, atime_ft, mtime_ft, ctime_ft;
        uint64_t size, alloc_bytes; /* a directory has size 0 */
        uint32_t dos;               /* enum store_dos plus FS_DOS_DIRECTORY/NORMAL/REPARSE below */
        uint32_t nlink;
        bool directory, delete_pending, symlink;
        uint32_t ea_bytes; /* filled by fs_getattr only with FS_ATTR_EA */
        uint32_t mode;
        uid_t uid;
        gid_t gid;
};
enum { FS_DOS_DIRECTORY = 0x10, FS_DOS_NORMAL = 0x80, FS_DOS_REPARSE = 0x400 };

struct fs_open; /* refcounted */
struct fs_opened {
        struct fs_open *open; /* one reference, the caller's */
        enum fs_action action;
        struct fs_attr attr;
};

/* The whole of CREATE: name check, look-up, access check, share modes, disposition, attributes,
 * inheritance, delete-on-close. FS_PARKED is possible (breaks); w may be NULL where the
 * caller cannot wait (then FS_SHARING). */
enum fs_err fs_open(struct fs_volume *v, struct fs_client *client, struct fs_cred *cred,
                    const struct fs_open_req *q, unsigned how, struct fs_waiter *w,
                    struct fs_opened *ret) MUST_USE;

struct fs_open *fs_open_ref(struct fs_open *o);
void fs_open_unref(struct fs_open *o);
/* Ends the open for everybody: share modes, locks and delete-on-close act now; operations in flight
 * finish or fail with FS_CLOSED. Second call: FS_CLOSED. May block when something must be removed
 * or flushed: FS_AGAIN under FS_NOWAIT. Any other result than FS_AGAIN means that the open is
 * closed; an error tells why the file that was to be deleted is still there. The last unref of an
 * open that was never closed closes it (and may block). */
enum fs_err fs_close(struct fs_open *o, unsigned how);

/* The client gives up all of its grant but `keep`, after grant_break(). FS_INVALID: no break is
 * under way, or keep is more than was left. */
enum fs_err fs_grant_ack(struct fs_open *o, unsigned keep) MUST_USE;
/* Nothing is kept, and nobody waits any longer: for clients that cannot or do not answer. Does
 * nothing when no break is under way. */
void fs_grant_revoke(struct fs_open *o);
/* What the open holds; *ret_breaking (may be NULL): is an acknowledgment awaited, with *ret_keep?
 */
unsigned fs_grant_held(struct fs_open *o, bool *ret_breaking, unsigned *ret_keep);
/* What has to be true before o's file gets the name `to`, or (NULL) is marked for deletion: nobody
 * else keeps handles of it, of what is below it (a directory), or of the file that has the name
 * now, just for later. FS_PARKED until they have let go; without w nobody is waited for. May block.
 */
enum fs_err fs_recall_handles(struct fs_open *o, const char *to, struct fs_waiter *w) MUST_USE;

/* ---- leases: grants with a key -------------------------------------------------------------- */

/* Of an open with a key; borrowed, as long as the open. NULL: none (not a plain file, the key's
 * former file is being deleted, too many leases): nothing is granted. */
struct fs_lease *fs_open_lease(const struct fs_open *o);
/* One more reference, or NULL. */
struct fs_lease *fs_lease_get(struct fs_client *c, const struct fs_grant_key *key);
struct fs_lease *fs_lease_ref(struct fs_lease *l);
/* Without any lock. */
void fs_lease_unref(struct fs_lease *l);
struct fs_lease_state {
        unsigned held, keep; /* enum fs_grant; keep: what may stay, while breaking */
        bool breaking;
        uint16_t epoch;
};
void fs_lease_state(struct fs_lease *l, struct fs_lease_state *ret);
/* As fs_grant_ack() and fs_grant_revoke(); what others asked for meanwhile is broken next. */
enum fs_err fs_lease_ack(struct fs_lease *l, unsigned keep) MUST_USE;
void fs_lease_revoke(struct fs_lease *l);
/* The front end's own pointer; used on the loop of the lease's client only. NULL at first. */
void *fs_lease_front(const struct fs_lease *l);
void fs_lease_set_front(struct fs_lease *l, void *front);

/* The front end's own pointer; used on the loop of the open's client only. NULL at first. */
void *fs_open_front(const struct fs_open *o);
void fs_open_set_front(struct fs_open *o, void *front);

/* Facts of an open; no I/O. */
uint32_t fs_open_access(const struct fs_open *o); /* granted */
unsigned fs_open_options(const struct fs_open *o);
bool fs_open_is_dir(const struct fs_open *o);
bool fs_open_is_stream(const struct fs_open *o);           /* of a named stream */
struct fs_volume *fs_open_volume(const struct fs_open *o); /* borrowed */
uint64_t fs_open_file_id(const struct fs_open *o);
/* Path below the root as spelled on disk, with ":stream" of a stream's open; a copy that the caller
 * frees; NULL without memory or when the open is closed. */
char *fs_open_path(struct fs_open *o);
/* All that the opener could be granted on this file, whatever it asked for. May block. */
enum fs_err fs_max_access(struct fs_open *o, uint32_t *ret_access) MUST_USE;
/* Current position (some clients set and ask for it; READ/WRITE move it). */
uint64_t fs_open_position(const struct fs_open *o);
void fs_open_set_position(struct fs_open *o, uint64_t pos);
/* Mode bits that may be set after opening (write-through, sequential...), kept verbatim. */
uint32_t fs_open_mode(const struct fs_open *o);
void fs_open_set_mode(struct fs_open *o, uint32_t mode);

/* ---- data ----------------------------------------------------------------------------------- */

/* Access, lock conflicts and the end of file are checked; *ret_n < n only at the end of the file;
 * FS_END_OF_FILE when off is at or past it (and n > 0). */
enum fs_err fs_read(struct fs_open *o, void *p, size_t n, uint64_t off, unsigned how,
                    size_t *ret_n) MUST_USE;
/* The same checks, but instead of data: a descriptor for sendfile and how many bytes there are. The
 * range is in memory (under FS_NOWAIT: else FS_AGAIN). FS_UNSUPPORTED when the store has none. The
 * descriptor lives as long as the reference on o. */
enum fs_err fs_read_fd(struct fs_open *o, size_t n, uint64_t off, unsigned how, int *ret_fd,
                       size_t *ret_n) MUST_USE;
/* All or nothing. off UINT64_MAX appends. `through`: on disk before FS_OK. */
enum fs_err fs_write(struct fs_open *o, const void *p, size_t n, uint64_t off, bool through,
                     unsigned how) MUST_USE;
enum fs_err fs_flush(struct fs_open *o) MUST_USE; /* blocks */

/* ---- byte-range locks ----------------------------------------------------------------------- */

enum fs_lock_flags { FS_LOCK_SHARED = 1, FS_LOCK_EXCLUSIVE = 2, FS_LOCK_UNLOCK = 4 };
struct fs_lock {
        uint64_t off, len; /* len 0 is legal; off+len-1 may not pass UINT64_MAX */
        unsigned flags;    /* enum fs_lock_flags */
};
/* All or none of the n locks (n <= LIMIT_LOCKS_PER_REQUEST); unlocks are done in order until the
 * first that fails (FS_NOT_LOCKED). The first entry says which of the two the list is; a mixed one
 * is FS_INVALID. FS_TOO_BIG: a range passes UINT64_MAX. With w: a conflicting lock waits
 * (FS_PARKED, none of the list is held meanwhile). Without: FS_LOCK_DENIED. Locks belong to the
 * open. */
enum fs_err fs_lock(struct fs_open *o, const struct fs_lock *l, size_t n,
                    struct fs_waiter *w) MUST_USE;

/* ---- change notification -------------------------------------------------------------------- */

/* What may be watched for; values as in [MS-SMB2] 2.2.35. */
enum fs_change {
        FS_CHANGE_FILE_NAME = 0x1,
        FS_CHANGE_DIR_NAME = 0x2,
        FS_CHANGE_ATTR = 0x4,
        FS_CHANGE_SIZE = 0x8,
        FS_CHANGE_WRITE = 0x10,
        FS_CHANGE_ACCESS = 0x20,
        FS_CHANGE_CREATION = 0x40,
        FS_CHANGE_EA = 0x80,
        FS_CHANGE_SECURITY = 0x100,
        FS_CHANGE_STREAM_NAME = 0x200,
        FS_CHANGE_STREAM_SIZE = 0x400,
        FS_CHANGE_STREAM_WRITE = 0x800,
};
/* Values as in [MS-FSCC] 2.7.1. */
enum fs_change_action {
        FS_CHANGE_ADDED = 1,
        FS_CHANGE_REMOVED,
        FS_CHANGE_MODIFIED,
        FS_CHANGE_OLD_NAME, /* the NEW_NAME comes next */
        FS_CHANGE_NEW_NAME,
        FS_CHANGE_STREAM_ADDED,
        FS_CHANGE_STREAM_REMOVED,
        FS_CHANGE_STREAM_MODIFIED,
};
/* The first request of an open fixes filter, recursive and max_bytes (of the client's list of
 * changes) for the others. `take` is called with locks held, once a change in order, name below the
 * directory with '/' between components; false: no room. */
struct fs_notify_req {
        uint32_t filter; /* enum fs_change */
        bool recursive;
        size_t max_bytes;
        bool (*take)(void *ctx, unsigned action, const char *name);
        void *ctx;
};
/* What happened since the last request, or FS_PARKED until something happens (FS_AGAIN without a
 * waiter). FS_OVERFLOWED: more than fits, all of it is forgotten. FS_CLOSED when the open is closed
 * meanwhile, FS_DELETE_PENDING when the directory is going to vanish. Does not block. */
enum fs_err fs_notify(struct fs_open *o, const struct fs_notify_req *q,
                      struct fs_waiter *w) MUST_USE;

/* ---- attributes ----------------------------------------------------------------------------- */

enum fs_attr_want { FS_ATTR_EA = 1u << 0 };
enum fs_err fs_getattr(struct fs_open *o, unsigned want, struct fs_attr *ret) MUST_USE;

/* Times: 0 = leave; -1 = stop updating it by I/O of this open; -2 = update again. */
struct fs_setattr {
        int64_t btime_ft, atime_ft, mtime_ft, ctime_ft;
        uint32_t dos; /* 0 = leave; FS_DOS_NORMAL alone clears */
};
enum fs_err fs_setattr(struct fs_open *o, const struct fs_setattr *s) MUST_USE;
enum fs_err fs_set_size(struct fs_open *o, uint64_t size) MUST_USE;
enum fs_err fs_set_alloc(struct fs_open *o, uint64_t bytes) MUST_USE;
/* Marks for deletion at the last close (or unmarks). FS_NOT_EMPTY, FS_CANNOT_DELETE... */
enum fs_err fs_set_delete(struct fs_open *o, bool del) MUST_USE;
/* `to` is a path below the root of the same volume. */
enum fs_err fs_rename(struct fs_open *o, const char *to, bool replace) MUST_USE;
enum fs_err fs_link(struct fs_open *o, const char *to, bool replace) MUST_USE;

/* A stream's new name, on its file. `file`: NULL, or a path that the name was given with
 * (FS_SHARING: of its file; FS_INVALID: of another). FS_EXISTS; FS_INVALID when what has the name
 * holds data or is open; FS_UNSUPPORTED from or to (`to` is "") the unnamed stream. */
enum fs_err fs_rename_stream(struct fs_open *o, const char *file, const char *to,
                             bool replace) MUST_USE;
/* All streams of o's file, whichever of them o is open on; the unnamed one, which directories have
 * not, as "". Until cb returns false. Blocks. */
enum fs_err fs_list_streams(struct fs_open *o,
                            bool (*cb)(void *ctx, const char *name, uint64_t size,
                                       uint64_t alloc_bytes),
                            void *ctx) MUST_USE;

/* Security descriptors, self-relative. `parts`: enum security_information of wire/security. get:
 * FS_BUFFER_SMALL and *ret_n = needed when it does not fit. */
enum fs_err fs_get_sd(struct fs_open *o, uint32_t parts, void *p, size_t n, size_t *ret_n) MUST_USE;
/* FS_PARKED until others have let go of handles that they keep just for later; without w nobody is
 * waited for. Blocks. */
enum fs_err fs_set_sd(struct fs_open *o, uint32_t parts, struct bytes sd,
                      struct fs_waiter *w) MUST_USE;

/* Calls back for each attribute until cb returns false. */
enum fs_err fs_list_ea(struct fs_open *o,
                       bool (*cb)(void *ctx, const char *name, struct bytes value),
                       void *ctx) MUST_USE;
enum fs_err fs_set_ea(struct fs_open *o, const struct fs_ea *eas, size_t n) MUST_USE;

/* ---- directories ---------------------------------------------------------------------------- */

struct fs_dirent {
        const char *name; /* UTF-8, valid inside the callback */
        struct fs_attr attr;
};
enum fs_list_flags {
        FS_LIST_RESTART = 1u << 0, /* from the first entry, with a new pattern */
        FS_LIST_SINGLE = 1u << 1,
};
/* Goes on with the open's listing (the first call fixes the pattern: UTF-8 with the wildcards * ?
 * and the DOS ones < > "; "" means "*"). cb returns false when it has no room: that entry is given
 * again next time. FS_NO_MORE when there was no entry left at all; FS_NOT_FOUND when the first call
 * of a listing matches nothing. "." and ".." come first when they match. Always on a worker. */
enum fs_err fs_list(struct fs_open *o, const char *pattern, unsigned flags,
                    bool (*cb)(void *ctx, const struct fs_dirent *e), void *ctx) MUST_USE;

/* ---- sparse files and copies ---------------------------------------------------------------- */

enum fs_err fs_set_sparse(struct fs_open *o, bool sparse) MUST_USE;
enum fs_err fs_zero(struct fs_open *o, uint64_t off, uint64_t len) MUST_USE;
enum fs_err fs_ranges(struct fs_open *o, uint64_t off, uint64_t len, struct store_range *r,
                      size_t cap, size_t *ret_n) MUST_USE;
/* Server-side copy of one range; locks and access of both sides are checked; FS_INVALID when the
 * source is shorter than off+len. */
enum fs_err fs_copy(struct fs_open *from, uint64_t off, struct fs_open *to, uint64_t to_off,
                    uint64_t len) MUST_USE;

/* ---- looking in ----------------------------------------------------------------------------- */

struct fs_stats {
        uint64_t opens, nodes, locks;
};
void fs_stats(struct fs *f, struct fs_stats *ret);

#endif
