/* See share.h: TREE_CONNECT, and what waits for it. */
#include "client/share.h"

#include <errno.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/utf16.h"
#include "client/frame.h"
#include "client/negotiate.h"
#include "client/op.h"
#include "client/session.h"
#include "wire/fscc/fsctl.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/ioctl.h"
#include "wire/smb2/status.h"
#include "wire/smb2/tree_connect.h"

#define DEFAULT_TIMEOUT_MS 60000u
#define CREDIT_BYTES 65536u
#define VALIDATE_ROOM 512u

/* ---- life -------------------------------------------------------------------------------------
 */

struct frevo_share *share_ref(struct frevo_share *s)
{
        s->refs++;
        return s;
}

struct parting {
        struct client_req req;
};

static void parted(struct client_req *q)
{
        free(container_of(q, struct parting, req));
}

/* TREE_DISCONNECT; nobody waits for the answer. */
static void say_disconnect(struct frevo_share *s)
{
        struct writer w;
        struct parting *p = calloc(1, sizeof *p);
        if (!p)
                return; /* LOGOFF, or the end of the connection, will do it */
        p->req.done = parted;
        struct client_frame *f = frame_own(s->session, &p->req, SMB2_TREE_DISCONNECT, 64, &w);
        if (!f) {
                free(p);
                return;
        }
        f->tree_id = s->tree_id;
        smb2_empty_body_encode(&w);
        client_session_send_own(s->session, f, &w);
}

void share_unref(struct frevo_share *s)
{
        struct client_session *session = s->session;
        if (--s->refs)
                return;
        list_remove(&s->in_session);
        if (list_empty(&session->shares))
                client_session_end(session);
        else if (s->state == SHARE_UP && session->state == SESSION_UP)
                say_disconnect(s);
        client_session_unref(session);
        free(s->name);
        free(s);
}

void frevo_share_release(struct frevo_share *s)
{
        if (s)
                share_unref(s);
}

static struct frevo_share *share_new(struct frevo_ctx *c, const char *name,
                                     const struct client_target *to)
{
        struct frevo_share *s = calloc(1, sizeof *s);
        char *copy = s ? strdup(name) : NULL;
        struct client_session *session = copy ? client_session_get(c, to) : NULL;
        if (!session) {
                free(copy);
                free(s);
                return NULL;
        }
        *s = (struct frevo_share){
                .ctx = c, .session = session, .refs = 1, .name = copy, .status = STATUS_INVALID};
        list_init(&s->waiting);
        list_add_last(&session->shares, &s->in_session);
        return s;
}

/* ---- what waits -------------------------------------------------------------------------------
 */

static void fail_waiting(struct frevo_share *s, int err)
{
        while (!list_empty(&s->waiting)) {
                struct client_frame *f = list_entry(s->waiting.next, struct client_frame, link);
                list_remove(&f->link);
                frame_fail(f, err);
        }
}

static void connect_over(struct frevo_share *s, int err, uint32_t status)
{
        struct frevo_op *op = s->connect_op;
        struct frevo_result r = {.err = err, .ntstatus = status};
        if (!op)
                return;
        s->connect_op = NULL;
        if (!err)
                r.share = share_ref(s);
        op_finish(op, &r); /* drops the operation's own reference */
}

static void refuse(struct frevo_share *s, int err, uint32_t status)
{
        (void)share_ref(s);
        s->state = SHARE_REFUSED;
        s->err = err;
        s->status = status;
        fail_waiting(s, err);
        connect_over(s, err, status);
        share_unref(s);
}

static void open_for_business(struct frevo_share *s)
{
        (void)share_ref(s);
        s->state = SHARE_UP;
        s->epoch = s->session->epoch;
        s->session->was_of_use = true;
        while (!list_empty(&s->waiting)) {
                struct client_frame *f = list_entry(s->waiting.next, struct client_frame, link);
                list_remove(&f->link);
                share_queue(s, f);
        }
        connect_over(s, 0, STATUS_SUCCESS);
        share_unref(s);
}

static void tree_connect(struct frevo_share *s);

/* The way to this share broke off: begins anew, now if the session has other connections, else when
 * it has come up again. */
