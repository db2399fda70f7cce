/* See conn.h. */
#include "client/conn.h"

#include <errno.h>

#include "base/clock.h"
#include "base/limits.h"
#include "client/negotiate.h"
#include "client/protect.h"
#include "client/session.h"
#include "client/share.h"
#include "client/sign_in.h"
#include "wire/smb2/compound.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/read.h"
#include "wire/smb2/status.h"
#include "wire/smb2/transform.h"

/* What a connection asks to have: enough for 128 MiB in flight, and what servers like to give. */
#define CREDITS_WANTED 2048u
#define CREDITS_SPARED 16u /* by large transfers, for small requests */
/* Given to the socket and not gone: more would only make small requests wait behind it. */
#define QUEUED_MAX (4u * 1024 * 1024)
#define OWN_ROOM 128u

/* ---- life -------------------------------------------------------------------------------------
 */

static void conn_free(struct client_conn *c)
{
        struct client_session *s = c->session;
        sign_in_free(c->sign_in);
        signer_fini(&c->signer);
        conn_unref(c->net);
        free(c);
        client_session_unref(s);
}

static void fail_in_flight(struct client_conn *c)
{
        for (unsigned i = 0; i < CONN_BUCKETS; i++)
                list_each_safe (&c->in_flight[i], it, next) {
                        struct client_req *q = list_entry(it, struct client_req, link);
                        list_remove(it);
                        q->err = q->cancelled          ? ECANCELED
                                 : c->err == ETIMEDOUT ? ETIMEDOUT
                                                       : ECONNRESET;
                        q->status = STATUS_INVALID;
                        q->msg = (struct bytes){0};
                        frame_complete(q);
                }
        c->n_in_flight = 0;
}

static void on_closed(struct conn *net, const char *why)
{
        struct client_conn *c = conn_ctx(net);
        if (!c->err)
                c->err = ECONNRESET;
        timer_stop(conn_loop(net), &c->silence);
        client_session_conn_gone(c->session, c);
        c->state = CONN_DEAD;
        fail_in_flight(c);
        conn_free(c);
}

void client_conn_fail(struct client_conn *c, int err, uint32_t status)
{
        if (!c->err) {
                c->err = err;
                c->status = status;
        }
        conn_close(c->net, CONN_NOW, "the client is done with it");
}

/* ---- sending ----------------------------------------------------------------------------------
 */

bool client_conn_takes(const struct client_conn *c, const struct client_frame *f)
{
        unsigned need = frame_charge(f);
        if (f->bulk && c->credits + c->credits_flying > 4 * CREDITS_SPARED)
                need += CREDITS_SPARED;
        return c->credits >= need && c->queued < QUEUED_MAX && conn_is_open(c->net);
}

static struct list *bucket(struct client_conn *c, uint64_t id)
{
        return &c->in_flight[id % CONN_BUCKETS];
}

/* Ids, credits, session and tree: what could not be known when the frame was built. */
static void fill_header(struct client_conn *c, struct client_frame *f, unsigned i)
{
        struct client_req *q = f->req[i];
        struct client_session *s = c->session;
        uint8_t *hdr = frame_bytes(f) + q->hdr_at;
        struct smb2_header h;
        if (!smb2_header_decode(bytes_of(hdr, SMB2_HEADER_LEN), &h))
                return; /* not reached: we encoded it */
        bool large = client_session_has_large_mtu(s);
        unsigned total = c->credits + c->credits_flying;
        unsigned more = i == 0 && total < CREDITS_WANTED ? CREDITS_WANTED - total : 0;
        h.credit_charge = large ? q->charge : 0;
        h.credits = (uint16_t)(q->charge + more);
        h.message_id = q->message_id = c->next_id;
        h.process_id = 0xfeff;
        if (s->terms.dialect >= SMB2_DIALECT_300 && c->state == CONN_READY)
                h.status = s->channel_sequence;
        h.tree_id = f->share ? f->share->tree_id : f->tree_id;
        h.session_id = s->id;
        c->next_id += q->charge;
        c->credits -= q->charge;
        c->credits_flying += q->charge;
        struct writer w = wr_into(hdr, SMB2_HEADER_LEN);
        smb2_header_encode(&w, &h);
}

