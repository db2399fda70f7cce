/* See negotiate.h. */
#include "client/negotiate.h"

#include <errno.h>

#include "base/utf16.h"
#include "client/session.h"
#include "client/sign_in.h"
#include "crypto/hash.h"
#include "wire/smb2/negotiate.h"
#include "wire/smb2/status.h"

#define SALT_LEN 32u
#define ROOM 1024u
#define MIN_IO 65536u

static const uint16_t all_dialects[] = {SMB2_DIALECT_202, SMB2_DIALECT_210, SMB2_DIALECT_300,
                                        SMB2_DIALECT_302, SMB2_DIALECT_311};
#define ALL_DIALECTS (sizeof all_dialects / sizeof *all_dialects)
#define CAPABILITIES                                                                               \
        (SMB2_GLOBAL_CAP_LEASING | SMB2_GLOBAL_CAP_LARGE_MTU | SMB2_GLOBAL_CAP_MULTI_CHANNEL |     \
         SMB2_GLOBAL_CAP_DIRECTORY_LEASING | SMB2_GLOBAL_CAP_ENCRYPTION)

static unsigned wanted_dialects(const struct client_session *s, uint16_t out[ALL_DIALECTS])
{
        unsigned n = 0;
        for (unsigned i = 0; i < ALL_DIALECTS; i++)
                if (all_dialects[i] >= s->to.min_dialect && all_dialects[i] <= s->to.max_dialect)
                        out[n++] = all_dialects[i];
        return n;
}

/* Capabilities are for 3.x only ([MS-SMB2] 2.2.3). */
static uint32_t capabilities(const struct client_session *s)
{
        return s->to.max_dialect >= SMB2_DIALECT_300 ? CAPABILITIES : 0;
}

/* In our order of preference: GCM is the faster, and 128 bits are enough for anybody's files. */
static void put_contexts(struct smb2_negotiate_contexts *x, const uint8_t *salt,
                         struct bytes netname)
{
        x->preauth = smb2_algorithms_one(SMB2_HASH_SHA512);
        x->preauth_salt = bytes_of(salt, SALT_LEN);
        x->encryption =
                (struct smb2_algorithms){.present = true,
                                         .count = 4,
                                         .id = {SMB2_CIPHER_AES128_GCM, SMB2_CIPHER_AES256_GCM,
                                                SMB2_CIPHER_AES128_CCM, SMB2_CIPHER_AES256_CCM}};
        x->signing = (struct smb2_algorithms){
                .present = true,
                .count = 3,
                .id = {SMB2_SIGNING_AES_GMAC, SMB2_SIGNING_AES_CMAC, SMB2_SIGNING_HMAC_SHA256}};
        x->netname = netname;
}

/* ---- the answer -------------------------------------------------------------------------------
 */

static bool was_offered(const struct client_session *s, uint16_t dialect)
{
        uint16_t d[ALL_DIALECTS];
        unsigned n = wanted_dialects(s, d);
        for (unsigned i = 0; i < n; i++)
                if (d[i] == dialect)
                        return true;
        return false;
}

static uint32_t io_limit(uint32_t said)
{
        return said > LIMIT_IO_BYTES ? LIMIT_IO_BYTES : said;
}

/* 3.1.1 names its algorithms; each must be one that was offered. */
static bool take_contexts(struct client_terms *t, const struct smb2_negotiate_contexts *x)
{
        if (!smb2_algorithms_has(&x->preauth, SMB2_HASH_SHA512) || x->preauth.count != 1)
                return false;
        t->cipher = 0;
        if (x->encryption.present) {
                if (x->encryption.count != 1 || x->encryption.id[0] > SMB2_CIPHER_AES256_GCM)
                        return false;
                t->cipher = x->encryption.id[0];
        }
        t->sign_alg = SIGN_AES_CMAC;
        if (x->signing.present) {
                if (x->signing.count != 1 || x->signing.id[0] > SMB2_SIGNING_AES_GMAC)
                        return false;
                t->sign_alg = (enum sign_alg)x->signing.id[0];
        }
        return true;
}