static void begin_anew(struct frevo_share *s, int err)
{
        s->state = SHARE_DOWN;
        if (err == ENOMEM || err == EMSGSIZE)
                refuse(s, err, STATUS_INVALID);
        else if (s->session->state == SESSION_UP)
                tree_connect(s);
}

/* ---- TREE_CONNECT and the validation of NEGOTIATE ----------------------------------------------
 */

/* Ways in which a server that knows nothing of the validation says so; believed, since signed
 * ([MS-SMB2] 3.2.5.5). */
static bool cannot_validate(const struct client_session *s, uint32_t status)
{
        return s->terms.dialect < SMB2_DIALECT_300 &&
               (status == STATUS_INVALID_DEVICE_REQUEST || status == STATUS_NOT_SUPPORTED ||
                status == STATUS_FILE_CLOSED || status == STATUS_INVALID_PARAMETER);
}

static void validated(struct client_req *q)
{
        struct frevo_share *s = container_of(q, struct frevo_share, tree_req);
        struct smb2_ioctl_rsp r;
        struct validate_negotiate_info_rsp v;
        if (q->err) {
                begin_anew(s, q->err);
                return;
        }
        bool fine = cannot_validate(s->session, q->status) ||
                    (q->status == STATUS_SUCCESS && smb2_ioctl_rsp_decode(q->msg, &r) &&
                     validate_negotiate_info_rsp_decode(r.output, &v) &&
                     negotiate_was_honest(s->session, &v));
        if (fine)
                open_for_business(s);
        else
                refuse(s, EPROTO, q->status);
}

/* Below 3.1.1, whose hash covers it, NEGOTIATE went unprotected ([MS-SMB2] 3.2.5.5). */
static bool must_validate(const struct client_session *s)
{
        return s->terms.dialect < SMB2_DIALECT_311 && s->to.max_dialect >= SMB2_DIALECT_300 &&
               !s->is_guest && !s->is_null;
}

static void validate(struct frevo_share *s)
{
        uint8_t body[VALIDATE_ROOM];
        struct writer in = wr_into(body, sizeof body);
        struct validate_negotiate_info_req v;
        struct client_batch b;
        negotiate_asked(s->session, &v);
        validate_negotiate_info_req_encode(&in, &v);
        s->tree_req.done = validated;
        client_batch_begin(&b, s, SMB2_HEADER_LEN + VALIDATE_ROOM, 0);
        client_batch_add(&b, &s->tree_req, SMB2_IOCTL, VALIDATE_ROOM, false);
        smb2_ioctl_req_encode(&b.w, s->tree_req.hdr_at,
                              &(struct smb2_ioctl_req){
                                      .ctl_code = FSCTL_VALIDATE_NEGOTIATE_INFO,
                                      .file_id = CLIENT_RELATED_FILE,
                                      .input = wr_done(&in),
                                      .max_output_response = 24,
                                      .flags = SMB2_0_IOCTL_IS_FSCTL,
                              });
        if (!b.frame) {
                client_batch_send(&b);
                return;
        }
        b.frame->len = b.w.at;
        client_session_queue(s->session, b.frame); /* ahead of what waits for the share */
}

static void take_tree(struct frevo_share *s, const struct client_req *q)
{
        struct smb2_tree_connect_rsp r;
        struct smb2_header h;
        if (q->err) {
                begin_anew(s, q->err);
                return;
        }
        if (q->status != STATUS_SUCCESS) {
                refuse(s, status_errno(q->status), q->status);
                return;
        }
        if (!smb2_header_decode(q->msg, &h) || !smb2_tree_connect_rsp_decode(q->msg, &r)) {
                refuse(s, EPROTO, q->status);
                return;
        }
        s->tree_id = h.tree_id;
        s->encrypt = r.share_flags & SMB2_SHAREFLAG_ENCRYPT_DATA;
        if (s->encrypt && !s->session->can_seal)
                refuse(s, EPROTONOSUPPORT, STATUS_NOT_SUPPORTED);
        else if (must_validate(s->session))
                validate(s);
        else
                open_for_business(s);
}

static void tree_connected(struct client_req *q)
{
        struct frevo_share *s = container_of(q, struct frevo_share, tree_req);
        take_tree(s, q);
        share_unref(s); /* the request's own */
}

