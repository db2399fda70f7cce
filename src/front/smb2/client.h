/* A client: all connections and sessions of one ClientGuid, on one loop ([MS-SMB2] 3.3.1.16).
 *
 * A connection without a GUID (2.0.2, or all zeros) has one of its own. Loop only; reference
 * counted by its connections and sessions.
 */
#ifndef FREVO_FRONT_SMB2_CLIENT_H
#define FREVO_FRONT_SMB2_CLIENT_H

#include "front/smb2/local.h"

struct smb2_conn;

struct smb2_client {
        struct list link; /* in local->clients */
        unsigned refs;
        struct smb2_guid guid;
        uint16_t dialect; /* of its first session; 0 = none yet */
        struct fs_client *fs;
        struct list conns; /* struct smb2_conn.client_link, the oldest first */
};

/* The client of that guid, one more reference; a new one if there is none, or if guid is NULL.
 * NULL without memory. */
struct smb2_client *smb2_client_get(struct smb2_local *l, const struct smb2_guid *guid);
/* c becomes a connection of its client, see above. False without memory. */
bool smb2_client_take(struct smb2_conn *c, const struct smb2_guid *guid);
/* c is closed for good. Harmless when it has none. */
void smb2_client_leave(struct smb2_conn *c);
struct smb2_client *smb2_client_ref(struct smb2_client *c);
void smb2_client_unref(struct smb2_client *c);

#endif
