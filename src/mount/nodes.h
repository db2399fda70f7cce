/* The names that a mount knows: a tree of nodes, one for each name that the kernel or a listing
 * told of. A node's address is its number in the kernel's protocol (the root's is FUSE_ROOT_ID).
 *
 * A node lives as long as the kernel counts look-ups of it, somebody has pinned it, it has
 * children, or it is listed (its parent's last listing named it, and is kept). Pure: no I/O.
 */
#ifndef FREVO_MOUNT_NODES_H
#define FREVO_MOUNT_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/list.h"
#include "frevo/frevo.h"

struct dir;
struct file;

struct node {
        struct node *parent; /* a reference; NULL: the root, or gone */
        char *name;          /* in parent; "" for the root */
        struct list bucket, children;
        struct list sibling; /* in parent->children; of those gone, in nodes.gone */
        uint64_t generation; /* unique in the mount's life */
        uint64_t lookups;    /* the kernel's */
        unsigned pins;       /* ours */
        bool listed;
        bool gone; /* the name is no longer this file's: open files may live on */
        struct frevo_stat stat;
        uint64_t fresh_until_ms; /* how long stat is believed; 0 = no longer */
        uint64_t changed_at;     /* mount.changes when we last changed it ourselves */
        uint64_t seen;           /* the newest listing of its parent that named it: dir.c's */
        struct dir *dir;         /* folders: what is known of the inside; own */
        struct file *file;       /* files that are or were open; own */
};

struct nodes {
        struct node *root;
        struct list *bucket;
        size_t n_buckets, n;
        struct list gone; /* of struct node, that somebody still keeps */
        uint64_t generations;
        char *top; /* path of the root in the share */
        /* Frees what the owner hung on a node (dir, file). */
        void (*fini)(struct node *n);
};

bool nodes_init(struct nodes *t, const char *top) MUST_USE;
void nodes_fini(struct nodes *t);

/* NULL: no such child known. No reference. */
struct node *node_child(const struct nodes *t, const struct node *parent, const char *name);
/* A new child; name must not be known yet. NULL without memory. It must be counted, pinned or
 * listed before node_settle(). */
struct node *node_add(struct nodes *t, struct node *parent, const char *name) MUST_USE;
/* The name is not this node's any more. Its children go as well. May free it. */
void node_detach(struct nodes *t, struct node *n);
/* To another name, which must not be known (detach what had it). False without memory. */
bool node_move(struct nodes *t, struct node *n, struct node *parent, const char *name) MUST_USE;

void node_pin(struct node *n);
void node_unpin(struct nodes *t, struct node *n);
void node_forget(struct nodes *t, struct node *n, uint64_t lookups);
void node_unlist(struct nodes *t, struct node *n);
/* Frees n if nothing keeps it. */
void node_settle(struct nodes *t, struct node *n);

/* The path in the share of `name` in n (NULL: of n itself), to be free()d. NULL with errno: ENOENT
 * when n or a folder above is gone, ENOMEM, ENAMETOOLONG. */
char *node_path(const struct nodes *t, const struct node *n, const char *name);
/* n is below `top`, or is it. */
bool node_is_below(const struct node *n, const struct node *top);

#endif
