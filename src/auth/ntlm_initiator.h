/* The client's side of NTLMv2 without SPNEGO. For this folder. */
#ifndef FREVO_AUTH_NTLM_INITIATOR_H
#define FREVO_AUTH_NTLM_INITIATOR_H

#include "auth/initiator.h"
#include "auth/sign_in.h"

struct ntlm_initiator;

/* s is borrowed for the life of the initiator: key and reason go there. NULL without memory or MD4,
 * or for a password or name that is no UTF-8. */
struct ntlm_initiator *ntlm_initiator_new(const struct initiator_config *cfg, struct sign_in *s);
void ntlm_initiator_free(struct ntlm_initiator *n);

/* `in` empty first, then the server's CHALLENGE. AUTH_DONE comes with the AUTHENTICATE message in
 * *out. *out is valid until the next call. */
enum auth_verdict ntlm_initiator_step(struct ntlm_initiator *n, struct bytes in, struct bytes *out);
MUST_USE bool ntlm_initiator_mic(struct ntlm_initiator *n, bool from_server, struct bytes text,
                                 uint8_t mic[16]);

#endif
