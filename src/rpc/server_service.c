/* The Server Service, [MS-SRVS] 3.1.4, on the pipe "srvsvc": read-only questions about shares and
 * the server. What changes the server's configuration is not offered: nca_s_op_rng_error. */
#include <time.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf16.h"
#include "rpc/interface.h"
#include "wire/rpc/srvsvc.h"
#include "wire/rpc/win32.h"

#define PLATFORM_NT 500u            /* [MS-SRVS] 2.2.2.6 */
#define SV_TYPE_DEFAULT 0x00009003u /* workstation, server, NT, NT server: 2.2.2.7 */

/* [MS-SRVS] 3.1.4.8 and 3.1.4.10 with their notes: levels that tell paths and descriptors are for
 * administrators. */
static enum rpc_need share_need(uint32_t level)
{
        return level == 2 || level == 502 || level == 503 ? RPC_ADMIN : RPC_SIGNED_IN;
}

static struct srvsvc_share share_seen(const struct rpc_share *s)
{
        static const uint32_t type_of[] = {
                [RPC_SHARE_DISK] = STYPE_DISKTREE,
                [RPC_SHARE_IPC] = STYPE_IPC,
                [RPC_SHARE_PRINTER] = STYPE_PRINTQ,
        };
        return (struct srvsvc_share){
                .name = s->name,
                .remark = s->comment ? s->comment : "",
                .path = s->path ? s->path : "",
                .type = type_of[s->kind] | (s->special ? STYPE_SPECIAL : 0),
                .max_uses = s->max_users,
                .uses = s->users,
                .flags = s->flags,
                .security = s->security,
        };
}

/* The next share that enumerations show, from *index on. */
static bool next_visible(const struct rpc_context *ctx, size_t *index, struct rpc_share *out)
{
        while (*index < LIMIT_RPC_SHARES && ctx->share_at(ctx->shares, (*index)++, out))
                if (!out->hidden)
                        return true;
        return false;
}

/* Fills r->shares (room for r->total) with what fits into the bytes that the caller prefers. */
static void collect_shares(const struct rpc_context *ctx, const struct srvsvc_share_enum_req *q,
                           struct srvsvc_share *room, struct srvsvc_share_enum_reply *r)
{
        struct rpc_share s;
        size_t index = 0, used = 0;
        for (uint32_t seen = 0; next_visible(ctx, &index, &s) && r->count < r->total; seen++) {
                if (seen < q->resume)
                        continue;
                room[r->count] = share_seen(&s);
                used += srvsvc_share_len(&room[r->count], q->level);
                if (q->preferred_max != MAX_PREFERRED_LENGTH && used > q->preferred_max) {
                        r->status = r->count ? WIN32_MORE_DATA : NERR_BUF_TOO_SMALL;
                        r->resume = q->resume + r->count;
                        return;
                }
                r->count++;
        }
}

static uint32_t count_visible(const struct rpc_context *ctx)
{
        struct rpc_share s;
        size_t index = 0;
        uint32_t n = 0;
        while (next_visible(ctx, &index, &s))
                n++;
        return n;
}

static uint32_t share_enum(struct rpc_call *c)
{
        struct srvsvc_share_enum_req q;
        AUTO_FREE struct srvsvc_share *room = NULL;
        if (!srvsvc_share_enum_req_decode(c->stub, &q))
                return RPC_FAULT_BAD_STUB;
        struct srvsvc_share_enum_reply r = {.level = q.level, .has_resume = q.has_resume};
        if (!q.level_known) {
                r.status = WIN32_INVALID_LEVEL;
        } else if (!rpc_caller_may(c->ctx, share_need(q.level))) {
                r.status = WIN32_ACCESS_DENIED;
        } else {
                uint32_t visible = count_visible(c->ctx);
                /* 3.1.4.8: a handle past the end is an empty success */
                r.total = q.resume < visible ? visible - q.resume : 0;
                room = calloc((size_t)r.total + 1, sizeof *room);
                if (!room)
                        return RPC_FAULT_NO_MEMORY;
                collect_shares(c->ctx, &q, room, &r);
                r.shares = room;
        }
        srvsvc_share_enum_reply_encode(c->out, &r);
        return 0;
}

static bool find_share(const struct rpc_context *ctx, const char *name, struct rpc_share *out)
{
        for (size_t i = 0; i < LIMIT_RPC_SHARES && ctx->share_at(ctx->shares, i, out); i++)
                if (name_casecmp(out->name, name) == 0)
                        return true;
        return false;
}

