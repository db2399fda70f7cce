/* Named streams, [MS-FSA] 2.1.5.1.2: opening, listing, renaming them.
 *
 * An open of a stream has a node of its own, with share modes, locks and deletion of its own, and
 * holds an anchor: an open of the file itself that nobody sees. The anchor was granted what the
 * stream's open is granted; it keeps the file's name alive and follows it through renames, meets
 * whoever deletes the file, and goes with the stream's open. Always on workers. */
#include "fs/access.h"
#include "fs/name.h"
#include "fs/open.h"
#include "fs/share.h"

#include "base/utf16.h"

enum { MAX_TURNS = 16 };

struct stream_opening {
        const struct opening *g;
        struct fs_open *base; /* one reference */
        bool made_base;
        bool made; /* the stream was not there */
        unsigned flags;
        uint64_t writers_left; /* before it was looked for */
        struct store_opened so;
};

/* [MS-FSA] 2.1.5.1.2: of a named stream only the data is replaced. */
static uint32_t also_needed(enum fs_disposition d)
{
        return d == FS_SUPERSEDE ? FS_DELETE : open_overwrites(d) ? FS_WRITE_DATA : 0;
}

static enum fs_err open_base(struct stream_opening *s)
{
        struct fs_open_req q = *s->g->q;
        struct opening g = *s->g;
        struct fs_opened ret;
        bool must_be = q.disposition == FS_OPEN || q.disposition == FS_OVERWRITE;
        g.q = &q;
        g.anchor = true;
        g.also = also_needed(q.disposition);
        q.stream = NULL;
        q.disposition = must_be ? FS_OPEN : FS_OPEN_IF;
        q.options &= ~(unsigned)(FS_OPT_DELETE_ON_CLOSE | FS_OPT_FILE);
        q.alloc_bytes = 0;
        q.want_grant = 0;
        q.grant_key = NULL;
        enum fs_err e = open_turns(&g, &ret);
        if (e)
                return e;
        s->base = ret.open;
        s->made_base = ret.action == FS_CREATED;
        if (s->g->q->options & FS_OPT_DELETE_ON_CLOSE && ret.attr.dos & STORE_DOS_READONLY)
                return FS_CANNOT_DELETE;
        return ret.attr.symlink ? FS_DENIED : FS_OK;
}

/* A new stream is a change of its file, whatever the opener asked for. */
static enum fs_err may_add(const struct stream_opening *s)
{
        struct store_attr a;
        struct fs_open *b = s->base;
        uint32_t granted;
        bool may_write;
        if (s->made_base || b->access & FS_WRITE_DATA)
                return FS_OK;
        AUTO_FREE char *path = open_path_new(b);
        enum fs_err e = path ? store_file_ops(b->file)->attr(b->file, &a) : FS_NO_MEMORY;
        if (e)
                return e;
        struct access_question q = {.v = b->vol,
                                    .cred = b->cred,
                                    .path = path,
                                    .file = b->file,
                                    .node = b->node,
                                    .attr = &a,
                                    .want = FS_WRITE_DATA,
                                    .backup = b->options & FS_OPT_BACKUP,
                                    .can_read = true,
                                    .can_write = true};
        return access_decide(&q, &granted, &may_write);
}

static enum fs_err store_open_stream(struct stream_opening *s, unsigned making)
{
        const struct opening *g = s->g;
        AUTO_FREE char *path = open_path_new(s->base);
        if (!path)
                return FS_NO_MEMORY;
        struct store_open q = {.path = path, .stream = g->q->stream, .flags = s->flags | making};
        struct store *st = g->v->store;
        enum fs_err e = st->ops->open(st, cred_of_store(g->cred), &q, 0, &s->so);
        if (e)
                return e;
        if (s->so.attr.dev == s->base->node->dev && s->so.attr.ino == s->base->node->ino)
                return FS_OK;
        st->ops->close(s->so.file); /* somebody beside us put another file there */
        free(s->so.real_path);
        free(s->so.real_stream);
        return FS_STALE;
}

static enum fs_err find_or_make(struct stream_opening *s)
{
        enum fs_disposition d = s->g->q->disposition;
        enum fs_err e = d == FS_CREATE ? FS_NOT_FOUND : store_open_stream(s, 0);
        if (e != FS_NOT_FOUND || d == FS_OPEN || d == FS_OVERWRITE)
                return e;
        e = may_add(s);
        if (!e)
                e = store_open_stream(s, STORE_CREATE | STORE_EXCL);
        s->made = !e;
        return e;
}

static unsigned store_flags(const struct stream_opening *s)
{
        const struct fs_open_req *q = s->g->q;
        unsigned f = q->options & FS_OPT_CASE_SENSITIVE ? STORE_EXACT : 0;
        if (s->base->access & (FS_READ_DATA | FS_EXECUTE))
                f |= STORE_READ;
        if (s->base->access & (FS_WRITE_DATA | FS_APPEND_DATA) || open_overwrites(q->disposition))
                f |= STORE_WRITE;
        return f;
}

