/* The client's side of a sign-in: the mirror of acceptor.h. Used by the client library and tests.
 *
 * NTLMv2 with MIC inside SPNEGO (or bare), anonymous, and Kerberos through GSSAPI with the caller's
 * credential cache. Used by one thread at a time; Kerberos may block on disk and network.
 */
#ifndef FREVO_AUTH_INITIATOR_H
#define FREVO_AUTH_INITIATOR_H

#include <stdint.h>

#include "auth/acceptor.h"

struct initiator_config {
        enum auth_mech mech;  /* AUTH_MECH_NTLM or AUTH_MECH_KERBEROS */
        bool raw_ntlm;        /* NTLMSSP without SPNEGO */
        bool list_kerberos;   /* NTLM: name Kerberos before it, leaving the choice to the server */
        const char *user;     /* NTLM; NULL or "" = anonymous */
        const char *domain;   /* NTLM; NULL = "" */
        const char *password; /* NTLM, UTF-8 */
        const char *workstation; /* NTLM; NULL = "" */
        const char *target;      /* host name of the server: SPN cifs/target; NULL: none is sent */
        int64_t (*now_ft)(void); /* NULL: clock_now_ft */
};

struct initiator;

/* Copies what it needs of cfg (now_ft stays a pointer). NULL without memory, MD4, or with a name
 * that is no UTF-8. */
struct initiator *initiator_new(const struct initiator_config *cfg);
void initiator_free(struct initiator *i);
AUTO_DEFINE(initiator_free, struct initiator *);

/* First call: `in` empty, or the server's hint from its NEGOTIATE response (used for the choice of
 * mechanism only). *out as in acceptor_step. AUTH_DONE with an empty *out ends the conversation;
 * with a non-empty one it must still be sent. */
enum auth_verdict initiator_step(struct initiator *i, struct bytes in, struct bytes *out);
enum auth_reason initiator_reason(const struct initiator *i);
/* The key; valid as soon as AUTH_DONE was returned, and for NTLM from the AUTHENTICATE token on. */
const struct auth_identity *initiator_identity(const struct initiator *i);

#endif
