/* Named-pipe services: what a client reaches by opening "srvsvc" or "wkssvc" on IPC$.
 *
 * Front-independent: bytes written go in, bytes to read come out. A pipe belongs to one open and
 * needs no lock; every call runs on the loop that owns the open, never blocks and never calls back.
 * Pipes are message pipes: one message is one RPC fragment, and a read never crosses its end.
 */
#ifndef FREVO_RPC_PIPE_H
#define FREVO_RPC_PIPE_H

#include "base/auto.h"
#include "base/bytes.h"
#include "rpc/context.h"

struct rpc_pipe;

enum rpc_result {
        RPC_DONE,   /* STATUS_SUCCESS */
        RPC_MORE,   /* STATUS_BUFFER_OVERFLOW: the message goes on with the next read */
        RPC_EMPTY,  /* STATUS_PIPE_EMPTY: no reply waits */
        RPC_FULL,   /* STATUS_PIPE_BUSY: replies must be read before more is written */
        RPC_BROKEN, /* STATUS_PIPE_DISCONNECTED: the peer broke the protocol; only free is left */
        RPC_NOMEM,  /* STATUS_INSUFFICIENT_RESOURCES */
};

/* Is there such a service? Without regard to case; an optional leading '\' is not part of a name.
 */
bool rpc_pipe_exists(const char *name);
/* NULL for an unknown name or without memory. Borrows ctx (and what it points to) until
 * rpc_pipe_free(): the server keeps it with the tree connect or the session. */
struct rpc_pipe *rpc_pipe_open(const char *name, const struct rpc_context *ctx) MUST_USE;
void rpc_pipe_free(struct rpc_pipe *p);
AUTO_DEFINE(rpc_pipe_free, struct rpc_pipe *);

/* Takes all of `in`: whole fragments are worked on at once, the start of one is kept. Copies. */
enum rpc_result rpc_pipe_write(struct rpc_pipe *p, struct bytes in) MUST_USE;
/* At most `max` bytes of the message at the head. *ret_n is set always (0 unless DONE or MORE). */
enum rpc_result rpc_pipe_read(struct rpc_pipe *p, void *out, size_t max, size_t *ret_n) MUST_USE;
/* FSCTL_PIPE_TRANSCEIVE: write, then read. RPC_FULL while an earlier reply waits unread. RPC_EMPTY
 * when the request was not complete or of a kind without a reply: the caller answers an empty
 * success. */
enum rpc_result rpc_pipe_transact(struct rpc_pipe *p, struct bytes in, void *out, size_t max,
                                  size_t *ret_n) MUST_USE;

/* For FSCTL_PIPE_PEEK and FilePipeLocalInformation: bytes waiting in all, and in the message at
 * the head. */
size_t rpc_pipe_available(const struct rpc_pipe *p);
size_t rpc_pipe_message_left(const struct rpc_pipe *p);

#endif
