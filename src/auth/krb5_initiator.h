/* The client's side of Kerberos, through GSSAPI and the caller's credential cache, without SPNEGO.
 * May block (disk, KDC). For this folder. */
#ifndef FREVO_AUTH_KRB5_INITIATOR_H
#define FREVO_AUTH_KRB5_INITIATOR_H

#include "auth/initiator.h"
#include "auth/sign_in.h"

struct krb5_initiator;

/* s is borrowed: key and reason go there. NULL without memory or without cfg->target. */
struct krb5_initiator *krb5_initiator_new(const struct initiator_config *cfg, struct sign_in *s);
void krb5_initiator_free(struct krb5_initiator *k);

/* `in` empty first. *out is valid until the next call. AUTH_DONE when both sides are proven. */
enum auth_verdict krb5_initiator_step(struct krb5_initiator *k, struct bytes in, struct bytes *out);
MUST_USE bool krb5_initiator_check_mic(struct krb5_initiator *k, struct bytes text,
                                       struct bytes mic);
/* A view valid until the next MIC; empty on failure. */
struct bytes krb5_initiator_mic(struct krb5_initiator *k, struct bytes text);

#endif
