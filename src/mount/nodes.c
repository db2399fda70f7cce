/* See nodes.h. */
#include "mount/nodes.h"

#include <errno.h>

#define FIRST_BUCKETS 1024u
#define PATH_BYTES_MAX 32768u

/* FNV-1a: names come from servers, but a slow table is all that a bad one achieves. */
static uint64_t hash_of(const struct node *parent, const char *name)
{
        uint64_t h = 0xcbf29ce484222325u ^ parent->generation;
        for (; *name; name++)
                h = (h ^ (uint8_t)*name) * 0x100000001b3u;
        return h ^ h >> 29;
}

static struct list *bucket_of(const struct nodes *t, const struct node *parent, const char *name)
{
        return &t->bucket[hash_of(parent, name) & (t->n_buckets - 1)];
}

static void put_in_bucket(struct nodes *t, struct node *n)
{
        list_add_first(bucket_of(t, n->parent, n->name), &n->bucket);
}

/* Without memory the table stays as it is, and gets slower. */
static void grow(struct nodes *t)
{
        size_t n_old = t->n_buckets;
        struct list *old = t->bucket, *wide = malloc(2 * n_old * sizeof *wide);
        if (!wide)
                return;
        for (size_t i = 0; i < 2 * n_old; i++)
                list_init(&wide[i]);
        t->bucket = wide;
        t->n_buckets = 2 * n_old;
        for (size_t i = 0; i < n_old; i++)
                list_each_safe (&old[i], it, next) {
                        struct node *n = list_entry(it, struct node, bucket);
                        list_remove(it);
                        put_in_bucket(t, n);
                }
        free(old);
}

static struct node *node_new(struct nodes *t, const char *name)
{
        struct node *n = calloc(1, sizeof *n);
        if (!n || !(n->name = strdup(name))) {
                free(n);
                return NULL;
        }
        list_init(&n->bucket);
        list_init(&n->sibling);
        list_init(&n->children);
        n->generation = ++t->generations;
        t->n++;
        return n;
}

bool nodes_init(struct nodes *t, const char *top)
{
        *t = (struct nodes){.n_buckets = FIRST_BUCKETS};
        list_init(&t->gone);
        t->bucket = malloc(FIRST_BUCKETS * sizeof *t->bucket);
        t->top = strdup(top);
        if (!t->bucket || !t->top)
                return false;
        for (size_t i = 0; i < FIRST_BUCKETS; i++)
                list_init(&t->bucket[i]);
        t->root = node_new(t, "");
        if (t->root) {
                t->root->pins = 1;
                t->root->stat.type = FREVO_DIRECTORY;
        }
        return t->root != NULL;
}

static void node_free(struct nodes *t, struct node *n)
{
        if (t->fini)
                t->fini(n);
        t->n--;
        free(n->name);
        free(n);
}

static void free_below(struct nodes *t, struct node *n)
{
        while (!list_empty(&n->children)) {
                struct node *c = list_entry(n->children.next, struct node, sibling);
                list_remove(&c->sibling);
                free_below(t, c);
        }
        node_free(t, n);
}

void nodes_fini(struct nodes *t)
{
        if (t->root)
                free_below(t, t->root);
        while (t->root && !list_empty(&t->gone)) {
                struct node *n = list_entry(t->gone.next, struct node, sibling);
                list_remove(&n->sibling);
                free_below(t, n);
        }
        free(t->bucket);
        free(t->top);
        *t = (struct nodes){0};
}

struct node *node_child(const struct nodes *t, const struct node *parent, const char *name)
{
        list_each (bucket_of(t, parent, name), it) {
                struct node *n = list_entry(it, struct node, bucket);
                if (n->parent == parent && strcmp(n->name, name) == 0)
                        return n;
        }
        return NULL;
}

static void hang(struct nodes *t, struct node *n, struct node *parent)
{
        n->parent = parent;
        list_add_last(&parent->children, &n->sibling);
        put_in_bucket(t, n);
}

struct node *node_add(struct nodes *t, struct node *parent, const char *name)
{
        struct node *n = node_new(t, name);
        if (!n)
                return NULL;
        if (t->n > 2 * t->n_buckets)
                grow(t);
        hang(t, n, parent);
        return n;
}

static void unhang(struct node *n)
{
        list_remove(&n->bucket);
        list_remove(&n->sibling);
        n->parent = NULL;
}

void node_settle(struct nodes *t, struct node *n)
{
        while (n && n != t->root && !n->lookups && !n->pins && !n->listed &&
               list_empty(&n->children)) {
                struct node *parent = n->parent;
                unhang(n);
                node_free(t, n);
                n = parent;
        }
}

void node_detach(struct nodes *t, struct node *n)
{
        struct node *parent = n->parent;
        n->pins++;
        while (!list_empty(&n->children))
                node_detach(t, list_entry(n->children.next, struct node, sibling));
        n->gone = true;
        n->listed = false;
        unhang(n);
        list_add_last(&t->gone, &n->sibling);
        node_unpin(t, n);
        node_settle(t, parent);
}

bool node_move(struct nodes *t, struct node *n, struct node *parent, const char *name)
{
        struct node *old = n->parent;
        char *copy = strdup(name);
        if (!copy)
                return false;
        unhang(n);
        free(n->name);
        n->name = copy;
        hang(t, n, parent);
        node_settle(t, old);
        return true;
}

void node_pin(struct node *n)
{
        n->pins++;
}

void node_unpin(struct nodes *t, struct node *n)
{
        n->pins--;
        node_settle(t, n);
}

void node_forget(struct nodes *t, struct node *n, uint64_t lookups)
{
        n->lookups -= lookups < n->lookups ? lookups : n->lookups;
        node_settle(t, n);
}

void node_unlist(struct nodes *t, struct node *n)
{
        n->listed = false;
        node_settle(t, n);
}

static size_t path_bytes(const struct nodes *t, const struct node *n, const char *name)
{
        size_t bytes = strlen(t->top) + 1 + (name ? strlen(name) + 1 : 0);
        for (; n != t->root && n && bytes < PATH_BYTES_MAX; n = n->parent)
                bytes += strlen(n->name) + 1;
        return bytes;
}

/* Writes `part` so that it ends at `end`; returns where it begins, with a '/' in front of it. */
static size_t put_part(char *path, size_t end, const char *part)
{
        size_t n = strlen(part);
        memcpy(path + end - n, part, n);
        path[end - n - 1] = '/';
        return end - n - 1;
}

char *node_path(const struct nodes *t, const struct node *n, const char *name)
{
        size_t bytes = path_bytes(t, n, name);
        char *path = bytes < PATH_BYTES_MAX ? malloc(bytes + 2) : NULL;
        size_t at = bytes;
        if (!path) {
                errno = bytes < PATH_BYTES_MAX ? ENOMEM : ENAMETOOLONG;
                return NULL;
        }
        path[at] = 0;
        if (name)
                at = put_part(path, at, name);
        for (; n && n != t->root; n = n->parent)
                at = put_part(path, at, n->name);
        if (!n) {
                free(path);
                errno = ENOENT;
                return NULL;
        }
        if (*t->top)
                at = put_part(path, at, t->top);
        at += path[at] == '/';
        memmove(path, path + at, bytes - at + 1);
        return path;
}

bool node_is_below(const struct node *n, const struct node *top)
{
        while (n && n != top)
                n = n->parent;
        return n != NULL;
}
