/* NEGOTIATE, [MS-SMB2] 3.3.5.3 and 3.3.5.4: dialect, algorithms and sizes of a connection; and to
 * which loop its client belongs. */
#include "front/smb2/negotiate.h"

#include "auth/acceptor.h"
#include "base/clock.h"
#include "crypto/hash.h"
#include "front/smb2/chain.h"
#include "front/smb2/client.h"
#include "front/smb2/commands.h"
#include "front/smb2/conn.h"
#include "wire/smb2/smb1_negotiate.h"

#define HINT_BYTES 512u
#define SALT_BYTES 32u
#define SMALL_IO 65536u /* MaxReadSize and the like without multi-credit requests */

static const uint16_t dialects[] = {SMB2_DIALECT_311, SMB2_DIALECT_302, SMB2_DIALECT_300,
                                    SMB2_DIALECT_210, SMB2_DIALECT_202};

/* The best of ours among theirs; 0 = none. */
static uint16_t choose_dialect(const struct smb2_config *cfg, const uint16_t *theirs, size_t n)
{
        for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
                if (dialects[i] < cfg->dialect_min || dialects[i] > cfg->dialect_max)
                        continue;
                for (size_t j = 0; j < n; j++)
                        if (theirs[j] == dialects[i])
                                return dialects[i];
        }
        return 0;
}

/* The first of ours that is in their list; `none` when there is no such. */
static uint16_t choose_algorithm(const uint16_t *ours, size_t n,
                                 const struct smb2_algorithms *theirs, uint16_t none)
{
        for (size_t i = 0; i < n; i++)
                if (smb2_algorithms_has(theirs, ours[i]))
                        return ours[i];
        return none;
}

static uint16_t choose_cipher(const struct smb2_algorithms *theirs)
{
        static const uint16_t ours[] = {SMB2_CIPHER_AES128_GCM, SMB2_CIPHER_AES256_GCM,
                                        SMB2_CIPHER_AES128_CCM, SMB2_CIPHER_AES256_CCM};
        return choose_algorithm(ours, 4, theirs, SMB2_CIPHER_NONE);
}

static uint16_t choose_signing(const struct smb2_algorithms *theirs)
{
        static const uint16_t ours[] = {SMB2_SIGNING_AES_GMAC, SMB2_SIGNING_AES_CMAC,
                                        SMB2_SIGNING_HMAC_SHA256};
        return choose_algorithm(ours, 3, theirs, SMB2_SIGNING_AES_CMAC);
}

static uint32_t server_caps(const struct smb2_config *cfg, uint16_t dialect, uint32_t client_caps)
{
        uint32_t caps = 0, both = 0;
        if (dialect >= SMB2_DIALECT_210)
                caps |= SMB2_GLOBAL_CAP_LARGE_MTU | SMB2_GLOBAL_CAP_LEASING;
        if (dialect >= SMB2_DIALECT_300 && cfg->multichannel)
                both |= SMB2_GLOBAL_CAP_MULTI_CHANNEL;
        /* 3.1.1 says it by a context instead. */
        if ((dialect == SMB2_DIALECT_300 || dialect == SMB2_DIALECT_302) &&
            cfg->encrypt != SMB2_ENCRYPT_OFF)
                both |= SMB2_GLOBAL_CAP_ENCRYPTION;
        return caps | (both & client_caps);
}

static uint16_t server_mode(const struct smb2_config *cfg)
{
        return cfg->signing_required
                       ? SMB2_NEGOTIATE_SIGNING_ENABLED | SMB2_NEGOTIATE_SIGNING_REQUIRED
                       : SMB2_NEGOTIATE_SIGNING_ENABLED;
}

