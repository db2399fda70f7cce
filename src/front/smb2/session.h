/* Sessions and their channels ([MS-SMB2] 3.3.1.8, 3.3.1.14).
 *
 * Loop only. A session is owned by the loop's table until it ends; calls in flight hold references,
 * so that keys, trees and opens that they use stay in memory. session_end is the only way out.
 */
#ifndef FREVO_FRONT_SMB2_SESSION_H
#define FREVO_FRONT_SMB2_SESSION_H

#include "front/smb2/client.h"
#include "front/smb2/conn.h"
#include "front/smb2/slots.h"
#include "fs/op.h"

/* Opens on their way to being closed: in no table, linked by smb2_open.link, one reference each. */
struct smb2_closing {
        struct list opens;
        struct list *at; /* the next to close */
};
void smb2_closing_init(struct smb2_closing *k);

enum smb2_session_state {
        SMB2_SESSION_IN_PROGRESS, /* the first sign-in is not over */
        SMB2_SESSION_VALID,
        SMB2_SESSION_ENDED, /* in no table any more */
};

struct smb2_session {
        struct list link; /* in local->sessions */
        unsigned refs;
        uint64_t id;
        struct smb2_local *local;
        struct smb2_client *client; /* one reference */
        enum smb2_session_state state;
        uint16_t dialect;
        enum sign_alg sign_alg;
        uint16_t cipher;

        struct auth_identity identity; /* its keys are wiped once ours are derived */
        int64_t expires_ft;            /* 0 = never */
        bool signing_required, encrypt;
        struct signer signer; /* Session.SigningKey; zeroed when anonymous */
        uint8_t signing_key[16];
        struct sealer seal_in, seal_out; /* zeroed when not can_seal */
        bool can_seal;
        uint64_t next_nonce;

        struct list channels; /* struct smb2_channel.session_link */
        unsigned n_channels;
        struct slots trees, opens; /* struct smb2_tree, struct smb2_open */

        /* smb2_session_end_soon: */
        struct smb2_closing closing;
        struct fs_op close_op;
        struct task *closed_then;
};

/* A session on one connection, with a signing key of its own. Reference counted: the pair of lists
 * holds one, each call that will be answered with its key one. */
struct smb2_channel {
        struct list session_link, conn_link;
        unsigned refs;
        uint64_t session_id;
        struct smb2_session *session; /* borrowed; NULL once it was taken off */
        struct smb2_conn *conn;       /* borrowed; NULL likewise */
        struct signer signer;
};

/* A new one, in progress, in the loop's table, with a fresh id; one reference, the table's. */
struct smb2_session *smb2_session_new(struct smb2_local *l, const struct smb2_conn *c);
struct smb2_session *smb2_session_ref(struct smb2_session *s);
void smb2_session_unref(struct smb2_session *s);
/* Borrowed; NULL when there is none (ended ones are in no table). */
struct smb2_session *smb2_session_lookup(struct smb2_local *l, uint64_t id);
/* The loop that an id was made on. */
unsigned smb2_session_id_loop(uint64_t id);
bool smb2_session_is_expired(const struct smb2_session *s);
/* Same mechanism-independent user: what binding and PreviousSessionId ask for. */
bool smb2_session_same_user(const struct auth_identity *a, const struct auth_identity *b);

/* Puts s on c, with that signing key (empty: unsigned, anonymous) and c's algorithm. NULL without
 * memory or at LIMIT_CHANNELS_PER_SESSION. */
struct smb2_channel *smb2_channel_add(struct smb2_session *s, struct smb2_conn *c,
                                      struct bytes signing_key);
/* Borrowed; NULL when s is not on c. */
struct smb2_channel *smb2_channel_lookup(const struct smb2_session *s, const struct smb2_conn *c);
/* Forgets those that are kept. */
void smb2_channels_forget(struct smb2_conn *c);
/* One that is on no session and no connection: the key of a session that the connection does not
 * carry. NULL without memory. */
struct smb2_channel *smb2_channel_stray(const struct smb2_known_session *known);
struct smb2_channel *smb2_channel_ref(struct smb2_channel *ch);
void smb2_channel_unref(struct smb2_channel *ch);
/* The last one of an ended session of that id; borrowed; NULL. */
struct smb2_channel *smb2_channel_former(const struct smb2_conn *c, uint64_t session_id);
/* Takes it off its session and connection. A connection that lives on keeps the key for a while: a
 * client that does not know yet that its session ended is told so in a signed reply. */
void smb2_channel_remove(struct smb2_channel *ch);

/* Takes the session out of everything: tables, channels, trees; parked calls are cancelled. Its
 * opens go to `into`, for the caller to close. Harmless when it has ended. */
void smb2_session_end(struct smb2_session *s, struct smb2_closing *into);
/* Closes all of them, on any thread; FS_AGAIN: call again without FS_NOWAIT. */
enum fs_err smb2_closing_run(struct smb2_closing *k, unsigned how);
/* On the loop: drops the references. */
void smb2_closing_fini(struct smb2_closing *k);
/* Ends s and closes its opens in the background; `then` (may be NULL) runs on its loop when all is
 * closed. */
void smb2_session_end_soon(struct smb2_session *s, struct task *then);

#endif