static void tree_connect(struct frevo_share *s)
{
        struct client_session *session = s->session;
        struct writer w, pw;
        size_t room = 2 * (strlen(session->to.host) + strlen(s->name)) + 16;
        AUTO_FREE uint8_t *path = malloc(room);
        s->state = SHARE_CONNECTING;
        s->tree_req.done = tree_connected;
        struct client_frame *f =
                path ? frame_own(session, &s->tree_req, SMB2_TREE_CONNECT, room + 64, &w) : NULL;
        if (!f) {
                refuse(s, ENOMEM, STATUS_INVALID);
                return;
        }
        (void)share_ref(s); /* its request lies in it, and may outlive everybody's interest */
        pw = wr_into(path, room);
        wr_utf16(&pw, "\\\\");
        wr_utf16(&pw, session->to.host);
        wr_utf16(&pw, "\\");
        wr_utf16(&pw, s->name);
        smb2_tree_connect_req_encode(&w, 0, &(struct smb2_tree_connect_req){.path = wr_done(&pw)});
        if (!wr_ok(&pw))
                w.full = true;
        client_session_send_own(session, f, &w);
}

void share_session_up(struct frevo_share *s)
{
        if (s->state == SHARE_DOWN)
                tree_connect(s);
}

/* Frames that name files of the old session are void; the others wait for the new one. */
void share_session_down(struct frevo_share *s)
{
        if (s->state == SHARE_REFUSED)
                return;
        s->state = SHARE_DOWN;
        s->tree_id = 0;
        list_each_safe (&s->waiting, it, next) {
                struct client_frame *f = list_entry(it, struct client_frame, link);
                if (!f->epoch)
                        continue;
                list_remove(it);
                frame_fail(f, ESTALE);
        }
}

void share_session_over(struct frevo_share *s)
{
        struct client_session *session = s->session;
        (void)share_ref(s);
        if (s->state != SHARE_REFUSED)
                s->state = SHARE_DOWN;
        fail_waiting(s, session->leaving ? ECANCELED : ENOTCONN);
        connect_over(s, session->err ? session->err : ECANCELED, session->status);
        share_unref(s);
}

void share_queue(struct frevo_share *s, struct client_frame *f)
{
        struct client_session *session = s->session;
        bool up = session->state == SESSION_UP;
        if (s->state == SHARE_REFUSED) {
                frame_fail(f, s->err);
        } else if (session->state == SESSION_OVER || session->leaving) {
                frame_fail(f, ENOTCONN);
        } else if (f->epoch && (!up || f->epoch != session->epoch)) {
                frame_fail(f, ESTALE);
        } else if (s->state == SHARE_UP) {
                client_session_queue(session, f);
        } else {
                list_add_last(&s->waiting, &f->link);
                if (up && s->state == SHARE_DOWN)
                        tree_connect(s);
                else if (!up)
                        client_session_connect(session);
        }
}

/* ---- what is known ----------------------------------------------------------------------------
 */

uint32_t share_epoch(const struct frevo_share *s)
{
        return s->session->epoch;
}

uint16_t share_dialect(const struct frevo_share *s)
{
        return s->session->terms.dialect;
}

bool share_is_retrying(const struct frevo_share *s)
{
        return s->state != SHARE_REFUSED && client_session_is_retrying(s->session);
}

/* A quarter of the credits at most for one request: several are to be in flight. */
static uint32_t io_max(const struct frevo_share *s, uint32_t said)
{
        const struct client_session *session = s->session;
        uint32_t max = 0;
        if (!client_session_has_large_mtu(session))
                return said < CREDIT_BYTES ? said : CREDIT_BYTES;
        list_each (&session->conns, it) {
                struct client_conn *c = list_entry(it, struct client_conn, in_session);
                uint32_t credits = (c->credits + c->credits_flying) / 4;
                if (c->state == CONN_READY && credits * CREDIT_BYTES > max)
                        max = credits * CREDIT_BYTES;
        }
        if (max < CREDIT_BYTES)
                max = CREDIT_BYTES;
        return max < said ? max : said;
}