static enum fs_err enter(struct stream_opening *s, struct fs_open *o)
{
        const struct fs_open_req *q = s->g->q;
        enum fs_err e = open_enter_node(o, s->so.real_stream, also_needed(q->disposition));
        if (e)
                return e;
        if (!s->made && open_overwrites(q->disposition))
                e = store_file_ops(o->file)->resize(o->file, 0);
        if (!e && (s->made || open_overwrites(q->disposition))) {
                attr_mark_changed(o);
                e = store_file_ops(o->file)->attr(o->file, &s->so.attr);
        }
        return e ? e : open_look_again(o, s->writers_left, &s->so.attr);
}

/* Takes so.file and the base. */
static struct fs_open *wrap(struct stream_opening *s)
{
        const struct opening *g = s->g;
        struct fs_open *o = open_new(g, &s->so, s->flags);
        if (!o)
                return NULL;
        o->file_id = s->base->file_id;
        o->access = s->base->access;
        o->share = s->base->share;
        o->overwrites = !s->made && open_overwrites(g->q->disposition);
        o->base = s->base;
        s->base = NULL;
        return o;
}

static enum fs_action action_of(const struct stream_opening *s)
{
        enum fs_disposition d = s->g->q->disposition;
        if (s->made)
                return FS_CREATED;
        return d == FS_SUPERSEDE ? FS_SUPERSEDED : open_overwrites(d) ? FS_OVERWRITTEN : FS_OPENED;
}

static enum fs_err finish(struct stream_opening *s, struct fs_opened *ret)
{
        struct fs_open *o = wrap(s);
        if (!o)
                return FS_NO_MEMORY;
        enum fs_err e = enter(s, o);
        if (e) {
                if (s->made && e != FS_SHARING && e != FS_DELETE_PENDING &&
                    e != FS_PARKED) /* nobody else has it */
                        (void)s->g->v->store->ops->remove(s->g->v->store, NULL, o->file, "");
                o->base->delete_on_close = s->made_base;
                fs_open_unref(o);
                return e;
        }
        o->delete_on_close = s->g->q->options & FS_OPT_DELETE_ON_CLOSE;
        *ret = (struct fs_opened){.open = o, .action = action_of(s)};
        attr_show(s->g->v, &s->so.attr, s->so.real_path, &ret->attr);
        return FS_OK;
}

static enum fs_err one_turn(struct stream_opening *s, struct fs_opened *ret)
{
        enum fs_err e = open_base(s);
        if (!e) {
                s->flags = store_flags(s);
                s->writers_left = atomic_load(&s->g->v->fs->writers_left);
                e = find_or_make(s);
        }
        if (!e) {
                char *path = s->so.real_path, *stream = s->so.real_stream;
                e = finish(s, ret);
                free(path);
                free(stream);
        }
        if (s->base) {                                   /* still ours: the stream was not opened */
                s->base->delete_on_close = s->made_base; /* what was made for it goes again */
                (void)fs_close(s->base, 0);              /* the first error counts */
                fs_open_unref(s->base);
        }
        return e;
}

static enum fs_err check_request(const struct opening *g)
{
        bool has = g->v->config.streams && g->v->store->caps & STORE_CAP_STREAMS;
        enum fs_err e = has ? name_check_stream(g->q->stream) : FS_BAD_NAME;
        if (!e && g->q->options & FS_OPT_DIR)
                e = FS_NOT_DIR; /* [MS-FSA] 2.1.5.1: a directory stream has no name */
        return e;
}

enum fs_err open_stream(const struct opening *g, struct fs_opened *ret)
{
        enum fs_err e = check_request(g);
        if (!e && g->how & FS_NOWAIT)
                e = FS_AGAIN;
        if (e)
                return e;
        e = FS_EXISTS;
        for (int i = 0; i < MAX_TURNS && e == FS_EXISTS; i++) {
                struct stream_opening s = {.g = g};
                e = one_turn(&s, ret);
                if (g->q->disposition == FS_CREATE)
                        break; /* else somebody was faster: then it is there to be opened */
        }
        return e;
}

/* ---- all streams of a file ---- */

enum fs_err fs_list_streams(struct fs_open *o,
                            bool (*cb)(void *ctx, const char *name, uint64_t size,
                                       uint64_t alloc_bytes),
                            void *ctx)
{
        struct fs_open *file = open_of_file(o);
        const struct store_ops *ops = store_file_ops(file->file);
        struct store_attr a;
        enum fs_err e = open_check(o, 0);
        if (!e)
                e = ops->attr(file->file, &a);
        if (e || (a.kind == STORE_FILE && !cb(ctx, "", a.size, a.alloc_bytes)))
                return e;
        return o->vol->config.streams && ops->stream_list ? ops->stream_list(file->file, cb, ctx)
                                                          : FS_OK;
}

struct stream_names {
        char **name;
        size_t n;
        bool failed;
};

static bool collect(void *ctx, const char *name, uint64_t size, uint64_t alloc_bytes)
{
        struct stream_names *c = ctx;
        (void)size;
        (void)alloc_bytes;
        char **more = reallocarray(c->name, c->n + 1, sizeof(char *));
        if (more)
                c->name = more;
        char *copy = more ? strdup(name) : NULL;
        c->failed = !copy;
        if (copy)
                c->name[c->n++] = copy;
        return copy;
}

