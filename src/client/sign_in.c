/* See sign_in.h. One struct sign_in lives on the connection; while its step runs on a worker the
 * worker has it, and a connection that dies meanwhile leaves it behind, to be freed on return. */
#include "client/sign_in.h"

#include <errno.h>

#include "auth/initiator.h"
#include "client/protect.h"
#include "client/session.h"
#include "crypto/hash.h"
#include "wire/smb2/negotiate_context.h"
#include "wire/smb2/session_setup.h"
#include "wire/smb2/status.h"

#define MAX_LEGS 8u

struct sign_in {
        struct task task;
        struct client_conn *conn; /* NULL: died meanwhile */
        struct net_loop *loop;
        struct workers *workers;
        const struct client_target *to; /* the session's, which is held: */
        struct client_session *session; /* one reference */
        struct initiator *initiator;
        enum auth_mech mech;
        struct buf *in; /* the server's last token; NULL = none */
        size_t in_len;
        struct bytes out;
        enum auth_verdict verdict;
        bool busy, accepted; /* accepted: the server said SUCCESS */
        unsigned legs;
        struct client_req req;
        /* Of the successful reply, to be verified when the key is known. */
        struct buf *last;
        struct bytes last_msg;
        struct smb2_header last_header;
        uint16_t session_flags;
};

static void really_free(struct sign_in *x)
{
        initiator_free(x->initiator);
        buf_unref(x->in);
        buf_unref(x->last);
        client_session_unref(x->session);
        free(x);
}

void sign_in_free(struct sign_in *x)
{
        if (!x)
                return;
        x->conn = NULL;
        if (!x->busy)
                really_free(x);
}

static void fail(struct sign_in *x, int err, uint32_t status)
{
        if (x->conn)
                client_conn_fail(x->conn, err, status);
}

/* ---- the hash ---------------------------------------------------------------------------------
 */

void sign_in_hash_request(struct client_conn *c, const struct client_frame *f)
{
        struct bytes all = bytes_of(frame_bytes(f), f->len);
        if (f->req[0]->command == SMB2_NEGOTIATE || f->req[0]->command == SMB2_SESSION_SETUP)
                preauth_add(&c->preauth, &all, 1);
}

void sign_in_hash_reply(struct client_conn *c, struct bytes msg, const struct smb2_header *h)
{
        if ((h->command == SMB2_NEGOTIATE && h->status == STATUS_SUCCESS) ||
            (h->command == SMB2_SESSION_SETUP && h->status == STATUS_MORE_PROCESSING_REQUIRED))
                preauth_add(&c->preauth, &msg, 1);
}

/* ---- on the worker ----------------------------------------------------------------------------
 */

static struct initiator *make_initiator(const struct client_target *to, enum auth_mech mech)
{
        return initiator_new(&(struct initiator_config){
                .mech = mech,
                .user = to->auth == FREVO_AUTH_ANONYMOUS ? NULL : to->user,
                .domain = to->domain,
                .password = to->password,
                .target = to->host,
        });
}

static void stepped(struct task *t);

static void step(struct task *t)
{
        struct sign_in *x = container_of(t, struct sign_in, task);
        struct bytes in = x->in ? bytes_of(x->in->p, x->in_len) : (struct bytes){0};
        if (!x->initiator)
                x->initiator = make_initiator(x->to, x->mech);
        x->verdict = x->initiator ? initiator_step(x->initiator, in, &x->out) : AUTH_FAILED;
        if (x->verdict == AUTH_FAILED && x->legs == 0 && x->mech == AUTH_MECH_KERBEROS &&
            x->to->auth == FREVO_AUTH_ANY) { /* no ticket: with the password, then */
                initiator_free(x->initiator);
                x->mech = AUTH_MECH_NTLM;
                x->initiator = make_initiator(x->to, x->mech);
                x->verdict = x->initiator ? initiator_step(x->initiator, in, &x->out) : AUTH_FAILED;
        }
        x->task = (struct task){.run = stepped};
        loop_post(x->loop, &x->task);
}

static bool give_token(struct sign_in *x, struct bytes token)
{
        buf_unref(x->in);
        x->in = token.n ? buf_get(x->session->ctx->bufs, token.n) : NULL;
        x->in_len = token.n;
        if (x->in)
                memcpy(x->in->p, token.p, token.n);
        return token.n == 0 || x->in;
}