uint32_t share_max_read(const struct frevo_share *s)
{
        return io_max(s, s->session->terms.max_read);
}

uint32_t share_max_write(const struct frevo_share *s)
{
        return io_max(s, s->session->terms.max_write);
}

uint32_t share_max_transact(const struct frevo_share *s)
{
        return io_max(s, s->session->terms.max_transact);
}

struct frevo_share_info frevo_share_info(const struct frevo_share *s)
{
        const struct client_session *session = s->session;
        struct frevo_share_info i = {
                .dialect = session->terms.dialect,
                .encrypted = session->can_seal && (session->seals || s->encrypt),
                .is_signed = !session->is_guest && !session->is_null,
                .guest = session->is_guest,
                .max_read = share_max_read(s),
                .max_write = share_max_write(s),
                .max_list = share_max_transact(s),
                .leases = session->terms.dialect >= SMB2_DIALECT_210 &&
                          session->terms.capabilities & SMB2_GLOBAL_CAP_LEASING,
                .directory_leases = session->terms.dialect >= SMB2_DIALECT_300 &&
                                    session->terms.capabilities & SMB2_GLOBAL_CAP_DIRECTORY_LEASING,
        };
        list_each (&session->conns, it) {
                const struct client_conn *c = list_entry(it, struct client_conn, in_session);
                if (c->state != CONN_READY)
                        continue;
                i.channels++;
                if (c->rtt_us && (!i.rtt_us || c->rtt_us < i.rtt_us))
                        i.rtt_us = c->rtt_us;
        }
        return i;
}

/* ---- frevo_connect ----------------------------------------------------------------------------
 */

static void connect_send(struct frevo_op *op)
{
        struct frevo_share *s = op->share;
        s->connect_op = op;
        if (s->session->state == SESSION_UP)
                tree_connect(s);
        else
                client_session_connect(s->session);
}

static void connect_cancel(struct frevo_op *op)
{
        connect_over(op->share, ECANCELED, STATUS_INVALID);
}

static struct client_target target_of(const struct frevo_url *url, const struct frevo_options *o)
{
        struct client_target t = {
                .host = url->host,
                .port = url->port ? url->port : 445,
                .user = (char *)(uintptr_t)(o->user ? o->user : url->user),
                .domain = (char *)(uintptr_t)(o->domain ? o->domain : url->domain),
                .password = (char *)(uintptr_t)(o->password ? o->password : url->password),
                .min_dialect = o->min_dialect ? o->min_dialect : SMB2_DIALECT_202,
                .max_dialect = o->max_dialect ? o->max_dialect : SMB2_DIALECT_311,
                .auth = o->auth,
                .encrypt = o->encrypt,
                .max_channels = o->channels,
                .timeout_ms = o->timeout_ms ? o->timeout_ms : DEFAULT_TIMEOUT_MS,
                .reconnect_ms = o->reconnect_ms,
        };
        if (o->encrypt && t.min_dialect < SMB2_DIALECT_300)
                t.min_dialect = SMB2_DIALECT_300;
        return t;
}

struct frevo_op *frevo_connect_start(struct frevo_ctx *c, const struct frevo_url *url,
                                     const struct frevo_options *how, frevo_done done, void *arg)
{
        static const struct frevo_options defaults;
        struct client_target to = target_of(url, how ? how : &defaults); /* borrows */
        if (!url->host || !url->share)
                return op_failed(c, EINVAL, done, arg);
        struct frevo_share *s = share_new(c, url->share, &to);
        if (!s)
                return NULL;
        struct frevo_op *op = op_new(c, s, sizeof *op, done, arg); /* takes a reference */
        if (op) {
                op->send = connect_send;
                op->cancel = connect_cancel;
                op = op_start(op);
        }
        share_unref(s);
        return op;
}

int frevo_connect(struct frevo_ctx *c, const struct frevo_url *url, const struct frevo_options *how,
                  struct frevo_share **ret_share)
{
        struct op_wait w = {0};
        int err = op_wait(c, frevo_connect_start(c, url, how, op_wait_done, &w), &w);
        if (!err)
                *ret_share = w.r.share;
        op_wait_fini(&w);
        return err;
}
