/* Clients: who opens belong to, whatever connection they come from. */
#include <stdatomic.h>

#include "fs/fs.h"

struct fs_client {
        _Atomic unsigned refs;
        void *_Atomic front_ctx; /* the front end's; NULL once gone */
};

struct fs_client *fs_client_new(void *front_ctx)
{
        struct fs_client *c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        atomic_init(&c->refs, 1);
        atomic_init(&c->front_ctx, front_ctx);
        return c;
}

struct fs_client *fs_client_ref(struct fs_client *c)
{
        atomic_fetch_add(&c->refs, 1);
        return c;
}

void fs_client_unref(struct fs_client *c)
{
        if (c && atomic_fetch_sub(&c->refs, 1) == 1)
                free(c);
}

void fs_client_gone(struct fs_client *c)
{
        atomic_store(&c->front_ctx, NULL);
}
