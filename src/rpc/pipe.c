/* See pipe.h. One association of the connection-oriented protocol ([C706] 9.3, [MS-RPCE] 3.3.3):
 * fragments in, contexts bound, requests put together, operations run, replies cut into fragments.
 * Knows no interface: those are rpc/interface.h's tables.
 *
 * Authentication inside RPC is not offered, SMB has done it: a bind that asks for it is refused
 * (bind_nak), so that no client takes an unprotected pipe for a protected one. */
#include "rpc/pipe.h"

#include <stdatomic.h>

#include "base/limits.h"
#include "rpc/interface.h"
#include "rpc/queue.h"

#define RESPONSE_HEADER 24u /* fragment header, alloc_hint, context, cancel count */
#define SMALL_REPLY 8192u   /* first try; a reply that does not fit gets LIMIT_RPC_REPLY */

struct request { /* being put together */
        bool active;
        uint32_t call_id;
        uint16_t context_id, opnum;
        uint8_t *stub; /* owned */
        size_t len, cap;
};

struct rpc_pipe {
        const struct rpc_interface *interface;
        const struct rpc_context *ctx; /* borrowed, see rpc_pipe_open */
        bool bound, broken;
        uint16_t context[LIMIT_RPC_CONTEXTS]; /* ids accepted */
        uint8_t contexts;
        uint16_t max_fragment; /* what the peer can receive, bytes */
        uint32_t assoc_group;
        struct request request;
        struct rpc_queue replies;
        size_t partial; /* bytes of an incomplete fragment */
        uint8_t in[LIMIT_RPC_FRAGMENT];
};

bool rpc_pipe_exists(const char *name)
{
        return rpc_interface_of_pipe(name) != NULL;
}

struct rpc_pipe *rpc_pipe_open(const char *name, const struct rpc_context *ctx)
{
        const struct rpc_interface *i = rpc_interface_of_pipe(name);
        struct rpc_pipe *p = i ? calloc(1, sizeof *p) : NULL;
        if (!p)
                return NULL;
        p->interface = i;
        p->ctx = ctx;
        p->max_fragment = RPC_FRAGMENT_MIN;
        return p;
}

static void request_reset(struct request *r)
{
        free(r->stub);
        *r = (struct request){0};
}

void rpc_pipe_free(struct rpc_pipe *p)
{
        if (!p)
                return;
        request_reset(&p->request);
        rpc_queue_fini(&p->replies);
        free(p);
}

/* The end of each reply: the writer's fragment joins the queue. */
static enum rpc_result send_done(struct rpc_pipe *p, struct writer *w)
{
        if (!wr_ok(w))
                return RPC_NOMEM;
        rpc_pdu_end(w, 0);
        rpc_queue_add(&p->replies, w);
        return RPC_DONE;
}

static enum rpc_result send_fault(struct rpc_pipe *p, const struct rpc_pdu *pdu,
                                  uint16_t context_id, uint32_t status)
{
        struct writer w = rpc_queue_room(&p->replies, LIMIT_RPC_FRAGMENT);
        uint8_t flags = RPC_FIRST_FRAG | RPC_LAST_FRAG | RPC_DID_NOT_EXECUTE;
        (void)rpc_pdu_begin(&w, RPC_FAULT, flags, pdu->call_id); /* its mark is 0 */
        rpc_fault_encode(&w, context_id, status);
        return send_done(p, &w);
}

static enum rpc_result send_nak(struct rpc_pipe *p, const struct rpc_pdu *pdu,
                                enum rpc_nak_reason reason)
{
        struct writer w = rpc_queue_room(&p->replies, LIMIT_RPC_FRAGMENT);
        (void)rpc_pdu_begin(&w, RPC_BIND_NAK, RPC_FIRST_FRAG | RPC_LAST_FRAG, pdu->call_id);
        rpc_bind_nak_encode(&w, reason);
        return send_done(p, &w);
}

static bool context_accepted(const struct rpc_pipe *p, uint16_t id)
{
        for (size_t i = 0; i < p->contexts; i++)
                if (p->context[i] == id)
                        return true;
        return false;
}

