/* Operations: what frevo_x_start() returns. An operation is a struct that begins with struct
 * frevo_op, holds its requests, and ends by op_finish(), once.
 */
#ifndef FREVO_CLIENT_OP_H
#define FREVO_CLIENT_OP_H

#include "base/auto.h"
#include "client/share.h"

struct frevo_op {
        struct frevo_ctx *ctx;
        struct frevo_share *share; /* one reference; NULL: none yet */
        struct list link;          /* in ctx->ops */
        frevo_done done;
        void *arg;
        bool cancelled;
        unsigned resent; /* times; see op_may_resend() */
        /* Who holds the bytes that a result points to: a reference, or malloc()ed memory. Set
         * before op_report() or op_finish(), which let go of both, unless the callee keeps them. */
        struct buf *data_buf;
        void *data_mem;
        /* (Re)sends the requests. Called by op_start(), and again when they were lost. */
        void (*send)(struct frevo_op *op);
        /* Asks what is in flight to end early; NULL: it just takes its time. */
        void (*cancel)(struct frevo_op *op);
        /* Frees what the operation owns besides itself; may be NULL. */
        void (*fini)(struct frevo_op *op);
        struct task soon; /* op_finish_soon()'s */
        struct frevo_result early;
};

/* Zeroed memory of n bytes that begins with a struct frevo_op, set up; NULL without memory: then
 * the start function returns NULL, and done is never called. */
void *op_new(struct frevo_ctx *c, struct frevo_share *s, size_t n, frevo_done done,
             void *arg) MUST_USE;
/* Calls op->send. Returns op, for the start function's caller. */
struct frevo_op *op_start(struct frevo_op *op);
/* Reports r; op goes on (pages of a listing, news of a folder). */
void op_report(struct frevo_op *op, const struct frevo_result *r);
/* Reports r and frees op. Never from inside a start function: */
void op_finish(struct frevo_op *op, const struct frevo_result *r);
/* that is for errors found at once (a name that is none). Returns op. */
struct frevo_op *op_finish_soon(struct frevo_op *op, int err);
/* An operation that ends so, soon, and does nothing else; NULL without memory. */
struct frevo_op *op_failed(struct frevo_ctx *c, int err, frevo_done done, void *arg);

/* Of a request that did not end well: {err, status} in errno's words. */
struct frevo_result op_trouble(const struct client_req *q);
/* Whether to send again a request that ended with err: the connection was lost, it may come back,
 * and the server has not seen the request or does not mind to see it twice. At most LIMIT_RESENDS
 * times for one operation: it may be what the server breaks at. */
bool op_may_resend(struct frevo_op *op, int err, bool is_idempotent);
/* STATUS_* as an errno; 0 for success and for warnings that come with an answer. */
int status_errno(uint32_t status);

/* The synchronous half: an operation's done that keeps the result, and waiting for it. */
struct op_wait {
        bool over;
        struct frevo_result r;
        struct frevo_data *kept; /* r.data, when there is any */
};
void op_wait_done(void *arg, const struct frevo_result *r);
/* Runs the context until w is over; op NULL: ENOMEM. Returns w->r.err. */
int op_wait(struct frevo_ctx *c, struct frevo_op *op, struct op_wait *w);
void op_wait_fini(struct op_wait *w);
/* All of it, for operations that result in nothing but an error. */
int op_wait_over(struct frevo_ctx *c, struct frevo_op *op, struct op_wait *w);
/* And for those that result in data: a copy, to be free()d, with a NUL behind it. */
int op_wait_data(struct frevo_ctx *c, struct frevo_op *op, struct op_wait *w, void **ret,
                 size_t *ret_n);

#endif
