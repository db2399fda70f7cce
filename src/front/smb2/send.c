/* See send.h. One reply alone goes out of its own buffer, sealed in place if need be; several go
 * out as segments of one frame, or, sealed or many, gathered into one buffer. */
#include "front/smb2/send.h"

#include "front/smb2/protect.h"
#include "wire/smb2/error.h"
#include "wire/smb2/transform.h"

/* Replies of one chain are spread over several frames beyond this. */
#define FRAME_BYTES LIMIT_FRAME_BYTES

struct smb2_send {
        struct out out;
        unsigned n_bufs;
        struct buf *bufs[OUT_SEGS];
        struct fs_open *hold;
};

struct piece {
        struct buf *buf; /* one reference */
        uint8_t *p;
        size_t n;
        struct smb2_call *call; /* whose file follows; NULL for an interim reply */
};

static void send_done(struct out *o, bool sent)
{
        struct smb2_send *s = container_of(o, struct smb2_send, out);
        for (unsigned i = 0; i < s->n_bufs; i++)
                buf_unref(s->bufs[i]);
        if (s->hold)
                fs_open_unref(s->hold);
        free(s);
}

static struct smb2_send *send_new(struct smb2_conn *c)
{
        struct smb2_send *s = calloc(1, sizeof *s);
        if (!s) {
                smb2_conn_drop(c, "out of memory");
                return NULL;
        }
        out_init(&s->out, send_done);
        return s;
}

static uint32_t credits_max(const struct smb2_conn *c)
{
        /* Whoever has not signed in needs no more than a few in flight. */
        return c->n_channels ? LIMIT_CREDITS : 64;
}

/* The header of a reply, from that of its request ([MS-SMB2] 3.3.4.3). */
static struct smb2_header reply_header(const struct smb2_call *c, uint32_t status)
{
        struct smb2_header h = c->hdr;
        h.flags = SMB2_FLAGS_SERVER_TO_REDIR |
                  (c->hdr.flags & (SMB2_FLAGS_RELATED_OPERATIONS | SMB2_FLAGS_PRIORITY_MASK));
        if (c->async) {
                h.flags |= SMB2_FLAGS_ASYNC_COMMAND;
                h.async_id = c->async_id;
        }
        h.status = status;
        h.next_command = 0;
        memset(h.signature, 0, sizeof h.signature);
        /* What an asynchronous request gets, it got with its interim reply (3.3.4.1.2). */
        h.credits = c->async && status != STATUS_PENDING
                            ? 0
                            : smb2_credits_grant(&c->conn->credits, c->hdr.credits,
                                                 credits_max(c->conn));
        return h;
}

static void put_header(uint8_t *p, const struct smb2_header *h)
{
        struct writer w = wr_into(p, SMB2_HEADER_LEN);
        smb2_header_encode(&w, h);
}

/* Finishes the reply of c. Not the last of its frame: linked to the next. Of several in a frame
 * each is padded, the last one, too ([MS-SMB2] 3.3.4.1.3). */
static struct piece finish_reply(struct smb2_call *c, bool first, bool last)
{
        struct smb2_reply *r = &c->reply;
        struct piece pc = {.buf = r->buf, .p = r->buf->p + r->head_at, .n = r->w.at, .call = c};
        r->buf = NULL;
        struct smb2_header h = reply_header(c, c->status);
        if (!first || !last) {
                size_t padded = (pc.n + 7) & ~(size_t)7;
                memset(pc.p + pc.n, 0, padded - pc.n);
                pc.n = padded;
        }
        if (!last)
                h.next_command = (uint32_t)pc.n;
        put_header(pc.p, &h);
        if (c->core.signer && !c->chain->sealed)
                smb2_protect_sign(c->core.signer, pc.p, pc.n);
        if (c->core.hash) {
                struct bytes whole = bytes_of(pc.p, pc.n);
                preauth_add(c->core.hash, &whole, 1);
        }
        return pc;
}

/* STATUS_PENDING with an empty error body, never signed ([MS-SMB2] 3.3.4.2). */
static bool make_interim(struct smb2_call *c, struct piece *ret)
{
        struct buf *b = buf_get(loop_bufs(c->conn->local->loop),
                                SMB2_REPLY_HEADROOM + SMB2_HEADER_LEN + 16);
        if (!b)
                return false;
        struct writer w = wr_into(b->p + SMB2_REPLY_HEADROOM, SMB2_HEADER_LEN + 16);
        struct smb2_header h = reply_header(c, STATUS_PENDING);
        smb2_header_encode(&w, &h);
        smb2_error_rsp_encode(&w, &(struct smb2_error_rsp){0});
        *ret = (struct piece){.buf = b, .p = w.p, .n = w.at};
        return true;
}

