/* The server's side of a sign-in: tokens in, tokens and a verdict out.
 *
 * One acceptor serves one conversation (one SESSION_SETUP exchange): SPNEGO around NTLMv2 or
 * Kerberos, or bare NTLMSSP. It knows nothing of SMB. LM, NTLMv1 and NTLM2-session responses are
 * refused always; MICs are checked whenever they are announced.
 *
 * Threads: an acceptor is used by one thread at a time. acceptor_step *may block* once Kerberos is
 * configured (a changed keytab and krb5.conf are read from disk), so callers on a loop run it on a
 * worker.
 */
#ifndef FREVO_AUTH_ACCEPTOR_H
#define FREVO_AUTH_ACCEPTOR_H

#include <stdint.h>

#include "auth/keytab.h"
#include "auth/throttle.h"
#include "auth/user_db.h"
#include "base/auto.h"
#include "base/bytes.h"

enum auth_verdict { AUTH_MORE, AUTH_DONE, AUTH_FAILED };

enum auth_reason {
        AUTH_OK,
        AUTH_BAD_CREDENTIALS,  /* wrong password or unknown user: on purpose not told apart */
        AUTH_ACCOUNT_DISABLED, /* told only to whoever knows the password */
        AUTH_MALFORMED,        /* a token that breaks its specification */
        AUTH_UNSUPPORTED_MECH, /* nothing in common, or too weak: NTLMv1, no 128-bit keys */
        AUTH_THROTTLED,        /* too many failures: see acceptor_wait_ms */
        AUTH_EXPIRED,          /* Kerberos ticket or clock out of range */
        AUTH_ANONYMOUS_REFUSED,
        AUTH_TARGET_MISMATCH, /* client meant another server: relayed */
        AUTH_NO_KEY,          /* a ticket for a service or with a key that the keytab lacks */
        AUTH_FOREIGN_REALM,   /* a principal of a realm that is not served */
        AUTH_NOT_A_USER,      /* a principal of several parts: a service, an instance */
        AUTH_INTERNAL         /* no memory, no MD4: logged */
};

enum auth_mech { AUTH_MECH_NONE, AUTH_MECH_NTLM, AUTH_MECH_KERBEROS };

/* The name of the server that the client says it wants (the SPN in NTLM's AV pairs). */
enum auth_target_policy {
        AUTH_TARGET_IGNORE,
        AUTH_TARGET_IF_SENT, /* a name sent and verified by the client must be one of ours */
        AUTH_TARGET_REQUIRED
};

/* All borrowed, until the last acceptor made with it is freed. */
struct acceptor_config {
        struct user_db *users;      /* NULL: nobody signs in with a password */
        const char *netbios_name;   /* required, e.g. "FILES"; upper case, at most 15 characters */
        const char *netbios_domain; /* NULL: netbios_name (a server of its own) */
        const char *dns_name;       /* NULL: left out */
        const char *dns_domain;     /* NULL: left out */
        const char *const
                *target_names; /* more hosts that count as ours (addresses, aliases); NULL-ended */
        enum auth_target_policy target_policy;
        struct keytab *keytab; /* NULL: no Kerberos */
        bool allow_anonymous;
        bool no_ntlm;              /* offer Kerberos only */
        struct throttle *throttle; /* NULL: none */
        int64_t (*now_ft)(void);   /* NULL: clock_now_ft */
};

struct auth_identity {
        enum auth_mech mech;
        bool anonymous; /* user "" then, and keys that protect nothing: all zero or, with
                         * NTLM's KEY_EXCH, the client's own, sent under a key of zeros */
        bool admin;
        char user[USER_NAME_MAX];      /* NTLM: as in the database; Kerberos: the principal
                                        */
        char domain[USER_NAME_MAX];    /* NTLM: as the client sent it; Kerberos: realm */
        char unix_name[USER_NAME_MAX]; /* "" = none configured */
        uint8_t session_key[16];       /* Session.SessionKey: first 16 bytes of the key */
        uint8_t full_key[64];          /* Session.FullSessionKey */
        size_t full_key_len;
        int64_t expires_ft; /* end of the ticket; 0 = never */
};

struct acceptor;

/* peer_address: text without port, for the throttle; copied; NULL = unknown. NULL without memory.
 */
struct acceptor *acceptor_new(const struct acceptor_config *cfg, const char *peer_address);
/* Wipes the keys. */
void acceptor_free(struct acceptor *a);
AUTO_DEFINE(acceptor_free, struct acceptor *);

/* One token of the client. *out is the token to send back: possibly empty, on every verdict (a
 * failure too may carry a token); valid until the next call on `a`. After AUTH_DONE or
 * AUTH_FAILED the conversation is over: further calls fail. in.n is bounded by LIMIT_TOKEN_BYTES.
 */
enum auth_verdict acceptor_step(struct acceptor *a, struct bytes in, struct bytes *out);

/* After AUTH_FAILED. */
enum auth_reason acceptor_reason(const struct acceptor *a);
/* After AUTH_THROTTLED: how long the client has to wait. */
uint64_t acceptor_wait_ms(const struct acceptor *a);
/* After AUTH_DONE; owned by a. NULL before. */
const struct auth_identity *acceptor_identity(const struct acceptor *a);
/* User and domain named by the client, for one log line; "" if it never came so far. Not proven. */
const char *acceptor_claimed_user(const struct acceptor *a);
const char *acceptor_claimed_domain(const struct acceptor *a);

/* The token of the NEGOTIATE response: NegTokenInit2 with the mechanisms of cfg, by preference
 * ([MS-SPNG] 3.2.5.2). Written to buf; an empty view if cap (256 is enough) is too small. */
struct bytes acceptor_hint(const struct acceptor_config *cfg, uint8_t *buf, size_t cap);

/* A word for logs. */
const char *auth_reason_name(enum auth_reason r);

#endif
