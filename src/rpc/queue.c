/* See queue.h. Message ends are not stored: each fragment says its own length. */
#include "rpc/queue.h"

#include "wire/rpc/pdu.h"

void rpc_queue_fini(struct rpc_queue *q)
{
        free(q->p);
        *q = (struct rpc_queue){0};
}

struct writer rpc_queue_room(struct rpc_queue *q, size_t max)
{
        if (q->cap - q->len < max) {
                size_t cap = (q->len + max) * 2;
                uint8_t *p = realloc(q->p, cap);
                if (!p)
                        return (struct writer){.full = true};
                q->p = p;
                q->cap = cap;
        }
        return wr_into(q->p + q->len, max);
}

void rpc_queue_add(struct rpc_queue *q, const struct writer *w)
{
        q->len += wr_done(w).n;
}

size_t rpc_queue_waiting(const struct rpc_queue *q)
{
        return q->len - q->at;
}

size_t rpc_queue_message(const struct rpc_queue *q)
{
        size_t n;
        if (q->message_left || q->len == q->at)
                return q->message_left;
        /* our own fragments: never refused */
        return rpc_fragment_len(bytes_of(q->p + q->at, q->len - q->at), &n) ? n : 0;
}

size_t rpc_queue_take(struct rpc_queue *q, void *out, size_t max)
{
        size_t message = rpc_queue_message(q);
        size_t n = message < max ? message : max;
        if (n == 0)
                return 0;
        memcpy(out, q->p + q->at, n);
        q->at += n;
        q->message_left = message - n;
        if (q->at == q->len) {
                size_t left = q->message_left;
                rpc_queue_fini(q); /* replies are rare: an idle pipe holds no memory for them */
                q->message_left = left;
        }
        return n;
}
