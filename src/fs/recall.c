/* Handles that others keep open for later only, and that stand in the way of renaming, deleting or
 * another descriptor: [MS-FSA] 2.1.5.15.3, .12 and 2.1.5.17 ask for them back first. */
#include "fs/grant.h"
#include "fs/name.h"

struct recall {
        struct fs_open *o;
        struct fs_waiter *w;
        struct grant_notices told;
        bool wait;
};

/* n->mutex is held; false: enough for this round. */
static bool visit(void *ctx, struct node *n)
{
        struct recall *r = ctx;
        bool wait = grant_recall_handles(n, r->o, &r->told);
        if (r->told.full)
                return false;
        if (wait && !r->wait && r->w) {
                node_park(n, r->w); /* the others' turn is after this one's */
                r->wait = true;
        }
        return true;
}

static void visit_node(struct recall *r, struct node *n)
{
        pthread_mutex_lock(&n->mutex);
        (void)visit(r, n); /* each notice needs a look of its own at most */
        pthread_mutex_unlock(&n->mutex);
}

/* The file that has the name now, and would be replaced. */
static void visit_target(struct recall *r, const char *to)
{
        struct store *s = r->o->vol->store;
        struct store_open q = {.path = to, .flags = STORE_NOFOLLOW};
        struct store_opened t;
        if (s->ops->open(s, NULL, &q, 0, &t) != FS_OK)
                return; /* whoever renames finds out why */
        struct node *n = node_lookup(r->o->vol->fs, t.attr.dev, t.attr.ino);
        if (n && n != r->o->node)
                visit_node(r, n);
        node_put(n);
        s->ops->close(t.file);
        free(t.real_path);
}

static void one_round(struct recall *r, const char *to)
{
        struct fs_open *o = r->o;
        visit_node(r, open_of_file(o)->node);
        AUTO_FREE char *path = to && o->node->dir && !r->wait ? open_path_new(o) : NULL;
        if (path)
                node_each_granted_below(o->vol->fs, o->vol->root, path, visit, r);
        if (to && !r->wait && !r->told.full && name_check_path(to) == FS_OK)
                visit_target(r, to);
}

enum fs_err recall_handles(struct fs_open *o, const char *to, struct fs_waiter *w)
{
        struct recall r = {.o = o, .w = w};
        bool again = true;
        while (again && !r.wait) {
                one_round(&r, to);
                again = r.told.full;
                grant_tell(&r.told);
        }
        return r.wait ? FS_PARKED : FS_OK;
}

enum fs_err fs_recall_handles(struct fs_open *o, const char *to, struct fs_waiter *w)
{
        enum fs_err e = open_check(o, FS_DELETE);
        return e || o->base ? e : recall_handles(o, to, w);
}
