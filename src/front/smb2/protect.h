/* Signing and sealing of messages, both ways ([MS-SMB2] 3.1.4.1, 3.1.4.3, 3.1.5.1). Loop only. */
#ifndef FREVO_FRONT_SMB2_PROTECT_H
#define FREVO_FRONT_SMB2_PROTECT_H

#include "front/smb2/session.h"

/* Whether the signature in msg (one element, padding included) is right. */
bool smb2_protect_verify(struct signer *s, struct bytes msg, const struct smb2_header *h) MUST_USE;
/* Signs the encoded reply p[0..n): sets the flag and the signature. */
void smb2_protect_sign(struct signer *s, uint8_t *p, size_t n);

/* Opens a sealed frame in place: *frame becomes the plaintext, and the session whose keys opened it
 * is returned, borrowed. NULL: the connection must be dropped. */
struct smb2_session *smb2_protect_unseal(struct smb2_conn *c, struct bytes *frame) MUST_USE;
/* Seals p[0..n) in place and writes the transform header into the SMB2_TRANSFORM_HEADER_LEN bytes
 * in front of p. */
void smb2_protect_seal(struct smb2_session *s, uint8_t *p, size_t n);

#endif