static void go(struct sign_in *x)
{
        x->busy = true;
        x->task = (struct task){.run = step};
        workers_run(x->workers, &x->task);
}

/* ---- the outcome ------------------------------------------------------------------------------
 */

static bool make_keys(struct client_conn *c, const struct auth_identity *id,
                      struct session_keys *out)
{
        const struct client_terms *t = &c->session->terms;
        struct session_key_source src = {.dialect = t->dialect,
                                         .cipher_256 = t->cipher == SMB2_CIPHER_AES256_CCM ||
                                                       t->cipher == SMB2_CIPHER_AES256_GCM,
                                         .full_key = bytes_of(id->full_key, id->full_key_len),
                                         .preauth_hash = c->preauth.value};
        memcpy(src.session_key, id->session_key, sizeof src.session_key);
        bool ok = session_keys_derive(&src, out);
        secret_wipe(src.session_key, sizeof src.session_key);
        return ok;
}

static bool take_keys(struct client_conn *c, const struct auth_identity *id)
{
        struct client_session *s = c->session;
        struct session_keys k;
        bool ok = make_keys(c, id, &k) &&
                  signer_init(&c->signer, s->terms.sign_alg, bytes_of(k.signing, SIGN_KEY_LEN));
        if (ok)
                memcpy(s->signing_key, k.signing, sizeof s->signing_key);
        if (ok && s->terms.cipher) {
                enum seal_alg alg = (enum seal_alg)s->terms.cipher;
                ok = sealer_init(&s->seal_out, alg, bytes_of(k.server_in, k.cipher_key_len)) &&
                     sealer_init(&s->seal_in, alg, bytes_of(k.server_out, k.cipher_key_len));
                s->can_seal = ok;
        }
        secret_wipe(&k, sizeof k);
        return ok;
}

static bool take_channel_key(struct client_conn *c, const struct auth_identity *id)
{
        uint8_t key[16];
        signer_fini(&c->signer);
        c->signer = (struct signer){0};
        bool ok = channel_signing_key_derive(c->session->terms.dialect, id->session_key,
                                             c->preauth.value, key) &&
                  signer_init(&c->signer, c->session->terms.sign_alg, bytes_of(key, sizeof key));
        secret_wipe(key, sizeof key);
        return ok;
}

/* A user who gave a password and was let in as a guest talks to nobody knows whom. */
static bool identity_is_fine(const struct sign_in *x)
{
        bool anonymous = x->to->auth == FREVO_AUTH_ANONYMOUS || x->to->user[0] == 0;
        bool keyless = x->session_flags & (SMB2_SESSION_FLAG_IS_GUEST | SMB2_SESSION_FLAG_IS_NULL);
        return !keyless || (anonymous && !x->conn->bound);
}

static bool take_session(struct sign_in *x)
{
        struct client_conn *c = x->conn;
        struct client_session *s = c->session;
        const struct auth_identity *id = initiator_identity(x->initiator);
        if (c->bound)
                return take_channel_key(c, id);
        s->id = x->last_header.session_id;
        s->is_guest = x->session_flags & SMB2_SESSION_FLAG_IS_GUEST;
        s->is_null = x->session_flags & SMB2_SESSION_FLAG_IS_NULL;
        s->nonce = 0;
        return s->is_guest || s->is_null || take_keys(c, id);
}

static void finish(struct sign_in *x)
{
        struct client_conn *c = x->conn;
        struct client_session *s = c->session;
        if (!identity_is_fine(x)) {
                fail(x, EACCES, STATUS_LOGON_FAILURE);
                return;
        }
        if (!take_session(x)) {
                fail(x, ENOMEM, STATUS_SUCCESS);
                return;
        }
        c->can_sign = c->bound || !(s->is_guest || s->is_null);
        /* [MS-SMB2] 3.2.5.3.1: without this check anybody in between could have answered. */
        if (c->can_sign && !protect_verify(&c->signer, x->last_msg, &x->last_header)) {
                fail(x, EPROTO, STATUS_SUCCESS);
                return;
        }
        bool wants_seal = s->to.encrypt || x->session_flags & SMB2_SESSION_FLAG_ENCRYPT_DATA;
        if (wants_seal && !s->can_seal) {
                fail(x, EPROTONOSUPPORT, STATUS_NOT_SUPPORTED);
                return;
        }
        if (!c->bound)
                s->seals = wants_seal;
        c->state = CONN_READY;
        c->sign_in = NULL;
        really_free(x);
        client_session_conn_ready(s, c);
}

