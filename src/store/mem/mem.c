/* See mem.h. The operations of store.h on the tree of tree.c; each takes the volume's mutex once.
 */
#include "store/mem/mem.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/mem/streams.h"
#include "store/mem/volume.h"

struct mem_dir {
        struct mem_store *s;
        struct mem_node *node; /* one reference */
        size_t n, at;          /* at: next to give; at-1 the current */
        struct store_entry *entries;
};

static void fill_attr(const struct mem_node *n, struct store_attr *ret)
{
        *ret = n->attr;
        ret->alloc_bytes = (uint64_t)n->pages.used * MEM_PAGE_BYTES;
}

static void fill_attr_of(const struct mem_file *f, struct store_attr *ret)
{
        fill_attr(f->node, ret);
        if (f->data == f->node)
                return;
        ret->kind = STORE_FILE;
        ret->size = f->data->attr.size;
        ret->alloc_bytes = (uint64_t)f->data->pages.used * MEM_PAGE_BYTES;
        ret->stream_id = f->data->attr.ino;
}

static void mem_free(struct store *st)
{
        struct mem_store *s = mem_store_of(st);
        if (!s)
                return;
        mem_node_unref(s->root);
        (void)pthread_mutex_destroy(&s->lock);
        free(s);
}

/* ---- opening -------------------------------------------------------------------------------- */

static enum fs_err make(struct mem_store *s, struct mem_place *p, const struct store_cred *cred,
                        const struct store_open *q)
{
        struct mem_node *n =
                mem_node_new(q->flags & STORE_MUST_DIR ? STORE_DIR : STORE_FILE, s->next_ino++);
        if (!n)
                return FS_NO_MEMORY;
        n->attr.mode = q->mode & 07777;
        n->attr.dos = q->dos & STORE_DOS_KEPT;
        n->attr.uid = cred ? cred->uid : 0;
        n->attr.gid = cred ? cred->gid : 0;
        enum fs_err e = q->sd.n ? mem_keep_sd(n, q->sd) : FS_OK;
        if (!e)
                e = mem_entry_add(p->dir, p->name, n);
        p->node = e ? NULL : n;
        mem_node_unref(n); /* the entry holds it now */
        return e;
}

static enum fs_err check_kind(const struct mem_node *n, unsigned flags)
{
        if ((flags & STORE_MUST_DIR) && n->attr.kind != STORE_DIR)
                return FS_NOT_DIR;
        if ((flags & STORE_MUST_FILE) && n->attr.kind == STORE_DIR)
                return FS_IS_DIR;
        return FS_OK;
}

static enum fs_err open_place(struct mem_store *s, struct mem_place *p,
                              const struct store_cred *cred, const struct store_open *q,
                              struct store_opened *ret)
{
        bool there = p->entry || p->node; /* the root has a node alone, a dangling link an entry */
        if (there && (q->flags & STORE_CREATE) && (q->flags & STORE_EXCL))
                return FS_EXISTS;
        if ((there && !p->node) || (!there && !(q->flags & STORE_CREATE)))
                return FS_NOT_FOUND;
        enum fs_err e = there ? check_kind(p->node, q->flags) : FS_OK;
        if (e)
                return e;
        if (strlen(p->name) > 255)
                return FS_TOO_LONG;
        struct mem_file *f = calloc(1, sizeof *f);
        if (!f)
                return FS_NO_MEMORY;
        e = there ? FS_OK : make(s, p, cred, q);
        if (e) {
                free(f);
                return e;
        }
        f->head.store = &s->store;
        f->node = f->data = p->node;
        f->flags = q->flags;
        p->node->refs++;
        *ret = (struct store_opened){.file = (struct store_file *)(void *)f,
                                     .created = !there,
                                     .real_path = p->real_path};
        p->real_path = NULL; /* the caller's now */
        fill_attr(f->node, &ret->attr);
        return FS_OK;
}

static void close_locked(struct mem_file *f)
{
        if (f->data != f->node)
                mem_node_unref(f->data);
        mem_node_unref(f->node);
        free(f);
}

