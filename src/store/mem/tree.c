/* See tree.h. Directories are hash tables by folded name, so that a look-up in any letter case
 * costs the same; links are resolved here and can go up no further than the root. */
#include "store/mem/tree.h"

#include "base/clock.h"
#include "base/utf16.h"

enum { MAX_LINKS = 40, FIRST_BUCKETS = 8 };

struct mem_node *mem_node_new(enum store_kind kind, uint64_t ino)
{
        struct mem_node *n = calloc(1, sizeof *n);
        if (!n)
                return NULL;
        int64_t now = clock_now_ft();
        n->refs = 1;
        n->attr = (struct store_attr){.dev = 1, .ino = ino, .kind = kind};
        n->attr.btime_ft = n->attr.atime_ft = n->attr.mtime_ft = n->attr.ctime_ft = now;
        n->parent = n;
        list_init(&n->entries);
        return n;
}

void mem_node_unref(struct mem_node *n)
{
        if (!n || --n->refs > 0)
                return;
        list_each_safe (&n->entries, it, nxt)
                mem_entry_remove(n, list_entry(it, struct mem_entry, link));
        while (n->xattrs) {
                struct mem_xattr *x = n->xattrs;
                n->xattrs = x->next;
                free(x->name);
                free(x->value);
                free(x);
        }
        while (n->streams) {
                struct mem_node *stream = n->streams;
                n->streams = stream->next_stream;
                mem_node_unref(stream);
        }
        free(n->stream_name);
        mem_pages_fini(&n->pages);
        free(n->buckets);
        free(n->target);
        free(n->sd);
        free(n);
}

struct mem_entry *mem_entry_find(struct mem_node *dir, const char *name, bool exact)
{
        if (dir->nbuckets == 0)
                return NULL;
        uint64_t h = name_casehash(name);
        struct mem_entry *other = NULL;
        for (struct mem_entry *e = dir->buckets[h & (dir->nbuckets - 1)]; e; e = e->next) {
                if (e->hash != h)
                        continue;
                if (strcmp(e->name, name) == 0)
                        return e;
                if (!exact && name_casecmp(e->name, name) == 0)
                        other = e;
        }
        return other;
}

static bool grow(struct mem_node *dir)
{
        if (dir->nentries < dir->nbuckets)
                return true;
        size_t n = dir->nbuckets ? dir->nbuckets * 2 : FIRST_BUCKETS;
        struct mem_entry **b = calloc(n, sizeof(struct mem_entry *));
        if (!b)
                return false;
        list_each (&dir->entries, it) {
                struct mem_entry *e = list_entry(it, struct mem_entry, link);
                e->next = b[e->hash & (n - 1)];
                b[e->hash & (n - 1)] = e;
        }
        free(dir->buckets);
        dir->buckets = b;
        dir->nbuckets = n;
        return true;
}

enum fs_err mem_entry_add(struct mem_node *dir, const char *name, struct mem_node *n)
{
        struct mem_entry *e = calloc(1, sizeof *e);
        if (e)
                e->name = strdup(name);
        if (!e || !e->name || !grow(dir)) {
                if (e)
                        free(e->name);
                free(e);
                return FS_NO_MEMORY;
        }
        e->hash = name_casehash(name);
        e->node = n;
        n->refs++;
        n->attr.nlink++;
        if (n->attr.kind == STORE_DIR)
                n->parent = dir;
        e->next = dir->buckets[e->hash & (dir->nbuckets - 1)];
        dir->buckets[e->hash & (dir->nbuckets - 1)] = e;
        list_add_last(&dir->entries, &e->link);
        dir->nentries++;
        dir->attr.mtime_ft = dir->attr.ctime_ft = clock_now_ft();
        return FS_OK;
}

void mem_entry_remove(struct mem_node *dir, struct mem_entry *e)
{
        struct mem_entry **at = &dir->buckets[e->hash & (dir->nbuckets - 1)];
        while (*at != e)
                at = &(*at)->next;
        *at = e->next;
        list_remove(&e->link);
        dir->nentries--;
        dir->attr.mtime_ft = dir->attr.ctime_ft = clock_now_ft();
        e->node->attr.nlink--;
        if (e->node->parent == dir)
                e->node->parent = e->node; /* an unlinked directory leads nowhere */
        mem_node_unref(e->node);
        free(e->name);
        free(e);
}

