/* What the core itself does with opens; handlers use call.h. */
#ifndef FREVO_FRONT_SMB2_OPEN_H
#define FREVO_FRONT_SMB2_OPEN_H

#include "front/smb2/call.h"
#include "front/smb2/session.h"

/* Borrowed; NULL when there is none or its tree is not t. */
struct smb2_open *smb2_open_lookup(const struct smb2_session *s, const struct smb2_tree *t,
                                   struct smb2_file_id id);

#endif
