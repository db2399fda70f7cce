/* Inside of the service and its volumes; for the files of this folder only. */
#ifndef FREVO_FS_VOLUME_H
#define FREVO_FS_VOLUME_H

#include <pthread.h>

#include "fs/fs.h"
#include "fs/notify.h"
#include "fs/path_guard.h"
#include "fs/tunnel.h"

/* The directory that one or more volumes start at. Volumes of one directory share it, so that paths
 * below it mean the same to all of them. Lives in fs->roots, counted under fs->roots_mutex. */
struct fs_root {
        struct list link;
        uint64_t dev, ino;
        unsigned refs;
        struct path_guard guard;
        struct tunnel tunnel;
        struct notify_root notify;
};

#define NODE_SHARDS 64u

struct node;
struct node_shard {
        pthread_mutex_t mutex; /* guards the buckets and each node's refs */
        struct node **buckets; /* power of two many; NULL before the first node */
        size_t nbuckets, nnodes;
};

struct fs {
        struct node_shard shards[NODE_SHARDS];
        pthread_mutex_t roots_mutex;
        struct list roots;
        _Atomic uint64_t nopens, nnodes, nlocks;
        _Atomic uint64_t next_ticket;  /* of waiters, from 1 */
        _Atomic uint64_t writers_left; /* opens that could write, and are closed */
};

struct fs_volume {
        _Atomic unsigned refs;
        struct fs *fs;
        struct fs_root *root;
        struct store *store;            /* owned */
        struct fs_volume_config config; /* its strings are owned */
        char **hidden;                  /* patterns out of config.hide_files */
        size_t nhidden;
};

/* Whose rights a store call runs with: NULL = the server's own. */
static inline const struct store_cred *cred_of_store(const struct fs_cred *c)
{
        return c->as_server ? NULL : &c->unix_id;
}

/* Does a configured rule hide this name (one component)? */
bool volume_hides(const struct fs_volume *v, const char *name);

#endif
