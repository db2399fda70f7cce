/* A share: one tree connect, made again in each new session; operations hold references.
 *
 * All calls on the context's thread.
 */
#ifndef FREVO_CLIENT_SHARE_H
#define FREVO_CLIENT_SHARE_H

#include "client/context.h"
#include "client/request.h"

struct client_session;

enum share_state { SHARE_DOWN, SHARE_CONNECTING, SHARE_UP, SHARE_REFUSED };

struct frevo_share {
        struct frevo_ctx *ctx;
        struct client_session *session; /* one reference */
        struct list in_session;
        unsigned refs;
        enum share_state state;
        uint32_t tree_id;    /* while UP */
        uint32_t epoch;      /* of the session that tree_id belongs to */
        bool encrypt;        /* the share demands it */
        char *name;          /* UTF-8 */
        struct list waiting; /* frames until the share is up */
        struct client_req tree_req;
        struct frevo_op *connect_op; /* whoever waits for the first connect; may be NULL */
        int err;                     /* why it was refused */
        uint32_t status;
};

/* Sends f when the share is up, connecting first if need be; or fails it, when that is no use. */
void share_queue(struct frevo_share *s, struct client_frame *f);

/* From the session, whose state has just changed. */
void share_session_up(struct frevo_share *s);
void share_session_down(struct frevo_share *s);
void share_session_over(struct frevo_share *s);

struct frevo_share *share_ref(struct frevo_share *s);
void share_unref(struct frevo_share *s);

/* The session's number, counted up with each new session: file ids of another one are void. */
uint32_t share_epoch(const struct frevo_share *s);
uint16_t share_dialect(const struct frevo_share *s);
/* Bytes that one request may carry; at least 64 KiB, at most LIMIT_IO_BYTES, and never more than
 * the credits of the connection allow. */
uint32_t share_max_read(const struct frevo_share *s);
uint32_t share_max_write(const struct frevo_share *s);
uint32_t share_max_transact(const struct frevo_share *s);
/* True while there is a point in sending again what was lost (frevo_options.reconnect_ms). */
bool share_is_retrying(const struct frevo_share *s);

#endif
