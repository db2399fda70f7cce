/* See testclient.h. */
#include "front/smb2/testclient.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/utf16.h"
#include "crypto/hash.h"
#include "wire/smb2/close.h"
#include "wire/smb2/compound.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/lock.h"
#include "wire/smb2/read.h"
#include "wire/smb2/session_setup.h"
#include "wire/smb2/transform.h"
#include "wire/smb2/tree_connect.h"
#include "wire/smb2/write.h"

#define MUST(x)                                                                                    \
        do {                                                                                       \
                if (!(x)) {                                                                        \
                        (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);              \
                        abort();                                                                   \
                }                                                                                  \
        } while (0)

#define TX_ROOM 64u /* in front of the messages, for the transform header */

struct tc *tc_new(struct testserver *t, unsigned loop)
{
        struct tc *c = calloc(1, sizeof *c);
        MUST(c);
        c->fd = testserver_connect(t, loop);
        c->credits = 64;
        c->security_mode = SMB2_NEGOTIATE_SIGNING_ENABLED;
        c->want_signing = SIGN_AES_GMAC;
        crypto_random(c->guid.b, sizeof c->guid.b);
        return c;
}

void tc_free(struct tc *c)
{
        if (!c)
                return;
        (void)close(c->fd); /* a socket: nothing is lost */
        signer_fini(&c->signer);
        sealer_fini(&c->seal_in);
        sealer_fini(&c->seal_out);
        free(c);
}

/* ---- frames -----------------------------------------------------------------------------------
 */

static void send_all(struct tc *c, const uint8_t *p, size_t n)
{
        while (n) {
                ssize_t did = send(c->fd, p, n, MSG_NOSIGNAL);
                if (did < 0 && errno == EINTR)
                        continue;
                if (did <= 0)
                        return; /* the server has hung up: what is received will say so */
                p += did;
                n -= (size_t)did;
        }
}

void tc_send_raw(struct tc *c, struct bytes frame)
{
        uint8_t head[4];
        struct writer w = wr_into(head, sizeof head);
        wr_u32be(&w, (uint32_t)frame.n);
        send_all(c, head, sizeof head);
        send_all(c, frame.p, frame.n);
}

static struct bytes seal(struct tc *c, uint8_t *p, size_t n)
{
        struct smb2_transform_header t = {.original_message_size = (uint32_t)n,
                                          .flags = SMB2_TRANSFORM_FLAG_ENCRYPTED,
                                          .session_id = c->session_id};
        uint8_t *head = p - SMB2_TRANSFORM_HEADER_LEN, tag[SEAL_TAG_LEN];
        c->nonce++;
        memcpy(t.nonce, &c->nonce, sizeof c->nonce);
        struct writer w = wr_into(head, SMB2_TRANSFORM_HEADER_LEN);
        smb2_transform_header_encode(&w, &t);
        seal_encrypt(&c->seal_out, t.nonce,
                     bytes_of(head + SMB2_TRANSFORM_AT_NONCE, SMB2_TRANSFORM_AAD_LEN), p, n, tag);
        smb2_transform_header_set_signature(head, tag);
        return bytes_of(head, SMB2_TRANSFORM_HEADER_LEN + n);
}

/* As a client signs: the nonce says that it is one. */
static void sign(struct tc *c, uint8_t *p, size_t n)
{
        static const uint8_t none[SIGN_LEN];
        uint8_t nonce[SIGN_NONCE_LEN], sig[SIGN_LEN];
        struct smb2_header h;
        smb2_header_add_flags(p, SMB2_FLAGS_SIGNED);
        MUST(smb2_header_decode(bytes_of(p, n), &h));
        struct bytes parts[3] = {bytes_of(p, SMB2_AT_SIGNATURE), bytes_of(none, SIGN_LEN),
                                 bytes_of(p + SMB2_HEADER_LEN, n - SMB2_HEADER_LEN)};
        signer_gmac_nonce(h.message_id, false, h.command == SMB2_CANCEL, nonce);
        signer_sign(&c->signer, parts, 3, nonce, sig);
        smb2_header_set_signature(p, sig);
}

