/* The inside of a context: the loop that everything of it lives on, and what it keeps count of. */
#ifndef FREVO_CLIENT_CONTEXT_H
#define FREVO_CLIENT_CONTEXT_H

#include "frevo/frevo.h"

#include "base/list.h"
#include "net/buf.h"
#include "net/loop.h"
#include "net/workers.h"
#include "wire/smb2/ids.h"

struct client_session;

struct frevo_ctx {
        struct buf_pool *bufs;
        struct workers *workers; /* for what blocks: names, connect, Kerberos */
        struct net_loop *loop;
        struct smb2_guid guid; /* ClientGuid */
        struct list sessions;  /* of struct client_session */
        struct list ops;       /* of struct frevo_op, in flight */
        struct list failed;    /* requests that end without having been sent */
        struct loop_hook failing;
        struct frevo_counts count;
        struct lease_table *leases; /* lease.c's; NULL = nobody holds any */
        /* Told of each OPLOCK_BREAK notification, its message from the header on; see lease.h. */
        void (*on_break)(struct client_session *s, struct bytes msg);
};

#endif