static bool is_open(struct fs *f, const struct store_attr *a)
{
        struct node *n = node_get(f, a);
        if (!n)
                return true; /* without memory nothing is replaced or removed */
        pthread_mutex_lock(&n->mutex);
        bool open = !list_empty(&n->opens);
        pthread_mutex_unlock(&n->mutex);
        node_put(n);
        return open;
}

/* One stream goes, unless somebody has it open. */
static enum fs_err drop_one(struct fs_open *o, const char *path, const char *name)
{
        struct store *s = o->vol->store;
        struct store_open q = {.path = path, .stream = name, .flags = STORE_EXACT};
        struct store_opened so;
        enum fs_err e = s->ops->open(s, NULL, &q, 0, &so);
        if (e)
                return e == FS_NOT_FOUND ? FS_OK : e;
        bool ours = so.attr.dev == o->node->dev && so.attr.ino == o->node->ino;
        if (ours && !is_open(o->vol->fs, &so.attr))
                e = s->ops->remove(s, NULL, so.file, so.real_path);
        s->ops->close(so.file);
        free(so.real_path);
        free(so.real_stream);
        return e == FS_STALE ? FS_OK : e;
}

enum fs_err open_drop_streams(struct fs_open *o)
{
        const struct store_ops *ops = store_file_ops(o->file);
        struct stream_names c = {0};
        if (!o->vol->config.streams || !ops->stream_list)
                return FS_OK;
        enum fs_err e = ops->stream_list(o->file, collect, &c);
        if (!e && c.failed)
                e = FS_NO_MEMORY;
        AUTO_FREE char *path = c.n ? open_path_new(o) : NULL;
        if (!e && c.n && !path)
                e = FS_NO_MEMORY;
        for (size_t i = 0; i < c.n; i++) {
                if (!e)
                        e = drop_one(o, path, c.name[i]);
                free(c.name[i]);
        }
        free(c.name);
        return e;
}

/* ---- renaming, [MS-FSA] 2.1.5.15.12.1 ---- */

/* What has the name now makes room only when it is empty and nobody has it open. */
static enum fs_err check_target(struct fs_open *o, const char *path, const char *to, bool replace)
{
        struct store *s = o->vol->store;
        struct store_open q = {.path = path, .stream = to};
        struct store_opened t;
        enum fs_err e = s->ops->open(s, NULL, &q, 0, &t);
        if (e)
                return e == FS_NOT_FOUND ? FS_OK : e;
        if (t.attr.stream_id != o->node->stream_id) {
                if (!replace)
                        e = FS_EXISTS;
                else if (t.attr.size > 0 || is_open(o->vol->fs, &t.attr))
                        e = FS_INVALID;
        }
        s->ops->close(t.file);
        free(t.real_path);
        free(t.real_stream);
        return e;
}

static enum fs_err check_rename(struct fs_open *o, const char *to)
{
        enum fs_err e = open_check(o, FS_DELETE);
        if (e)
                return e;
        if (!o->base) /* stores keep the unnamed stream and the named ones in different places */
                return o->node->dir ? FS_INVALID : FS_UNSUPPORTED;
        if (!*to)
                return FS_UNSUPPORTED;
        e = name_check_stream(to);
        return !e && open_delete_pending(o) ? FS_DENIED : e;
}

/* A target by path is opened as a directory would be, to add something, sharing reading and writing
 * ([MS-FSA] 2.1.5.15.12). o may delete, or it could not be renamed: on its own file the two exclude
 * each other. */
static enum fs_err check_file(struct fs_open *o, const char *file)
{
        struct store *s = o->vol->store;
        struct store_open q = {.path = file};
        struct store_opened so;
        enum fs_err e = name_check_path(file);
        if (!e)
                e = s->ops->open(s, cred_of_store(o->cred), &q, 0, &so);
        if (e)
                return e;
        bool own = so.attr.dev == o->node->dev && so.attr.ino == o->node->ino;
        s->ops->close(so.file);
        free(so.real_path);
        return own ? FS_SHARING : FS_INVALID;
}

enum fs_err fs_rename_stream(struct fs_open *o, const char *file, const char *to, bool replace)
{
        enum fs_err e = check_rename(o, to);
        if (!e && file)
                e = check_file(o, file);
        AUTO_FREE char *path = NULL;
        char *name = NULL;
        if (!e && (!(path = open_path_new(o)) || !(name = strdup(to))))
                e = atomic_load(&o->closed) ? FS_CLOSED : FS_NO_MEMORY;
        if (!e)
                e = check_target(o, path, to, replace);
        if (!e)
                e = store_file_ops(o->file)->stream_rename(o->file, to, replace);
        if (!e) { /* all opens of the stream follow it */
                pthread_mutex_lock(&o->node->mutex);
                if (!atomic_load(&o->closed)) {
                        char *old = o->link->path;
                        o->link->path = name;
                        name = old;
                }
                pthread_mutex_unlock(&o->node->mutex);
        }
        free(name);
        return e;
}
