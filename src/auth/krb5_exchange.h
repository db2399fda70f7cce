/* What both sides of a Kerberos exchange have in common: the GSSAPI context, the buffers that
 * GSSAPI gave us, the session key, the MICs. For krb5_acceptor.c and krb5_initiator.c. */
#ifndef FREVO_AUTH_KRB5_EXCHANGE_H
#define FREVO_AUTH_KRB5_EXCHANGE_H

#include <gssapi/gssapi.h>

#include "auth/sign_in.h"

/* Zeroed to begin with. All owned by GSSAPI's allocator. */
struct krb5_exchange {
        gss_ctx_id_t ctx;
        gss_buffer_desc out, mic; /* the last token and the last MIC that we made */
};

void krb5_exchange_fini(struct krb5_exchange *x);

/* A view as GSSAPI wants it; GSSAPI only reads what it gets this way. */
gss_buffer_desc krb5_buffer_of(struct bytes b);

/* When the exchange is complete: the session's key to id. False if GSSAPI has none. */
MUST_USE bool krb5_exchange_take_key(struct krb5_exchange *x, struct auth_identity *id);
MUST_USE bool krb5_exchange_check_mic(struct krb5_exchange *x, struct bytes text, struct bytes mic);
/* A view valid until the next MIC; empty on failure. */
struct bytes krb5_exchange_mic(struct krb5_exchange *x, struct bytes text);

/* One line at debug about a minor status; nothing secret stands in those. */
void krb5_log_minor(const char *what, OM_uint32 minor_status);

#endif
