/* Inside of rpc/: how a service says what it offers. A service is a table: interface -> operations;
 * the pipe looks up, runs, and answers what is not there with a fault. */
#ifndef FREVO_RPC_INTERFACE_H
#define FREVO_RPC_INTERFACE_H

#include "base/bytes.h"
#include "base/writer.h"
#include "rpc/context.h"
#include "wire/rpc/pdu.h"

struct rpc_call {
        const struct rpc_context *ctx;
        struct bytes stub;  /* the request's, whole; borrowed for the call */
        struct writer *out; /* for the reply's stub */
};

/* Returns 0 with a reply in c->out, or a fault (enum rpc_fault_status). Changes nothing but c->out:
 * it is run a second time with more room when the reply did not fit. */
typedef uint32_t rpc_operation(struct rpc_call *c);

struct rpc_op {
        uint16_t opnum;
        const char *name; /* the spec's, for logs */
        rpc_operation *run;
};

struct rpc_interface {
        const char *pipe; /* lower case, without "\\PIPE\\" */
        const struct rpc_syntax *syntax;
        const struct rpc_op *ops;
        size_t op_count;
};

extern const struct rpc_interface rpc_server_service;
extern const struct rpc_interface rpc_workstation_service;

/* NULL for an unknown pipe; without regard to case. */
const struct rpc_interface *rpc_interface_of_pipe(const char *name);
/* NULL for an operation that the interface does not offer. */
const struct rpc_op *rpc_interface_op(const struct rpc_interface *i, uint16_t opnum);

/* Who may ask, level by level: the specs' product notes as rows. */
enum rpc_need {
        RPC_ANYONE,
        RPC_SIGNED_IN,
        RPC_ADMIN,
};
bool rpc_caller_may(const struct rpc_context *ctx, enum rpc_need need);

#endif
