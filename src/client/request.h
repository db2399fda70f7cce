/* Requests and the frames that carry them: what operations (open.c, read.c, ...) are made of.
 *
 * An operation embeds one struct client_req for each request. A *batch* builds one frame of one or
 * several requests; related ones work on the file that the first opens. client_batch_send() queues
 * the frame for the share's session: it goes out when a connection stands and has credits for all
 * of it. TreeId, SessionId, MessageId, credits, signature and seal are filled in then.
 *
 * Each request completes exactly once: done() is called on the context's thread, never from inside
 * client_batch_send() or client_req_cancel(). The requests of a frame complete one by one, in any
 * order that the server likes; operations wait for all of theirs.
 */
#ifndef FREVO_CLIENT_REQUEST_H
#define FREVO_CLIENT_REQUEST_H

#include "base/bytes.h"
#include "base/list.h"
#include "base/writer.h"
#include "net/buf.h"
#include "wire/smb2/ids.h"

struct frevo_share;
struct client_frame;

struct client_req {
        /* The owner's, before client_batch_add(). */
        void (*done)(struct client_req *q);
        /* The outcome, in done(). */
        int err; /* 0: the server answered, see status. ECONNRESET: the connection was lost, and
                    the server may have done it or not; ENOTCONN: it was never sent; ETIMEDOUT;
                    ECANCELED (never sent); EPROTO: the reply was no reply; ENOMEM; ESTALE: the
                    file's session is gone (never sent) */
        uint32_t status; /* NTSTATUS; STATUS_INVALID (0xffffffff) with err != 0 */
        struct bytes
                msg; /* the reply from its header on, for the wire's decoders; until done returns */
        struct buf *owner; /* holds msg: buf_ref() to keep it */
        /* The connection's. */
        struct list link;
        struct client_frame *frame; /* NULL: not in flight */
        uint64_t message_id, async_id;
        size_t hdr_at; /* of its header, in the frame */
        uint16_t command, charge;
        bool sent, pending /* an interim reply came */, cancelled;
};

#define STATUS_INVALID 0xffffffffu
/* In related requests: the file that the frame's first request opens. */
#define CLIENT_RELATED_FILE ((struct smb2_file_id){UINT64_MAX, UINT64_MAX})

struct client_batch {
        struct client_frame
                *frame;     /* NULL: out of memory, everything below does nothing until send */
        struct writer w;    /* bodies are written here, each behind its header */
        struct list failed; /* requests that could not be added */
        struct frevo_share *share;
};

/* room: bytes for all headers and bodies, without payload. epoch: 0, or that of the session in
 * which the file ids in this frame are valid (share_epoch()): the requests fail with ESTALE in
 * another. */
void client_batch_begin(struct client_batch *b, struct frevo_share *s, size_t room, uint32_t epoch);
/* Starts the next request: its header; the caller encodes the body into b->w with hdr_at =
 * q->hdr_at. payload: the larger of the bytes that go and the bytes that may come back, for
 * the credit charge ([MS-SMB2] 3.2.4.1.5). READs and WRITEs of more than one credit make a frame
 * that leaves a few credits for small ones, which go ahead of it. related: to the one before. */
void client_batch_add(struct client_batch *b, struct client_req *q, uint16_t command,
                      uint32_t payload, bool related);
/* Bytes that follow what was written last: sent from where they are, never copied unless the
 * session is sealed, never changed. They must stay until q's done. One a frame, behind the last
 * request or (then copied into the frame) behind another. */
void client_batch_payload(struct client_batch *b, const void *p, size_t n);
/* Queues the frame, or completes its requests with an error soon. b is done with. */
void client_batch_send(struct client_batch *b);

/* Takes a request back that was not sent yet, or sends a CANCEL; done() comes in any case. */
void client_req_cancel(struct client_req *q);

#endif
