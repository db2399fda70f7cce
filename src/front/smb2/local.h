/* What lives on one loop: its clients and sessions, and the front they belong to. No locks: only
 * the loop's own thread touches it.
 */
#ifndef FREVO_FRONT_SMB2_LOCAL_H
#define FREVO_FRONT_SMB2_LOCAL_H

#include <stdatomic.h>

#include "base/list.h"
#include "front/smb2/front.h"
#include "front/smb2/homes.h"
#include "front/smb2/known_sessions.h"

#define SMB2_SESSION_BUCKETS 256u

struct smb2_local {
        struct smb2_front *front;
        struct net_loop *loop;
        unsigned index;                             /* of the loop in the pool */
        struct list sessions[SMB2_SESSION_BUCKETS]; /* struct smb2_session by id */
        struct list clients;                        /* struct smb2_client */
        struct list setups;                         /* struct smb2_setup, oldest first */
        unsigned n_setups;
        struct list free_chains; /* kept for the next frames */
        unsigned n_free_chains;
        /* Written here, read by any thread. */
        _Atomic uint64_t n_connections, n_sessions, n_trees, n_opens, n_requests;
};

struct smb2_front {
        struct smb2_config cfg;
        struct net_pool *pool;
        struct smb2_homes *homes;
        struct smb2_known_sessions *known;
        _Atomic uint64_t next_open; /* persistent ids: unique in the whole front */
        unsigned n_locals;
        struct smb2_local locals[];
};

/* The local state of a loop of the front's pool. */
struct smb2_local *smb2_local_of(struct smb2_front *f, const struct net_loop *loop);

static inline void smb2_count_add(_Atomic uint64_t *n, int by)
{
        atomic_fetch_add_explicit(n, (uint64_t)(int64_t)by, memory_order_relaxed);
}

#endif
