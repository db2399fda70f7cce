/* The inside of a connection: for the files of this folder only. */
#ifndef FREVO_NET_CONN_IMPL_H
#define FREVO_NET_CONN_IMPL_H

#include <stdatomic.h>

#include "net/conn.h"
#include "net/loop_impl.h"

#define FRAME_HEAD_BYTES 4u

struct net_pool;

/* OPEN -> FLUSHING -> LINGERING -> CLOSED, leaving out what is not needed. */
enum conn_state {
        CONN_OPEN,
        CONN_FLUSHING,  /* nothing is read; when the queue is empty: half-closed */
        CONN_LINGERING, /* our side is shut; input is thrown away until the peer closes too */
        CONN_CLOSED,    /* the socket and ops->closed are finished at the end of the iteration */
};

struct conn {
        struct loop_source src; /* src.fd: -1 when closed */
        struct net_loop *loop;
        const struct conn_ops *ops;
        void *ctx;
        struct list link; /* in loop->conns until ops->closed has been called */
        atomic_uint refs;

        uint8_t state;   /* enum conn_state */
        bool opened;     /* ops->opened was called */
        bool watched;    /* src is in the loop's epoll */
        bool rx_hup;     /* the end was announced: it stands behind the bytes still to come */
        bool rx_eof;     /* the end was read: the peer sends no more */
        bool rx_more;    /* the socket may hold bytes that no event will announce again */
        bool tx_blocked; /* until the next EPOLLOUT */
        bool tx_full;    /* reading pauses for the queue; see LIMIT_CONN_QUEUED_BYTES */
        bool eof_told;   /* ops->eof was called */
        bool in_write;   /* conn_write is on the stack */
        bool finished;   /* ops->closed was called */
        uint8_t uploads; /* > 0: large frames came lately, so the first recv is small */
        unsigned pauses; /* conn_pause calls not yet resumed */
        const char *why; /* first reason to close */

        /* Receiving. What is unparsed is in `rest` only between turns (fairness, pause, move). */
        struct {
                uint32_t max_frame;
                uint16_t payload_at;
                uint8_t head_n; /* bytes in head: a header in parts */
                uint8_t head[FRAME_HEAD_BYTES];
                struct buf *own; /* a frame that gets its own buffer; NULL = none in work */
                size_t own_at;   /* where the frame begins in it */
                uint32_t own_n, own_want;
                uint8_t own_type;
                struct buf *rest; /* owner of rest_at..rest_end */
                uint32_t rest_at, rest_end;
        } rx;

        /* Sending. */
        struct list out;    /* struct out.link, oldest first */
        struct list failed; /* came too late; done(false) at the end of the iteration */
        size_t queued_bytes;
        size_t turn_bytes;    /* sent in this turn */
        uint64_t progress_ms; /* when the kernel last took something */
        uint32_t stall_ms;

        struct timer deadline, stall; /* stall also serves the lingering */
        struct loop_hook end, turn;   /* end: flush and finish; turn: go on reading, sending */

        /* conn_move: */
        struct net_loop *move_to;
        struct task *move_then;
        struct task moved;
        uint64_t move_deadline_ms; /* clock_ms(); 0 = none */

        struct net_pool *pool; /* whose slot this is; NULL = none */
};

/* conn_rx.c. Reads and hands out frames, within one turn's share. */
void conn_read(struct conn *c);
/* True when frames may be handed out. */
bool conn_may_read(const struct conn *c);
/* Makes conn_read run again in the next iteration, if there is reason to. */
void conn_read_later(struct conn *c);
/* Drops everything half received. */
void conn_rx_fini(struct conn *c);

/* conn_tx.c. Sends what the kernel takes, within one turn's share. */
void conn_write(struct conn *c);
/* True when something is queued and the kernel may take it. */
bool conn_may_write(const struct conn *c);
/* Every queued out fails. */
void conn_tx_fail(struct conn *c);

/* conn.c. Has the end-of-iteration hook run. */
void conn_at_end(struct conn *c);
/* The socket failed with errno err. */
void conn_fail(struct conn *c, int err);
/* Takes a slot of pool's along, to be given back when the socket is closed. */
struct conn *conn_adopt_counted(struct net_loop *l, int fd, const struct conn_conf *conf,
                                struct net_pool *pool);

#endif
