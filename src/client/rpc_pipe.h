/* Calling a service behind a named pipe, [MS-RPCE] 2.1.1.2: one call at a time, which waits. */
#ifndef FREVO_CLIENT_RPC_PIPE_H
#define FREVO_CLIENT_RPC_PIPE_H

#include "client/file.h"
#include "wire/rpc/pdu.h"

/* 0 or an errno; EPROTONOSUPPORT where the service is not there. */
int rpc_pipe_bind(struct frevo_file *pipe, const struct rpc_syntax *service) MUST_USE;

/* The reply's stub, whole; p is the caller's to free(). */
struct rpc_reply {
        uint8_t *p;
        size_t n;
};
/* 0 or an errno: EACCES, EIO for a fault. The request must fit one fragment. */
int rpc_pipe_call(struct frevo_file *pipe, uint16_t opnum, struct bytes stub,
                  struct rpc_reply *ret) MUST_USE;

#endif
