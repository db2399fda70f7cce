/* Inside of an open; for the files of this folder only. */
#ifndef FREVO_FS_OPEN_H
#define FREVO_FS_OPEN_H

#include <stdatomic.h>

#include "fs/lease.h"

struct dir_scan; /* dir.c */

enum open_frozen { OPEN_FROZEN_ATIME = 1u << 0, OPEN_FROZEN_MTIME = 1u << 1 };

struct fs_open {
        _Atomic unsigned refs;
        struct fs_volume *vol;
        struct fs_client *client;
        struct fs_cred *cred;
        struct node *node;
        struct node_link *link;  /* of node; while not closed */
        struct list in_node;     /* node->mutex; empty once closed */
        struct store_file *file; /* until the last reference goes */
        struct fs_open *base;    /* of a named stream's open: its anchor, owned (stream.c) */
        bool anchor;             /* counts for deleting the file only; fixed */
        uint64_t file_id;
        uint32_t access, share; /* granted; what others may do. Fixed */
        unsigned options;
        bool readable, writable;           /* what `file` can do */
        bool delete_on_close;              /* node->mutex */
        bool is_root;                      /* of the volume */
        _Atomic bool closed;               /* set under node->mutex, once */
        struct grant grant;                /* its own, without a lease */
        struct fs_lease *lease;            /* one reference, and one use until closed; NULL: none */
        void *front;                       /* the front end's */
        const struct fs_open_req *request; /* these three only until it is in its node */
        bool overwrites;
        bool beside_writers; /* others that can write were in the node when it came; fixed */
        struct fs_waiter *waiter;
        unsigned nlocks;         /* node->mutex */
        _Atomic unsigned frozen; /* enum open_frozen: times that our I/O leaves alone */
        _Atomic uint64_t position;
        _Atomic uint32_t mode;
        struct watch *watch; /* root->notify.mutex; notify.c. NULL: none */
        pthread_mutex_t
                scan_mutex;    /* one listing call at a time; held over store calls, on workers */
        struct dir_scan *scan; /* NULL before the first listing */
};

/* The share-mode check and, when it passes, o's entry into its node under the name `path`, in one
 * step. `also`: rights that only the check counts. Who holds a caching grant in the way is told,
 * and o->waiter parked (FS_PARKED; FS_SHARING without a waiter). FS_DELETE_PENDING, FS_SHARING,
 * FS_NO_MEMORY. */
enum fs_err open_enter_node(struct fs_open *o, const char *path, uint32_t also) MUST_USE;

/* The store told *a before o was in its node. From then on o's client hears of changes and may rely
 * on what it knows: *a is read again if somebody may have written in between. writers_left:
 * vol->fs's, from before the store was asked. */
enum fs_err open_look_again(struct fs_open *o, uint64_t writers_left,
                            struct store_attr *a) MUST_USE;

/* FS_CLOSED, or FS_DENIED unless all of `need` was granted. */
enum fs_err open_check(struct fs_open *o, uint32_t need) MUST_USE;

/* The file's current path (also of a stream's open) in new memory; NULL without memory, "" counts.
 */
char *open_path_new(struct fs_open *o);

/* One operation's file: what the client asked for and how far it has come. Lives in fs_open's
 * frame. */
struct opening {
        struct fs_volume *v;
        struct fs_client *client;
        struct fs_cred *cred;
        const struct fs_open_req *q;
        unsigned how;
        uint32_t want;       /* mapped access; may hold FS_MAXIMUM_ALLOWED */
        struct fs_waiter *w; /* NULL: the caller cannot wait */
        bool anchor;         /* for an open of a stream */
        uint32_t also;       /* rights needed besides, whatever the disposition */
};

/* The open of the file itself: o, or what o's stream belongs to. Whose node keeps what all streams
 * have in common. */
static inline struct fs_open *open_of_file(struct fs_open *o)
{
        return o->base ? o->base : o;
}

/* Is what o was opened by, a name or a stream, marked for deletion? False once closed. */
bool open_delete_pending(struct fs_open *o);

/* open.c: opens or makes it as the disposition says. */
enum fs_err open_turns(const struct opening *g, struct fs_opened *ret) MUST_USE;
/* stream.c: the same of a named stream. */
enum fs_err open_stream(const struct opening *g, struct fs_opened *ret) MUST_USE;
/* stream.c: removes the named streams of o's file that nobody has open. Blocks. */
enum fs_err open_drop_streams(struct fs_open *o) MUST_USE;
/* What g asked for, wrapped round what the store opened with `flags` (enum store_open_flags); in no
 * node yet. so->file is taken, also on failure: NULL without memory. */
struct fs_open *open_new(const struct opening *g, const struct store_opened *so, unsigned flags);

/* Does the disposition empty a file that is there? */
static inline bool open_overwrites(enum fs_disposition d)
{
        return d == FS_SUPERSEDE || d == FS_OVERWRITE || d == FS_OVERWRITE_IF;
}

/* open.c: opens what is there; FS_NOT_FOUND when nothing is. */
enum fs_err open_existing(const struct opening *g, struct fs_opened *ret) MUST_USE;
/* create.c: makes it; FS_EXISTS when it is there. Blocks. */
enum fs_err open_create(const struct opening *g, struct fs_opened *ret) MUST_USE;
/* disposition.c: FS_OVERWRITE... on a file just opened: attributes, size, EAs. Blocks. */
enum fs_err open_overwrite(const struct opening *g, struct fs_open *o,
                           const struct store_attr *before) MUST_USE;
/* May the file be overwritten with these attributes at all? */
enum fs_err open_overwrite_check(const struct fs_open_req *q, const struct store_attr *a) MUST_USE;
/* Space and EAs that the request asks for. */
enum fs_err open_fill(const struct opening *g, struct fs_open *o) MUST_USE;

/* lock.c: frees all locks of o; n->mutex is held. True: somebody may be waiting for them. */
bool lock_drop_all(struct fs_open *o);
/* lock.c: FS_LOCK_CONFLICT when o may not read (write) the range now. */
enum fs_err lock_check_io(struct fs_open *o, uint64_t off, uint64_t len, bool write) MUST_USE;

/* dir.c */
void dir_scan_free(struct dir_scan *s);
/* Has the directory any entry? FS_OK or FS_NOT_EMPTY. Opens it anew as the server. Blocks. */
enum fs_err dir_check_empty(struct fs_open *o) MUST_USE;
enum fs_err dir_check_empty_at(struct store *s, const char *path) MUST_USE;

/* attr.c */
void attr_show(const struct fs_volume *v, const struct store_attr *a, const char *path,
               struct fs_attr *ret);
/* The archive attribute after a change of the data; the sparse one with `sparse`. Blocks. */
void attr_mark_changed(struct fs_open *o);
/* True when a write must go to a worker because attr_mark_changed or frozen times have to follow.
 */
bool attr_write_blocks(struct fs_open *o);
/* Times that I/O of this open must not change: read before, put back after. */
struct attr_thaw {
        unsigned what; /* enum store_set */
        struct store_attr before;
};
enum fs_err attr_freeze_begin(struct fs_open *o, unsigned frozen, struct attr_thaw *t) MUST_USE;
enum fs_err attr_freeze_end(struct fs_open *o, const struct attr_thaw *t) MUST_USE;

#endif
