/* See rpc_pipe.h. A request goes out by FSCTL_PIPE_TRANSCEIVE, which brings the beginning of the
 * reply back; what does not fit, and further fragments, are read. */
#include "client/rpc_pipe.h"

#include <errno.h>

#include "client/ioctl_req.h"
#include "wire/fscc/fsctl.h"

#define CALL_ID 1u

/* Bytes that came out of the pipe and were not looked at yet. */
struct incoming {
        uint8_t b[LIMIT_RPC_FRAGMENT];
        size_t n;
};

static int transceive(struct frevo_file *pipe, struct bytes out, struct incoming *in)
{
        struct op_wait w = {0};
        struct ioctl_call call = {
                .code = FSCTL_PIPE_TRANSCEIVE, .input = out, .max_output = LIMIT_RPC_FRAGMENT};
        int err = op_wait(pipe->share->ctx, ioctl_start(pipe, &call, false, op_wait_done, &w), &w);
        if (!err && w.r.n <= sizeof in->b) {
                if (w.r.n)
                        memcpy(in->b, w.r.data, w.r.n);
                in->n = w.r.n;
        }
        op_wait_fini(&w);
        return err;
}

static int read_more(struct frevo_file *pipe, struct incoming *in)
{
        size_t n = 0;
        if (in->n == sizeof in->b)
                return EPROTO;
        int err = frevo_read(pipe, 0, in->b + in->n, sizeof in->b - in->n, &n);
        in->n += n;
        return err ? err : n ? 0 : EPROTO;
}

/* The next whole fragment, at the beginning of in->b. */
static int fragment(struct frevo_file *pipe, struct incoming *in, struct rpc_pdu *pdu)
{
        size_t len = 0;
        for (;;) {
                if (!rpc_fragment_len(bytes_of(in->b, in->n), &len))
                        return EPROTO;
                if (len && in->n >= len)
                        break;
                int err = read_more(pipe, in);
                if (err)
                        return err;
        }
        bool ok = rpc_pdu_decode(bytes_of(in->b, len), pdu) && pdu->call_id == CALL_ID;
        return ok ? 0 : EPROTO;
}

static void drop(struct incoming *in, const struct rpc_pdu *pdu)
{
        in->n -= pdu->frag_len;
        memmove(in->b, in->b + pdu->frag_len, in->n);
}

int rpc_pipe_bind(struct frevo_file *pipe, const struct rpc_syntax *service)
{
        uint8_t out[RPC_FRAGMENT_MIN];
        struct writer w = wr_into(out, sizeof out);
        struct rpc_bind b = {
                .max_xmit = LIMIT_RPC_FRAGMENT, .max_recv = LIMIT_RPC_FRAGMENT, .count = 1};
        b.context[0] = (struct rpc_bind_context){.transfers = 1, .abstract = *service};
        b.context[0].transfer[0] = rpc_ndr32;
        size_t mark = rpc_pdu_begin(&w, RPC_BIND, RPC_FIRST_FRAG | RPC_LAST_FRAG, CALL_ID);
        rpc_bind_encode(&w, &b);
        rpc_pdu_end(&w, mark);

        AUTO_FREE struct incoming *in = calloc(1, sizeof *in);
        struct rpc_pdu pdu;
        struct rpc_bind_ack ack;
        int err = in ? transceive(pipe, wr_done(&w), in) : ENOMEM;
        if (!err)
                err = fragment(pipe, in, &pdu);
        if (err)
                return err;
        if (pdu.type == RPC_BIND_NAK)
                return EPROTONOSUPPORT;
        if (pdu.type != RPC_BIND_ACK || !rpc_bind_ack_decode(pdu.body, &ack) || ack.count != 1)
                return EPROTO;
        return ack.verdict[0].result == RPC_ACCEPTED ? 0 : EPROTONOSUPPORT;
}

static int fault(const struct rpc_pdu *pdu)
{
        uint16_t context;
        uint32_t status;
        if (!rpc_fault_decode(pdu->body, &context, &status))
                return EPROTO;
        return status == RPC_FAULT_ACCESS_DENIED ? EACCES : EIO;
}

static int append(struct rpc_reply *all, const struct rpc_pdu *pdu)
{
        struct rpc_response r;
        if (pdu->type == RPC_FAULT)
                return fault(pdu);
        if (pdu->type != RPC_RESPONSE || !rpc_response_decode(pdu->body, &r))
                return EPROTO;
        if (r.stub.n > LIMIT_RPC_REPLY - all->n)
                return EOVERFLOW;
        uint8_t *p = realloc(all->p, all->n + r.stub.n + 1);
        if (!p)
                return ENOMEM;
        if (r.stub.n)
                memcpy(p + all->n, r.stub.p, r.stub.n);
        all->p = p;
        all->n += r.stub.n;
        /* A fragment without anything in it, again and again, would never end. */
        return r.stub.n || pdu->flags & RPC_LAST_FRAG ? 0 : EPROTO;
}

static int collect(struct frevo_file *pipe, struct incoming *in, struct rpc_reply *all)
{
        struct rpc_pdu pdu;
        do {
                int err = fragment(pipe, in, &pdu);
                if (!err)
                        err = append(all, &pdu);
                if (err)
                        return err;
                drop(in, &pdu);
        } while (!(pdu.flags & RPC_LAST_FRAG));
        return 0;
}

int rpc_pipe_call(struct frevo_file *pipe, uint16_t opnum, struct bytes stub, struct rpc_reply *ret)
{
        uint8_t out[RPC_FRAGMENT_MIN];
        struct writer w = wr_into(out, sizeof out);
        size_t mark = rpc_pdu_begin(&w, RPC_REQUEST, RPC_FIRST_FRAG | RPC_LAST_FRAG, CALL_ID);
        rpc_request_encode(&w, &(struct rpc_request){.alloc_hint = (uint32_t)stub.n,
                                                     .opnum = opnum,
                                                     .stub = stub});
        rpc_pdu_end(&w, mark);
        if (!wr_ok(&w))
                return EMSGSIZE;

        AUTO_FREE struct incoming *in = calloc(1, sizeof *in);
        struct rpc_reply all = {0};
        int err = in ? transceive(pipe, wr_done(&w), in) : ENOMEM;
        if (!err)
                err = collect(pipe, in, &all);
        if (err)
                free(all.p);
        else
                *ret = all;
        return err;
}
