/* A mounted share: what all of the mount's files work on. One thread, the context's, except
 * notifier.h's.
 */
#ifndef FREVO_MOUNT_MOUNT_H
#define FREVO_MOUNT_MOUNT_H

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

#include "base/list.h"
#include "frevo/frevo.h"
#include "mount/conf.h"
#include "mount/nodes.h"

struct notifier;

struct mount {
        struct mount_conf conf;
        struct frevo_ctx *ctx;
        struct frevo_share *share;
        struct fuse_session *se;
        struct notifier *notifier;
        struct nodes nodes;
        uint64_t changes; /* of ours so far: orders answers against them */
        uint32_t max_read, max_write;
        struct list idle; /* of struct handle, longest unused first */
        unsigned n_idle;
        struct list dirs_held; /* of struct dir */
        unsigned n_dirs_held;
        struct list dirty;      /* of struct file that hold something to be written */
        size_t dirty_bytes;     /* in all of them */
        struct list stalled;    /* writes that wait for it to fall: of struct write_call */
        struct list uncached;   /* of struct file */
        struct list reads;      /* that wait for blocks: of struct read_call */
        struct list lock_waits; /* of struct lock_call */
        unsigned writes;        /* of buffers, in flight */
        unsigned in_flight;     /* closes and background work, which the end waits for */
};

static inline struct mount *mount_of(fuse_req_t req)
{
        return fuse_req_userdata(req);
}

static inline struct node *node_of(struct mount *m, fuse_ino_t ino)
{
        return ino == FUSE_ROOT_ID ? m->nodes.root : (struct node *)(uintptr_t)ino; /* NOLINT: the
                                    address is the number that node_ino() gave the kernel */
}

static inline fuse_ino_t node_ino(const struct mount *m, const struct node *n)
{
        return n == m->nodes.root ? FUSE_ROOT_ID : (fuse_ino_t)(uintptr_t)n;
}

/* Notes a change of ours: answers that are older say nothing about n. */
static inline void node_changed(struct mount *m, struct node *n)
{
        n->changed_at = ++m->changes;
}

#endif
