/* Who a signed-in user is on this machine, and on a share. */
#ifndef FREVO_SERVER_IDENTITY_H
#define FREVO_SERVER_IDENTITY_H

#include "server/share_table.h"

/* The credentials for a share: the unix account with its groups, the SIDs that stand for them, the
 * privileges of an administrator. FS_DENIED when the share is not for this user, or no such unix
 * account exists. May ask the system's account database: on a worker. */
enum fs_err identity_cred(const struct share_table *t, const struct auth_identity *id,
                          const struct smb2_share *s, struct fs_cred **ret) MUST_USE;

#endif