static bool frame_is_sealed(const struct client_conn *c, const struct client_frame *f)
{
        const struct client_session *s = c->session;
        return s->can_seal && c->state == CONN_READY &&
               (s->seals || (f->share && f->share->encrypt));
}

static void out_done(struct out *o, bool sent)
{
        struct client_frame *f = container_of(o, struct client_frame, out);
        struct client_session *s = f->session;
        struct client_conn *c = f->conn;
        f->out_busy = false;
        if (sent) /* else the connection is closing, and may be gone */
                c->queued -= o->total;
        client_session_ref(s);
        frame_check(f);
        if (sent)
                client_session_pump(s);
        client_session_unref(s);
}

static bool add_bytes(struct client_conn *c, struct client_frame *f)
{
        if (frame_is_sealed(c, f)) {
                struct bytes b;
                f->sealed = protect_seal(c->session, f, &b);
                return f->sealed && out_add_mem(&f->out, b.p, b.n);
        }
        if (c->can_sign)
                protect_sign(&c->signer, f);
        size_t head = f->payload ? f->payload_at : f->len;
        return out_add_mem(&f->out, frame_bytes(f), head) &&
               out_add_mem(&f->out, f->payload, f->payload ? f->payload_n : 0) &&
               out_add_mem(&f->out, frame_bytes(f) + head, f->len - head);
}

static void to_flight(struct client_conn *c, struct client_req *q)
{
        q->sent = true;
        list_add_last(bucket(c, q->message_id), &q->link);
        c->n_in_flight++;
        if (!timer_is_started(&c->silence))
                c->heard_ms = clock_ms();
}

static void watch_silence(struct client_conn *c);

void client_conn_send(struct client_conn *c, struct client_frame *f)
{
        struct frevo_ctx *ctx = f->ctx;
        f->conn = c;
        frame_link(f);
        for (unsigned i = 0; i < f->n_reqs; i++)
                fill_header(c, f, i);
        out_init(&f->out, out_done);
        if (!add_bytes(c, f)) {
                /* Its MessageIds are used up: the server would wait for them. */
                client_conn_fail(c, ENOMEM, STATUS_INVALID);
                frame_fail(f, ENOMEM);
                return;
        }
        if (c->state == CONN_SETTING_UP)
                sign_in_hash_request(c, f);
        for (unsigned i = 0; i < f->n_reqs; i++)
                to_flight(c, f->req[i]);
        watch_silence(c);
        ctx->count.round_trips++;
        ctx->count.requests += f->n_reqs;
        ctx->count.bytes_out += f->out.total;
        f->sent_us = clock_us();
        f->out_busy = true;
        c->queued += f->out.total;
        conn_send(c->net, &f->out);
}

void client_conn_send_own(struct client_conn *c, struct client_frame *f, const struct writer *w)
{
        f->len = w->at;
        if (wr_ok(w))
                client_conn_send(c, f);
        else
                frame_fail(f, EMSGSIZE);
}

/* ---- credits, silence, cancel -----------------------------------------------------------------
 */

static void echo_done(struct client_req *q)
{
        struct client_conn *c = container_of(q, struct client_conn, echo);
        c->echoing = c->asking = false;
}

static bool say_echo(struct client_conn *c)
{
        struct writer w;
        if (c->echoing || c->credits == 0 || c->state != CONN_READY)
                return c->echoing;
        c->echo.done = echo_done;
        struct client_frame *f = frame_own(c->session, &c->echo, SMB2_ECHO, OWN_ROOM, &w);
        if (!f)
                return false;
        smb2_empty_body_encode(&w);
        c->echoing = true;
        client_conn_send_own(c, f, &w);
        return true;
}

bool client_conn_ask_credits(struct client_conn *c, unsigned need)
{
        if (c->state != CONN_READY || c->starved >= need)
                return false;
        c->starved = c->credits; /* what it had when it was asked last */
        c->asking = say_echo(c);
        return c->asking;
}

static void silence_due(struct timer *t)
{
        struct client_conn *c = container_of(t, struct client_conn, silence);
        uint64_t quiet = clock_ms() - c->heard_ms;
        if (c->n_in_flight == 0)
                return; /* starts again with the next request */
        if (quiet >= c->session->to.timeout_ms) {
                client_conn_fail(c, ETIMEDOUT, STATUS_INVALID);
                return;
        }
        if (quiet >= c->session->to.timeout_ms / 2)
                (void)say_echo(c); /* without it the time is up all the same */
        watch_silence(c);
}

