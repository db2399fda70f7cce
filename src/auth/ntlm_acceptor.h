/* The server's side of NTLM without SPNEGO: NEGOTIATE in, CHALLENGE out, AUTHENTICATE in, verdict.
 * For this folder; acceptor.h says what is refused. */
#ifndef FREVO_AUTH_NTLM_ACCEPTOR_H
#define FREVO_AUTH_NTLM_ACCEPTOR_H

#include "auth/sign_in.h"

struct ntlm_acceptor;

/* s is borrowed for the life of the acceptor and filled by it. NULL without memory. */
struct ntlm_acceptor *ntlm_acceptor_new(struct sign_in *s);
void ntlm_acceptor_free(struct ntlm_acceptor *n);

/* *out is valid until ntlm_acceptor_free. */
enum auth_verdict ntlm_acceptor_step(struct ntlm_acceptor *n, struct bytes in, struct bytes *out);

/* After AUTH_DONE: the signature of either side over text, for mechListMIC. */
MUST_USE bool ntlm_acceptor_mic(struct ntlm_acceptor *n, bool from_server, struct bytes text,
                                uint8_t mic[16]);

#endif