struct walk {
        struct mem_node *root;
        unsigned flags;
        unsigned links;     /* followed so far */
        struct mem_place p; /* the outermost path's */
        size_t real_n;
};

static void real_append(struct walk *w, const char *name)
{
        if (w->real_n > 0)
                w->p.real_path[w->real_n++] = '/';
        size_t n = strlen(name);
        memcpy(w->p.real_path + w->real_n, name, n + 1);
        w->real_n += n;
}

static enum fs_err walk_from(struct walk *w, struct mem_node *dir, char *path, bool inner,
                             struct mem_node **ret);

static enum fs_err follow(struct walk *w, struct mem_node *dir, struct mem_node *link,
                          struct mem_node **ret)
{
        if (++w->links > MAX_LINKS)
                return FS_SYMLINK;
        if (link->target[0] == '/')
                return FS_DENIED;
        AUTO_FREE char *target = strdup(link->target);
        return target ? walk_from(w, dir, target, true, ret) : FS_NO_MEMORY;
}

/* One component; *ret NULL: missing. */
static enum fs_err step(struct walk *w, struct mem_node *dir, const char *name, bool last,
                        bool inner, struct mem_node **ret)
{
        if (inner && strcmp(name, ".") == 0)
                return *ret = dir, FS_OK;
        if (inner && strcmp(name, "..") == 0)
                return *ret = dir->parent, dir == w->root ? FS_DENIED : FS_OK;
        struct mem_entry *e = mem_entry_find(dir, name, inner || (w->flags & STORE_EXACT));
        if (!inner) {
                real_append(w, e ? e->name : name);
                w->p.dir = dir;
                w->p.entry = e;
                w->p.name = name;
        }
        *ret = e ? e->node : NULL;
        bool stop = last && !inner && (w->flags & STORE_NOFOLLOW);
        if (!e || e->node->attr.kind != STORE_SYMLINK || stop)
                return FS_OK;
        return follow(w, dir, e->node, ret);
}

/* inner: the path is a link's text. Cuts `path` into pieces. */
static enum fs_err walk_from(struct walk *w, struct mem_node *dir, char *path, bool inner,
                             struct mem_node **ret)
{
        *ret = dir;
        for (char *name = path; *name;) {
                if (inner && *name == '/') { /* links may have doubled and trailing slashes */
                        name++;
                        continue;
                }
                char *slash = strchr(name, '/');
                if (slash)
                        *slash = 0;
                enum fs_err e = step(w, dir, name, !slash, inner, ret);
                if (e)
                        return e;
                if (!slash)
                        return FS_OK;
                if (!*ret || (*ret)->attr.kind != STORE_DIR)
                        return inner ? FS_NOT_FOUND : FS_PATH_NOT_FOUND;
                dir = *ret;
                *slash = '/';
                name = slash + 1;
        }
        return FS_OK;
}

enum fs_err mem_walk(struct mem_node *root, const char *path, unsigned flags, struct mem_place *ret)
{
        struct walk w = {.root = root, .flags = flags, .p = {.dir = root, .name = ""}};
        size_t n = strlen(path);
        AUTO_FREE char *copy = strdup(path);
        /* another spelling may be longer: cased letters have 1 to 4 bytes */
        w.p.real_path = calloc(1, n * 4 + 2);
        if (!copy || !w.p.real_path) {
                free(w.p.real_path);
                return FS_NO_MEMORY;
        }
        enum fs_err e = walk_from(&w, root, copy, false, &w.p.node);
        if (e) {
                free(w.p.real_path);
                return e;
        }
        const char *slash = strrchr(path, '/');
        w.p.name = slash ? slash + 1 : path;
        *ret = w.p;
        return FS_OK;
}

enum fs_err mem_follow(struct mem_node *root, struct mem_node *dir, const char *name,
                       struct mem_place *ret)
{
        struct walk w = {.root = root};
        AUTO_FREE char *copy = strdup(name);
        return copy ? walk_from(&w, dir, copy, true, &ret->node) : FS_NO_MEMORY;
}

void mem_place_fini(struct mem_place *p)
{
        free(p->real_path);
        p->real_path = NULL;
}
