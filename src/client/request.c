/* Building frames, and completing what is in them; see request.h and frame.h. */
#include "client/request.h"

#include <errno.h>
#include <stdlib.h>

#include "client/conn.h"
#include "client/frame.h"
#include "client/session.h"
#include "client/share.h"
#include "wire/smb2/header.h"

#define CREDIT_BYTES 65536u

/* ---- the caller's side ------------------------------------------------------------------------
 */

void client_batch_begin(struct client_batch *b, struct frevo_share *s, size_t room, uint32_t epoch)
{
        *b = (struct client_batch){.share = s, .w = {.full = true}}; /* until there is a frame */
        list_init(&b->failed);
        struct client_frame *f = calloc(1, sizeof *f);
        struct buf *buf = f ? buf_get(s->ctx->bufs, FRAME_HEADROOM + room) : NULL;
        if (!buf) {
                free(f);
                return;
        }
        *f = (struct client_frame){.ctx = s->ctx,
                                   .share = share_ref(s),
                                   .session = s->session,
                                   .epoch = epoch,
                                   .buf = buf};
        b->frame = f;
        b->w = wr_into(frame_bytes(f), room);
}

/* The wire's offset of a place in the buffer. */
static size_t virtual_at(const struct client_frame *f, size_t at)
{
        return f->payload && at > f->payload_at ? at + f->payload_n : at;
}

/* The next header stands at a multiple of 8 of the wire's offsets. */
static void align_next(struct client_batch *b)
{
        struct client_frame *f = b->frame;
        size_t at = b->w.at + (f->payload ? f->payload_n : 0);
        size_t pad = (8 - at % 8) % 8;
        /* A header right behind the payload would be taken for a place before it. */
        if (f->payload && b->w.at == f->payload_at && pad == 0)
                pad = 8;
        wr_zero(&b->w, pad);
}

static uint16_t charge_of(const struct client_session *s, uint32_t payload)
{
        if (!client_session_has_large_mtu(s) || payload == 0)
                return 1;
        return (uint16_t)(1 + (payload - 1) / CREDIT_BYTES);
}

void client_batch_add(struct client_batch *b, struct client_req *q, uint16_t command,
                      uint32_t payload, bool related)
{
        struct client_frame *f = b->frame;
        q->frame = NULL;
        q->err = 0;
        q->status = STATUS_INVALID;
        q->msg = (struct bytes){0};
        q->sent = q->pending = q->cancelled = false;
        q->command = command;
        if (!f || f->n_reqs == FRAME_REQS) {
                list_add_last(&b->failed, &q->link);
                return;
        }
        if (f->n_reqs)
                align_next(b);
        q->frame = f;
        q->charge = charge_of(f->session, payload);
        q->hdr_at = b->w.at;
        smb2_header_encode(
                &b->w, &(struct smb2_header){.command = command,
                                             .flags = related ? SMB2_FLAGS_RELATED_OPERATIONS : 0});
        f->req[f->n_reqs++] = q;
        f->unfinished++;
        if ((command == SMB2_READ || command == SMB2_WRITE) && payload > CREDIT_BYTES)
                f->bulk = true;
}

void client_batch_payload(struct client_batch *b, const void *p, size_t n)
{
        struct client_frame *f = b->frame;
        if (!f || n == 0)
                return;
        f->payload = p;
        f->payload_n = n;
        f->payload_at = b->w.at;
        f->payload_req = f->n_reqs - 1;
}

void client_batch_send(struct client_batch *b)
{
        struct client_frame *f = b->frame;
        client_reqs_fail(b->share->ctx, &b->failed, ENOMEM);
        if (!f)
                return;
        f->len = b->w.at;
        if (!wr_ok(&b->w))
                frame_fail(f, EMSGSIZE);
        else
                share_queue(f->share, f);
        b->frame = NULL;
}

/* ---- the library's own ----------------------------------------------------------------------- */

struct client_frame *frame_own(struct client_session *s, struct client_req *q, uint16_t command,
                               size_t room, struct writer *w)
{
        struct frevo_ctx *ctx = s->ctx;
        struct client_frame *f = calloc(1, sizeof *f);
        struct buf *b = f ? buf_get(ctx->bufs, FRAME_HEADROOM + SMB2_HEADER_LEN + room) : NULL;
        if (!b) {
                free(f);
                return NULL;
        }
        *f = (struct client_frame){
                .ctx = ctx, .session = s, .buf = b, .n_reqs = 1, .unfinished = 1, .req = {q}};
        *q = (struct client_req){.done = q->done,
                                 .status = STATUS_INVALID,
                                 .frame = f,
                                 .command = command,
                                 .charge = 1};
        *w = wr_into(frame_bytes(f), SMB2_HEADER_LEN + room);
        smb2_header_encode(w, &(struct smb2_header){.command = command});
        return f;
}

