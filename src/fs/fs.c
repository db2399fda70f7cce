/* The service: the node table, the roots, and what can be counted. */
#include <assert.h>
#include <stdatomic.h>

#include "fs/node.h"
#include "fs/volume.h"

struct fs *fs_new(void)
{
        struct fs *f = calloc(1, sizeof *f);
        if (!f)
                return NULL;
        node_table_init(f);
        pthread_mutex_init(&f->roots_mutex, NULL);
        list_init(&f->roots);
        atomic_init(&f->next_ticket, 1);
        return f;
}

void fs_free(struct fs *f)
{
        if (!f)
                return;
        assert(list_empty(&f->roots));
        node_table_fini(f);
        pthread_mutex_destroy(&f->roots_mutex);
        free(f);
}

void fs_stats(struct fs *f, struct fs_stats *ret)
{
        *ret = (struct fs_stats){
                .opens = atomic_load(&f->nopens),
                .nodes = atomic_load(&f->nnodes),
                .locks = atomic_load(&f->nlocks),
        };
}