struct bytes tc_finish(struct tc *c)
{
        MUST(wr_ok(&c->w) && c->n);
        for (unsigned i = 0; c->signs && !c->seals && i < c->n; i++) {
                size_t end = i + 1 < c->n ? c->at[i + 1] : c->w.at;
                sign(c, c->w.p + c->at[i], end - c->at[i]);
        }
        c->n = 0;
        return c->seals ? seal(c, c->w.p, c->w.at) : wr_done(&c->w);
}

void tc_send(struct tc *c)
{
        tc_send_raw(c, tc_finish(c));
}

static bool recv_all(struct tc *c, uint8_t *p, size_t n)
{
        while (n) {
                ssize_t did = recv(c->fd, p, n, 0);
                if (did < 0 && errno == EINTR)
                        continue;
                MUST(did >= 0 || errno == ECONNRESET); /* the time-out ends a test that hangs */
                if (did <= 0)
                        return false;
                p += did;
                n -= (size_t)did;
        }
        return true;
}

static struct bytes unseal(struct tc *c, struct bytes f)
{
        struct smb2_transform_header t;
        uint8_t *p = c->rx;
        MUST(smb2_transform_header_decode(f, &t) && t.session_id == c->session_id);
        size_t n = f.n - SMB2_TRANSFORM_HEADER_LEN;
        MUST(seal_decrypt(&c->seal_in, t.nonce,
                          bytes_of(p + SMB2_TRANSFORM_AT_NONCE, SMB2_TRANSFORM_AAD_LEN),
                          p + SMB2_TRANSFORM_HEADER_LEN, n, t.signature));
        return bytes_of(p + SMB2_TRANSFORM_HEADER_LEN, n);
}

static bool signature_ok(struct tc *c, struct bytes msg, const struct smb2_header *h)
{
        static const uint8_t none[SIGN_LEN];
        uint8_t nonce[SIGN_NONCE_LEN];
        struct bytes parts[3] = {bytes_first(msg, SMB2_AT_SIGNATURE), bytes_of(none, SIGN_LEN),
                                 bytes_from(msg, SMB2_HEADER_LEN)};
        signer_gmac_nonce(h->message_id, true, false, nonce);
        return c->signer.ctx && signer_check(&c->signer, parts, 3, nonce, h->signature);
}

/* Signed with a key that a SESSION_SETUP in work is about to give: checked when it has. */
static bool checked_later(const struct tc *c, const struct smb2_header *h)
{
        return h->command == SMB2_SESSION_SETUP && (!c->signer.ctx || h->status == STATUS_SUCCESS);
}

bool tc_recv(struct tc *c)
{
        uint8_t head[4];
        c->n_replies = 0;
        if (!recv_all(c, head, 4))
                return false;
        size_t n = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        MUST(head[0] == 0 && n <= TC_BYTES);
        if (!recv_all(c, c->rx, n))
                return false;
        struct bytes f = bytes_of(c->rx, n);
        bool sealed = smb2_is_transform(f);
        if (sealed)
                f = unseal(c, f);
        struct smb2_compound walk;
        struct bytes msg;
        struct smb2_header h;
        unsigned count;
        MUST(smb2_compound_check(f, &count) && count <= TC_REPLIES);
        smb2_compound_init(&walk, f);
        while (smb2_compound_next(&walk, &msg, &h) == SMB2_COMPOUND_ELEMENT) {
                bool is_signed = (h.flags & SMB2_FLAGS_SIGNED) != 0;
                MUST(h.flags & SMB2_FLAGS_SERVER_TO_REDIR);
                MUST(!is_signed || checked_later(c, &h) || signature_ok(c, msg, &h));
                c->reply[c->n_replies++] = (struct tc_reply){h, msg, is_signed, sealed};
        }
        return true;
}

bool tc_is_closed(struct tc *c)
{
        while (tc_recv(c))
                ;
        return true;
}

/* ---- requests ---------------------------------------------------------------------------------
 */

