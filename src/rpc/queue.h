/* Inside of rpc/: the replies of one pipe that were not read yet, as whole fragments. */
#ifndef FREVO_RPC_QUEUE_H
#define FREVO_RPC_QUEUE_H

#include "base/bytes.h"
#include "base/writer.h"

struct rpc_queue {
        uint8_t *p; /* owned */
        size_t at, len, cap;
        size_t message_left; /* of the fragment at the head, once its reading began; else 0 */
};

void rpc_queue_fini(struct rpc_queue *q);
/* A writer over room for one fragment at the end of the queue; full from the start (max 0) without
 * memory. Valid until the next call; rpc_queue_add() takes what was written. */
struct writer rpc_queue_room(struct rpc_queue *q, size_t max);
void rpc_queue_add(struct rpc_queue *q, const struct writer *w);
/* Bytes waiting: all, and up to the end of the message at the head. */
size_t rpc_queue_waiting(const struct rpc_queue *q);
size_t rpc_queue_message(const struct rpc_queue *q);
/* At most max bytes of the message at the head; returns how many. */
size_t rpc_queue_take(struct rpc_queue *q, void *out, size_t max);

#endif