static void negotiate_reply(struct smb2_call *c, uint16_t dialect,
                            const struct smb2_negotiate_contexts *contexts)
{
        const struct smb2_config *cfg = smb2_call_config(c);
        struct smb2_conn *conn = c->conn;
        uint8_t hint[HINT_BYTES];
        struct smb2_negotiate_rsp r = {
                .security_mode = conn->server_mode,
                .dialect_revision = dialect,
                .capabilities = conn->server_caps,
                .max_transact_size = conn->max_io,
                .max_read_size = conn->max_io,
                .max_write_size = conn->max_io,
                .system_time_ft = clock_now_ft(),
                .security_buffer = acceptor_hint(cfg->auth, hint, sizeof hint),
        };
        memcpy(r.server_guid.b, cfg->server_guid, sizeof r.server_guid.b);
        if (contexts)
                r.contexts = *contexts;
        struct writer *w = smb2_reply_begin(c, 512 + HINT_BYTES);
        if (!w)
                return;
        smb2_negotiate_rsp_encode(w, 0, &r);
        smb2_reply_done(c, STATUS_SUCCESS);
}

/* The contexts of 3.1.1; a status when they break the rules. */
static uint32_t negotiate_contexts(struct smb2_conn *conn, const struct smb2_config *cfg,
                                   const struct smb2_negotiate_contexts *q,
                                   struct smb2_negotiate_contexts *r)
{
        if (!q->preauth.present)
                return STATUS_INVALID_PARAMETER;
        if (!smb2_algorithms_has(&q->preauth, SMB2_HASH_SHA512))
                return STATUS_SMB_NO_PREAUTH_INTEGRITY_HASH_OVERLAP;
        r->preauth = smb2_algorithms_one(SMB2_HASH_SHA512);
        if (q->encryption.present && cfg->encrypt != SMB2_ENCRYPT_OFF) {
                conn->cipher = choose_cipher(&q->encryption);
                r->encryption = smb2_algorithms_one(conn->cipher);
        }
        if (q->signing.present) {
                conn->sign_alg = (enum sign_alg)choose_signing(&q->signing);
                r->signing = smb2_algorithms_one((uint16_t)conn->sign_alg);
        }
        return STATUS_SUCCESS;
}

/* Counts the connection to its client, and finds the client's loop (design: a client lives on one
 * loop). A client without a GUID is this connection alone. */
static bool find_home(struct smb2_conn *conn)
{
        static const struct smb2_guid zero;
        struct smb2_front *f = conn->local->front;
        if (conn->dialect == SMB2_DIALECT_202 || smb2_guid_eq(conn->client_guid, zero)) {
                return smb2_client_take(conn, NULL);
        }
        int home = smb2_homes_enter(f->homes, &conn->client_guid, conn->local->index);
        if (home < 0)
                return false;
        conn->has_home = true;
        if ((unsigned)home != conn->local->index) {
                conn->move_to = f->locals[home].loop;
                return true;
        }
        return smb2_client_take(conn, &conn->client_guid);
}

static void settle_dialect(struct smb2_conn *conn, const struct smb2_config *cfg,
                           const struct smb2_negotiate_req *q, uint16_t dialect)
{
        conn->dialect = dialect;
        conn->client_caps = q->capabilities;
        conn->client_mode = q->security_mode;
        conn->client_guid = q->client_guid;
        conn->server_mode = server_mode(cfg);
        conn->server_caps = server_caps(cfg, dialect, q->capabilities);
        conn->multi_credit = dialect >= SMB2_DIALECT_210;
        conn->max_io = conn->multi_credit ? cfg->max_io : SMALL_IO;
        conn->sign_alg = dialect >= SMB2_DIALECT_300 ? SIGN_AES_CMAC : SIGN_HMAC_SHA256;
        conn->cipher = conn->server_caps & SMB2_GLOBAL_CAP_ENCRYPTION ? SMB2_CIPHER_AES128_CCM
                                                                      : SMB2_CIPHER_NONE;
}

