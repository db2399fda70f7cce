/* SESSION_SETUP, [MS-SMB2] 3.3.5.5: signing in, signing in again, binding one more channel.
 *
 * Everything that may block (Kerberos reads a keytab) runs on a worker; nothing a client claims has
 * any effect before its sign-in is complete.
 */
#include "wire/smb2/session_setup.h"
#include "auth/acceptor.h"
#include "base/log.h"
#include "base/own_files.h"
#include "crypto/hash.h"
#include "crypto/kdf.h"
#include "front/smb2/chain.h"
#include "front/smb2/commands.h"
#include "front/smb2/dispatch.h"
#include "front/smb2/protect.h"
#include "front/smb2/setup.h"

/* The reply of one leg. */
static void setup_reply(struct smb2_call *c, uint32_t status, uint16_t flags, struct bytes token)
{
        struct writer *w = smb2_reply_begin(c, 16 + token.n);
        if (!w)
                return;
        smb2_session_setup_rsp_encode(
                w, 0,
                &(struct smb2_session_setup_rsp){.session_flags = flags, .security_buffer = token});
        smb2_reply_done(c, status);
}

static uint32_t status_of_reason(enum auth_reason r)
{
        switch (r) {
        case AUTH_ACCOUNT_DISABLED:
                return STATUS_ACCOUNT_DISABLED;
        case AUTH_MALFORMED:
                return STATUS_INVALID_PARAMETER;
        case AUTH_ANONYMOUS_REFUSED:
        case AUTH_TARGET_MISMATCH:
                return STATUS_ACCESS_DENIED;
        case AUTH_INTERNAL:
                return STATUS_INTERNAL_ERROR;
        case AUTH_OK:
        case AUTH_BAD_CREDENTIALS:
        case AUTH_THROTTLED: /* a guesser is not told; the log is */
        case AUTH_UNSUPPORTED_MECH:
        case AUTH_EXPIRED:
        case AUTH_NO_KEY:
        case AUTH_FOREIGN_REALM:
        case AUTH_NOT_A_USER:
                break;
        }
        return STATUS_LOGON_FAILURE;
}

static void log_failure(const struct smb2_setup *u, const char *why)
{
        log_info("sign-in of %s\\%s from %s failed: %s", acceptor_claimed_domain(u->acceptor),
                 acceptor_claimed_user(u->acceptor), u->conn ? u->conn->peer : "?", why);
}

/* ---- which sign-in ----------------------------------------------------------------------------
 */

static uint32_t begin_new(struct smb2_call *c, struct smb2_setup **ret)
{
        struct smb2_conn *conn = c->conn;
        if (conn->n_setups >= LIMIT_HALF_OPEN_PER_CONN ||
            conn->n_channels + conn->n_setups >= LIMIT_SESSIONS_PER_CONN)
                return STATUS_REQUEST_NOT_ACCEPTED;
        struct smb2_session *s = smb2_session_new(conn->local, conn);
        if (!s)
                return STATUS_INSUFFICIENT_RESOURCES;
        *ret = smb2_setup_new(conn, s, SMB2_SETUP_NEW);
        if (*ret)
                return STATUS_SUCCESS;
        smb2_session_end_soon(s, NULL);
        return STATUS_INSUFFICIENT_RESOURCES;
}

/* All channels seal with the session's keys and sign alike, or nearly so: CMAC and HMAC go
 * together, GMAC goes with neither. Windows looks at this before the dialects. */
static uint32_t check_binding_signing(const struct smb2_conn *conn,
                                      const struct smb2_known_session *known)
{
        bool here = conn->sign_alg == SIGN_AES_GMAC, there = known->sign_alg == SIGN_AES_GMAC;
        if (here == there)
                return STATUS_SUCCESS;
        return there ? STATUS_REQUEST_OUT_OF_SEQUENCE : STATUS_NOT_SUPPORTED;
}

/* May this connection become a channel of that session? What [MS-SMB2] 3.3.5.5 asks, in the order
 * in which Windows answers. `s` is NULL when it is another client's, on another loop. */
