/* Signatures and seals, as a client makes and checks them ([MS-SMB2] 3.1.4.1, 3.1.4.3, 3.2.5.1.1).
 */
#ifndef FREVO_CLIENT_PROTECT_H
#define FREVO_CLIENT_PROTECT_H

#include "client/frame.h"
#include "client/session.h"

/* Signs every request of f in place. */
void protect_sign(struct signer *s, struct client_frame *f);
bool protect_verify(struct signer *s, struct bytes msg, const struct smb2_header *h) MUST_USE;
/* A sealed copy of f (the payload is never changed), from *ret on; NULL without memory. */
struct buf *protect_seal(struct client_session *s, const struct client_frame *f,
                         struct bytes *ret) MUST_USE;
/* Opens *frame in place; false: the connection must be dropped. */
bool protect_unseal(struct client_session *s, struct bytes *frame) MUST_USE;

#endif