/* Moves all pieces into one new buffer with headroom. */
static bool gather(struct smb2_conn *c, struct piece *pc, unsigned n, struct piece *ret)
{
        size_t total = 0, at = SMB2_REPLY_HEADROOM;
        for (unsigned i = 0; i < n; i++)
                total += pc[i].n;
        struct buf *b = buf_get(loop_bufs(c->local->loop), SMB2_REPLY_HEADROOM + total);
        for (unsigned i = 0; i < n; i++) {
                if (b)
                        memcpy(b->p + at, pc[i].p, pc[i].n);
                at += pc[i].n;
                buf_unref(pc[i].buf);
        }
        if (b)
                *ret = (struct piece){.buf = b, .p = b->p + SMB2_REPLY_HEADROOM, .n = total};
        return b != NULL;
}

static void add_file(struct smb2_send *s, struct smb2_call *c)
{
        struct smb2_reply *r = &c->reply;
        if (r->file_fd < 0)
                return;
        (void)out_add_file(&s->out, r->file_fd, r->file_off,
                           r->file_len); /* there is room: one piece */
        s->hold = r->file_hold;
        r->file_hold = NULL;
}

/* Queues one frame; takes the pieces. */
static void send_frame(struct smb2_conn *c, struct smb2_session *seal, struct piece *pc, unsigned n)
{
        struct piece one;
        if (n > OUT_SEGS || (seal && n > 1)) {
                if (!gather(c, pc, n, &one)) {
                        smb2_conn_drop(c, "out of memory");
                        return;
                }
                pc = &one;
                n = 1;
        }
        if (seal) {
                smb2_protect_seal(seal, pc->p, pc->n);
                pc->p -= SMB2_TRANSFORM_HEADER_LEN;
                pc->n += SMB2_TRANSFORM_HEADER_LEN;
        }
        struct smb2_send *s = send_new(c);
        for (unsigned i = 0; i < n; i++) {
                if (!s) {
                        buf_unref(pc[i].buf);
                        continue;
                }
                s->bufs[s->n_bufs++] = pc[i].buf;
                (void)out_add_mem(&s->out, pc[i].p,
                                  pc[i].n); /* n <= OUT_SEGS, size bounded above */
                if (pc[i].call)
                        add_file(s, pc[i].call);
        }
        if (s)
                conn_send(c->net, &s->out);
}

/* The first element in [from, upto) that has a reply; upto if there is none. */
static unsigned next_reply(const struct smb2_chain *ch, unsigned from, unsigned upto)
{
        while (from < upto && !ch->calls[from].reply.buf)
                from++;
        return from;
}

void smb2_send_replies(struct smb2_chain *ch, unsigned upto, struct smb2_call *interim)
{
        struct piece pc[LIMIT_COMPOUND + 1];
        unsigned n = 0;
        size_t total = 0;
        struct piece pending = {0};
        unsigned i = ch->conn->dead ? upto : next_reply(ch, ch->sent, upto);
        ch->sent = upto;
        if (ch->conn->dead)
                return;
        if (interim && !make_interim(interim, &pending)) {
                smb2_conn_drop(ch->conn, "out of memory");
                return;
        }
        while (i < upto) {
                struct smb2_call *c = &ch->calls[i];
                i = next_reply(ch, i + 1, upto);
                total += c->reply.w.at + SMB2_REPLY_TAILROOM;
                bool last = i == upto ? !interim : total + ch->calls[i].reply.w.at > FRAME_BYTES;
                pc[n] = finish_reply(c, n == 0, last);
                n++;
                if (last) {
                        send_frame(ch->conn, ch->sealed, pc, n);
                        n = 0;
                        total = 0;
                }
        }
        if (interim) {
                pc[n++] = pending;
                send_frame(ch->conn, ch->sealed, pc, n);
        }
}

void smb2_send_notice(struct smb2_conn *c, struct buf *b, size_t n, struct smb2_session *seal)
{
        struct piece pc = {.buf = b, .p = b->p + SMB2_REPLY_HEADROOM, .n = n};
        if (c->dead)
                buf_unref(b);
        else
                send_frame(c, seal, &pc, 1);
}