void tc_begin(struct tc *c, uint16_t command)
{
        if (c->n == 0)
                c->w = wr_into(c->tx + TX_ROOM, sizeof c->tx - TX_ROOM);
        else
                smb2_compound_link(&c->w, c->at[c->n - 1]);
        MUST(c->n < TC_REPLIES);
        c->at[c->n++] = c->w.at;
        struct smb2_header h = {
                .command = command,
                .credits = c->credits,
                .message_id = c->next_id,
                .tree_id = c->tree_id,
                .session_id = c->session_id,
                .credit_charge = c->charge ? c->charge : c->dialect > SMB2_DIALECT_202,
        };
        if (command != SMB2_CANCEL)
                c->next_id += h.credit_charge ? h.credit_charge : 1;
        smb2_header_encode(&c->w, &h);
}

void tc_related(struct tc *c)
{
        smb2_header_add_flags(c->w.p + c->at[c->n - 1], SMB2_FLAGS_RELATED_OPERATIONS);
}

uint32_t tc_call(struct tc *c)
{
        tc_send(c);
        do {
                if (!tc_recv(c))
                        return UINT32_MAX;
        } while (c->reply[0].h.status == STATUS_PENDING);
        return c->reply[0].h.status;
}

uint32_t tc_simple(struct tc *c, uint16_t command)
{
        tc_begin(c, command);
        smb2_empty_body_encode(&c->w);
        return tc_call(c);
}

/* ---- negotiation and sign-in ------------------------------------------------------------------
 */

static void hash_add(struct preauth *p, struct bytes msg)
{
        preauth_add(p, &msg, 1);
}

uint32_t tc_negotiate(struct tc *c)
{
        uint16_t dialect = c->want_dialect ? c->want_dialect : SMB2_DIALECT_311;
        struct smb2_negotiate_req q = {
                .security_mode = c->security_mode,
                .capabilities = SMB2_GLOBAL_CAP_ENCRYPTION | SMB2_GLOBAL_CAP_MULTI_CHANNEL |
                                SMB2_GLOBAL_CAP_LARGE_MTU,
                .client_guid = c->guid,
                .dialect_count = 1,
                .dialects = {dialect},
                .has_contexts = dialect == SMB2_DIALECT_311,
        };
        if (q.has_contexts) {
                q.contexts.preauth = smb2_algorithms_one(SMB2_HASH_SHA512);
                q.contexts.preauth_salt = bytes_str("salt");
                q.contexts.encryption = smb2_algorithms_one(
                        c->want_cipher ? c->want_cipher : (uint16_t)SMB2_CIPHER_AES128_GCM);
                q.contexts.signing = smb2_algorithms_one((uint16_t)c->want_signing);
        }
        tc_begin(c, SMB2_NEGOTIATE);
        smb2_negotiate_req_encode(&c->w, 0, &q);
        preauth_init(&c->preauth);
        hash_add(&c->preauth, wr_done(&c->w));
        uint32_t status = tc_call(c);
        struct smb2_negotiate_rsp r;
        if (status != STATUS_SUCCESS)
                return status;
        MUST(smb2_negotiate_rsp_decode(c->reply[0].msg, &r));
        hash_add(&c->preauth, c->reply[0].msg);
        c->dialect = r.dialect_revision;
        c->sign_alg = c->dialect >= SMB2_DIALECT_300 ? SIGN_AES_CMAC : SIGN_HMAC_SHA256;
        c->cipher = r.capabilities & SMB2_GLOBAL_CAP_ENCRYPTION ? SMB2_CIPHER_AES128_CCM : 0;
        if (c->dialect == SMB2_DIALECT_311) {
                c->cipher = r.contexts.encryption.present ? r.contexts.encryption.id[0] : 0;
                if (r.contexts.signing.present)
                        c->sign_alg = (enum sign_alg)r.contexts.signing.id[0];
        }
        return status;
}

