/* One frame on its way: the requests of a batch, their bytes, and where each stands in them. Built
 * by request.c, queued by share.c and session.c, sent and completed by conn.c.
 *
 * The bytes lie in one buffer, except for a payload of the caller's, which belongs between
 * [0, payload_at) and the rest. "Virtual" offsets count it, as the wire does.
 */
#ifndef FREVO_CLIENT_FRAME_H
#define FREVO_CLIENT_FRAME_H

#include "client/context.h"
#include "client/request.h"
#include "net/out.h"

#define FRAME_REQS 8u

struct client_conn;
struct client_session;

struct client_frame {
        struct out out;
        struct list link; /* in a queue of the share's or the session's */
        struct frevo_ctx *ctx;
        struct frevo_share *share; /* one reference; NULL: the session's own business */
        struct client_session *session;
        struct client_conn *conn; /* that it went out on; valid while a request is in flight */
        uint32_t epoch;           /* see client_batch_begin() */
        uint32_t tree_id;         /* without a share */
        bool bulk;
        bool out_busy; /* conn_send() has it */
        unsigned n_reqs, unfinished;
        struct client_req *req[FRAME_REQS]; /* NULL when completed */
        struct buf *buf;                    /* bytes from FRAME_HEADROOM on */
        size_t len;
        const void *payload;
        size_t payload_n, payload_at;
        unsigned payload_req; /* which request the payload belongs to */
        struct buf *sealed;   /* what goes out instead */
        uint64_t sent_us;
};

/* In front of the messages: room for a transform header. */
#define FRAME_HEADROOM 64u

static inline uint8_t *frame_bytes(const struct client_frame *f)
{
        return f->buf->p + FRAME_HEADROOM;
}

/* Credits of all its requests. */
unsigned frame_charge(const struct client_frame *f);
/* The parts of request i, at most 3, its padding included; returns how many. */
unsigned frame_parts(const struct client_frame *f, unsigned i, struct bytes parts[3]);
size_t frame_total(const struct client_frame *f);

/* A frame with one request of the library's own (NEGOTIATE, TREE_CONNECT, ECHO ...), without a
 * share; NULL without memory. The caller encodes the body into *w, behind the header, then hands it
 * to client_conn_send_own() or client_session_send_own(). room: bytes for the body. */
struct client_frame *frame_own(struct client_session *s, struct client_req *q, uint16_t command,
                               size_t room, struct writer *w);

/* Fills in NextCommand. */
void frame_link(struct client_frame *f);
/* Ends requests that are in no frame, soon. */
void client_reqs_fail(struct frevo_ctx *c, struct list *reqs, int err);

/* Completes every request that is not yet, soon; the frame frees itself when the last is done and
 * nothing of it is being sent. Any queue must have let go of it. */
void frame_fail(struct client_frame *f, int err);
/* One request, with what is in q->status and q->msg. q->done is called now. */
void frame_complete(struct client_req *q);
/* Frees f if it is over. */
void frame_check(struct client_frame *f);

#endif