/* ---- a frame's bytes --------------------------------------------------------------------------
 */

unsigned frame_charge(const struct client_frame *f)
{
        unsigned sum = 0;
        for (unsigned i = 0; i < f->n_reqs; i++)
                sum += f->req[i] ? f->req[i]->charge : 0;
        return sum;
}

size_t frame_total(const struct client_frame *f)
{
        return f->len + (f->payload ? f->payload_n : 0);
}

unsigned frame_parts(const struct client_frame *f, unsigned i, struct bytes parts[3])
{
        size_t from = f->req[i]->hdr_at;
        size_t to = i + 1 < f->n_reqs ? f->req[i + 1]->hdr_at : f->len;
        const uint8_t *p = frame_bytes(f);
        if (!f->payload || f->payload_req != i) {
                parts[0] = bytes_of(p + from, to - from);
                return 1;
        }
        parts[0] = bytes_of(p + from, f->payload_at - from);
        parts[1] = bytes_of(f->payload, f->payload_n);
        parts[2] = bytes_of(p + f->payload_at, to - f->payload_at);
        return 3;
}

void frame_link(struct client_frame *f)
{
        for (unsigned i = 0; i + 1 < f->n_reqs; i++) {
                size_t from = virtual_at(f, f->req[i]->hdr_at);
                size_t to = virtual_at(f, f->req[i + 1]->hdr_at);
                smb2_header_set_next_command(frame_bytes(f) + f->req[i]->hdr_at,
                                             (uint32_t)(to - from));
        }
}

/* ---- completion -------------------------------------------------------------------------------
 */

void frame_check(struct client_frame *f)
{
        if (f->unfinished || f->out_busy)
                return;
        buf_unref(f->buf);
        buf_unref(f->sealed);
        if (f->share)
                share_unref(f->share);
        free(f);
}

void frame_complete(struct client_req *q)
{
        struct client_frame *f = q->frame;
        q->frame = NULL;
        for (unsigned i = 0; f && i < f->n_reqs; i++)
                if (f->req[i] == q)
                        f->req[i] = NULL;
        if (f)
                f->unfinished--;
        q->done(q); /* q may be gone now */
        if (f)
                frame_check(f);
}

/* Requests that failed before they went anywhere complete at the end of this iteration. */
static void run_failed(struct loop_hook *h)
{
        struct frevo_ctx *c = container_of(h, struct frevo_ctx, failing);
        while (!list_empty(&c->failed)) {
                struct client_req *q = list_entry(c->failed.next, struct client_req, link);
                list_remove(&q->link);
                frame_complete(q);
        }
}

static void fail_soon(struct frevo_ctx *c, struct client_req *q, int err)
{
        q->err = err;
        q->status = STATUS_INVALID;
        q->msg = (struct bytes){0};
        list_remove(&q->link);
        list_add_last(&c->failed, &q->link);
        c->failing.fn = run_failed;
        loop_again(c->loop, &c->failing);
}

void client_reqs_fail(struct frevo_ctx *c, struct list *reqs, int err)
{
        while (!list_empty(reqs))
                fail_soon(c, list_entry(reqs->next, struct client_req, link), err);
}

void frame_fail(struct client_frame *f, int err)
{
        for (unsigned i = 0; i < f->n_reqs; i++)
                if (f->req[i])
                        fail_soon(f->ctx, f->req[i],
                                  f->req[i]->sent && err == ENOTCONN ? ECONNRESET : err);
        if (!f->unfinished)
                frame_check(f);
}

static bool all_cancelled(const struct client_frame *f)
{
        for (unsigned i = 0; i < f->n_reqs; i++)
                if (f->req[i] && !f->req[i]->cancelled)
                        return false;
        return true;
}

void client_req_cancel(struct client_req *q)
{
        struct client_frame *f = q->frame;
        if (!f || q->cancelled)
                return;
        q->cancelled = true;
        if (q->sent) {
                client_conn_cancel(q);
                return;
        }
        if (list_empty(&f->link) || !all_cancelled(f))
                return; /* is about to fail anyway, or still goes out, whole */
        list_remove(&f->link);
        frame_fail(f, ECANCELED);
}
