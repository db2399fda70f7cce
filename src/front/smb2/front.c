/* The front end as the server program sees it: made once, hands its callbacks to every connection.
 */
#include "front/smb2/front.h"

#include "front/smb2/chain.h"
#include "front/smb2/conn.h"
#include "front/smb2/local.h"

struct smb2_share *smb2_share_ref(struct smb2_share *s)
{
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
        return s;
}

void smb2_share_unref(struct smb2_share *s)
{
        if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
                return;
        if (s->volume)
                fs_volume_unref(s->volume);
        free(s->name);
        free(s->comment);
        free(s);
}

static void local_init(struct smb2_front *f, unsigned i)
{
        struct smb2_local *l = &f->locals[i];
        l->front = f;
        l->loop = net_pool_loop(f->pool, i);
        l->index = i;
        list_init(&l->clients);
        list_init(&l->setups);
        list_init(&l->free_chains);
        for (unsigned b = 0; b < SMB2_SESSION_BUCKETS; b++)
                list_init(&l->sessions[b]);
}

struct smb2_front *smb2_front_new(const struct smb2_config *cfg, struct net_pool *pool)
{
        unsigned n = net_pool_loops(pool);
        struct smb2_front *f = calloc(1, sizeof *f + n * sizeof f->locals[0]);
        if (!f)
                return NULL;
        f->cfg = *cfg;
        if (f->cfg.max_io == 0 || f->cfg.max_io > LIMIT_IO_BYTES)
                f->cfg.max_io = LIMIT_IO_BYTES;
        f->pool = pool;
        f->next_open = 1;
        f->n_locals = n;
        f->homes = smb2_homes_new();
        f->known = smb2_known_sessions_new();
        if (!f->homes || !f->known) {
                smb2_known_sessions_free(f->known);
                smb2_homes_free(f->homes);
                free(f);
                return NULL;
        }
        for (unsigned i = 0; i < n; i++)
                local_init(f, i);
        return f;
}

void smb2_front_free(struct smb2_front *f)
{
        if (!f)
                return;
        for (unsigned i = 0; i < f->n_locals; i++)
                smb2_chains_trim(&f->locals[i]);
        smb2_known_sessions_free(f->known);
        smb2_homes_free(f->homes);
        free(f);
}

struct smb2_local *smb2_local_of(struct smb2_front *f, const struct net_loop *loop)
{
        for (unsigned i = 0; i < f->n_locals; i++)
                if (f->locals[i].loop == loop)
                        return &f->locals[i];
        return NULL;
}

struct conn_conf smb2_front_conn_conf(struct smb2_front *f)
{
        /* WRITE has its payload behind 64 bytes of header and 48 of body. */
        return (struct conn_conf){.ops = &smb2_conn_ops,
                                  .ctx = f,
                                  .max_frame = LIMIT_FRAME_BYTES_UNAUTH,
                                  .payload_at = 112};
}

struct smb2_counts smb2_front_counts(struct smb2_front *f)
{
        struct smb2_counts n = {0};
        for (unsigned i = 0; i < f->n_locals; i++) {
                struct smb2_local *l = &f->locals[i];
                n.connections += l->n_connections;
                n.sessions += l->n_sessions;
                n.trees += l->n_trees;
                n.opens += l->n_opens;
                n.requests += l->n_requests;
        }
        return n;
}
