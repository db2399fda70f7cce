/* See session.h: the life of a session, and which connection carries what. */
#include "client/session.h"

#include <errno.h>

#include "base/clock.h"
#include "client/connect.h"
#include "client/share.h"
#include "crypto/hash.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/status.h"

#define RETRY_MIN_MS 100u
#define RETRY_MAX_MS 2000u
#define LOGOFF_MS 2000u
#define AUTO_CHANNELS 4u
#define CHANNELS_PAY_US 2000u /* over shorter ways one connection fills the line */

/* ---- life -------------------------------------------------------------------------------------
 */

static bool same_text(const char *a, const char *b)
{
        return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_secret(const char *a, const char *b)
{
        size_t n = a ? strlen(a) : 0, m = b ? strlen(b) : 0;
        return n == m && (n == 0 || ct_equal(a, b, n));
}

static bool same_target(const struct client_target *a, const struct client_target *b)
{
        return same_text(a->host, b->host) && a->port == b->port && same_text(a->user, b->user) &&
               same_text(a->domain, b->domain) && same_secret(a->password, b->password) &&
               a->auth == b->auth && a->encrypt == b->encrypt && a->min_dialect == b->min_dialect &&
               a->max_dialect == b->max_dialect;
}

static bool copy_target(struct client_target *to, const struct client_target *from)
{
        *to = *from;
        to->host = strdup(from->host);
        to->user = strdup(from->user ? from->user : "");
        to->domain = strdup(from->domain ? from->domain : "");
        to->password = strdup(from->password ? from->password : "");
        return to->host && to->user && to->domain && to->password;
}

void client_target_fini(struct client_target *t)
{
        if (t->password)
                secret_wipe(t->password, strlen(t->password));
        free(t->host);
        free(t->user);
        free(t->domain);
        free(t->password);
}

static struct client_session *session_new(struct frevo_ctx *c, const struct client_target *to)
{
        struct client_session *s = calloc(1, sizeof *s);
        if (!s || !copy_target(&s->to, to)) {
                if (s)
                        client_target_fini(&s->to);
                free(s);
                return NULL;
        }
        s->ctx = c;
        s->refs = 1;
        list_init(&s->conns);
        list_init(&s->small);
        list_init(&s->bulk);
        list_init(&s->shares);
        list_add_last(&c->sessions, &s->link);
        return s;
}

struct client_session *client_session_get(struct frevo_ctx *c, const struct client_target *to)
{
        list_each (&c->sessions, it) {
                struct client_session *s = list_entry(it, struct client_session, link);
                if (s->state != SESSION_OVER && !s->leaving && same_target(&s->to, to))
                        return client_session_ref(s);
        }
        return session_new(c, to);
}

struct client_session *client_session_ref(struct client_session *s)
{
        s->refs++;
        return s;
}

static void forget_keys(struct client_session *s)
{
        sealer_fini(&s->seal_in);
        sealer_fini(&s->seal_out);
        s->seal_in = s->seal_out = (struct sealer){0};
        secret_wipe(s->signing_key, sizeof s->signing_key);
        s->can_seal = s->seals = false;
}

void client_session_unref(struct client_session *s)
{
        if (--s->refs)
                return;
        timer_stop(s->ctx->loop, &s->retry);
        timer_stop(s->ctx->loop, &s->linger);
        forget_keys(s);
        client_target_fini(&s->to);
        list_remove(&s->link);
        free(s);
}

/* ---- what waits -------------------------------------------------------------------------------
 */

static void fail_queue(struct list *q, int err)
{
        list_each_safe (q, it, next) {
                list_remove(it);
                frame_fail(list_entry(it, struct client_frame, link), err);
        }
}

bool client_session_is_retrying(const struct client_session *s)
{
        if (s->state == SESSION_OVER || s->leaving || !s->to.reconnect_ms)
                return false;
        return s->state == SESSION_UP || clock_ms() - s->down_ms < s->to.reconnect_ms;
}

/* Frames of shares find their way again through share_queue(), which knows what is void now. */
static void requeue(struct list *q)
{
        struct list old;
        list_init(&old);
        list_each_safe (q, it, next) {
                list_remove(it);
                list_add_last(&old, it);
        }
        list_each_safe (&old, it2, next2) {
                struct client_frame *f = list_entry(it2, struct client_frame, link);
                list_remove(it2);
                if (f->share)
                        share_queue(f->share, f);
                else
                        frame_fail(f, ENOTCONN);
        }
}

static struct client_conn *best_conn(struct client_session *s, const struct client_frame *f)
{
        struct client_conn *best = NULL;
        list_each (&s->conns, it) {
                struct client_conn *c = list_entry(it, struct client_conn, in_session);
                if (c->state == CONN_READY && client_conn_takes(c, f) &&
                    (!best || c->queued < best->queued ||
                     (c->queued == best->queued && c->credits_flying < best->credits_flying)))
                        best = c;
        }
        return best;
}

/* Nothing takes f. If nothing is in flight either, nothing will change by itself. */
static void ask_for_credits(struct client_session *s, struct client_frame *f)
{
        list_each (&s->conns, it) {
                struct client_conn *c = list_entry(it, struct client_conn, in_session);
                if (c->state != CONN_READY || c->n_in_flight || c->queued || c->asking)
                        return;
        }
        list_each (&s->conns, it2) {
                struct client_conn *c = list_entry(it2, struct client_conn, in_session);
                if (client_conn_ask_credits(c, frame_charge(f)))
                        return;
        }
        list_remove(&f->link);
        frame_fail(f, EMSGSIZE);
}

static unsigned max_channels(const struct client_session *s)
{
        if (s->one_channel || s->terms.dialect < SMB2_DIALECT_300 || s->is_guest || s->is_null ||
            !(s->terms.capabilities & SMB2_GLOBAL_CAP_MULTI_CHANNEL))
                return 1;
        return s->to.max_channels ? s->to.max_channels : AUTO_CHANNELS;
}

/* More connections, when large transfers go a long way. */
static void widen(struct client_session *s, const struct client_conn *c)
{
        bool pays = s->to.max_channels > 1 || c->rtt_us >= CHANNELS_PAY_US;
        while (pays && s->n_conns + s->n_opening < max_channels(s)) {
                if (!connect_start(s, true))
                        return;
                s->n_opening++;
        }
}

static void pump_queue(struct client_session *s, struct list *q)
{
        while (!list_empty(q)) {
                struct client_frame *f = list_entry(q->next, struct client_frame, link);
                struct client_conn *c = best_conn(s, f);
                if (!c) {
                        s->ctx->count.waits++;
                        ask_for_credits(s, f);
                        return;
                }
                list_remove(&f->link);
                bool bulk = f->bulk;
                client_conn_send(c, f);
                if (bulk)
                        widen(s, c);
        }
}

void client_session_pump(struct client_session *s)
{
        if (s->state != SESSION_UP)
                return;
        client_session_ref(s);
        pump_queue(s, &s->small);
        if (list_empty(&s->small))
                pump_queue(s, &s->bulk);
        client_session_unref(s);
}

void client_session_queue(struct client_session *s, struct client_frame *f)
{
        list_add_last(f->bulk ? &s->bulk : &s->small, &f->link);
        client_session_pump(s);
}

void client_session_send_own(struct client_session *s, struct client_frame *f,
                             const struct writer *w)
{
        f->len = w->at;
        if (wr_ok(w))
                client_session_queue(s, f);
        else
                frame_fail(f, EMSGSIZE);
}

/* ---- up and down ------------------------------------------------------------------------------
 */

static void each_share(struct client_session *s, void (*fn)(struct frevo_share *))
{
        struct list all;
        list_init(&all);
        list_each_safe (&s->shares, it, next) { /* fn may take any of them out */
                list_remove(it);
                list_add_last(&all, it);
        }
        while (!list_empty(&all)) {
                struct frevo_share *sh = list_entry(all.next, struct frevo_share, in_session);
                list_remove(&sh->in_session);
                list_add_last(&s->shares, &sh->in_session);
                fn(sh);
        }
}

static void retry_due(struct timer *t)
{
        client_session_connect(container_of(t, struct client_session, retry));
}

/* The way down: for now, or for good. */
static void session_down(struct client_session *s, int err, uint32_t status, bool for_good)
{
        client_session_ref(s);
        if (s->state == SESSION_UP)
                s->previous_id = s->id;
        if (s->was_of_use) {
                s->down_ms = clock_ms();
                s->attempts = 0;
        }
        s->was_of_use = false;
        s->state = SESSION_DOWN;
        s->err = err;
        s->status = status;
        s->id = 0;
        forget_keys(s);
        list_each_safe (&s->conns, it, next) /* channels of what is no more */
                client_conn_fail(list_entry(it, struct client_conn, in_session), ECONNRESET,
                                 STATUS_INVALID);
        if (for_good || !client_session_is_retrying(s))
                s->state = SESSION_OVER;
        each_share(s, s->state == SESSION_OVER ? share_session_over : share_session_down);
        requeue(&s->small);
        requeue(&s->bulk);
        if (s->state == SESSION_DOWN) {
                unsigned ms = RETRY_MIN_MS << (s->attempts < 5 ? s->attempts : 5);
                s->attempts++;
                timer_start(s->ctx->loop, &s->retry, ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS,
                            retry_due);
        }
        client_session_unref(s);
}

void client_session_connect(struct client_session *s)
{
        if (s->state != SESSION_DOWN)
                return;
        timer_stop(s->ctx->loop, &s->retry);
        if (!s->down_ms)
                s->down_ms = clock_ms();
        s->state = SESSION_CONNECTING;
        if (connect_start(s, false))
                s->n_opening++;
        else
                session_down(s, ENOMEM, STATUS_INVALID, true);
}

void client_session_connected(struct client_session *s, int fd, int err, bool bound)
{
        s->n_opening--;
        bool wanted = bound ? s->state == SESSION_UP : s->state == SESSION_CONNECTING;
        if (!wanted || fd < 0) {
                if (fd >= 0)
                        (void)close(fd); /* nothing was said on it */
                if (bound)
                        s->one_channel = true;
                else if (s->state == SESSION_CONNECTING)
                        session_down(s, err, STATUS_INVALID, false);
                return;
        }
        if (!client_conn_new(s, fd, bound) && !bound)
                session_down(s, ENOMEM, STATUS_INVALID, true);
}

void client_session_conn_ready(struct client_session *s, struct client_conn *c)
{
        bool fits = c->bound ? s->state == SESSION_UP && c->epoch == s->epoch
                             : s->state == SESSION_CONNECTING && c->epoch == s->epoch + 1;
        if (!fits) { /* the session that it belongs to is no more */
                client_conn_fail(c, ECONNRESET, STATUS_INVALID);
                return;
        }
        if (c->bound) {
                client_session_pump(s);
                return;
        }
        s->state = SESSION_UP;
        s->epoch++;
        s->channel_sequence = 0;
        s->attempts = 0;
        each_share(s, share_session_up);
        client_session_pump(s);
}

/* Another attempt may go better: what no server said, and a server that is busy. */
static bool is_final(const struct client_conn *c)
{
        return c->state != CONN_READY && c->status != STATUS_INVALID;
}

static bool has_ready_conn(const struct client_session *s)
{
        list_each (&s->conns, it)
                if (list_entry(it, struct client_conn, in_session)->state == CONN_READY)
                        return true;
        return false;
}

/* One of a session that stands. As long as another is left the session goes on; what was in flight
 * on this one may be sent again there, and the server is told so ([MS-SMB2] 3.2.4.1.1). */
static void channel_gone(struct client_session *s, const struct client_conn *c)
{
        if (c->bound && c->state != CONN_READY)
                s->one_channel = true;
        if (!has_ready_conn(s))
                session_down(s, c->err, STATUS_INVALID, false);
        else if (c->state == CONN_READY)
                s->channel_sequence++;
}

void client_session_conn_gone(struct client_session *s, struct client_conn *c)
{
        list_remove(&c->in_session);
        s->n_conns--;
        if (s->leaving)
                s->state = SESSION_OVER;
        if (s->state == SESSION_UP && c->epoch == s->epoch)
                channel_gone(s, c);
        else if (s->state == SESSION_CONNECTING && c->epoch == s->epoch + 1)
                session_down(s, c->err, c->status, is_final(c));
}

/* ---- leaving ----------------------------------------------------------------------------------
 */

static void hang_up(struct client_session *s)
{
        s->state = SESSION_OVER;
        client_session_ref(s);
        list_each_safe (&s->conns, it, next)
                client_conn_fail(list_entry(it, struct client_conn, in_session), ECANCELED,
                                 STATUS_INVALID);
        client_session_unref(s);
}

static void logoff_done(struct client_req *q)
{
        struct client_session *s = container_of(q, struct client_session, logoff);
        timer_stop(s->ctx->loop, &s->linger);
        hang_up(s);
        client_session_unref(s);
}

static void linger_over(struct timer *t)
{
        hang_up(container_of(t, struct client_session, linger));
}

static bool say_logoff(struct client_session *s)
{
        list_each (&s->conns, it) {
                struct client_conn *c = list_entry(it, struct client_conn, in_session);
                struct writer w;
                if (c->state != CONN_READY || c->credits == 0)
                        continue;
                s->logoff.done = logoff_done;
                struct client_frame *f = frame_own(c->session, &s->logoff, SMB2_LOGOFF, 128, &w);
                if (!f)
                        return false;
                smb2_empty_body_encode(&w);
                client_session_ref(s);
                timer_start(s->ctx->loop, &s->linger, LOGOFF_MS, linger_over);
                client_conn_send_own(c, f, &w);
                return true;
        }
        return false;
}

void client_session_end(struct client_session *s)
{
        if (s->leaving)
                return;
        client_session_ref(s);
        s->leaving = true;
        timer_stop(s->ctx->loop, &s->retry);
        fail_queue(&s->small, ECANCELED);
        fail_queue(&s->bulk, ECANCELED);
        each_share(s, share_session_over);
        if (s->state != SESSION_UP || !say_logoff(s))
                hang_up(s);
        client_session_unref(s);
}
