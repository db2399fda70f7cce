/* The server's side of Kerberos, through GSSAPI, without SPNEGO. Users are the
 * principals of one part of the realms that cfg->keytab serves, which must not be NULL. May block
 * (keytab, krb5.conf). For this folder. */
#ifndef FREVO_AUTH_KRB5_ACCEPTOR_H
#define FREVO_AUTH_KRB5_ACCEPTOR_H

#include "auth/sign_in.h"

struct krb5_acceptor;

struct krb5_acceptor *krb5_acceptor_new(struct sign_in *s);
void krb5_acceptor_free(struct krb5_acceptor *k);

/* *out is valid until the next call; on failure it may hold a KRB-ERROR for the client. */
enum auth_verdict krb5_acceptor_step(struct krb5_acceptor *k, struct bytes in, struct bytes *out);

/* After AUTH_DONE. */
MUST_USE bool krb5_acceptor_check_mic(struct krb5_acceptor *k, struct bytes text, struct bytes mic);
/* Makes our MIC; a view valid until the next MIC; empty on failure. */
struct bytes krb5_acceptor_mic(struct krb5_acceptor *k, struct bytes text);

#endif
