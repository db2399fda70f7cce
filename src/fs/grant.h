/* Caching grants: giving them, and taking them back when others come; [MS-FSA] 2.1.5.18 in neutral
 * words. For the files of this folder only.
 *
 * A node's grants are those of its opens. WRITE and HANDLE have one holder at most, who has to
 * acknowledge a break; READ alone may have many and is simply lost. Notices are collected under the
 * node's mutex and told after it was released.
 */
#ifndef FREVO_FS_GRANT_H
#define FREVO_FS_GRANT_H

#include "fs/open.h"

#define GRANT_NOTICES 8u

struct grant_notices {
        struct fs_open *open[GRANT_NOTICES]; /* one reference each */
        unsigned keep[GRANT_NOTICES];
        unsigned n;
};
/* Tells them all and drops the references. Without any lock. */
void grant_tell(struct grant_notices *t);

/* The order in which a newcomer meets what others hold. */
enum grant_stage {
        GRANT_BEFORE_SHARE_CHECK, /* who keeps handles may have let go of his before he is in the
                                     way */
        GRANT_AFTER_SHARE_CHECK,
};
/* n->mutex is held. True: o has to wait until somebody has given up what stands in its way. */
bool grant_in_the_way(struct fs_open *o, uint32_t access, bool overwrites, enum grant_stage stage,
                      struct grant_notices *t);
/* n->mutex is held, o is in the node. Returns what it gets of `want`. */
unsigned grant_give(struct fs_open *o, unsigned want);

/* n->mutex is held: o leaves the node. */
void grant_drop(struct fs_open *o);

/* o changed, or locks part of, the data: readers' copies are stale. Without any lock. */
void grant_data_changes(struct fs_open *o);

#endif