static void watch_silence(struct client_conn *c)
{
        if (!timer_is_started(&c->silence))
                timer_start(c->session->ctx->loop, &c->silence, c->session->to.timeout_ms / 4 + 1,
                            silence_due);
}

/* CANCEL names its victim by AsyncId, or by MessageId. It has no answer and costs no credit
 * ([MS-SMB2] 3.2.4.24), so it is in nobody's list: its request lives as long as this function. */
void client_conn_cancel(struct client_req *victim)
{
        struct client_conn *c = victim->frame->conn;
        struct client_req q = {0};
        struct writer w;
        struct client_frame *f = c->state == CONN_READY
                                         ? frame_own(c->session, &q, SMB2_CANCEL, OWN_ROOM, &w)
                                         : NULL;
        if (!f)
                return; /* the victim ends by itself */
        w.at = 0;
        smb2_header_encode(&w, &(struct smb2_header){
                                       .command = SMB2_CANCEL,
                                       .flags = victim->pending ? SMB2_FLAGS_ASYNC_COMMAND : 0,
                                       .message_id = victim->message_id,
                                       .async_id = victim->async_id,
                                       .session_id = c->session->id,
                               });
        smb2_empty_body_encode(&w);
        q.message_id = victim->message_id;
        f->len = w.at;
        f->conn = c;
        f->share = victim->frame->share ? share_ref(victim->frame->share) : NULL; /* sealed alike */
        out_init(&f->out, out_done);
        bool ok = add_bytes(c, f);
        f->req[0] = NULL;
        f->unfinished = 0;
        if (!ok) {
                frame_check(f);
                return;
        }
        f->out_busy = true;
        c->queued += f->out.total;
        conn_send(c->net, &f->out);
}

/* ---- receiving --------------------------------------------------------------------------------
 */

struct received {
        struct bytes msg;
        struct smb2_header h;
        struct buf *owner;
        bool sealed;
};

static struct client_req *find(struct client_conn *c, uint64_t id)
{
        list_each (bucket(c, id), it) {
                struct client_req *q = list_entry(it, struct client_req, link);
                if (q->message_id == id)
                        return q;
        }
        return NULL;
}

static void take_credits(struct client_conn *c, uint16_t n)
{
        if (n > LIMIT_CREDITS)
                n = LIMIT_CREDITS;
        c->credits += n;
        if (c->credits > LIMIT_CREDITS)
                c->credits = LIMIT_CREDITS;
        if (c->credits > c->starved)
                c->starved = 0;
}

static void take_rtt(struct client_conn *c, const struct client_frame *f)
{
        uint64_t us = clock_us() - f->sent_us;
        if (!f->bulk && us < UINT32_MAX && (!c->rtt_us || us < c->rtt_us))
                c->rtt_us = us ? (unsigned)us : 1;
}

static bool is_interim(const struct received *r)
{
        return r->h.status == STATUS_PENDING && smb2_header_is_async(&r->h);
}

/* Whether r may be believed: [MS-SMB2] 3.2.5.1.3. Sign-ins check theirs when they have the key. */
static bool is_authentic(struct client_conn *c, const struct received *r)
{
        if (r->sealed || !c->can_sign || c->state != CONN_READY)
                return true;
        if (is_interim(r) || r->h.message_id == SMB2_MESSAGE_ID_UNSOLICITED)
                return true; /* both are never signed */
        return protect_verify(&c->signer, r->msg, &r->h);
}

/* The session is gone at the server: nothing was done, and a new one must be made. */
static bool says_session_is_gone(uint32_t status)
{
        return status == STATUS_NETWORK_SESSION_EXPIRED || status == STATUS_USER_SESSION_DELETED;
}

static void finish(struct client_conn *c, struct client_req *q, const struct received *r)
{
        list_remove(&q->link);
        c->n_in_flight--;
        c->credits_flying -= q->charge;
        q->status = r->h.status;
        q->msg = r->msg;
        q->owner = r->owner;
        if (!q->pending)
                take_rtt(c, q->frame);
        if (c->state == CONN_READY && says_session_is_gone(q->status)) {
                q->err = ENOTCONN;
                q->status = STATUS_INVALID;
                client_conn_fail(c, ECONNRESET, STATUS_INVALID);
        }
        if (c->state == CONN_SETTING_UP)
                sign_in_hash_reply(c, r->msg, &r->h);
        frame_complete(q);
}

