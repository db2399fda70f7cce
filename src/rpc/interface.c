/* See interface.h. */
#include "rpc/interface.h"

#include "base/utf16.h"

static const struct rpc_interface *const interfaces[] = {
        &rpc_server_service,
        &rpc_workstation_service,
};

const struct rpc_interface *rpc_interface_of_pipe(const char *name)
{
        name += name[0] == '\\';
        for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; i++)
                if (name_casecmp(name, interfaces[i]->pipe) == 0)
                        return interfaces[i];
        return NULL;
}

const struct rpc_op *rpc_interface_op(const struct rpc_interface *i, uint16_t opnum)
{
        for (size_t k = 0; k < i->op_count; k++)
                if (i->ops[k].opnum == opnum)
                        return &i->ops[k];
        return NULL;
}

bool rpc_caller_may(const struct rpc_context *ctx, enum rpc_need need)
{
        switch (need) {
        case RPC_ANYONE:
                return true;
        case RPC_SIGNED_IN:
                return !ctx->caller_is_anonymous;
        case RPC_ADMIN:
                return ctx->caller_is_admin && !ctx->caller_is_anonymous;
        }
        return false;
}