/* Keys of a new session from the sign-in's. */
static void take_keys(struct tc *c, const struct auth_identity *id)
{
        struct session_keys k;
        struct session_key_source src = {
                .dialect = c->dialect,
                .cipher_256 =
                        c->cipher == SMB2_CIPHER_AES256_CCM || c->cipher == SMB2_CIPHER_AES256_GCM,
                .full_key = bytes_of(id->full_key, id->full_key_len),
                .preauth_hash = c->setup_preauth.value,
        };
        memcpy(src.session_key, id->session_key, sizeof src.session_key);
        MUST(session_keys_derive(&src, &k));
        memcpy(c->signing_key, k.signing, sizeof c->signing_key);
        signer_fini(&c->signer);
        MUST(signer_init(&c->signer, c->sign_alg, bytes_of(k.signing, 16)));
        if (c->cipher) {
                enum seal_alg alg = (enum seal_alg)c->cipher;
                sealer_fini(&c->seal_in);
                sealer_fini(&c->seal_out);
                MUST(sealer_init(&c->seal_out, alg, bytes_of(k.server_in, k.cipher_key_len)) &&
                     sealer_init(&c->seal_in, alg, bytes_of(k.server_out, k.cipher_key_len)));
        }
}

/* A channel of a session has a signing key of its own and the session's sealing keys. */
static void take_channel_key(struct tc *c, const struct auth_identity *id)
{
        uint8_t key[16];
        MUST(channel_signing_key_derive(c->dialect, id->session_key, c->setup_preauth.value, key));
        signer_fini(&c->signer);
        MUST(signer_init(&c->signer, c->sign_alg, bytes_of(key, 16)));
}

struct leg {
        uint8_t flags;
        uint64_t previous;
        struct bytes token;
};

static uint32_t setup_leg(struct tc *c, const struct leg *l, struct bytes *answer)
{
        struct smb2_session_setup_req q = {.flags = l->flags,
                                           .security_mode = (uint8_t)c->security_mode,
                                           .previous_session_id = l->previous,
                                           .security_buffer = l->token};
        struct smb2_session_setup_rsp r;
        tc_begin(c, SMB2_SESSION_SETUP);
        smb2_session_setup_req_encode(&c->w, 0, &q);
        struct bytes f = tc_finish(c);
        hash_add(&c->setup_preauth, wr_done(&c->w));
        tc_send_raw(c, f);
        if (!tc_recv(c))
                return UINT32_MAX;
        const struct tc_reply *p = &c->reply[0];
        if (p->h.status != STATUS_SUCCESS && p->h.status != STATUS_MORE_PROCESSING_REQUIRED)
                return p->h.status;
        MUST(smb2_session_setup_rsp_decode(p->msg, &r));
        c->session_id = p->h.session_id;
        if (p->h.status == STATUS_MORE_PROCESSING_REQUIRED)
                hash_add(&c->setup_preauth, p->msg);
        *answer = r.security_buffer;
        return p->h.status;
}

uint32_t tc_sign_in_with(struct tc *c, const char *user, const char *password, uint8_t flags,
                         uint64_t previous)
{
        struct initiator_config cfg = {
                .mech = AUTH_MECH_NTLM, .user = user, .password = password, .target = NULL};
        AUTO(initiator_free) struct initiator *i = initiator_new(&cfg);
        struct bytes token, answer = {0};
        bool again = c->session_id && !flags;
        uint32_t status = STATUS_MORE_PROCESSING_REQUIRED;
        MUST(i);
        c->setup_preauth = c->preauth;
        while (status == STATUS_MORE_PROCESSING_REQUIRED) {
                MUST(initiator_step(i, answer, &token) != AUTH_FAILED);
                status = setup_leg(c, &(struct leg){flags, previous, token}, &answer);
        }
        if (status != STATUS_SUCCESS || (!user && !again))
                return status;
        if (flags & SMB2_SESSION_FLAG_BINDING)
                take_channel_key(c, initiator_identity(i));
        else if (!again)
                take_keys(c, initiator_identity(i));
        const struct tc_reply *p = &c->reply[0];
        MUST(p->sealed || (p->is_signed && signature_ok(c, p->msg, &p->h)));
        c->signs = true;
        return status;
}

uint32_t tc_sign_in(struct tc *c, const char *user, const char *password)
{
        return tc_sign_in_with(c, user, password, 0, 0);
}

