/* All sessions that stand, on whichever loop: GlobalSessionTable of [MS-SMB2] 3.3.1.4, or as much
 * of it as a connection needs that names a session it does not carry.
 *
 * Such a request is refused, but how depends on the session, and a client believes a refusal only
 * when it is signed with the session's key. Binding is the same client's, so its session is on the
 * same loop; this is for everybody else. A mutex guards it: taken at sign-in, at the end of a
 * session, and on the way to a refusal.
 */
#ifndef FREVO_FRONT_SMB2_KNOWN_SESSIONS_H
#define FREVO_FRONT_SMB2_KNOWN_SESSIONS_H

#include "base/auto.h"
#include "crypto/sign.h"

struct smb2_known_sessions;

struct smb2_known_session {
        uint64_t id;
        uint16_t dialect, cipher;
        enum sign_alg sign_alg;
        bool anonymous; /* has no key */
        uint8_t signing_key[16];
};

struct smb2_known_sessions *smb2_known_sessions_new(void);
void smb2_known_sessions_free(struct smb2_known_sessions *k); /* NULL is allowed */

/* Copies s; false without memory. */
bool smb2_known_sessions_add(struct smb2_known_sessions *k, const struct smb2_known_session *s);
/* Harmless when there is none. */
void smb2_known_sessions_remove(struct smb2_known_sessions *k, uint64_t id);
/* Copies to *ret, which the caller wipes. */
bool smb2_known_sessions_find(struct smb2_known_sessions *k, uint64_t id,
                              struct smb2_known_session *ret);

#endif
