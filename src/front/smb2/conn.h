/* A connection of the protocol: what NEGOTIATE settled, the window of MessageIds, the chains in
 * work, the channels of sessions, the sign-ins under way ([MS-SMB2] 3.3.1.7).
 *
 * Loop only. Reference counted: the network connection holds one until it is closed, each chain
 * one.
 */
#ifndef FREVO_FRONT_SMB2_CONN_H
#define FREVO_FRONT_SMB2_CONN_H

#include "crypto/preauth.h"
#include "crypto/seal.h"
#include "crypto/sign.h"
#include "front/smb2/credits.h"
#include "front/smb2/local.h"
#include "wire/smb2/negotiate.h"

enum smb2_negotiation {
        SMB2_NOT_NEGOTIATED,
        SMB2_HALF_NEGOTIATED, /* the wildcard was answered: a second NEGOTIATE must follow */
        SMB2_NEGOTIATED,
};

struct smb2_client;

struct smb2_conn {
        unsigned refs;
        struct conn *net; /* one reference */
        struct smb2_local *local;
        bool dead; /* closing or closed: nothing new is begun */
        bool eof;  /* the peer sends no more: it ends once what came is answered */

        enum smb2_negotiation negotiation;
        uint16_t dialect; /* 0x0202 .. 0x0311 */
        uint32_t client_caps, server_caps;
        uint16_t client_mode, server_mode; /* enum smb2_security_mode */
        struct smb2_guid client_guid;
        enum sign_alg sign_alg;
        uint16_t cipher; /* enum smb2_cipher; 0 = no encryption */
        bool multi_credit;
        uint32_t max_io; /* MaxTransactSize, MaxReadSize, MaxWriteSize */
        struct preauth preauth;
        struct smb2_credits credits;

        struct smb2_client *client; /* one reference; NULL before NEGOTIATE */
        struct list client_link;    /* in its client */
        bool has_home;              /* counted in front->homes */
        struct net_loop *move_to;   /* another loop: moved when the NEGOTIATE chain is done */
        struct task move_task;

        struct list chains; /* struct smb2_chain in work */
        unsigned n_chains;
        size_t bytes_in_work;
        bool paused;
        uint64_t next_async_id;
        unsigned n_async;

        struct list channels; /* struct smb2_channel.conn_link */
        unsigned n_channels;
        struct list former; /* struct smb2_channel.conn_link of ended sessions, newest first */
        unsigned n_former;
        struct list setups; /* struct smb2_setup.conn_link */
        unsigned n_setups;

        char peer[CONN_ADDR_TEXT]; /* with port, for logs */
};

extern const struct conn_ops smb2_conn_ops;

struct smb2_conn *smb2_conn_ref(struct smb2_conn *c);
void smb2_conn_unref(struct smb2_conn *c);
/* Ends it at once; `why` is static text. What is in work completes into the void. */
void smb2_conn_drop(struct smb2_conn *c, const char *why);
/* A session stands on it: larger frames, no deadline. Or none does any more. */
void smb2_conn_trust(struct smb2_conn *c);
void smb2_conn_distrust(struct smb2_conn *c);
/* A chain ended: resumes reading that was paused, moves to the client's loop if it is due, closes
 * when the peer has ended and this was the last. */
void smb2_conn_settle(struct smb2_conn *c);

#endif
