/* See node.h: the sharded table, waiting, and questions about names. Opens enter and leave a node
 * in open.c and close.c. */
#include "fs/node.h"

#include <assert.h>
#include <stdatomic.h>

/* Of all queues of waiters: an operation may be cancelled when the node that it waited on is gone
 * already. The innermost lock; held for list work, and only when somebody does wait. */
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash_of(uint64_t dev, uint64_t ino)
{
        uint64_t h = (ino ^ (dev << 32 | dev >> 32)) * 0x9E3779B97F4A7C15u;
        return h ^ h >> 29;
}

static struct node_shard *shard_of(struct fs *f, uint64_t h)
{
        return &f->shards[h % NODE_SHARDS];
}

/* Where the node is or would be linked from; the shard has buckets. A file and its streams share
 * one. */
static struct node **place_of(struct node_shard *s, uint64_t dev, uint64_t ino, uint64_t stream_id)
{
        struct node **p = &s->buckets[hash_of(dev, ino) / NODE_SHARDS & (s->nbuckets - 1)];
        while (*p && ((*p)->ino != ino || (*p)->dev != dev || (*p)->stream_id != stream_id))
                p = &(*p)->next;
        return p;
}

/* Doubles the buckets when there are as many nodes. Without memory the chains just get longer;
 * false only when there is no bucket at all. */
static bool shard_grow(struct node_shard *s)
{
        if (s->nnodes < s->nbuckets)
                return true;
        size_t old = s->nbuckets, n = old ? old * 2 : 16;
        struct node **fresh = calloc(n, sizeof(struct node *));
        if (!fresh)
                return old != 0;
        struct node **was = s->buckets;
        s->buckets = fresh;
        s->nbuckets = n;
        for (size_t i = 0; i < old; i++) {
                while (was[i]) {
                        struct node *m = was[i];
                        was[i] = m->next;
                        struct node **p = &fresh[hash_of(m->dev, m->ino) / NODE_SHARDS & (n - 1)];
                        m->next = *p;
                        *p = m;
                }
        }
        free(was);
        return true;
}

static struct node *node_new(struct fs *f, const struct store_attr *a)
{
        struct node *n = calloc(1, sizeof *n);
        if (!n)
                return NULL;
        n->fs = f;
        n->dev = a->dev;
        n->ino = a->ino;
        n->stream_id = a->stream_id;
        n->dir = a->kind == STORE_DIR;
        n->archived = (a->dos & STORE_DOS_ARCHIVE) != 0;
        n->sparse = !a->stream_id && (a->dos & STORE_DOS_SPARSE) != 0;
        pthread_mutex_init(&n->mutex, NULL);
        pthread_mutex_init(&n->append_mutex, NULL);
        list_init(&n->opens);
        list_init(&n->links);
        list_init(&n->locks);
        list_init(&n->waiters);
        list_init(&n->grants);
        atomic_fetch_add(&f->nnodes, 1);
        return n;
}

static void node_free(struct node *n)
{
        assert(list_empty(&n->opens) && list_empty(&n->links) && list_empty(&n->locks));
        assert(list_empty(&n->waiters) && list_empty(&n->grants));
        atomic_fetch_sub(&n->fs->nnodes, 1);
        pthread_mutex_destroy(&n->mutex);
        pthread_mutex_destroy(&n->append_mutex);
        free(n);
}

struct node *node_get(struct fs *f, const struct store_attr *a)
{
        struct node_shard *s = shard_of(f, hash_of(a->dev, a->ino));
        struct node *n = NULL;
        pthread_mutex_lock(&s->mutex);
        if (shard_grow(s)) {
                struct node **p = place_of(s, a->dev, a->ino, a->stream_id);
                if (!*p && (*p = node_new(f, a)))
                        s->nnodes++;
                n = *p;
                if (n)
                        n->refs++;
        }
        pthread_mutex_unlock(&s->mutex);
        return n;
}

struct node *node_lookup(struct fs *f, uint64_t dev, uint64_t ino)
{
        struct node_shard *s = shard_of(f, hash_of(dev, ino));
        pthread_mutex_lock(&s->mutex);
        struct node *n = s->nbuckets ? *place_of(s, dev, ino, 0) : NULL;
        if (n)
                n->refs++;
        pthread_mutex_unlock(&s->mutex);
        return n;
}

struct node *node_ref(struct node *n)
{
        struct node_shard *s = shard_of(n->fs, hash_of(n->dev, n->ino));
        pthread_mutex_lock(&s->mutex);
        n->refs++;
        pthread_mutex_unlock(&s->mutex);
        return n;
}

void node_put(struct node *n)
{
        if (!n)
                return;
        struct node_shard *s = shard_of(n->fs, hash_of(n->dev, n->ino));
        pthread_mutex_lock(&s->mutex);
        bool last = --n->refs == 0;
        if (last) {
                struct node **p = place_of(s, n->dev, n->ino, n->stream_id);
                *p = n->next;
                s->nnodes--;
        }
        pthread_mutex_unlock(&s->mutex);
        if (last)
                node_free(n);
}