/* Remembers that requests may name context `id`. */
static bool context_accept(struct rpc_pipe *p, uint16_t id)
{
        if (context_accepted(p, id))
                return true;
        if (p->contexts == LIMIT_RPC_CONTEXTS)
                return false;
        p->context[p->contexts++] = id;
        return true;
}

static bool offers_ndr32(const struct rpc_bind_context *x)
{
        for (size_t i = 0; i < x->transfers; i++)
                if (rpc_syntax_eq(&x->transfer[i], &rpc_ndr32))
                        return true;
        return false;
}

/* [C706] 12.6.4.4: one verdict a context, in their order. */
static struct rpc_bind_verdict judge(struct rpc_pipe *p, const struct rpc_bind_context *x)
{
        if (rpc_syntax_is_features(&x->transfer[0])) /* [MS-RPCE] 3.3.1.5.3: none of them */
                return (struct rpc_bind_verdict){.result = RPC_FEATURES_ACK};
        struct rpc_bind_verdict v = {.result = RPC_PROVIDER_REJECTED};
        if (!rpc_syntax_eq(&x->abstract, p->interface->syntax)) {
                v.reason = RPC_REASON_ABSTRACT_SYNTAX;
        } else if (!offers_ndr32(x)) {
                v.reason = RPC_REASON_TRANSFER_SYNTAXES;
        } else if (!context_accept(p, x->id)) {
                v.reason = RPC_REASON_LOCAL_LIMIT;
        } else {
                v.result = RPC_ACCEPTED;
                v.transfer = rpc_ndr32;
        }
        return v;
}

static uint16_t clamp_fragment(uint16_t offered)
{
        if (offered < RPC_FRAGMENT_MIN) /* everybody must be able to take that much */
                return RPC_FRAGMENT_MIN;
        return offered < LIMIT_RPC_FRAGMENT ? offered : (uint16_t)LIMIT_RPC_FRAGMENT;
}

static enum rpc_result on_bind(struct rpc_pipe *p, const struct rpc_pdu *pdu)
{
        static atomic_uint groups;
        bool alter = pdu->type == RPC_ALTER_CONTEXT;
        char address[64];
        struct rpc_bind b;
        if (p->bound != alter || p->request.active) /* a second bind; an alter before the first */
                return RPC_BROKEN;
        if (pdu->auth_len)
                return send_nak(p, pdu, RPC_NAK_AUTH_TYPE);
        if (!rpc_bind_decode(pdu->body, &b))
                return send_nak(p, pdu, RPC_NAK_UNSPECIFIED);
        if (!alter) {
                p->max_fragment = clamp_fragment(b.max_recv);
                p->assoc_group = b.assoc_group ? b.assoc_group : atomic_fetch_add(&groups, 1) + 1;
                p->bound = true;
        }
        struct rpc_bind_ack a = {
                .max_xmit = p->max_fragment,
                .max_recv = clamp_fragment(b.max_xmit),
                .assoc_group = p->assoc_group,
                .count = b.count,
        };
        int n = snprintf(address, sizeof address, "\\PIPE\\%s", p->interface->pipe);
        if (!alter)
                a.address = bytes_of(address, (size_t)n);
        for (size_t i = 0; i < b.count; i++)
                a.verdict[i] = judge(p, &b.context[i]);
        struct writer w = rpc_queue_room(&p->replies, LIMIT_RPC_FRAGMENT);
        (void)rpc_pdu_begin(&w, alter ? RPC_ALTER_CONTEXT_RESP : RPC_BIND_ACK,
                            RPC_FIRST_FRAG | RPC_LAST_FRAG, pdu->call_id); /* its mark is 0 */
        rpc_bind_ack_encode(&w, &a);
        return send_done(p, &w);
}