uint32_t tc_bind(struct tc *c, const struct tc *of, const char *user, const char *password)
{
        memcpy(c->signing_key, of->signing_key, sizeof c->signing_key);
        signer_fini(&c->signer);
        MUST(signer_init(&c->signer, of->sign_alg, bytes_of(of->signing_key, 16)));
        c->session_id = of->session_id;
        c->tree_id = of->tree_id;
        c->signs = true;
        return tc_sign_in_with(c, user, password, SMB2_SESSION_FLAG_BINDING, 0);
}

/* ---- trees and files --------------------------------------------------------------------------
 */

static struct bytes utf16(const char *s, uint8_t *p, size_t max)
{
        struct writer w = wr_into(p, max);
        wr_utf16(&w, s);
        MUST(wr_ok(&w));
        return wr_done(&w);
}

uint32_t tc_tree(struct tc *c, const char *share)
{
        char path[64];
        uint8_t wide[128];
        (void)snprintf(path, sizeof path, "\\\\server\\%s", share);
        tc_begin(c, SMB2_TREE_CONNECT);
        smb2_tree_connect_req_encode(
                &c->w, 0, &(struct smb2_tree_connect_req){.path = utf16(path, wide, sizeof wide)});
        uint32_t status = tc_call(c);
        if (status == STATUS_SUCCESS)
                c->tree_id = c->reply[0].h.tree_id;
        return status;
}

void tc_put_create(struct tc *c, const char *name, uint32_t access, uint32_t disposition,
                   uint32_t options, struct bytes contexts)
{
        uint8_t wide[512];
        struct smb2_create_req q = {
                .impersonation_level = SMB2_IMPERSONATION_IMPERSONATION,
                .desired_access = access,
                .share_access = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                .create_disposition = disposition,
                .create_options = options,
                .name = utf16(name, wide, sizeof wide),
                .contexts = contexts,
        };
        tc_begin(c, SMB2_CREATE);
        smb2_create_req_encode(&c->w, c->at[c->n - 1], &q);
}

uint32_t tc_create(struct tc *c, const char *name, uint32_t access, uint32_t disposition,
                   uint32_t options, struct smb2_file_id *ret)
{
        struct smb2_create_rsp r;
        tc_put_create(c, name, access, disposition, options, (struct bytes){0});
        uint32_t status = tc_call(c);
        if (status == STATUS_SUCCESS) {
                MUST(smb2_create_rsp_decode(c->reply[0].msg, &r));
                *ret = r.file_id;
        }
        return status;
}

uint32_t tc_close(struct tc *c, struct smb2_file_id id)
{
        tc_begin(c, SMB2_CLOSE);
        smb2_close_req_encode(&c->w, &(struct smb2_close_req){.file_id = id});
        return tc_call(c);
}

void tc_put_write(struct tc *c, struct smb2_file_id id, uint64_t off, struct bytes data)
{
        struct smb2_write_req q = {.offset = off, .file_id = id, .data = data};
        tc_begin(c, SMB2_WRITE);
        smb2_write_req_encode(&c->w, c->at[c->n - 1], &q);
}

void tc_put_read(struct tc *c, struct smb2_file_id id, uint64_t off, uint32_t len)
{
        struct smb2_read_req q = {.length = len, .offset = off, .file_id = id};
        tc_begin(c, SMB2_READ);
        smb2_read_req_encode(&c->w, c->at[c->n - 1], &q);
}

void tc_put_lock(struct tc *c, struct smb2_file_id id, uint64_t off, uint64_t len, uint32_t flags)
{
        struct smb2_lock_req q = {.file_id = id,
                                  .lock_count = 1,
                                  .locks = {{.offset = off, .length = len, .flags = flags}}};
        tc_begin(c, SMB2_LOCK);
        smb2_lock_req_encode(&c->w, &q);
}

struct tc *tc_ready(struct testserver *t, unsigned loop)
{
        struct tc *c = tc_new(t, loop);
        MUST(tc_negotiate(c) == STATUS_SUCCESS);
        MUST(tc_sign_in(c, "alice", "secret") == STATUS_SUCCESS);
        MUST(tc_tree(c, "test") == STATUS_SUCCESS);
        return c;
}