void node_park(struct node *n, struct fs_waiter *w)
{
        if (!w->ticket)
                w->ticket = atomic_fetch_add(&n->fs->next_ticket, 1);
        pthread_mutex_lock(&waiting);
        struct list *before = n->waiters.prev;
        while (before != &n->waiters &&
               list_entry(before, struct fs_waiter, link)->ticket > w->ticket)
                before = before->prev;
        list_add_first(before, &w->link);
        atomic_store(&w->queue, n);
        pthread_mutex_unlock(&waiting);
}

bool node_has_waiters(struct node *n)
{
        pthread_mutex_lock(&waiting);
        bool any = !list_empty(&n->waiters);
        pthread_mutex_unlock(&waiting);
        return any;
}

void node_wake(struct node *n)
{
        struct list woken;
        list_init(&woken);
        pthread_mutex_lock(&waiting);
        list_each_safe (&n->waiters, it, nxt) {
                list_remove(it);
                list_add_last(&woken, it);
                atomic_store(&list_entry(it, struct fs_waiter, link)->queue, NULL);
        }
        pthread_mutex_unlock(&waiting);
        /* From here each waiter is ours alone until its wake() has begun. */
        list_each_safe (&woken, it, nxt) {
                struct fs_waiter *w = list_entry(it, struct fs_waiter, link);
                w->link = (struct list){NULL, NULL};
                w->wake(w);
        }
}

bool fs_waiter_cancel(struct fs_waiter *w)
{
        if (!atomic_load(&w->queue))
                return false;
        /* Whose open is in the way may close it at any time: the node is there as long as w is in
         * its queue, and no longer. */
        pthread_mutex_lock(&waiting);
        bool parked = atomic_load(&w->queue) != NULL;
        if (parked) {
                list_remove(&w->link);
                atomic_store(&w->queue, NULL);
        }
        pthread_mutex_unlock(&waiting);
        return parked;
}

struct node_link *node_link_lookup(struct node *n, const struct fs_root *root, const char *path)
{
        list_each (&n->links, it) {
                struct node_link *l = list_entry(it, struct node_link, in_node);
                if (l->root == root && strcmp(l->path, path) == 0)
                        return l;
        }
        return NULL;
}

bool node_delete_pending(struct node *n, const struct fs_root *root, const char *path)
{
        pthread_mutex_lock(&n->mutex);
        struct node_link *l = node_link_lookup(n, root, path);
        bool pending = l && l->delete_pending;
        pthread_mutex_unlock(&n->mutex);
        return pending;
}

static bool has_link_below(struct node *n, const struct fs_root *root, const char *dir)
{
        bool found = false;
        pthread_mutex_lock(&n->mutex);
        list_each (&n->links, it) {
                struct node_link *l = list_entry(it, struct node_link, in_node);
                found |= l->root == root && l->opens && path_is_below(l->path, dir);
        }
        pthread_mutex_unlock(&n->mutex);
        return found;
}

static bool shard_any_below(struct node_shard *s, const struct fs_root *root, const char *dir)
{
        /* The nodes stay while the shard is locked; a node's own mutex is the inner one here. This
         * is the one place where two are held; nobody locks a shard with a node locked. */
        bool found = false;
        pthread_mutex_lock(&s->mutex);
        for (size_t i = 0; i < s->nbuckets && !found; i++) {
                for (struct node *n = s->buckets[i]; n && !found; n = n->next)
                        found = has_link_below(n, root, dir);
        }
        pthread_mutex_unlock(&s->mutex);
        return found;
}

bool node_any_below(struct fs *f, const struct fs_root *root, const char *dir)
{
        for (size_t i = 0; i < NODE_SHARDS; i++) {
                if (shard_any_below(&f->shards[i], root, dir))
                        return true;
        }
        return false;
}

static bool has_grant_below(struct node *n, const struct fs_root *root, const char *dir)
{
        if (atomic_load_explicit(&n->ngrants, memory_order_relaxed) == 0)
                return false;
        list_each (&n->links, it) {
                struct node_link *l = list_entry(it, struct node_link, in_node);
                if (l->root == root && path_is_below(l->path, dir))
                        return true;
        }
        return false;
}

void node_each_granted_below(struct fs *f, const struct fs_root *root, const char *dir,
                             bool (*visit)(void *ctx, struct node *n), void *ctx)
{
        bool on = true;
        for (size_t i = 0; on && i < NODE_SHARDS; i++) {
                struct node_shard *s = &f->shards[i];
                pthread_mutex_lock(&s->mutex);
                for (size_t b = 0; on && b < s->nbuckets; b++) {
                        for (struct node *n = s->buckets[b]; on && n; n = n->next) {
                                pthread_mutex_lock(&n->mutex);
                                if (has_grant_below(n, root, dir))
                                        on = visit(ctx, n);
                                pthread_mutex_unlock(&n->mutex);
                        }
                }
                pthread_mutex_unlock(&s->mutex);
        }
}

void node_table_init(struct fs *f)
{
        for (size_t i = 0; i < NODE_SHARDS; i++)
                pthread_mutex_init(&f->shards[i].mutex, NULL);
}

void node_table_fini(struct fs *f)
{
        for (size_t i = 0; i < NODE_SHARDS; i++) {
                assert(f->shards[i].nnodes == 0);
                pthread_mutex_destroy(&f->shards[i].mutex);
                free(f->shards[i].buckets);
        }
}