/* ---- the legs ---------------------------------------------------------------------------------
 */

static int refusal_errno(uint32_t status)
{
        return status == STATUS_INSUFFICIENT_RESOURCES || status == STATUS_REQUEST_NOT_ACCEPTED
                       ? EAGAIN
                       : EACCES;
}

static void answered(struct client_req *q)
{
        struct sign_in *x = container_of(q, struct sign_in, req);
        struct smb2_session_setup_rsp r;
        struct smb2_header h;
        if (q->err || !x->conn)
                return; /* the connection is ending, and x with it */
        if (q->status != STATUS_SUCCESS && q->status != STATUS_MORE_PROCESSING_REQUIRED) {
                fail(x, refusal_errno(q->status), q->status);
                return;
        }
        if (++x->legs > MAX_LEGS || !smb2_header_decode(q->msg, &h) ||
            !smb2_session_setup_rsp_decode(q->msg, &r) || !give_token(x, r.security_buffer)) {
                fail(x, EPROTO, q->status);
                return;
        }
        if (!x->conn->bound)
                x->session->id = h.session_id;
        x->accepted = q->status == STATUS_SUCCESS;
        if (x->accepted) {
                x->last = buf_ref(q->owner);
                x->last_msg = q->msg;
                x->last_header = h;
                x->session_flags = r.session_flags;
        }
        if (!x->accepted || r.security_buffer.n)
                go(x);
        else if (x->verdict == AUTH_DONE)
                finish(x);
        else
                fail(x, EPROTO, q->status);
}

static void send_leg(struct sign_in *x)
{
        struct client_conn *c = x->conn;
        struct client_session *s = c->session;
        struct writer w;
        struct smb2_session_setup_req q = {.flags = c->bound ? SMB2_SESSION_FLAG_BINDING : 0,
                                           .security_mode = SMB2_NEGOTIATE_SIGNING_ENABLED,
                                           .previous_session_id = c->bound ? 0 : s->previous_id,
                                           .security_buffer = x->out};
        x->req.done = answered;
        struct client_frame *f =
                frame_own(c->session, &x->req, SMB2_SESSION_SETUP, 64 + x->out.n, &w);
        if (!f) {
                fail(x, ENOMEM, STATUS_INVALID);
                return;
        }
        smb2_session_setup_req_encode(&w, 0, &q);
        client_conn_send_own(c, f, &w);
}

static void stepped(struct task *t)
{
        struct sign_in *x = container_of(t, struct sign_in, task);
        x->busy = false;
        if (!x->conn) {
                really_free(x);
        } else if (x->verdict == AUTH_FAILED) {
                fail(x, x->legs ? EPROTO : EACCES, STATUS_LOGON_FAILURE);
        } else if (!x->accepted) {
                if (x->legs && !x->out.n)
                        fail(x, EPROTO, STATUS_MORE_PROCESSING_REQUIRED);
                else
                        send_leg(x);
        } else if (x->verdict == AUTH_DONE && !x->out.n) {
                finish(x);
        } else {
                fail(x, EPROTO, STATUS_SUCCESS);
        }
}

void sign_in_start(struct client_conn *c, struct bytes hint)
{
        struct client_session *s = c->session;
        struct sign_in *x = calloc(1, sizeof *x);
        if (!x) {
                client_conn_fail(c, ENOMEM, STATUS_INVALID);
                return;
        }
        *x = (struct sign_in){.conn = c,
                              .loop = s->ctx->loop,
                              .workers = s->ctx->workers,
                              .session = client_session_ref(s),
                              .to = &s->to};
        c->sign_in = x;
        x->mech = s->to.auth == FREVO_AUTH_KERBEROS || s->to.auth == FREVO_AUTH_ANY
                          ? AUTH_MECH_KERBEROS
                          : AUTH_MECH_NTLM;
        /* A further channel's requests are signed with the session's key until it has its own. */
        if (c->bound) {
                c->can_sign = signer_init(&c->signer, s->terms.sign_alg,
                                          bytes_of(s->signing_key, sizeof s->signing_key));
                if (!c->can_sign)
                        fail(x, ENOMEM, STATUS_INVALID);
        }
        if (!give_token(x, hint))
                fail(x, ENOMEM, STATUS_INVALID);
        else
                go(x);
}