static uint32_t check_binding(const struct smb2_call *c, const struct smb2_known_session *known,
                              const struct smb2_session *s)
{
        const struct smb2_conn *conn = c->conn;
        uint32_t status = check_binding_signing(conn, known);
        if (status != STATUS_SUCCESS)
                return status;
        if (conn->dialect < SMB2_DIALECT_300 || !smb2_call_config(c)->multichannel)
                return STATUS_REQUEST_NOT_ACCEPTED;
        if (conn->dialect != known->dialect || conn->cipher != known->cipher)
                return STATUS_INVALID_PARAMETER;
        if (!s || s->client != conn->client)
                return STATUS_USER_SESSION_DELETED;
        if (smb2_channel_lookup(s, conn))
                return STATUS_REQUEST_NOT_ACCEPTED;
        return smb2_session_is_expired(s) ? STATUS_NETWORK_SESSION_EXPIRED : STATUS_SUCCESS;
}

static uint32_t begin_binding(struct smb2_call *c, struct smb2_setup **ret)
{
        struct smb2_conn *conn = c->conn;
        struct smb2_known_session known;
        struct smb2_session *s = smb2_session_lookup(conn->local, c->hdr.session_id);
        if (s && s->state == SMB2_SESSION_IN_PROGRESS)
                return STATUS_REQUEST_NOT_ACCEPTED;
        if (!(c->hdr.flags & SMB2_FLAGS_SIGNED))
                return STATUS_INVALID_PARAMETER;
        uint32_t status = smb2_dispatch_verify_stray(c, &known);
        if (status == STATUS_SUCCESS)
                status = check_binding(c, &known, s);
        if (status != STATUS_SUCCESS)
                return status;
        if (conn->n_setups >= LIMIT_HALF_OPEN_PER_CONN ||
            s->n_channels >= LIMIT_CHANNELS_PER_SESSION)
                return STATUS_INSUFFICIENT_RESOURCES;
        *ret = smb2_setup_new(conn, s, SMB2_SETUP_BINDING);
        return *ret ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static uint32_t refuse_again(struct smb2_call *c)
{
        struct smb2_known_session known;
        uint32_t status = STATUS_SUCCESS;
        if (c->hdr.flags & SMB2_FLAGS_SIGNED)
                status = smb2_dispatch_verify_stray(c, &known);
        return status == STATUS_SUCCESS ? STATUS_USER_SESSION_DELETED : status;
}

static uint32_t begin_again(struct smb2_call *c, struct smb2_setup **ret)
{
        struct smb2_session *s = smb2_session_lookup(c->conn->local, c->hdr.session_id);
        if (!s || s->state != SMB2_SESSION_VALID || !smb2_channel_lookup(s, c->conn))
                return refuse_again(c);
        *ret = smb2_setup_new(c->conn, s, SMB2_SETUP_AGAIN);
        return *ret ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

/* A further leg of a sign-in that has begun; each leg of a binding is signed. */
static uint32_t go_on(struct smb2_call *c, struct smb2_setup *u, bool binding)
{
        if (u->busy)
                return STATUS_REQUEST_NOT_ACCEPTED;
        if (u->kind == SMB2_SETUP_BINDING) {
                c->session = smb2_session_ref(u->session); /* its key signs the reply */
                if (!binding || !(c->hdr.flags & SMB2_FLAGS_SIGNED))
                        return STATUS_INVALID_PARAMETER;
                return smb2_dispatch_verify(c, &u->session->signer);
        }
        return u->session->state == SMB2_SESSION_ENDED ? STATUS_USER_SESSION_DELETED
                                                       : STATUS_SUCCESS;
}

static uint32_t find_setup(struct smb2_call *c, const struct smb2_session_setup_req *q,
                           struct smb2_setup **ret)
{
        const struct smb2_config *cfg = smb2_call_config(c);
        bool binding = (q->flags & SMB2_SESSION_FLAG_BINDING) != 0;
        if (cfg->encrypt == SMB2_ENCRYPT_REQUIRED && !c->conn->cipher)
                return STATUS_ACCESS_DENIED;
        if (q->security_buffer.n > LIMIT_TOKEN_BYTES)
                return STATUS_INVALID_PARAMETER;
        if (c->hdr.session_id == 0)
                return begin_new(c, ret);
        *ret = smb2_setup_lookup(c->conn, c->hdr.session_id);
        if (*ret)
                return go_on(c, *ret, binding);
        return binding ? begin_binding(c, ret) : begin_again(c, ret);
}

/* ---- the end of a sign-in ---------------------------------------------------------------------
 */

/* Keys of a new session ([MS-SMB2] 3.3.5.5.3). The sign-in's own key is not kept. */
static bool derive_keys(struct smb2_session *s, const struct smb2_setup *u)
{
        const struct auth_identity *id = acceptor_identity(u->acceptor);
        struct session_keys keys;
        struct session_key_source src = {
                .dialect = s->dialect,
                .cipher_256 =
                        s->cipher == SMB2_CIPHER_AES256_CCM || s->cipher == SMB2_CIPHER_AES256_GCM,
                .full_key = bytes_of(id->full_key, id->full_key_len),
                .preauth_hash = u->preauth.value,
        };
        memcpy(src.session_key, id->session_key, sizeof src.session_key);
        bool ok = session_keys_derive(&src, &keys);
        if (ok) {
                memcpy(s->signing_key, keys.signing, sizeof s->signing_key);
                ok = signer_init(&s->signer, s->sign_alg,
                                 bytes_of(s->signing_key, sizeof s->signing_key));
        }
        if (ok && s->cipher) {
                enum seal_alg alg = (enum seal_alg)s->cipher;
                ok = sealer_init(&s->seal_in, alg, bytes_of(keys.server_in, keys.cipher_key_len)) &&
                     sealer_init(&s->seal_out, alg, bytes_of(keys.server_out, keys.cipher_key_len));
                s->can_seal = ok;
        }
        secret_wipe(&keys, sizeof keys);
        secret_wipe(&src, sizeof src);
        return ok;
}

static void keep_identity(struct smb2_session *s, const struct auth_identity *id)
{
        s->identity = *id;
        s->expires_ft = id->expires_ft;
        secret_wipe(s->identity.session_key, sizeof s->identity.session_key);
        secret_wipe(s->identity.full_key, sizeof s->identity.full_key);
}

static bool make_known(struct smb2_session *s)
{
        struct smb2_known_session known = {
                .id = s->id,
                .dialect = s->dialect,
                .cipher = s->cipher,
                .sign_alg = s->sign_alg,
                .anonymous = s->identity.anonymous,
        };
        memcpy(known.signing_key, s->signing_key, sizeof known.signing_key);
        bool ok = smb2_known_sessions_add(s->local->front->known, &known);
        secret_wipe(&known, sizeof known);
        return ok;
}

static uint32_t finish_new(struct smb2_call *c, struct smb2_setup *u,
                           const struct smb2_session_setup_req *q)
{
        const struct smb2_config *cfg = smb2_call_config(c);
        struct smb2_session *s = u->session;
        struct smb2_conn *conn = c->conn;
        const struct auth_identity *id = acceptor_identity(u->acceptor);
        /* One client speaks one dialect on all its connections. */
        if (conn->dialect >= SMB2_DIALECT_300 && s->client->dialect &&
            s->client->dialect != conn->dialect)
                return STATUS_USER_SESSION_DELETED;
        if (id->anonymous && !cfg->auth->allow_anonymous)
                return STATUS_ACCESS_DENIED;
        keep_identity(s, id);
        if (!id->anonymous && !derive_keys(s, u))
                return STATUS_INSUFFICIENT_RESOURCES;
        s->encrypt = cfg->encrypt == SMB2_ENCRYPT_REQUIRED && s->can_seal;
        s->signing_required = !id->anonymous &&
                              (cfg->signing_required || ((conn->client_mode | q->security_mode) &
                                                         SMB2_NEGOTIATE_SIGNING_REQUIRED) != 0);
        struct smb2_channel *ch =
                smb2_channel_add(s, conn,
                                 id->anonymous ? bytes_of(NULL, 0)
                                               : bytes_of(s->signing_key, sizeof s->signing_key));
        if (!ch || !make_known(s))
                return STATUS_INSUFFICIENT_RESOURCES;
        s->client->dialect = conn->dialect;
        s->state = SMB2_SESSION_VALID;
        return STATUS_SUCCESS;
}

static uint32_t finish_binding(struct smb2_call *c, struct smb2_setup *u)
{
        struct smb2_session *s = u->session;
        const struct auth_identity *id = acceptor_identity(u->acceptor);
        uint8_t key[16];
        if (s->state != SMB2_SESSION_VALID)
                return STATUS_USER_SESSION_DELETED;
        if (id->anonymous || !smb2_session_same_user(id, &s->identity))
                return STATUS_ACCESS_DENIED;
        bool ok = channel_signing_key_derive(
                s->dialect, id->session_key,
                s->dialect == SMB2_DIALECT_311 ? u->preauth.value : NULL, key);
        struct smb2_channel *ch = ok ? smb2_channel_add(s, c->conn, bytes_of(key, 16)) : NULL;
        secret_wipe(key, sizeof key);
        return ch ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

/* Keys stay, and so does the user: [MS-SMB2] 3.3.5.5.3 leaves the security context of a session
 * that has one, whoever has signed in now. Only its own user moves the time of expiry; and an
 * expired session is revived by nobody else, as its tree connects are that user's. */
static uint32_t finish_again(struct smb2_setup *u)
{
        struct smb2_session *s = u->session;
        const struct auth_identity *id = acceptor_identity(u->acceptor);
        if (s->state != SMB2_SESSION_VALID)
                return STATUS_USER_SESSION_DELETED;
        if (smb2_session_same_user(id, &s->identity))
                s->expires_ft = id->expires_ft;
        else if (smb2_session_is_expired(s))
                return STATUS_ACCESS_DENIED;
        return STATUS_SUCCESS;
}

static uint16_t session_flags(const struct smb2_session *s)
{
        return (uint16_t)((s->identity.anonymous ? SMB2_SESSION_FLAG_IS_NULL : 0) |
                          (s->encrypt ? SMB2_SESSION_FLAG_ENCRYPT_DATA : 0));
}

/* Signed with the channel's own key, whether or not the request was. */
static void reply_success(struct smb2_call *c)
{
        struct smb2_setup *u = c->core.setup;
        struct smb2_session *s = u->session;
        struct smb2_channel *ch = smb2_channel_lookup(s, c->conn);
        if (!ch || s->state != SMB2_SESSION_VALID) {
                smb2_fail(c, STATUS_USER_SESSION_DELETED);
                return;
        }
        smb2_channel_ref(ch);
        smb2_channel_unref(c->core.channel); /* the one, or the session's key in a binding */
        c->core.channel = ch;
        c->core.signer = ch->signer.ctx ? &ch->signer : NULL;
        setup_reply(c, STATUS_SUCCESS, session_flags(s), u->answer);
}

/* ---- PreviousSessionId ------------------------------------------------------------------------
 */

/* The old session may live on another loop: there -> ended -> back, each a message; the call waits.
 * Only after the new sign-in is complete, and for the same user ([MS-SMB2] 3.3.5.5.3). */
static void previous_back(struct task *t)
{
        struct smb2_setup *u = container_of(t, struct smb2_setup, back);
        reply_success(u->call);
}

static void previous_ended(struct task *t)
{
        struct smb2_setup *u = container_of(t, struct smb2_setup, ended);
        loop_post(u->call->conn->local->loop, &u->back);
}

static void previous_there(struct task *t)
{
        struct smb2_setup *u = container_of(t, struct smb2_setup, there);
        struct smb2_session *old = smb2_session_lookup(u->previous_home, u->previous_id);
        if (old && old->state == SMB2_SESSION_VALID &&
            smb2_session_same_user(&old->identity, acceptor_identity(u->acceptor)))
                smb2_session_end_soon(old, &u->ended);
        else
                previous_ended(&u->ended);
}

static void end_previous(struct smb2_call *c, uint64_t previous_id)
{
        struct smb2_setup *u = c->core.setup;
        struct smb2_front *f = c->conn->local->front;
        unsigned home = smb2_session_id_loop(previous_id);
        if (previous_id == 0 || previous_id == u->session->id || home >= f->n_locals) {
                reply_success(c);
                return;
        }
        u->call = c;
        u->previous_id = previous_id;
        u->previous_home = &f->locals[home];
        u->there.run = previous_there;
        u->ended.run = previous_ended;
        u->back.run = previous_back;
        loop_post(u->previous_home->loop, &u->there);
}

/* ---- the steps --------------------------------------------------------------------------------
 */

static void setup_failed(struct smb2_call *c, uint32_t status, const char *why)
{
        struct smb2_setup *u = c->core.setup;
        log_failure(u, why);
        /* A failed renewal ends the session (3.3.5.5.3); a failed binding hurts nobody. */
        if (u->kind == SMB2_SETUP_AGAIN)
                smb2_session_end_soon(u->session, NULL);
        smb2_setup_end(u);
        smb2_fail(c, status);
}

static void setup_done(struct smb2_call *c, const struct smb2_session_setup_req *q)
{
        struct smb2_setup *u = c->core.setup;
        const struct auth_identity *id = acceptor_identity(u->acceptor);
        uint32_t status = u->kind == SMB2_SETUP_NEW       ? finish_new(c, u, q)
                          : u->kind == SMB2_SETUP_BINDING ? finish_binding(c, u)
                                                          : finish_again(u);
        if (status != STATUS_SUCCESS) {
                setup_failed(c, status, nt_status_name(status));
                return;
        }
        log_info("%s of %s from %s%s",
                 u->kind == SMB2_SETUP_NEW       ? "sign-in"
                 : u->kind == SMB2_SETUP_BINDING ? "one more channel"
                                                 : "renewed sign-in",
                 id->anonymous ? "(anonymous)" : id->user, c->conn->peer,
                 id->mech == AUTH_MECH_KERBEROS ? ", Kerberos" : "");
        smb2_setup_end(u);
        if (u->kind == SMB2_SETUP_NEW)
                end_previous(c, q->previous_session_id);
        else
                reply_success(c);
}

static void setup_stepped(struct smb2_call *c)
{
        struct smb2_setup *u = c->core.setup;
        struct smb2_session_setup_req q;
        u->busy = false;
        bool ok = smb2_session_setup_req_decode(c->msg, &q);
        /* The connection or the session may have gone meanwhile. */
        if (!ok || !u->conn || c->conn->dead || u->session->state == SMB2_SESSION_ENDED) {
                smb2_fail(c, STATUS_USER_SESSION_DELETED);
                return;
        }
        if (u->verdict == AUTH_FAILED) {
                enum auth_reason r = acceptor_reason(u->acceptor);
                setup_failed(c, status_of_reason(r), auth_reason_name(r));
        } else if (u->verdict == AUTH_MORE) {
                timer_start(c->conn->local->loop, &u->timer, LIMIT_UNAUTH_MS, u->timer.fn);
                if (u->kind != SMB2_SETUP_AGAIN && c->conn->dialect == SMB2_DIALECT_311)
                        c->core.hash = &u->preauth;
                setup_reply(c, STATUS_MORE_PROCESSING_REQUIRED, 0, u->answer);
        } else {
                setup_done(c, &q);
        }
}

/* Users and keys are the server's files, whoever this thread last worked for. */
static void step(struct smb2_setup *u)
{
        uid_t before = own_files_begin();
        u->verdict = acceptor_step(u->acceptor, u->token, &u->answer);
        own_files_end(before);
}

static enum fs_err step_run(struct fs_op *op, unsigned how)
{
        step(smb2_call_of(op)->core.setup);
        return FS_OK;
}

static void step_done(struct fs_op *op, enum fs_err e)
{
        setup_stepped(smb2_call_of(op));
}

void smb2_session_setup(struct smb2_call *c)
{
        struct smb2_session_setup_req q;
        struct smb2_setup *u = NULL;
        if (!smb2_session_setup_req_decode(c->msg, &q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        uint32_t status = find_setup(c, &q, &u);
        if (status != STATUS_SUCCESS) {
                smb2_fail(c, status);
                return;
        }
        u->refs++;
        c->core.setup = u;
        c->hdr.session_id = u->session->id;
        if (u->kind != SMB2_SETUP_AGAIN && c->conn->dialect == SMB2_DIALECT_311)
                preauth_add(&u->preauth, &c->msg, 1);
        u->busy = true;
        u->token = q.security_buffer;
        /* Kerberos reads the keytab from disk; password hashes are in memory. */
        if (smb2_call_config(c)->auth->keytab) {
                smb2_call_start(c, step_run, step_done, FS_OP_WORKER);
                return;
        }
        step(u);
        setup_stepped(c);
}
