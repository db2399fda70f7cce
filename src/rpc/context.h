/* What the services know about server and caller: given by the server, read by the services. */
#ifndef FREVO_RPC_CONTEXT_H
#define FREVO_RPC_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum rpc_share_kind {
        RPC_SHARE_DISK,
        RPC_SHARE_IPC,
        RPC_SHARE_PRINTER,
};

struct rpc_share {
        const char *name, *comment; /* UTF-8; comment may be NULL */
        const char *path;           /* as administrators see it ("C:\\srv"); NULL = "" */
        enum rpc_share_kind kind;
        bool special;          /* administrative: IPC$, ADMIN$, C$ */
        bool hidden;           /* left out of enumerations; found by name */
        uint32_t max_users;    /* UINT32_MAX = no limit */
        uint32_t users;        /* connected now */
        uint32_t flags;        /* SHI1005_FLAGS_*, [MS-SRVS] 2.2.4.29 */
        struct bytes security; /* self-relative descriptor of the share itself; n == 0: none */
};

struct rpc_context {
        const char *server_name; /* NetBIOS-like, without "\\\\" */
        const char *domain;      /* or workgroup */
        const char *comment;
        uint32_t version_major, version_minor; /* what clients take for the OS version, e.g. 10.0 */
        uint32_t server_type; /* SV_TYPE_*, [MS-SRVS] 2.2.2.7; 0 = workstation, server, NT */
        uint32_t max_users;   /* UINT32_MAX = no limit */
        uint32_t logged_on_users;
        bool caller_is_admin, caller_is_anonymous;
        /* The index-th share in a stable order, hidden ones included; false past the last. What
         * *out points to must stay valid until the call into the pipe returns. */
        bool (*share_at)(void *shares, size_t index, struct rpc_share *out);
        void *shares;
};

#endif
