/* A read, write or copy of any length: cut into pieces of what one request can carry, many of them
 * in flight together. Loop only.
 *
 * Operations begin with a struct transfer:
 *     struct transfer *t = transfer_new(f, sizeof(struct x), done, arg);
 *     t->n = ...; t->piece_max = ...; t->send = ...; t->took = ...; t->finish = ...;
 *     return transfer_start(t);
 */
#ifndef FREVO_CLIENT_TRANSFER_H
#define FREVO_CLIENT_TRANSFER_H

#include "client/file.h"

/* Pieces of one transfer in flight. */
#define TRANSFER_WINDOW 64u
/* took(): send the piece again as it is, after what send() does has been changed. */
#define PIECE_AGAIN (-1)

struct transfer;

struct piece {
        struct file_req r;
        struct transfer *of;
        uint64_t at; /* bytes from the transfer's start */
        uint32_t n;
        uint32_t sent; /* send()'s, for took(): what of it was asked for */
        bool busy;
};

struct transfer {
        struct frevo_op op;
        struct frevo_file *file; /* a reference */
        uint64_t n;              /* bytes in all */
        uint32_t piece_max;      /* bytes of one piece */
        unsigned window;         /* pieces in flight; TRANSFER_WINDOW at first */
        bool repeatable;         /* see struct file_req */
        /* Sends one piece: as file_req.send; piece_of() is the piece. */
        void (*send)(struct file_req *r);
        /* The server's answer to a piece: 0 and how many of its bytes were done, at most p->n; or
         * an errno, or PIECE_AGAIN. Not called without an answer. */
        int (*took)(struct piece *p, uint32_t *ret_n);
        /* Everything is over; t->trouble tells how. Calls op_finish(). */
        void (*finish)(struct transfer *t);
        /* May be NULL. */
        void (*fini)(struct transfer *t);
        bool ends_short; /* a piece done in part is the end (reads); else its rest is sent again */

        uint64_t next;               /* the first byte that no piece had yet */
        uint64_t end;                /* as far as it comes: n, or less where it ends short */
        struct frevo_result trouble; /* the first */
        struct piece *pieces;
        unsigned n_pieces, busy;
};

void *transfer_new(struct frevo_file *f, size_t n, frevo_done done, void *arg);
/* Calls op.send, which a caller may have set to something that comes first and ends by
 * transfer_go(), or by t->finish() with t->trouble set. */
struct frevo_op *transfer_start(struct transfer *t);
void transfer_go(struct transfer *t);
/* For an op.cancel of the operation's own. */
void transfer_cancel(struct frevo_op *op);

static inline struct piece *piece_of(struct file_req *r)
{
        return container_of(r, struct piece, r);
}
static inline struct transfer *transfer_of(struct frevo_op *op)
{
        return container_of(op, struct transfer, op);
}

#endif
