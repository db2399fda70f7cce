/* Clients: who opens belong to, whatever connection they come from. */
#include "fs/client.h"

#include <stdatomic.h>

struct fs_client {
        _Atomic unsigned refs;
        const struct fs_client_ops *ops; /* NULL: no grants */
        void *ctx;
        atomic_bool gone;
        struct lease_table leases;
};

struct fs_client *fs_client_new(const struct fs_client_ops *ops, void *ctx)
{
        struct fs_client *c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        atomic_init(&c->refs, 1);
        c->ops = ops;
        c->ctx = ctx;
        lease_table_init(&c->leases);
        return c;
}

struct fs_client *fs_client_ref(struct fs_client *c)
{
        atomic_fetch_add(&c->refs, 1);
        return c;
}

void fs_client_unref(struct fs_client *c)
{
        if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
                return;
        lease_table_fini(&c->leases);
        free(c);
}

void fs_client_gone(struct fs_client *c)
{
        atomic_store(&c->gone, true);
}

bool client_takes_grants(const struct fs_client *c)
{
        return c && c->ops && !atomic_load(&c->gone);
}

void client_break(struct fs_client *c, struct fs_open *o, unsigned keep)
{
        c->ops->grant_break(c->ctx, o, keep);
}

bool client_takes_leases(const struct fs_client *c)
{
        return client_takes_grants(c) && c->ops->lease_break;
}

void client_break_lease(struct fs_client *c, struct fs_lease *l, const struct fs_break *b)
{
        c->ops->lease_break(c->ctx, l, b);
}

struct lease_table *client_leases(struct fs_client *c)
{
        return &c->leases;
}