/* The reply's stub in fragments that the peer can take; all but the last a multiple of 8 bytes. */
static enum rpc_result send_response(struct rpc_pipe *p, const struct request *q, struct bytes stub)
{
        size_t room = (p->max_fragment - RESPONSE_HEADER) & ~(size_t)7;
        uint8_t flags = RPC_FIRST_FRAG;
        do {
                struct bytes part = bytes_first(stub, room);
                struct rpc_response r = {
                        .alloc_hint = (uint32_t)stub.n, .context_id = q->context_id, .stub = part};
                stub = bytes_from(stub, part.n);
                if (stub.n == 0)
                        flags |= RPC_LAST_FRAG;
                struct writer w = rpc_queue_room(&p->replies, RESPONSE_HEADER + part.n);
                (void)rpc_pdu_begin(&w, RPC_RESPONSE, flags, q->call_id); /* its mark is 0 */
                rpc_response_encode(&w, &r);
                enum rpc_result e = send_done(p, &w);
                if (e != RPC_DONE)
                        return e;
                flags = 0;
        } while (stub.n > 0);
        return RPC_DONE;
}

/* Runs `op` with room for `max` bytes. *ret_full: the reply did not fit. */
static enum rpc_result run(struct rpc_pipe *p, const struct rpc_pdu *pdu, const struct rpc_op *op,
                           size_t max, bool *ret_full)
{
        AUTO_FREE uint8_t *buffer = malloc(max);
        if (!buffer)
                return RPC_NOMEM;
        struct writer w = wr_into(buffer, max);
        struct rpc_call call = {
                .ctx = p->ctx, .stub = bytes_of(p->request.stub, p->request.len), .out = &w};
        uint32_t fault = op->run(&call);
        *ret_full = fault == 0 && !wr_ok(&w);
        if (*ret_full)
                return RPC_DONE;
        if (fault)
                return send_fault(p, pdu, p->request.context_id, fault);
        return send_response(p, &p->request, wr_done(&w));
}

static enum rpc_result execute(struct rpc_pipe *p, const struct rpc_pdu *pdu)
{
        const struct rpc_op *op = rpc_interface_op(p->interface, p->request.opnum);
        bool full = false;
        if (!context_accepted(p, p->request.context_id))
                return send_fault(p, pdu, p->request.context_id, RPC_FAULT_UNKNOWN_IF);
        if (!op)
                return send_fault(p, pdu, p->request.context_id, RPC_FAULT_OP_RANGE);
        enum rpc_result e = run(p, pdu, op, SMALL_REPLY, &full);
        if (e == RPC_DONE && full)
                e = run(p, pdu, op, LIMIT_RPC_REPLY, &full);
        if (e == RPC_DONE && full)
                e = send_fault(p, pdu, p->request.context_id, RPC_FAULT_NO_MEMORY);
        return e;
}

static enum rpc_result request_append(struct request *q, struct bytes part)
{
        if (part.n > LIMIT_RPC_REQUEST - q->len)
                return RPC_BROKEN;
        if (q->len + part.n > q->cap) {
                size_t cap = (q->len + part.n) * 2;
                uint8_t *p = realloc(q->stub, cap);
                if (!p)
                        return RPC_NOMEM;
                q->stub = p;
                q->cap = cap;
        }
        if (part.n)
                memcpy(q->stub + q->len, part.p, part.n);
        q->len += part.n;
        return RPC_DONE;
}

static enum rpc_result on_request(struct rpc_pipe *p, const struct rpc_pdu *pdu)
{
        struct rpc_request r;
        struct request *q = &p->request;
        if (!p->bound || !rpc_request_decode(pdu, &r))
                return RPC_BROKEN;
        if (pdu->auth_len) /* no context to judge it with: never take it for genuine */
                return send_fault(p, pdu, r.context_id, RPC_FAULT_ACCESS_DENIED);
        bool first = pdu->flags & RPC_FIRST_FRAG;
        if (first == q->active || (!first && pdu->call_id != q->call_id))
                return RPC_BROKEN;
        if (first)
                *q = (struct request){.active = true,
                                      .call_id = pdu->call_id,
                                      .context_id = r.context_id,
                                      .opnum = r.opnum};
        enum rpc_result e = request_append(q, r.stub);
        if (e != RPC_DONE || !(pdu->flags & RPC_LAST_FRAG))
                return e;
        e = execute(p, pdu);
        request_reset(q);
        return e;
}

