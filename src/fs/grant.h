/* Caching grants: giving them, and taking them back when others come; [MS-FSA] 2.1.4.12, 2.1.5.18
 * and 2.1.5.19 in neutral words. For the files of this folder only.
 *
 * A grant (node.h) is one open's own, an oplock, or that of a lease (lease.h). One that includes
 * WRITE is alone on its node. To lose WRITE or HANDLE is to be acknowledged; READ alone is simply
 * lost. Notices are collected under the node's mutex and told after it was released.
 */
#ifndef FREVO_FS_GRANT_H
#define FREVO_FS_GRANT_H

#include "fs/open.h"

#define GRANT_NOTICES 16u

struct grant_notice {
        struct fs_open *open;   /* one reference on one of them */
        struct fs_lease *lease; /* NULL: the open's own */
        struct fs_break what;
};

struct grant_notices {
        struct grant_notice item[GRANT_NOTICES];
        unsigned n;
        bool full; /* there would have been more: tell these, then ask again */
};
/* Tells them all and drops the references; t is empty then. Without any lock. */
void grant_tell(struct grant_notices *t);

/* The order in which a newcomer meets what others hold. */
enum grant_stage {
        GRANT_BEFORE_SHARE_CHECK, /* a batch oplock's open may be closed before it is in the way */
        GRANT_SHARE_CONFLICT,     /* it failed: who keeps handles under a lease may let go */
        GRANT_AFTER_SHARE_CHECK,
};
/* n->mutex is held. True: o has to wait until somebody has given up what stands in its way. */
bool grant_in_the_way(struct fs_open *o, uint32_t access, enum grant_stage stage,
                      struct grant_notices *t);
/* n->mutex is held, o is in the node. What it, or its lease, has then tells fs_grant_held(). */
void grant_give(struct fs_open *o, unsigned want);

/* n->mutex is held: o leaves the node. */
void grant_drop(struct fs_open *o);

/* o changed, or locks part of, the data: others' copies are stale, and a mere reading oplock
 * of its own is lost. Without any lock. */
void grant_data_changes(struct fs_open *o);
/* o overwrites what it opens: that is before its own oplock. Without any lock. */
void grant_overwrites(struct fs_open *o);

/* n->mutex is held. Others shall not keep handles of n any longer; o may be of another node. True:
 * somebody has to let go first. */
bool grant_recall_handles(struct node *n, struct fs_open *o, struct grant_notices *t);
/* fs_recall_handles() without its check of rights; of a stream's open: the file's. recall.c */
enum fs_err recall_handles(struct fs_open *o, const char *to, struct fs_waiter *w) MUST_USE;
/* The same of o's own node, without waiting for anybody. Without any lock. */
void grant_recall_now(struct fs_open *o);

#endif