/* From the file to its stream: ret is of the file just opened. */
static enum fs_err enter_stream(struct mem_store *s, const struct store_open *q,
                                struct store_opened *ret)
{
        struct mem_file *f = mem_file_of(ret->file);
        if (f->node->attr.kind != STORE_FILE && f->node->attr.kind != STORE_DIR)
                return FS_DENIED;
        struct mem_node *n = mem_stream_find(f->node, q->stream, q->flags & STORE_EXACT);
        bool make_one = !n && q->flags & STORE_CREATE;
        if (n && q->flags & STORE_CREATE && q->flags & STORE_EXCL)
                return FS_EXISTS;
        if (!n && !make_one)
                return FS_NOT_FOUND;
        if (strlen(q->stream) > 255 || !*q->stream)
                return *q->stream ? FS_TOO_LONG : FS_BAD_NAME;
        if (!(ret->real_stream = strdup(n ? n->stream_name : q->stream)))
                return FS_NO_MEMORY;
        if (make_one && !(n = mem_stream_add(f->node, q->stream, s->next_ino++)))
                return FS_NO_MEMORY;
        n->refs++;
        f->data = n;
        f->flags = q->flags;
        ret->created = make_one;
        fill_attr_of(f, &ret->attr);
        return FS_OK;
}

static enum fs_err open_stream(struct mem_store *s, struct mem_place *p,
                               const struct store_cred *cred, const struct store_open *q,
                               struct store_opened *ret)
{
        struct store_open file = *q;
        if (q->flags & STORE_MUST_DIR)
                return FS_NOT_DIR;
        file.flags &= ~(unsigned)(STORE_EXCL | STORE_MUST_FILE);
        enum fs_err e = open_place(s, p, cred, &file, ret);
        if (e)
                return e;
        bool made = ret->created;
        e = enter_stream(s, q, ret);
        if (!e)
                return FS_OK;
        if (made)
                mem_entry_remove(p->dir, mem_entry_find(p->dir, p->name, true));
        close_locked(mem_file_of(ret->file));
        free(ret->real_path);
        free(ret->real_stream);
        return e;
}

static enum fs_err mem_open(struct store *st, const struct store_cred *cred,
                            const struct store_open *q, unsigned how, struct store_opened *ret)
{
        (void)how; /* memory never waits */
        LOCKED s = lock_store(st);
        struct mem_place p;
        struct store_opened so;
        enum fs_err e = mem_walk(s->root, q->path, q->flags, &p);
        if (e)
                return e;
        e = q->stream ? open_stream(s, &p, cred, q, &so) : open_place(s, &p, cred, q, &so);
        mem_place_fini(&p);
        if (!e)
                *ret = so;
        return e;
}

static void mem_close(struct store_file *sf)
{
        if (!sf)
                return;
        LOCKED s = lock_store(mem_file_of(sf)->head.store);
        (void)s; /* held for what follows */
        close_locked(mem_file_of(sf));
}

/* ---- attributes ----------------------------------------------------------------------------- */

static enum fs_err mem_attr(struct store_file *sf, struct store_attr *ret)
{
        LOCKED_FILE f = lock_file(sf);
        fill_attr_of(f, ret);
        return FS_OK;
}

static enum fs_err mem_set_attr(struct store_file *sf, const struct store_cred *cred, unsigned what,
                                const struct store_attr *a)
{
        (void)cred;
        LOCKED_FILE f = lock_file(sf);
        struct store_attr *to = &f->node->attr;
        if (what & STORE_SET_BTIME)
                to->btime_ft = a->btime_ft;
        if (what & STORE_SET_ATIME)
                to->atime_ft = a->atime_ft;
        if (what & STORE_SET_MTIME)
                to->mtime_ft = a->mtime_ft;
        if (what & STORE_SET_DOS)
                to->dos = a->dos & STORE_DOS_KEPT;
        if (what & STORE_SET_MODE)
                to->mode = a->mode & 07777;
        if ((what & STORE_SET_OWNER) && a->uid != (uid_t)-1)
                to->uid = a->uid;
        if ((what & STORE_SET_GROUP) && a->gid != (gid_t)-1)
                to->gid = a->gid;
        to->ctime_ft = clock_now_ft();
        return FS_OK;
}

