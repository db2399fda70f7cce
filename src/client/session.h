/* A session: one user on one server, over one or several connections; made again when they are
 * lost.
 *
 * States: DOWN -> CONNECTING -> UP -> DOWN ...; OVER for good when the context, or the last share,
 * lets go of it, or when a sign-in is refused. Loop only.
 */
#ifndef FREVO_CLIENT_SESSION_H
#define FREVO_CLIENT_SESSION_H

#include "client/conn.h"
#include "client/context.h"
#include "crypto/kdf.h"
#include "crypto/seal.h"

enum session_state { SESSION_DOWN, SESSION_CONNECTING, SESSION_UP, SESSION_OVER };

/* Where to, as whom and how: the caller's wishes, copied. */
struct client_target {
        char *host, *user, *domain, *password; /* owned; user "" = anonymous */
        uint16_t port, min_dialect, max_dialect;
        enum frevo_auth auth;
        bool encrypt;
        unsigned max_channels, timeout_ms, reconnect_ms;
};

/* What NEGOTIATE came to. */
struct client_terms {
        uint16_t dialect, security_mode;
        uint32_t capabilities;
        struct smb2_guid server_guid;
        uint32_t max_read, max_write, max_transact; /* at most LIMIT_IO_BYTES */
        enum sign_alg sign_alg;
        uint16_t cipher; /* 0 = none */
};

struct client_session {
        struct frevo_ctx *ctx;
        struct list link; /* in ctx->sessions */
        unsigned refs;
        struct client_target to;
        enum session_state state;
        uint32_t epoch; /* counts sign-ins; 0 = never up */

        struct client_terms terms; /* of the first connection; further ones must agree */
        uint64_t id, previous_id;
        bool is_guest, is_null, seals /* everything */, can_seal;
        uint8_t signing_key[16]; /* of the session: further channels bind with it */
        struct sealer seal_in, seal_out;
        uint64_t nonce;
        uint16_t channel_sequence; /* counts lost channels */

        struct list conns; /* of struct client_conn, those being set up too */
        unsigned n_conns, n_opening;
        bool one_channel;        /* the server wants no more */
        struct list small, bulk; /* frames that wait for a connection to take them */
        struct list shares;      /* of struct frevo_share */

        struct timer retry;
        uint64_t down_ms; /* since when */
        bool was_of_use;  /* a share was reached in it: one that never is counts as down */
        unsigned attempts;
        int err; /* what the last attempt came to */
        uint32_t status;
        struct client_req logoff;
        struct timer linger; /* LOGOFF may take this long */
        bool leaving;
};

/* One that is there already, or a new one: one reference. NULL without memory. */
struct client_session *client_session_get(struct frevo_ctx *c, const struct client_target *to);
struct client_session *client_session_ref(struct client_session *s);
void client_session_unref(struct client_session *s);
void client_target_fini(struct client_target *t);

/* Gets a session that is down going. */
void client_session_connect(struct client_session *s);
/* Says LOGOFF and hangs up; OVER from now on. */
void client_session_end(struct client_session *s);
/* Puts f, whose share is up (or that has none), in line for a connection. */
void client_session_queue(struct client_session *s, struct client_frame *f);
/* One of frame_own(). */
void client_session_send_own(struct client_session *s, struct client_frame *f,
                             const struct writer *w);
/* Sends what waits, as far as credits go. */
void client_session_pump(struct client_session *s);
/* True while what was lost may come back. */
bool client_session_is_retrying(const struct client_session *s);

static inline bool client_session_has_large_mtu(const struct client_session *s)
{
        return s->terms.dialect > 0x0202 && (s->terms.capabilities & 4) != 0;
}

/* From the connections. */
void client_session_conn_ready(struct client_session *s, struct client_conn *c);
void client_session_conn_gone(struct client_session *s, struct client_conn *c);
/* From the connect job: fd of a connected socket, or -1 and an errno. */
void client_session_connected(struct client_session *s, int fd, int err, bool bound);

#endif
