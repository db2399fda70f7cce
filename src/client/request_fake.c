/* See request_fake.h. */
#include "client/request_fake.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "client/frame.h"
#include "client/op.h"
#include "wire/smb2/header.h"

#define REPLY_BYTES (64u * 1024)

struct fake_frame {
        struct client_frame shown; /* what requests point to; otherwise unused */
        struct list link;
        struct client_req *req[8];
        unsigned n;
        size_t len;
        uint8_t bytes[16384];
};

static struct fake_frame *fake_frame_of(struct client_frame *f)
{
        return f ? container_of(f, struct fake_frame, shown) : NULL;
}

static struct fake *fake_of(struct frevo_share *s)
{
        return container_of(s, struct fake, share);
}

struct fake *fake_new(void)
{
        struct fake *f = calloc(1, sizeof *f);
        assert(f);
        f->max_transact = f->max_read = 1u << 20;
        f->session.ctx = &f->ctx;
        f->session.state = SESSION_UP;
        list_init(&f->frames);
        list_init(&f->ctx.ops);
        f->ctx.bufs = buf_pool_new(1u << 20);
        f->ctx.loop = loop_new(&(struct loop_conf){.bufs = f->ctx.bufs});
        assert(f->ctx.loop);
        f->share = (struct frevo_share){
                .ctx = &f->ctx, .session = &f->session, .state = SHARE_UP, .refs = 1};
        return f;
}

void fake_free(struct fake *f)
{
        assert(list_empty(&f->ctx.ops) && list_empty(&f->frames) && f->share.refs == 1);
        loop_free(f->ctx.loop);
        buf_pool_free(f->ctx.bufs);
        free(f);
}

/* ---- what operations call ---------------------------------------------------------------------
 */

void client_batch_begin(struct client_batch *b, struct frevo_share *s, size_t room, uint32_t epoch)
{
        struct fake_frame *fr = fake_of(s)->no_memory ? NULL : calloc(1, sizeof *fr);
        *b = (struct client_batch){.share = s, .frame = fr ? &fr->shown : NULL};
        list_init(&b->failed);
        (void)epoch;
        assert(!fr || room <= sizeof fr->bytes);
        b->w = fr ? wr_into(fr->bytes, room) : wr_into(NULL, 0);
}

void client_batch_add(struct client_batch *b, struct client_req *q, uint16_t command,
                      uint32_t payload, bool related)
{
        (void)payload;
        q->frame = b->frame;
        q->err = 0;
        q->status = STATUS_INVALID;
        q->msg = (struct bytes){0};
        q->cancelled = false;
        q->command = command;
        if (!b->frame) {
                list_add_last(&b->failed, &q->link);
                return;
        }
        wr_align(&b->w, 8);
        q->hdr_at = b->w.at;
        assert(related == (fake_frame_of(b->frame)->n > 0));
        smb2_header_encode(&b->w, &(struct smb2_header){.command = command});
        struct fake_frame *fr = fake_frame_of(b->frame);
        fr->req[fr->n++] = q;
}

void client_batch_payload(struct client_batch *b, const void *p, size_t n)
{
        (void)b;
        (void)p;
        (void)n;
}

/* Completed by the next fake_run(). */
void client_reqs_fail(struct frevo_ctx *c, struct list *reqs, int err)
{
        struct fake *f = container_of(c, struct fake, ctx);
        while (!list_empty(reqs)) {
                struct fake_frame *fr = calloc(1, sizeof *fr);
                struct client_req *q = list_entry(reqs->next, struct client_req, link);
                assert(fr);
                list_remove(&q->link);
                q->err = err;
                fr->req[fr->n++] = q;
                list_add_last(&f->frames, &fr->link);
        }
}

void client_batch_send(struct client_batch *b)
{
        struct fake *f = fake_of(b->share);
        struct fake_frame *fr = fake_frame_of(b->frame);
        if (!fr) { /* completed by the next fake_run() */
                fr = calloc(1, sizeof *fr);
                assert(fr);
                while (!list_empty(&b->failed)) {
                        struct client_req *q = list_entry(b->failed.next, struct client_req, link);
                        list_remove(&q->link);
                        q->err = ENOMEM;
                        fr->req[fr->n++] = q;
                }
        }
        assert(wr_ok(&b->w) || b->frame == NULL); /* the room must do */
        fr->len = b->w.at;
        f->n_frames++;
        f->n_requests += fr->n;
        list_add_last(&f->frames, &fr->link);
}

void client_req_cancel(struct client_req *q)
{
        q->cancelled = q->frame != NULL;
}

struct frevo_share *share_ref(struct frevo_share *s)
{
        s->refs++;
        return s;
}

void share_unref(struct frevo_share *s)
{
        s->refs--;
}

uint32_t share_epoch(const struct frevo_share *s)
{
        (void)s;
        return 1;
}

uint16_t share_dialect(const struct frevo_share *s)
{
        return s->session->terms.dialect;
}

uint32_t share_max_read(const struct frevo_share *s)
{
        return container_of((struct frevo_share *)(uintptr_t)s, struct fake, share)->max_read;
}

uint32_t share_max_write(const struct frevo_share *s)
{
        (void)s;
        return 1u << 20;
}

uint32_t share_max_transact(const struct frevo_share *s)
{
        return container_of((struct frevo_share *)(uintptr_t)s, struct fake, share)->max_transact;
}

bool share_is_retrying(const struct frevo_share *s)
{
        return container_of((struct frevo_share *)(uintptr_t)s, struct fake, share)->is_retrying;
}

/* ---- answers ----------------------------------------------------------------------------------
 */

struct bytes fake_sent(const struct client_req *q)
{
        const struct fake_frame *fr = fake_frame_of(q->frame);
        return bytes_of(fr->bytes + q->hdr_at, fr->len - q->hdr_at);
}

static void answer_one(struct fake *f, struct client_req *q, unsigned i)
{
        struct buf *reply = buf_get(f->ctx.bufs, REPLY_BYTES);
        assert(reply);
        struct writer w = wr_into(reply->p, REPLY_BYTES);
        smb2_header_encode(&w, &(struct smb2_header){.command = q->command});
        if (!q->err)
                q->status = f->answer(f, q, i, &w);
        assert(wr_ok(&w));
        q->frame = NULL;
        if (q->err) {
                q->status = STATUS_INVALID;
        } else {
                /* A block of its own size, so that reading past its end shows. */
                size_t n = f->cut && f->cut < w.at ? f->cut : w.at;
                q->owner = reply;
                q->msg = bytes_of(reply->p + REPLY_BYTES - n, n);
                memmove(reply->p + REPLY_BYTES - n, reply->p, n);
        }
        q->done(q);
        buf_unref(reply);
}

void fake_run(struct fake *f)
{
        while (loop_step(f->ctx.loop, 0))
                ;
        while (!list_empty(&f->frames)) {
                struct fake_frame *fr = list_entry(f->frames.next, struct fake_frame, link);
                list_remove(&fr->link);
                for (unsigned k = 0; k < fr->n; k++) {
                        unsigned i = f->is_backwards ? fr->n - 1 - k : k;
                        answer_one(f, fr->req[i], i);
                }
                free(fr);
        }
}

void frevo_wait(struct frevo_ctx *c, int timeout_ms)
{
        (void)timeout_ms;
        fake_run(container_of(c, struct fake, ctx));
}
