/* A connection: a stream socket on a loop, cut into frames.
 *
 * Framing ([MS-SMB2] 2.1): a byte 0, a 24-bit big-endian length, that many bytes. A header of type
 * 0x85 (keep-alive, RFC 1002 4.3.6) is dropped; other types go to ops->control.
 *
 * All calls are for the thread of the connection's loop, except conn_ref and conn_unref. Callbacks
 * run there too, and none runs inside a call of this file. A connection holds no buffer while it
 * has nothing half received.
 */
#ifndef FREVO_NET_CONN_H
#define FREVO_NET_CONN_H

#include <sys/socket.h>

#include "base/bytes.h"
#include "net/loop.h"
#include "net/out.h"

struct conn;

/* One message, without its 4-byte header. Frames of one recv share an owner. */
struct frame {
        struct bytes data;
        struct buf *owner; /* one reference, the receiver's; NULL for an empty frame */
        uint8_t type;      /* 0, in what ops->frame gets */
};

/* When the request is done with; any thread. */
static inline void frame_done(struct frame *f)
{
        buf_unref(f->owner);
        *f = (struct frame){0};
}

/* The same bytes, to be changed in place (decryption); NULL for an empty frame. */
static inline uint8_t *frame_mutable(const struct frame *f)
{
        return f->owner ? f->owner->p + (f->data.p - f->owner->p) : NULL;
}

/* For a request that will wait long, such as for a change or a lock: moves the frame to a buffer of
 * its own size, so that it does not hold the large one that it shares with others. f->data.p may
 * change. False without memory: f is as before. Any thread. */
bool frame_settle(struct frame *f) MUST_USE;

struct conn_ops {
        /* First callback, always before `closed`, even on a connection that is closed before it
         * began (conn_is_open(c) is false then). Here the front makes its own state: conn_set_ctx.
         * May be NULL. */
        void (*opened)(struct conn *c);
        /* A frame. The callee owns f.owner's reference: frame_done() now or later. The bytes may be
         * changed in place (decryption); bytes around them belong to others. */
        void (*frame)(struct conn *c, struct frame f);
        /* A frame whose type is neither 0 nor 0x85; ownership as above. NULL: closes. */
        void (*control)(struct conn *c, struct frame f);
        /* The peer sends no more. The front calls conn_close(c, CONN_FLUSH) once its last reply is
         * queued. NULL: that is done at once. */
        void (*eof)(struct conn *c);
        /* Exactly once, after every out's done; the last callback. `why` is static text. The
         * connection's own reference goes after it. */
        void (*closed)(struct conn *c, const char *why);
};

struct conn_conf {
        const struct conn_ops *ops; /* outlives the connection */
        void *ctx;                  /* conn_ctx(c) until conn_set_ctx */
        uint32_t max_frame;         /* 0 = LIMIT_FRAME_BYTES_UNAUTH */
        uint32_t stall_ms;          /* 0 = LIMIT_CONN_STALL_MS */
        /* A large frame is placed in its buffer such that its byte at this offset is page-aligned:
         * for SMB2 WRITE, 112. */
        uint16_t payload_at;
};

/* Takes over fd (made non-blocking here) and one event later begins to read: ops->opened comes
 * first. The caller gets no reference, only a look; NULL without memory: fd is closed then. */
struct conn *conn_adopt(struct net_loop *l, int fd, const struct conn_conf *conf);

/* Any thread. The memory lives until the last reference; a closed connection accepts all calls and
 * does nothing, except that conn_send fails its out. */
struct conn *conn_ref(struct conn *c);
void conn_unref(struct conn *c);

void *conn_ctx(const struct conn *c);
void conn_set_ctx(struct conn *c, void *ctx);
struct net_loop *conn_loop(const struct conn *c);
bool conn_is_open(const struct conn *c); /* false as soon as closing has begun */
/* Addresses; false when closed or not an IP socket. text: "192.0.2.1:445", "[2001:db8::1]:445". */
bool conn_peer(const struct conn *c, struct sockaddr_storage *out);
bool conn_local(const struct conn *c, struct sockaddr_storage *out);
#define CONN_ADDR_TEXT 80
void conn_addr_text(const struct sockaddr_storage *a, char out[CONN_ADDR_TEXT]);

/* A longer frame closes the connection, before memory is taken for it. <= LIMIT_FRAME_BYTES. */
void conn_set_max_frame(struct conn *c, uint32_t n);
/* Closes the connection ms from now, whatever happens; 0 = no deadline. */
void conn_set_deadline(struct conn *c, uint32_t ms);
/* Back-pressure: no more frames are handed out until as many resumes as pauses. The connection
 * also pauses itself while more than LIMIT_CONN_QUEUED_BYTES wait to be sent. */
void conn_pause(struct conn *c);
void conn_resume(struct conn *c);

/* Queues o (see out.h); it goes out at the end of this iteration, in the order of calls. On a
 * connection that is closing or closed o fails, later, not inside the call. */
void conn_send(struct conn *c, struct out *o);
/* Bytes queued and not yet handed to the kernel. */
size_t conn_queued_bytes(const struct conn *c);
/* Sends what is queued now, not at the end of the iteration: for a long iteration. The exception to
 * the rule above: outs' done may run inside this call. */
void conn_flush(struct conn *c);

enum conn_close_how {
        CONN_NOW,   /* queued outs fail */
        CONN_FLUSH, /* they go out first; nothing more is read */
};
/* `why` is static text, handed to ops->closed; the first caller's counts. CONN_NOW after CONN_FLUSH
 * cuts it short. */
void conn_close(struct conn *c, enum conn_close_how how, const char *why);

/* Re-homes c: stops reading at once, sends what is queued, then runs `then` on the other loop, and
 * goes on reading there, losing no byte. Between the call and `then`, no callback but outs' done
 * (on the old loop) comes. `then` runs exactly once, on `to`, even if c died meanwhile: then
 * conn_is_open(c) is false there, and ops->closed follows on `to`. No other call for c is allowed
 * from the end of this iteration until `then` runs. */
void conn_move(struct conn *c, struct net_loop *to, struct task *then);

#endif