static enum rpc_result on_fragment(struct rpc_pipe *p, struct bytes fragment)
{
        struct rpc_pdu pdu;
        if (!rpc_pdu_decode(fragment, &pdu))
                return RPC_BROKEN;
        switch (pdu.type) {
        case RPC_BIND:
        case RPC_ALTER_CONTEXT:
                return on_bind(p, &pdu);
        case RPC_REQUEST:
                return on_request(p, &pdu);
        case RPC_AUTH3:  /* no reply by the protocol, and nothing here to authenticate */
        case RPC_CANCEL: /* operations complete at once: there is nothing to cancel */
                return RPC_DONE;
        case RPC_ORPHANED:
                request_reset(&p->request);
                return RPC_DONE;
        default:
                return RPC_BROKEN;
        }
}

/* How many bytes p->in still needs to be a whole fragment (or a whole header, to know). */
static bool bytes_wanted(const struct rpc_pipe *p, size_t *ret_n)
{
        size_t len;
        if (!rpc_fragment_len(bytes_of(p->in, p->partial), &len))
                return false;
        *ret_n = (len ? len : RPC_HEADER_BYTES) - p->partial;
        return true;
}

static enum rpc_result take(struct rpc_pipe *p, struct bytes in)
{
        while (in.n > 0) {
                size_t want;
                if (!bytes_wanted(p, &want))
                        return RPC_BROKEN;
                struct bytes part = bytes_first(in, want);
                memcpy(p->in + p->partial, part.p, part.n);
                p->partial += part.n;
                in = bytes_from(in, part.n);
                if (!bytes_wanted(p, &want))
                        return RPC_BROKEN;
                if (want > 0 || p->partial < RPC_HEADER_BYTES)
                        continue;
                struct bytes whole = bytes_of(p->in, p->partial);
                p->partial = 0;
                enum rpc_result e = on_fragment(p, whole);
                if (e != RPC_DONE)
                        return e;
                /* One write can hold many requests: their replies have a limit together. */
                if (rpc_queue_waiting(&p->replies) > LIMIT_RPC_REPLY && in.n > 0)
                        return RPC_BROKEN;
        }
        return RPC_DONE;
}

enum rpc_result rpc_pipe_write(struct rpc_pipe *p, struct bytes in)
{
        if (p->broken)
                return RPC_BROKEN;
        if (rpc_queue_waiting(&p->replies) > LIMIT_RPC_REPLY)
                return RPC_FULL;
        enum rpc_result e = take(p, in);
        if (e != RPC_DONE) {
                /* Also without memory: half a conversation has no way back. */
                p->broken = true;
                request_reset(&p->request);
                rpc_queue_fini(&p->replies);
        }
        return e;
}

enum rpc_result rpc_pipe_read(struct rpc_pipe *p, void *out, size_t max, size_t *ret_n)
{
        *ret_n = 0;
        if (p->broken)
                return RPC_BROKEN;
        if (rpc_queue_waiting(&p->replies) == 0)
                return RPC_EMPTY;
        *ret_n = rpc_queue_take(&p->replies, out, max);
        return p->replies.message_left || *ret_n == 0 ? RPC_MORE : RPC_DONE;
}

enum rpc_result rpc_pipe_transact(struct rpc_pipe *p, struct bytes in, void *out, size_t max,
                                  size_t *ret_n)
{
        *ret_n = 0;
        if (!p->broken && rpc_queue_waiting(&p->replies) > 0)
                return RPC_FULL;
        enum rpc_result e = rpc_pipe_write(p, in);
        return e == RPC_DONE ? rpc_pipe_read(p, out, max, ret_n) : e;
}

size_t rpc_pipe_available(const struct rpc_pipe *p)
{
        return rpc_queue_waiting(&p->replies);
}

size_t rpc_pipe_message_left(const struct rpc_pipe *p)
{
        return rpc_queue_message(&p->replies);
}