/* ---- data ----------------------------------------------------------------------------------- */

/* Data may be touched with one of `need` (READ, WRITE) granted at open. */
static enum fs_err check_data(const struct mem_file *f, unsigned need)
{
        if (f->data->attr.kind == STORE_DIR)
                return FS_IS_DIR;
        return f->data->attr.kind == STORE_FILE && (f->flags & need) ? FS_OK : FS_DENIED;
}

/* Times are the file's, also when a stream of it was written. */
static void touch(struct mem_file *f)
{
        f->node->attr.mtime_ft = f->node->attr.ctime_ft = clock_now_ft();
}

static enum fs_err mem_read(struct store_file *sf, void *p, size_t n, uint64_t off, unsigned how,
                            size_t *ret_n)
{
        (void)how;
        LOCKED_FILE f = lock_file(sf);
        enum fs_err e = check_data(f, STORE_READ);
        if (e)
                return e;
        uint64_t left = off < f->data->attr.size ? f->data->attr.size - off : 0;
        *ret_n = n < left ? n : (size_t)left;
        mem_pages_read(&f->data->pages, p, *ret_n, off);
        return FS_OK;
}

static enum fs_err write_node(struct mem_file *f, const void *p, size_t len, uint64_t off)
{
        struct mem_node *n = f->data;
        if (len == 0)
                return FS_OK;
        enum fs_err e = mem_pages_reserve(&n->pages, len, off);
        if (e)
                return e;
        mem_pages_write(&n->pages, p, len, off);
        if (off + len > n->attr.size)
                n->attr.size = off + len;
        touch(f);
        return FS_OK;
}

static enum fs_err mem_write(struct store_file *sf, const void *p, size_t n, uint64_t off,
                             unsigned how)
{
        (void)how;
        LOCKED_FILE f = lock_file(sf);
        enum fs_err e = check_data(f, STORE_WRITE);
        return e ? e : write_node(f, p, n, off);
}

static enum fs_err mem_resize(struct store_file *sf, uint64_t size)
{
        LOCKED_FILE f = lock_file(sf);
        enum fs_err e = check_data(f, STORE_WRITE);
        if (e)
                return e;
        if (size > MEM_FILE_MAX_BYTES)
                return FS_TOO_BIG;
        mem_pages_punch(&f->data->pages, size, UINT64_MAX - size);
        f->data->attr.size = size;
        touch(f);
        return FS_OK;
}

static enum fs_err mem_allocate(struct store_file *sf, uint64_t off, uint64_t len,
                                enum store_alloc kind)
{
        LOCKED_FILE f = lock_file(sf);
        enum fs_err e = check_data(f, STORE_WRITE);
        if (e || len == 0)
                return e;
        if (kind == STORE_ALLOC_RESERVE) {
                if (len > MEM_FILE_MAX_BYTES)
                        return FS_TOO_BIG;
                return mem_pages_reserve(&f->data->pages, (size_t)len, off);
        }
        mem_pages_punch(&f->data->pages, off, len);
        if (kind == STORE_ALLOC_ZERO && off < f->data->attr.size) {
                uint64_t left = f->data->attr.size - off;
                e = mem_pages_reserve(&f->data->pages, (size_t)(len < left ? len : left), off);
        }
        touch(f);
        return e;
}

static enum fs_err mem_ranges(struct store_file *sf, uint64_t off, uint64_t len,
                              struct store_range *r, size_t cap, size_t *ret_n)
{
        LOCKED_FILE f = lock_file(sf);
        enum fs_err e = check_data(f, STORE_READ | STORE_WRITE);
        if (e)
                return e;
        uint64_t size = f->data->attr.size;
        uint64_t end = off < size && len < size - off ? off + len : size;
        size_t n = 0;
        while (off < end && (off = mem_pages_seek(&f->data->pages, off, end, true)) < end) {
                uint64_t hole = mem_pages_seek(&f->data->pages, off, end, false);
                if (n == cap)
                        return *ret_n = n, FS_BUFFER_SMALL;
                r[n++] = (struct store_range){.off = off, .len = hole - off};
                off = hole;
        }
        *ret_n = n;
        return FS_OK;
}