/* False: the connection must end. */
static bool take_reply(struct client_conn *c, const struct received *r)
{
        if (!(r->h.flags & SMB2_FLAGS_SERVER_TO_REDIR) || !is_authentic(c, r))
                return false;
        if (r->h.message_id == SMB2_MESSAGE_ID_UNSOLICITED) {
                if (r->h.command != SMB2_OPLOCK_BREAK)
                        return false; /* somebody's answer, for ever lost to him */
                if (c->session->ctx->on_break)
                        c->session->ctx->on_break(c->session, r->msg);
                return true;
        }
        struct client_req *q = find(c, r->h.message_id);
        if (!q || q->command != r->h.command)
                return false;
        if (q->frame->sealed && !r->sealed)
                return false; /* [MS-SMB2] 3.2.5.1.1: a share, too, may demand it */
        take_credits(c, r->h.credits);
        if (is_interim(r)) {
                bool is_first = !q->pending;
                q->pending = true;
                q->async_id = r->h.async_id;
                if (q->cancelled && is_first)
                        client_conn_cancel(q);
                return true;
        }
        if (r->h.status == STATUS_PENDING)
                return false; /* an end that is none */
        finish(c, q, r);
        return true;
}

static bool take_frame(struct client_conn *c, struct frame *f)
{
        struct bytes data = f->data;
        struct received r = {.owner = f->owner, .sealed = smb2_is_transform(data)};
        struct smb2_compound walk;
        unsigned n;
        if (r.sealed && !protect_unseal(c->session, &data))
                return false;
        if (!r.sealed && c->session->seals && c->state == CONN_READY)
                return false; /* [MS-SMB2] 3.2.5.1.1: what had to be sealed was not */
        if (!smb2_compound_check(data, &n))
                return false;
        smb2_compound_init(&walk, data);
        while (smb2_compound_next(&walk, &r.msg, &r.h) == SMB2_COMPOUND_ELEMENT)
                if (!take_reply(c, &r))
                        return false;
        return true;
}

static void on_frame(struct conn *net, struct frame f)
{
        struct client_conn *c = conn_ctx(net);
        struct client_session *s = client_session_ref(c->session);
        c->heard_ms = clock_ms();
        s->ctx->count.bytes_in += f.data.n;
        if (!take_frame(c, &f))
                client_conn_fail(c, EPROTO, STATUS_INVALID);
        frame_done(&f);
        client_session_pump(s);
        client_session_unref(s);
}

static void on_opened(struct conn *net)
{
        struct client_conn *c = conn_ctx(net);
        if (conn_is_open(net))
                negotiate_start(c);
}

static const struct conn_ops ops = {.opened = on_opened, .frame = on_frame, .closed = on_closed};

struct client_conn *client_conn_new(struct client_session *s, int fd, bool bound)
{
        struct client_conn *c = calloc(1, sizeof *c);
        if (!c) {
                (void)close(fd); /* nothing was said on it */
                return NULL;
        }
        c->session = client_session_ref(s);
        c->credits = 1; /* [MS-SMB2] 3.2.4.2.1: for NEGOTIATE */
        c->bound = bound;
        c->epoch = bound ? s->epoch : s->epoch + 1;
        c->status = STATUS_INVALID;
        for (unsigned i = 0; i < CONN_BUCKETS; i++)
                list_init(&c->in_flight[i]);
        c->net = conn_adopt(
                s->ctx->loop, fd,
                &(struct conn_conf){.ops = &ops,
                                    .ctx = c,
                                    .max_frame = LIMIT_FRAME_BYTES,
                                    .stall_ms = s->to.timeout_ms,
                                    .payload_at = SMB2_HEADER_LEN + SMB2_READ_RSP_HEAD_LEN});
        if (!c->net) {
                client_session_unref(s);
                free(c);
                return NULL;
        }
        (void)conn_ref(c->net); /* ours, until conn_free */
        list_add_last(&s->conns, &c->in_session);
        s->n_conns++;
        s->ctx->count.connects++;
        return c;
}
