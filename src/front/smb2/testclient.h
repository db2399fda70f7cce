/* For tests: a scripted client, which does what it is told, right or wrong, and checks every
 * signature and seal that it is sent. Made of the wire's codecs and the initiator of auth.
 *
 * A request is built in tx: tc_begin() writes a header, the caller the body (tx.w), and tc_call()
 * sends it and waits for the reply; several tc_begin() make a compound. What must not fail aborts.
 * One client, one thread.
 */
#ifndef FREVO_FRONT_SMB2_TESTCLIENT_H
#define FREVO_FRONT_SMB2_TESTCLIENT_H

#include "auth/initiator.h"
#include "base/limits.h"
#include "crypto/kdf.h"
#include "crypto/preauth.h"
#include "crypto/seal.h"
#include "crypto/sign.h"
#include "front/smb2/testserver.h"
#include "wire/smb2/create.h"
#include "wire/smb2/header.h"
#include "wire/smb2/negotiate.h"
#include "wire/smb2/status.h"

#define TC_BYTES (256u * 1024)
#define TC_REPLIES 16

struct tc_reply {
        struct smb2_header h;
        struct bytes msg; /* from its header on; until the next receive */
        bool is_signed, sealed;
};

struct tc {
        int fd;
        /* What NEGOTIATE shall ask for; 0: 3.1.1 with GMAC and AES-128-GCM. */
        uint16_t want_dialect, want_cipher;
        enum sign_alg want_signing;
        uint16_t security_mode;
        struct smb2_guid guid;

        uint16_t dialect, cipher; /* what it became */
        enum sign_alg sign_alg;
        struct preauth preauth, setup_preauth;

        uint64_t session_id, next_id;
        uint32_t tree_id;
        uint8_t session_key[16], signing_key[16];
        struct signer signer;
        struct sealer seal_in, seal_out;
        bool signs, seals; /* what is sent from now on */
        uint64_t nonce;

        struct writer w; /* over tx, behind room for the transform header */
        size_t at[TC_REPLIES];
        unsigned n; /* requests in w */
        uint16_t charge, credits;
        uint8_t tx[TC_BYTES], rx[TC_BYTES];
        struct tc_reply reply[TC_REPLIES];
        unsigned n_replies;
};

struct tc *tc_new(struct testserver *t, unsigned loop);
void tc_free(struct tc *c);

/* ---- frames ---- */
void tc_send_raw(struct tc *c, struct bytes frame);
/* The bytes that tc_send() would send. */
struct bytes tc_finish(struct tc *c);
void tc_send(struct tc *c);
/* The next frame, taken apart; false when the server has closed the connection. */
bool tc_recv(struct tc *c);
/* Reads to the end. */
bool tc_is_closed(struct tc *c);

/* ---- requests ---- */
/* A header (and the link to it from the one before) for the next MessageId. */
void tc_begin(struct tc *c, uint16_t command);
void tc_related(struct tc *c); /* the last one begun */
/* Sends, receives one frame of final replies; the first one's status, or 0xffffffff when
 * the connection was closed. Interim replies are passed over. */
uint32_t tc_call(struct tc *c);
/* One of a command without a body (ECHO, LOGOFF, TREE_DISCONNECT). */
uint32_t tc_simple(struct tc *c, uint16_t command);

/* ---- getting somewhere; an NTSTATUS ---- */
uint32_t tc_negotiate(struct tc *c);
uint32_t tc_sign_in(struct tc *c, const char *user, const char *password);
/* The same, with flags and PreviousSessionId. */
uint32_t tc_sign_in_with(struct tc *c, const char *user, const char *password, uint8_t flags,
                         uint64_t previous);
/* c, negotiated, becomes a channel of `of`. */
uint32_t tc_bind(struct tc *c, const struct tc *of, const char *user, const char *password);
uint32_t tc_tree(struct tc *c, const char *share);
uint32_t tc_create(struct tc *c, const char *name, uint32_t access, uint32_t disposition,
                   uint32_t options, struct smb2_file_id *ret);
uint32_t tc_close(struct tc *c, struct smb2_file_id id);
/* Negotiated, signed in as alice, on share "test". */
struct tc *tc_ready(struct testserver *t, unsigned loop);

/* Bodies in tx, to be sent by the caller. */
void tc_put_create(struct tc *c, const char *name, uint32_t access, uint32_t disposition,
                   uint32_t options, struct bytes contexts);
void tc_put_write(struct tc *c, struct smb2_file_id id, uint64_t off, struct bytes data);
void tc_put_read(struct tc *c, struct smb2_file_id id, uint64_t off, uint32_t len);
void tc_put_lock(struct tc *c, struct smb2_file_id id, uint64_t off, uint64_t len, uint32_t flags);

#endif
