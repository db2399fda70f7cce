/* Every decoder of fragments and stubs over the same input; views must lie inside it. */
#include <stdlib.h>

#include "wire/rpc/pdu.h"
#include "wire/rpc/srvsvc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void inside(struct bytes whole, struct bytes part)
{
        if (part.n && (part.p < whole.p || part.p + part.n > whole.p + whole.n))
                abort();
}

static void check_fragment(struct bytes in)
{
        struct rpc_pdu p;
        struct rpc_bind b;
        struct rpc_bind_ack a;
        struct rpc_request q;
        struct rpc_response r;
        if (!rpc_pdu_decode(in, &p))
                return;
        inside(in, p.body);
        if (rpc_bind_decode(p.body, &b) && b.count > LIMIT_RPC_CONTEXTS)
                abort();
        if (rpc_bind_ack_decode(p.body, &a))
                inside(in, a.address);
        if (rpc_request_decode(&p, &q))
                inside(in, q.stub);
        if (rpc_response_decode(p.body, &r))
                inside(in, r.stub);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes in = bytes_of(data, n);
        struct srvsvc_share_enum_req e;
        struct srvsvc_share_info_req i;
        struct srvsvc_share_seen seen[8] = {0};
        uint32_t count, status;
        check_fragment(in);
        (void)srvsvc_share_enum_req_decode(in, &e); /* holds no views */
        if (srvsvc_share_info_req_decode(in, &i))
                inside(in, i.name_utf16);
        if (srvsvc_share_enum_reply_decode(in, seen, 8, &count, &status))
                for (size_t k = 0; k < count && k < 8; k++) {
                        inside(in, seen[k].name_utf16);
                        inside(in, seen[k].remark_utf16);
                }
        return 0;
}