void smb2_negotiate(struct smb2_call *c)
{
        const struct smb2_config *cfg = smb2_call_config(c);
        struct smb2_conn *conn = c->conn;
        struct smb2_negotiate_req q;
        struct smb2_negotiate_contexts contexts = {0};
        uint8_t salt[SALT_BYTES];
        if (!smb2_negotiate_req_decode(c->msg, &q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        uint16_t dialect = choose_dialect(cfg, q.dialects, q.dialect_count);
        if (!dialect) {
                smb2_fail(c, STATUS_NOT_SUPPORTED);
                return;
        }
        settle_dialect(conn, cfg, &q, dialect);
        if (dialect == SMB2_DIALECT_311) {
                uint32_t status = negotiate_contexts(conn, cfg, &q.contexts, &contexts);
                if (status != STATUS_SUCCESS) {
                        smb2_fail(c, status);
                        return;
                }
                crypto_random(salt, sizeof salt);
                contexts.preauth_salt = bytes_of(salt, sizeof salt);
                preauth_init(&conn->preauth);
                preauth_add(&conn->preauth, &c->msg, 1);
                c->core.hash = &conn->preauth;
        }
        if (!find_home(conn)) {
                smb2_conn_drop(conn, "out of memory");
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        conn->negotiation = SMB2_NEGOTIATED;
        negotiate_reply(c, dialect, &contexts);
}

void smb2_negotiate_smb1(struct smb2_call *c)
{
        const struct smb2_config *cfg = smb2_call_config(c);
        struct smb2_conn *conn = c->conn;
        struct smb1_negotiate_req q;
        bool ok = smb1_negotiate_req_decode(c->msg, &q);
        if (ok && cfg->dialect_max >= SMB2_DIALECT_210 &&
            smb1_negotiate_req_has(&q, SMB1_DIALECT_SMB2_ANY)) {
                conn->negotiation = SMB2_HALF_NEGOTIATED;
                conn->server_mode = server_mode(cfg);
                conn->server_caps = SMB2_GLOBAL_CAP_LARGE_MTU | SMB2_GLOBAL_CAP_LEASING;
                conn->max_io = cfg->max_io;
                negotiate_reply(c, SMB2_DIALECT_WILDCARD, NULL);
                return;
        }
        struct smb2_negotiate_req like = {0};
        if (!ok || cfg->dialect_min > SMB2_DIALECT_202 ||
            !smb1_negotiate_req_has(&q, SMB1_DIALECT_SMB2_002)) {
                smb2_conn_drop(conn, "an SMB 1 client without a dialect of ours");
                smb2_fail(c, STATUS_NOT_SUPPORTED);
                return;
        }
        settle_dialect(conn, cfg, &like, SMB2_DIALECT_202);
        if (!find_home(conn)) {
                smb2_conn_drop(conn, "out of memory");
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        conn->negotiation = SMB2_NEGOTIATED;
        negotiate_reply(c, SMB2_DIALECT_202, NULL);
}

bool smb2_negotiate_validate(struct smb2_call *c, const struct validate_negotiate_info_req *q,
                             struct validate_negotiate_info_rsp *ret)
{
        const struct smb2_config *cfg = smb2_call_config(c);
        struct smb2_conn *conn = c->conn;
        /* 3.1.1 has the preauthentication hash for this; who asks all the same was tampered with.
         */
        if (conn->dialect == SMB2_DIALECT_311 ||
            choose_dialect(cfg, q->dialects, q->dialect_count) != conn->dialect ||
            q->capabilities != conn->client_caps || q->security_mode != conn->client_mode ||
            !smb2_guid_eq(q->guid, conn->client_guid)) {
                smb2_conn_drop(conn, "the negotiation was tampered with");
                smb2_fail(c, STATUS_ACCESS_DENIED);
                return false;
        }
        *ret = (struct validate_negotiate_info_rsp){
                .capabilities = conn->server_caps,
                .security_mode = conn->server_mode,
                .dialect = conn->dialect,
        };
        memcpy(ret->guid.b, cfg->server_guid, sizeof ret->guid.b);
        return true;
}
