/* A hostile conversation: the input is written in pieces, everything is read back. First byte: the
 * size of the pieces. A bind goes ahead of every other input, so that requests are reached. */
#include <stdlib.h>

#include "base/limits.h"
#include "rpc/pipe.h"
#include "wire/rpc/pdu.h"
#include "wire/rpc/srvsvc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool share_at(void *shares, size_t index, struct rpc_share *out)
{
        (void)shares;
        *out = (struct rpc_share){.name = "share", .comment = "a comment", .path = "C:\\share"};
        return index < 40;
}

static void bind_first(struct rpc_pipe *p)
{
        uint8_t room[128];
        struct writer w = wr_into(room, sizeof room);
        struct rpc_bind b = {.max_xmit = 4280, .max_recv = 4280, .count = 1};
        b.context[0] = (struct rpc_bind_context){
                .transfers = 1, .abstract = srvsvc_syntax, .transfer = {rpc_ndr32}};
        size_t mark = rpc_pdu_begin(&w, RPC_BIND, RPC_FIRST_FRAG | RPC_LAST_FRAG, 1);
        rpc_bind_encode(&w, &b);
        rpc_pdu_end(&w, mark);
        if (rpc_pipe_write(p, wr_done(&w)) != RPC_DONE)
                abort();
}

static void read_all(struct rpc_pipe *p)
{
        uint8_t out[1000];
        size_t got, before = rpc_pipe_available(p);
        enum rpc_result e;
        while ((e = rpc_pipe_read(p, out, sizeof out, &got)) == RPC_DONE || e == RPC_MORE) {
                if (got == 0 || rpc_pipe_available(p) != before - got)
                        abort();
                before -= got;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        const struct rpc_context ctx = {.server_name = "S",
                                        .domain = "W",
                                        .comment = "",
                                        .caller_is_admin = true,
                                        .share_at = share_at};
        if (n == 0)
                return 0;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = rpc_pipe_open("srvsvc", &ctx);
        if (!p)
                return 0;
        if (data[0] & 1)
                bind_first(p);
        size_t piece = data[0] / 2u + 1u;
        struct bytes rest = bytes_of(data + 1, n - 1);
        enum rpc_result e = RPC_DONE;
        while (rest.n > 0 && e == RPC_DONE) {
                e = rpc_pipe_write(p, bytes_first(rest, piece));
                rest = bytes_from(rest, piece);
                if (rpc_pipe_available(p) > 2 * (size_t)LIMIT_RPC_REPLY)
                        abort();
        }
        read_all(p);
        return 0;
}