static enum fs_err mem_copy(struct store_file *from, uint64_t off, struct store_file *to,
                            uint64_t to_off, uint64_t len, uint64_t *ret_n)
{
        LOCKED_FILE f = lock_file(from);
        const struct mem_node *src = f->data;
        enum fs_err e = check_data(f, STORE_READ);
        if (!e)
                e = check_data(mem_file_of(to), STORE_WRITE);
        if (e)
                return e;
        uint64_t left = off < src->attr.size ? src->attr.size - off : 0;
        size_t n = (size_t)(len < left ? len : left);
        AUTO_FREE uint8_t *copy = malloc(n ? n : 1);
        if (!copy)
                return FS_NO_MEMORY;
        mem_pages_read(&src->pages, copy, n, off);
        e = write_node(mem_file_of(to), copy, n, to_off);
        if (!e)
                *ret_n = n;
        return e;
}

static enum fs_err mem_sync(struct store_file *sf)
{
        (void)sf; /* as lasting as it will ever be */
        return FS_OK;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* `path` must still lead to f by its last component itself or the link there. */
static enum fs_err find_source(struct mem_store *s, const struct mem_file *f, const char *path,
                               struct mem_place *ret)
{
        enum fs_err e = mem_walk(s->root, path, STORE_EXACT, ret);
        if (e)
                return FS_STALE;
        bool same = ret->entry && (ret->node == f->node || ret->entry->node == f->node);
        if (same)
                return FS_OK;
        mem_place_fini(ret);
        return ret->node && !ret->entry && ret->node == f->node ? FS_DENIED /* the root */
                                                                : FS_STALE;
}

/* The new name's place; what stands in the way is removed when `replace`. */
static enum fs_err clear_target(struct mem_place *to, const struct mem_entry *source, bool replace)
{
        if (strlen(to->name) > 255)
                return FS_TOO_LONG;
        if (to->name[0] == 0)
                return FS_EXISTS; /* the root */
        if (!to->entry || to->entry == source)
                return FS_OK;
        if (!replace)
                return FS_EXISTS;
        if (to->entry->node->attr.kind == STORE_DIR)
                return FS_DENIED;
        mem_entry_remove(to->dir, to->entry);
        to->entry = NULL;
        return FS_OK;
}

static bool is_below(const struct mem_node *dir, const struct mem_node *top)
{
        while (dir != top && dir->parent != dir)
                dir = dir->parent;
        return dir == top;
}

static enum fs_err rename_place(struct mem_place *from, struct mem_place *to, bool replace)
{
        struct mem_node *n = from->entry->node;
        if (n->attr.kind == STORE_DIR && is_below(to->dir, n))
                return FS_INVALID;
        n->refs++; /* over the moment without an entry */
        enum fs_err e = clear_target(to, from->entry, replace);
        if (!e)
                e = mem_entry_add(to->dir, to->name, n);
        if (!e) {
                mem_entry_remove(from->dir, from->entry);
                if (n->attr.kind == STORE_DIR)
                        n->parent = to->dir;
                n->attr.ctime_ft = clock_now_ft();
        }
        mem_node_unref(n);
        return e;
}

/* The real path of a new name: the parent as spelled on disk, the name as given. */
static char *new_path(const struct mem_place *to)
{
        char *p = strdup(to->real_path);
        size_t n = strlen(to->name);
        const char *slash = p ? strrchr(p, '/') : NULL;
        size_t dir = slash ? (size_t)(slash - p) + 1 : 0;
        char *ret = p ? malloc(dir + n + 1) : NULL;
        if (ret) {
                memcpy(ret, p, dir);
                memcpy(ret + dir, to->name, n + 1);
        }
        free(p);
        return ret;
}

static enum fs_err mem_rename(struct store *st, const struct store_cred *cred,
                              struct store_file *sf, const char *path, const char *to_path,
                              bool replace, char **ret_path)
{
        (void)cred;
        LOCKED s = lock_store(st);
        struct mem_place from, to;
        if (mem_file_of(sf)->data != mem_file_of(sf)->node)
                return FS_INVALID;
        enum fs_err e = find_source(s, mem_file_of(sf), path, &from);
        if (e)
                return e;
        e = mem_walk(s->root, to_path, STORE_NOFOLLOW, &to);
        if (!e) {
                char *ret = new_path(&to);
                e = ret ? rename_place(&from, &to, replace) : FS_NO_MEMORY;
                if (e)
                        free(ret);
                else
                        *ret_path = ret;
                mem_place_fini(&to);
        }
        mem_place_fini(&from);
        return e;
}

static enum fs_err mem_link(struct store *st, const struct store_cred *cred, struct store_file *sf,
                            const char *path, const char *to_path, bool replace)
{
        (void)cred;
        LOCKED s = lock_store(st);
        struct mem_place from, to;
        struct mem_node *n = mem_file_of(sf)->node;
        if (mem_file_of(sf)->data != n)
                return FS_INVALID;
        if (n->attr.kind == STORE_DIR)
                return FS_IS_DIR;
        enum fs_err e = find_source(s, mem_file_of(sf), path, &from);
        if (e)
                return e;
        mem_place_fini(&from);
        e = mem_walk(s->root, to_path, STORE_NOFOLLOW, &to);
        if (e)
                return e;
        e = to.entry && to.entry->node == n && !replace ? FS_EXISTS
                                                        : clear_target(&to, NULL, replace);
        if (!e)
                e = mem_entry_add(to.dir, to.name, n);
        mem_place_fini(&to);
        return e;
}

static enum fs_err mem_remove(struct store *st, const struct store_cred *cred,
                              struct store_file *sf, const char *path)
{
        (void)cred;
        LOCKED s = lock_store(st);
        struct mem_place p;
        struct mem_file *f = mem_file_of(sf);
        if (f->data != f->node) {
                mem_stream_remove(f->node, f->data);
                f->node->attr.ctime_ft = clock_now_ft();
                return FS_OK;
        }
        enum fs_err e = find_source(s, f, path, &p);
        if (e)
                return e;
        if (p.entry->node->nentries > 0)
                e = FS_NOT_EMPTY;
        else
                mem_entry_remove(p.dir, p.entry);
        mem_place_fini(&p);
        return e;
}

enum fs_err store_mem_symlink(struct store *st, const char *path, const char *target)
{
        LOCKED s = lock_store(st);
        struct mem_place p;
        enum fs_err e = mem_walk(s->root, path, STORE_EXACT | STORE_NOFOLLOW, &p);
        if (e)
                return e;
        struct mem_node *n = mem_node_new(STORE_SYMLINK, s->next_ino++);
        if (n)
                n->target = strdup(target);
        if (p.node)
                e = FS_EXISTS;
        else
                e = n && n->target ? mem_entry_add(p.dir, p.name, n) : FS_NO_MEMORY;
        if (n)
                n->attr.size = strlen(target);
        mem_node_unref(n);
        mem_place_fini(&p);
        return e;
}

/* ---- listing -------------------------------------------------------------------------------- */

static void mem_dir_close(struct store_dir *sd)
{
        struct mem_dir *d = (struct mem_dir *)(void *)sd; /* NOLINT: the backend's own */
        if (!d)
                return;
        LOCKED s = lock_store(&d->s->store);
        (void)s; /* held for what follows */
        for (size_t i = 0; i < d->n; i++)
                free((char *)d->entries[i].name);
        free(d->entries);
        mem_node_unref(d->node);
        free(d);
}

/* A pass sees the names there were when it began. */
static bool snapshot(struct mem_dir *d)
{
        d->entries = calloc(d->node->nentries + 1, sizeof *d->entries);
        if (!d->entries)
                return false;
        list_each (&d->node->entries, it) {
                struct mem_entry *e = list_entry(it, struct mem_entry, link);
                struct store_entry *to = &d->entries[d->n];
                *to = (struct store_entry){.name = strdup(e->name), .ino = e->node->attr.ino};
                if (!to->name)
                        return false;
                d->n++;
        }
        return true;
}

static enum fs_err mem_dir_open(struct store_file *sf, struct store_dir **ret)
{
        struct mem_dir *d = calloc(1, sizeof *d);
        if (!d)
                return FS_NO_MEMORY;
        bool ok, is_dir;
        {
                LOCKED_FILE f = lock_file(sf);
                d->s = mem_store_of(f->head.store);
                d->node = f->node;
                d->node->refs++;
                is_dir = f->data->attr.kind == STORE_DIR;
                ok = is_dir && (f->flags & (STORE_READ | STORE_WRITE)) && snapshot(d);
        }
        if (!ok) {
                enum fs_err e = !is_dir ? FS_NOT_DIR : d->entries ? FS_NO_MEMORY : FS_DENIED;
                mem_dir_close((struct store_dir *)(void *)d);
                return e;
        }
        *ret = (struct store_dir *)(void *)d;
        return FS_OK;
}

static enum fs_err mem_dir_next(struct store_dir *sd, struct store_entry *ret)
{
        struct mem_dir *d = (struct mem_dir *)(void *)sd; /* NOLINT: the backend's own */
        if (d->at == d->n)
                return FS_NO_MORE;
        *ret = d->entries[d->at++];
        return FS_OK;
}

static enum fs_err mem_dir_attr(struct store_dir *sd, struct store_attr *ret)
{
        struct mem_dir *d = (struct mem_dir *)(void *)sd; /* NOLINT: the backend's own */
        if (d->at == 0)
                return FS_INVALID;
        LOCKED s = lock_store(&d->s->store);
        struct mem_entry *e = mem_entry_find(d->node, d->entries[d->at - 1].name, true);
        if (!e)
                return FS_NOT_FOUND;
        struct mem_node *n = e->node;
        struct mem_place p = {0};
        if (n->attr.kind == STORE_SYMLINK) /* shown as what it leads to, if that lies inside */
                if (mem_follow(s->root, d->node, e->name, &p) == FS_OK && p.node)
                        n = p.node;
        fill_attr(n, ret);
        mem_place_fini(&p);
        return FS_OK;
}

static enum fs_err mem_space(struct store *st, struct store_space *ret)
{
        uint64_t total = (uint64_t)MEM_FILE_MAX_PAGES * MEM_PAGE_BYTES;
        *ret = (struct store_space){.total_bytes = total,
                                    .free_bytes = total,
                                    .avail_bytes = total,
                                    .block_bytes = 4096,
                                    .serial = mem_store_of(st)->serial,
                                    .name_max = 255};
        return FS_OK;
}

static const struct store_ops ops = {
        .name = "mem",
        .free = mem_free,
        .open = mem_open,
        .close = mem_close,
        .attr = mem_attr,
        .set_attr = mem_set_attr,
        .read = mem_read,
        .write = mem_write,
        .resize = mem_resize,
        .allocate = mem_allocate,
        .ranges = mem_ranges,
        .copy = mem_copy,
        .sync = mem_sync,
        .rename = mem_rename,
        .link = mem_link,
        .remove = mem_remove,
        .dir_open = mem_dir_open,
        .dir_next = mem_dir_next,
        .dir_attr = mem_dir_attr,
        .dir_close = mem_dir_close,
        .xattr_get = mem_xattr_get,
        .xattr_set = mem_xattr_set,
        .xattr_list = mem_xattr_list,
        .sd_get = mem_sd_get,
        .sd_set = mem_sd_set,
        .stream_list = mem_stream_list,
        .stream_rename = mem_rename_stream,
        .space = mem_space,
};

struct store *store_mem_new(void)
{
        struct mem_store *s = calloc(1, sizeof *s);
        struct mem_node *root = mem_node_new(STORE_DIR, 1);
        if (!s || !root || pthread_mutex_init(&s->lock, NULL) != 0) {
                mem_node_unref(root);
                free(s);
                return NULL;
        }
        root->attr.mode = 0755;
        root->attr.nlink = 1;
        s->root = root;
        s->next_ino = 2;
        s->serial = (uint64_t)clock_now_ft();
        s->store = (struct store){.ops = &ops,
                                  .caps = STORE_CAP_SPARSE | STORE_CAP_XATTR | STORE_CAP_SD |
                                          STORE_CAP_STREAMS};
        return &s->store;
}
