/* A connection to a server, once it stands: credits, requests in flight, replies, signatures,
 * seals. One channel of its session. Setting it up: connect.c (the socket), negotiate.c, sign_in.c.
 *
 * Loop only.
 */
#ifndef FREVO_CLIENT_CONN_H
#define FREVO_CLIENT_CONN_H

#include "client/frame.h"
#include "crypto/preauth.h"
#include "crypto/sign.h"
#include "net/conn.h"
#include "wire/smb2/header.h"

#define CONN_BUCKETS 256u

enum conn_state { CONN_SETTING_UP, CONN_READY, CONN_DEAD };

struct client_conn {
        struct client_session *session; /* one reference */
        struct list in_session;
        struct conn *net; /* a reference */
        enum conn_state state;
        bool bound;     /* a further channel of a session that stands */
        uint32_t epoch; /* of the session that it is, or will be, a channel of */

        uint64_t next_id;
        unsigned credits;        /* to be used */
        unsigned credits_flying; /* used by requests in flight */
        bool asking;             /* an ECHO for more credits is out */
        unsigned starved;        /* credits it had when more were asked for last, in vain so far */
        struct list in_flight[CONN_BUCKETS]; /* by MessageId */
        unsigned n_in_flight;
        size_t queued; /* bytes given to the socket and not gone yet */

        struct signer signer;
        bool can_sign;
        struct preauth preauth; /* 3.1.1: of NEGOTIATE, then of the sign-in */

        uint64_t heard_ms; /* when the server last said something */
        struct timer silence;
        struct client_req echo;
        bool echoing;
        unsigned rtt_us; /* the shortest seen; 0 = none yet */

        struct sign_in *sign_in; /* while setting up */
        int err;                 /* why it failed, for whoever waits */
        uint32_t status;
};

/* Takes over a connected socket and begins to negotiate; outcome: client_session_conn_ready() or
 * client_session_conn_lost(). NULL without memory (fd is closed). */
struct client_conn *client_conn_new(struct client_session *s, int fd, bool bound);

/* Credits and a window that is open enough for f now. */
bool client_conn_takes(const struct client_conn *c, const struct client_frame *f);
/* Puts f on the wire. */
void client_conn_send(struct client_conn *c, struct client_frame *f);
/* When nothing is in flight and the credits do not suffice: asks for more. False: the server gives
 * no more than it did. */
bool client_conn_ask_credits(struct client_conn *c, unsigned need);
void client_conn_cancel(struct client_req *victim);
/* Ends it; requests in flight fail. err, status: why, for those that wait for a sign-in. */
void client_conn_fail(struct client_conn *c, int err, uint32_t status);

/* One of frame_own(), at once. */
void client_conn_send_own(struct client_conn *c, struct client_frame *f, const struct writer *w);

#endif