static bool take_terms(const struct client_session *s, const struct smb2_negotiate_rsp *r,
                       struct client_terms *out)
{
        struct client_terms t = {.dialect = r->dialect_revision,
                                 .security_mode = r->security_mode,
                                 .capabilities = r->capabilities,
                                 .server_guid = r->server_guid,
                                 .max_read = io_limit(r->max_read_size),
                                 .max_write = io_limit(r->max_write_size),
                                 .max_transact = io_limit(r->max_transact_size)};
        if (!was_offered(s, t.dialect) || t.max_read < MIN_IO || t.max_write < MIN_IO ||
            t.max_transact < MIN_IO)
                return false;
        t.sign_alg = t.dialect >= SMB2_DIALECT_300 ? SIGN_AES_CMAC : SIGN_HMAC_SHA256;
        if (t.dialect >= SMB2_DIALECT_300 && t.capabilities & SMB2_GLOBAL_CAP_ENCRYPTION)
                t.cipher = SMB2_CIPHER_AES128_CCM;
        if (t.dialect == SMB2_DIALECT_311 && !take_contexts(&t, &r->contexts))
                return false;
        *out = t;
        return true;
}

/* A further channel must lead to the same server, on the same terms. */
static bool same_terms(const struct client_terms *a, const struct client_terms *b)
{
        return a->dialect == b->dialect && a->cipher == b->cipher && a->sign_alg == b->sign_alg &&
               smb2_guid_eq(a->server_guid, b->server_guid);
}

static void answered(struct client_req *q)
{
        struct client_conn *c = container_of(q, struct client_conn, echo);
        struct client_session *s = c->session;
        struct smb2_negotiate_rsp r;
        struct client_terms t;
        if (q->err)
                return; /* the connection is ending */
        if (q->status != STATUS_SUCCESS) {
                client_conn_fail(c, q->status == STATUS_NOT_SUPPORTED ? EPROTONOSUPPORT : EPROTO,
                                 q->status);
        } else if (!smb2_negotiate_rsp_decode(q->msg, &r) || !take_terms(s, &r, &t)) {
                client_conn_fail(c, EPROTO, q->status);
        } else if (c->bound && !same_terms(&s->terms, &t)) {
                client_conn_fail(c, EPROTO, q->status);
        } else if (s->to.encrypt && !t.cipher) {
                client_conn_fail(c, EPROTONOSUPPORT, STATUS_NOT_SUPPORTED);
        } else {
                if (!c->bound) /* nobody vouches yet for what a further channel says */
                        s->terms = t;
                sign_in_start(c, r.security_buffer);
        }
}

void negotiate_start(struct client_conn *c)
{
        struct client_session *s = c->session;
        struct smb2_negotiate_req q = {.security_mode = SMB2_NEGOTIATE_SIGNING_ENABLED,
                                       .capabilities = capabilities(s),
                                       .client_guid = s->ctx->guid};
        uint8_t salt[SALT_LEN], name[512];
        struct writer w, nw = wr_into(name, sizeof name);
        wr_utf16(&nw, s->to.host);
        crypto_random(salt, sizeof salt);
        q.dialect_count = wanted_dialects(s, q.dialects);
        q.has_contexts = s->to.max_dialect >= SMB2_DIALECT_311;
        if (q.has_contexts)
                put_contexts(&q.contexts, salt, wr_ok(&nw) ? wr_done(&nw) : (struct bytes){0});
        preauth_init(&c->preauth);
        c->echo.done = answered;
        struct client_frame *f = frame_own(c->session, &c->echo, SMB2_NEGOTIATE, ROOM, &w);
        if (!f) {
                client_conn_fail(c, ENOMEM, STATUS_INVALID);
                return;
        }
        smb2_negotiate_req_encode(&w, 0, &q);
        client_conn_send_own(c, f, &w);
}

/* ---- validation -------------------------------------------------------------------------------
 */

void negotiate_asked(const struct client_session *s, struct validate_negotiate_info_req *out)
{
        *out = (struct validate_negotiate_info_req){.capabilities = capabilities(s),
                                                    .guid = s->ctx->guid,
                                                    .security_mode =
                                                            SMB2_NEGOTIATE_SIGNING_ENABLED};
        out->dialect_count = wanted_dialects(s, out->dialects);
}

bool negotiate_was_honest(const struct client_session *s,
                          const struct validate_negotiate_info_rsp *r)
{
        const struct client_terms *t = &s->terms;
        return r->capabilities == t->capabilities && r->dialect == t->dialect &&
               r->security_mode == t->security_mode && smb2_guid_eq(r->guid, t->server_guid);
}
