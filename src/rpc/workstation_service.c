/* The Workstation Service, [MS-WKST] 3.2.4, on the pipe "wkssvc": who this computer is. */
#include "rpc/interface.h"
#include "wire/rpc/srvsvc.h"
#include "wire/rpc/win32.h"
#include "wire/rpc/wkssvc.h"

#define PLATFORM_NT 500u /* [MS-WKST] 2.2.5.1 */

/* [MS-WKST] 3.2.4.1 with its note: who is signed in is told to administrators only. */
static enum rpc_need wksta_need(uint32_t level)
{
        if (level == 100)
                return RPC_ANYONE;
        return level == 101 ? RPC_SIGNED_IN : RPC_ADMIN;
}

static uint32_t wksta_get_info(struct rpc_call *c)
{
        uint32_t level, status = WIN32_OK;
        if (!srvsvc_level_req_decode(c->stub, &level))
                return RPC_FAULT_BAD_STUB;
        if (!wkssvc_wksta_level_known(level))
                status = WIN32_INVALID_LEVEL;
        else if (!rpc_caller_may(c->ctx, wksta_need(level)))
                status = WIN32_ACCESS_DENIED;
        const struct wkssvc_wksta s = {
                .name = c->ctx->server_name,
                .domain = c->ctx->domain,
                .platform = PLATFORM_NT,
                .major = c->ctx->version_major,
                .minor = c->ctx->version_minor,
                .users = c->ctx->logged_on_users,
        };
        wkssvc_wksta_info_reply_encode(c->out, level, status == WIN32_OK ? &s : NULL, status);
        return 0;
}

static const struct rpc_op ops[] = {
        {WKSSVC_WKSTA_GET_INFO, "NetrWkstaGetInfo", wksta_get_info},
};

const struct rpc_interface rpc_workstation_service = {
        .pipe = "wkssvc",
        .syntax = &wkssvc_syntax,
        .ops = ops,
        .op_count = sizeof ops / sizeof *ops,
};
