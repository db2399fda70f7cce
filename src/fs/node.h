/* Nodes: what all clients that hold one file or directory open have in common.
 *
 * A node exists while somebody holds it (opens, and calls on the way to become one). Identity is
 * (dev, ino, stream). `mutex` guards everything mutable in the node, its links and its opens' list
 * membership; it is never held over a store call, nor together with another node's. Order where two
 * are needed: shard, then node.
 */
#ifndef FREVO_FS_NODE_H
#define FREVO_FS_NODE_H

#include "fs/volume.h"

/* One name by which the node is open; several opens share it, so a rename reaches all of them. */
struct node_link {
        struct list in_node;
        struct fs_root *root; /* borrowed: an open's volume holds it */
        char *path;           /* as spelled on disk (of a stream's node: its name); replaced under
                                 the node's mutex */
        unsigned opens;
        bool delete_pending;     /* goes when opens reaches 0 */
        struct fs_cred *deleter; /* with whose rights; set with delete_pending */
};

/* What somebody may cache of a node; everything under the node's mutex (grant.c). */
struct grant {
        struct list in_node; /* empty while nothing is held */
        unsigned held;       /* enum fs_grant */
        bool breaking;       /* told to shrink to `keep`, not acknowledged yet */
        unsigned keep;
        unsigned may; /* while breaking: what others leave of `keep` by now */
        uint16_t epoch;
        struct fs_open *open;   /* whose it is: one open's own, */
        struct fs_lease *lease; /* or a lease's; the other is NULL */
};

struct node {
        struct node *next; /* in its bucket */
        struct fs *fs;
        uint64_t dev, ino, stream_id; /* as in store_attr */
        unsigned refs;                /* under the shard's mutex */
        pthread_mutex_t mutex;
        struct list opens;        /* struct fs_open, in_node */
        struct list links;        /* struct node_link */
        struct list locks;        /* struct brlock, in order of grant */
        struct list waiters;      /* struct fs_waiter, by ticket; node.c has their mutex */
        struct list grants;       /* struct grant */
        _Atomic unsigned ngrants; /* in `grants`; changed under mutex */
        bool dir;
        bool no_sd;                   /* known to have no stored descriptor */
        bool archived;                /* the archive attribute is known to be set */
        bool sparse;                  /* the sparse attribute is known to be set */
        pthread_mutex_t append_mutex; /* appenders, on workers, one after the other */
};

/* A reference on the node of a file that the caller has open (so its identity is stable); made when
 * missing. NULL without memory. */
struct node *node_get(struct fs *f, const struct store_attr *a);
/* As above, of the file itself, but NULL when nobody holds it. */
struct node *node_lookup(struct fs *f, uint64_t dev, uint64_t ino);
/* One more reference for somebody who has one. */
struct node *node_ref(struct node *n);
void node_put(struct node *n);

/* Wakes up whoever waits on n; call without any lock. */
void node_wake(struct node *n);
/* Takes a place in n's queue; n->mutex is held, and an open of n is there that will wake it. */
void node_park(struct node *n, struct fs_waiter *w);
/* Does anybody wait? n->mutex is held. */
bool node_has_waiters(struct node *n);

/* Is a file or directory strictly below `dir` of this root open? Walks the whole table: for
 * renames of directories. */
bool node_any_below(struct fs *f, const struct fs_root *root, const char *dir);
/* visit(ctx, n) for each node with a grant strictly below `dir`, its mutex held; until it returns
 * false. Walks the whole table, too. */
void node_each_granted_below(struct fs *f, const struct fs_root *root, const char *dir,
                             bool (*visit)(void *ctx, struct node *n), void *ctx);
/* Is this name of n marked for deletion? */
bool node_delete_pending(struct node *n, const struct fs_root *root, const char *path);
/* n->mutex is held. NULL: not open by that name. */
struct node_link *node_link_lookup(struct node *n, const struct fs_root *root, const char *path);

/* Sets up, tears down the shards. */
void node_table_init(struct fs *f);
void node_table_fini(struct fs *f);

#endif