static uint32_t share_get_info(struct rpc_call *c)
{
        struct srvsvc_share_info_req q;
        struct rpc_share found;
        struct srvsvc_share s;
        char name[LIMIT_NAME_UTF16 * 3 + 1];
        uint32_t status = WIN32_OK;
        if (!srvsvc_share_info_req_decode(c->stub, &q))
                return RPC_FAULT_BAD_STUB;
        if (q.name_utf16.n == 0)
                status = WIN32_INVALID_PARAMETER;
        else if (!srvsvc_share_level_known(q.level, false))
                status = WIN32_INVALID_LEVEL;
        else if (!rpc_caller_may(c->ctx, share_need(q.level)))
                status = WIN32_ACCESS_DENIED;
        else if (!utf16_to_utf8(q.name_utf16, name, sizeof name) ||
                 !find_share(c->ctx, name, &found))
                status = NERR_NET_NAME_NOT_FOUND;
        else
                s = share_seen(&found);
        srvsvc_share_info_reply_encode(c->out, q.level, status == WIN32_OK ? &s : NULL, status);
        return 0;
}

/* 100 is for anyone, more for those who signed in, limits for administrators. */
static enum rpc_need server_need(uint32_t level)
{
        if (level == 100)
                return RPC_ANYONE;
        return level == 101 ? RPC_SIGNED_IN : RPC_ADMIN;
}

static uint32_t server_get_info(struct rpc_call *c)
{
        uint32_t level, status = WIN32_OK;
        if (!srvsvc_level_req_decode(c->stub, &level))
                return RPC_FAULT_BAD_STUB;
        if (!srvsvc_server_level_known(level))
                status = WIN32_INVALID_LEVEL;
        else if (!rpc_caller_may(c->ctx, server_need(level)))
                status = WIN32_ACCESS_DENIED;
        const struct srvsvc_server s = {
                .name = c->ctx->server_name,
                .comment = c->ctx->comment,
                .user_path = "",
                .platform = PLATFORM_NT,
                .major = c->ctx->version_major,
                .minor = c->ctx->version_minor,
                .type = c->ctx->server_type ? c->ctx->server_type : SV_TYPE_DEFAULT,
                .users = c->ctx->max_users,
                .disc = UINT32_MAX, /* SV_NODISC: idle sessions are not cut off by this service */
                .announce = 240,    /* seconds; nothing is announced, but 0 is outside the range */
                .anndelta = 3000,   /* milliseconds */
                .hidden = true,     /* not announced to browsers of [MS-BRWS] */
        };
        srvsvc_server_info_reply_encode(c->out, level, status == WIN32_OK ? &s : NULL, status);
        return 0;
}

static uint32_t remote_tod(struct rpc_call *c)
{
        struct timespec now = timespec_of_ft(clock_now_ft());
        struct tm gmt, here;
        if (!gmtime_r(&now.tv_sec, &gmt) || !localtime_r(&now.tv_sec, &here))
                return RPC_FAULT_NO_MEMORY;
        const struct srvsvc_time_of_day t = {
                .elapsed_s = (uint32_t)now.tv_sec, /* 32 bits by the spec: wraps in 2106 */
                .uptime_ms = (uint32_t)clock_ms(),
                .hours = (uint32_t)gmt.tm_hour,
                .minutes = (uint32_t)gmt.tm_min,
                .seconds = (uint32_t)gmt.tm_sec,
                .hundredths = (uint32_t)(now.tv_nsec / 10000000),
                .timezone_min = (int32_t)(-here.tm_gmtoff / 60),
                .tick_100us = 310, /* what Windows says of its clock; clients do not use it */
                .day = (uint32_t)gmt.tm_mday,
                .month = (uint32_t)gmt.tm_mon + 1,
                .year = (uint32_t)gmt.tm_year + 1900,
                .weekday = (uint32_t)gmt.tm_wday,
        };
        srvsvc_time_of_day_reply_encode(c->out, &t, WIN32_OK);
        return 0;
}

static const struct rpc_op ops[] = {
        {SRVSVC_SHARE_ENUM, "NetrShareEnum", share_enum},
        {SRVSVC_SHARE_GET_INFO, "NetrShareGetInfo", share_get_info},
        {SRVSVC_SERVER_GET_INFO, "NetrServerGetInfo", server_get_info},
        {SRVSVC_REMOTE_TOD, "NetrRemoteTOD", remote_tod},
};

const struct rpc_interface rpc_server_service = {
        .pipe = "srvsvc",
        .syntax = &srvsvc_syntax,
        .ops = ops,
        .op_count = sizeof ops / sizeof *ops,
};
