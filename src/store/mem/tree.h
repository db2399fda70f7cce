/* The nodes of a volume in memory and how names lead to them. All calls under the volume's mutex.
 */
#ifndef FREVO_STORE_MEM_TREE_H
#define FREVO_STORE_MEM_TREE_H

#include "base/list.h"
#include "store/mem/pages.h"
#include "store/store.h"

struct mem_xattr {
        struct mem_xattr *next;
        char *name;
        uint8_t *value;
        size_t n;
};

struct mem_entry {
        struct mem_entry *next; /* in the bucket */
        struct list link;       /* in the directory, oldest first */
        uint64_t hash;
        struct mem_node *node; /* owns one reference */
        char *name;
};

struct mem_node {
        unsigned refs; /* entries and open handles */
        struct store_attr attr;
        struct mem_pages pages;  /* files */
        char *target;            /* links */
        struct mem_node *parent; /* directories; borrowed; the root's is itself */
        struct mem_entry **buckets;
        size_t nbuckets, nentries;
        struct list entries;
        struct mem_xattr *xattrs;
        struct mem_node *streams; /* named ones, each with one reference; by next_stream */
        struct mem_node *next_stream;
        char *stream_name; /* of a stream's node; its attr.ino tells it apart, attr.size counts */
        uint8_t *sd;
        size_t sd_n;
};

/* One reference, the caller's; nlink 0 until it has an entry. NULL without memory. */
struct mem_node *mem_node_new(enum store_kind kind, uint64_t ino);
void mem_node_unref(struct mem_node *n);

struct mem_entry *mem_entry_find(struct mem_node *dir, const char *name, bool exact);
/* Takes no reference from the caller: adds its own. */
enum fs_err mem_entry_add(struct mem_node *dir, const char *name, struct mem_node *n);
void mem_entry_remove(struct mem_node *dir, struct mem_entry *e);

/* Where a path leads. entry NULL with FS_OK: the last component is missing in `dir`. */
struct mem_place {
        struct mem_node *dir;    /* holds the last component; the root's own for "" */
        struct mem_entry *entry; /* NULL also for the root itself */
        struct mem_node *node;   /* what the entry leads to, links followed; NULL when missing */
        const char *name;        /* last component as the caller spelled it */
        char *real_path;         /* malloc'd: mem_place_fini */
};
/* flags: STORE_EXACT, STORE_NOFOLLOW. */
enum fs_err mem_walk(struct mem_node *root, const char *path, unsigned flags,
                     struct mem_place *ret);
/* Only ret->node: what the link `name` in dir leads to. For listings. */
enum fs_err mem_follow(struct mem_node *root, struct mem_node *dir, const char *name,
                       struct mem_place *ret);
void mem_place_fini(struct mem_place *p);

#endif
