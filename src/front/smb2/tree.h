/* Tree connects ([MS-SMB2] 3.3.1.9): a session's use of one share. Loop only, except that the share
 * and the credentials are immutable and may be read anywhere. */
#ifndef FREVO_FRONT_SMB2_TREE_H
#define FREVO_FRONT_SMB2_TREE_H

#include "front/smb2/session.h"

struct smb2_tree {
        unsigned refs;
        uint32_t id;
        struct smb2_session *session; /* borrowed; NULL once it ended */
        struct smb2_local *local;
        struct smb2_share *share; /* one reference */
        struct fs_cred *cred;     /* one reference; NULL on IPC$ */
        uint32_t slot;
};

/* In the session's table, which holds the reference. Takes share and cred (also on NULL: no memory,
 * or LIMIT_TREES_PER_SESSION). */
struct smb2_tree *smb2_tree_new(struct smb2_session *s, struct smb2_share *share,
                                struct fs_cred *cred);
struct smb2_tree *smb2_tree_ref(struct smb2_tree *t);
void smb2_tree_unref(struct smb2_tree *t);
/* Borrowed; NULL when there is none. */
struct smb2_tree *smb2_tree_lookup(const struct smb2_session *s, uint32_t id);
/* Out of the table; its opens go to `into`. */
void smb2_tree_end(struct smb2_tree *t, struct smb2_closing *into);

#endif
