/* CREATE, [MS-FSA] 2.1.5.1: what the request must look like, the way through "open it" and "make
 * it", and opening what exists. Making is create.c, overwriting disposition.c, rights access.c. */
#include "fs/open.h"

#include "fs/access.h"
#include "fs/acl.h"
#include "fs/grant.h"
#include "fs/name.h"
#include "fs/share.h"
#include "fs/short_name.h"

/* Bits that no ACCESS_MASK of a file may hold, [MS-FSA] 2.1.5.1, phase 1. */
#define ACCESS_INVALID 0x0CE0FE00u
/* Look-up and creation can be overtaken by others; give up after this many turns. */
enum { MAX_TURNS = 16 };

/* ---- the open object ---- */

struct fs_open *open_new(const struct opening *g, const struct store_opened *so, unsigned flags)
{
        struct fs_volume *v = g->v;
        struct node *n = node_get(v->fs, &so->attr);
        struct fs_open *o = calloc(1, sizeof *o);
        if (!o || !n) {
                v->store->ops->close(so->file);
                node_put(n);
                free(o);
                return NULL;
        }
        atomic_init(&o->refs, 1);
        o->vol = fs_volume_ref(v);
        o->file = so->file;
        o->client = fs_client_ref(g->client);
        o->cred = fs_cred_ref(g->cred);
        o->options = g->q->options;
        o->request = g->q;
        o->grant.open = o;
        list_init(&o->grant.in_node);
        o->waiter = g->w;
        o->file_id = so->attr.ino;
        o->readable = flags & STORE_READ;
        o->writable = flags & STORE_WRITE;
        o->node = n;
        list_init(&o->in_node);
        pthread_mutex_init(&o->scan_mutex, NULL);
        atomic_fetch_add(&v->fs->nopens, 1);
        return o;
}

struct fs_open *fs_open_ref(struct fs_open *o)
{
        atomic_fetch_add(&o->refs, 1);
        return o;
}

void fs_open_unref(struct fs_open *o)
{
        if (!o || atomic_fetch_sub(&o->refs, 1) != 1)
                return;
        if (o->link && !atomic_load(&o->closed))
                (void)fs_close(o, 0); /* nobody is left to be told */
        if (o->lease && !atomic_load(&o->closed))
                lease_leave(o->lease);
        fs_lease_unref(o->lease);
        dir_scan_free(o->scan); /* before the directory that it reads */
        store_file_ops(o->file)->close(o->file);
        fs_open_unref(o->base);
        node_put(o->node);
        fs_cred_unref(o->cred);
        fs_client_unref(o->client);
        atomic_fetch_sub(&o->vol->fs->nopens, 1);
        fs_volume_unref(o->vol);
        pthread_mutex_destroy(&o->scan_mutex);
        free(o);
}

/* ---- entering the node ---- */

/* An anchor stands for a stream: to the file's own opens it matters only that who deletes the file
 * deletes the stream ([MS-FSA] 2.1.5.1.2.1); streams do not matter to each other. */
static bool conflicts_with(const struct fs_open *o, uint32_t access, const struct fs_open *x)
{
        if (!o->anchor && !x->anchor)
                return share_conflicts(access, o->share, x->access, x->share);
        if (o->anchor && x->anchor)
                return false;
        const struct fs_open *stream = o->anchor ? o : x;
        return (o->anchor ? x->access : access) & FS_DELETE && stream->access & SHARE_RIGHTS &&
               !(stream->share & FS_SHARE_DELETE);
}

static bool conflicts(const struct fs_open *o, uint32_t access)
{
        if (!(access & SHARE_RIGHTS))
                return false;
        list_each (&o->node->opens, it) {
                if (conflicts_with(o, access, list_entry(it, struct fs_open, in_node)))
                        return true;
        }
        return false;
}

static struct node_link *link_get(struct node *n, struct fs_root *root, const char *path)
{
        struct node_link *l = node_link_lookup(n, root, path);
        if (l)
                return l;
        l = calloc(1, sizeof *l);
        if (!l || !(l->path = strdup(path))) {
                free(l);
                return NULL;
        }
        l->root = root;
        list_add_last(&n->links, &l->in_node);
        return l;
}

/* FS_AGAIN: not all that are in the way are told yet. */
static enum fs_err wait_for_grants(struct fs_open *o, const struct grant_notices *t)
{
        if (!o->waiter || t->full)
                return t->full ? FS_AGAIN : FS_SHARING;
        node_park(o->node, o->waiter);
        return FS_PARKED;
}

static bool any_writer(const struct node *n)
{
        list_each (&n->opens, it) {
                if (list_entry(it, struct fs_open, in_node)->writable)
                        return true;
        }
        return false;
}

static enum fs_err enter_locked(struct fs_open *o, const char *path, uint32_t also,
                                struct grant_notices *t)
{
        struct node *n = o->node;
        uint32_t access = o->access | also;
        struct node_link *l = node_link_lookup(n, o->vol->root, path);
        if (l && l->delete_pending)
                return FS_DELETE_PENDING;
        if (grant_in_the_way(o, access, GRANT_BEFORE_SHARE_CHECK, t))
                return wait_for_grants(o, t);
        if (conflicts(o, access))
                return grant_in_the_way(o, access, GRANT_SHARE_CONFLICT, t) ? wait_for_grants(o, t)
                                                                            : FS_SHARING;
        if (grant_in_the_way(o, access, GRANT_AFTER_SHARE_CHECK, t))
                return wait_for_grants(o, t);
        if (!l && !(l = link_get(n, o->vol->root, path)))
                return FS_NO_MEMORY;
        o->beside_writers = any_writer(n);
        l->opens++;
        o->link = l;
        list_add_last(&n->opens, &o->in_node);
        grant_give(o, o->request->want_grant);
        return FS_OK;
}

enum fs_err open_enter_node(struct fs_open *o, const char *path, uint32_t also)
{
        enum fs_err e = o->request->grant_key ? lease_join(o, o->request) : FS_OK;
        if (e)
                return e;
        do {
                struct grant_notices t = {0};
                pthread_mutex_lock(&o->node->mutex);
                e = enter_locked(o, path, also, &t);
                pthread_mutex_unlock(&o->node->mutex);
                grant_tell(&t);
        } while (e == FS_AGAIN);
        if (e == FS_OK && o->overwrites)
                grant_overwrites(o);
        return e;
}

/* ---- an existing file ---- */

/* Rights that a disposition needs besides those asked for, [MS-FSA] 2.1.5.1.2. */
static uint32_t also_needed(const struct fs_open_req *q)
{
        if (q->disposition == FS_SUPERSEDE)
                return FS_DELETE | FS_WRITE_EA | FS_WRITE_ATTR;
        if (open_overwrites(q->disposition))
                return FS_WRITE_DATA | FS_WRITE_EA | FS_WRITE_ATTR;
        return 0;
}

static unsigned store_flags(const struct opening *g)
{
        unsigned f = 0;
        if (g->want & (FS_READ_DATA | FS_EXECUTE))
                f |= STORE_READ;
        if (g->want & (FS_WRITE_DATA | FS_APPEND_DATA) || open_overwrites(g->q->disposition))
                f |= STORE_WRITE;
        if (g->q->options & FS_OPT_DIR)
                f = (f & ~(unsigned)STORE_WRITE) | STORE_MUST_DIR;
        if (g->q->options & FS_OPT_FILE)
                f |= STORE_MUST_FILE;
        if (g->q->options & FS_OPT_REPARSE)
                f |= STORE_NOFOLLOW;
        if (g->q->options & FS_OPT_CASE_SENSITIVE)
                f |= STORE_EXACT;
        return f;
}

static enum fs_err store_open_as(const struct opening *g, unsigned flags, struct store_opened *so)
{
        struct store_open q = {.path = g->q->path, .flags = flags};
        const struct store_cred *as = cred_of_store(g->cred);
        enum fs_err e = g->v->store->ops->open(g->v->store, as, &q, g->how, so);
        if (e == FS_IS_DIR && flags & STORE_WRITE && !(flags & STORE_MUST_FILE)) {
                /* Adding files to a directory is no matter of the handle. */
                q.flags = (flags & ~(unsigned)STORE_WRITE) | STORE_MUST_DIR;
                e = g->v->store->ops->open(g->v->store, as, &q, g->how, so);
        }
        return e;
}

static bool is_refusal(enum fs_err e)
{
        return e == FS_DENIED || e == FS_READ_ONLY;
}

/* "As much as I may" has to find out what the file system lets the user do: from both to neither.
 */
static enum fs_err store_open_max(const struct opening *g, unsigned *flags, struct store_opened *so)
{
        static const unsigned tries[] = {STORE_READ | STORE_WRITE, STORE_READ, STORE_WRITE, 0};
        unsigned must = *flags & (STORE_READ | STORE_WRITE);
        unsigned rest = *flags & ~(unsigned)(STORE_READ | STORE_WRITE);
        enum fs_err e = FS_DENIED;
        for (size_t i = 0; i < 4 && is_refusal(e); i++) {
                if ((tries[i] & must) != must)
                        continue;
                unsigned rw = rest & STORE_MUST_DIR ? tries[i] & STORE_READ : tries[i];
                *flags = rest | rw;
                e = store_open_as(g, *flags, so);
        }
        return e;
}

static enum fs_err check_kind(const struct opening *g, const struct store_attr *a)
{
        if (a->kind == STORE_OTHER)
                return FS_DENIED;
        if (a->kind == STORE_SYMLINK && !(g->q->options & FS_OPT_REPARSE))
                return FS_SYMLINK;
        if (a->kind == STORE_DIR && open_overwrites(g->q->disposition))
                return g->q->path[0] ? FS_EXISTS : FS_DENIED;
        return FS_OK;
}

static enum fs_err check_attributes(const struct opening *g, const struct store_attr *a)
{
        bool fixed = a->dos & STORE_DOS_READONLY || g->v->config.read_only;
        if (g->q->options & FS_OPT_DELETE_ON_CLOSE && fixed)
                return FS_CANNOT_DELETE;
        return open_overwrites(g->q->disposition) ? open_overwrite_check(g->q, a) : FS_OK;
}

/* The user's rights, and the share mode as far as he may deny anything. */
static enum fs_err decide(const struct opening *g, struct fs_open *o, const struct store_opened *so)
{
        struct access_question q = {
                .v = g->v,
                .cred = g->cred,
                .path = so->real_path,
                .file = o->file,
                .node = o->node,
                .attr = &so->attr,
                .want = g->want,
                .also = also_needed(g->q) | g->also,
                .backup = g->q->options & FS_OPT_BACKUP,
                .can_read = o->readable,
                .can_write = o->writable,
        };
        bool may_write = false;
        enum fs_err e = access_decide(&q, &o->access, &may_write);
        /* Who may not write may not shut readers out either ([MS-FSA] 2.1.5.1.2). */
        o->share = g->q->share | (may_write ? 0u : (uint32_t)FS_SHARE_READ);
        return e;
}

static struct fs_open *wrap(const struct opening *g, struct store_opened *so, unsigned flags)
{
        struct fs_open *o = open_new(g, so, flags);
        if (!o)
                return NULL;
        o->overwrites = open_overwrites(g->q->disposition);
        o->is_root = so->real_path[0] == 0;
        o->anchor = g->anchor;
        return o;
}

static enum fs_err finish_existing(const struct opening *g, struct fs_open *o,
                                   struct store_opened *so)
{
        enum fs_err e = check_kind(g, &so->attr);
        if (!e)
                e = check_attributes(g, &so->attr);
        if (!e && node_delete_pending(o->node, g->v->root, so->real_path))
                e = FS_DELETE_PENDING;
        if (!e)
                e = decide(g, o, so);
        if (!e)
                e = open_enter_node(o, so->real_path, also_needed(g->q));
        if (!e && open_overwrites(g->q->disposition)) {
                e = open_overwrite(g, o, &so->attr);
                if (!e)
                        e = store_file_ops(o->file)->attr(o->file, &so->attr);
        }
        return e;
}

static enum fs_action action_of(const struct fs_open_req *q)
{
        if (q->disposition == FS_SUPERSEDE)
                return FS_SUPERSEDED;
        return open_overwrites(q->disposition) ? FS_OVERWRITTEN : FS_OPENED;
}

enum fs_err open_look_again(struct fs_open *o, uint64_t writers_left, struct store_attr *a)
{
        if (!o->beside_writers && atomic_load(&o->vol->fs->writers_left) == writers_left)
                return FS_OK;
        return store_file_ops(o->file)->attr(o->file, a);
}

enum fs_err open_existing(const struct opening *g, struct fs_opened *ret)
{
        struct store_opened so;
        uint64_t writers_left = atomic_load(&g->v->fs->writers_left);
        unsigned flags = store_flags(g);
        enum fs_err e = g->want & FS_MAXIMUM_ALLOWED ? store_open_max(g, &flags, &so)
                                                     : store_open_as(g, flags, &so);
        if (e)
                return e;
        AUTO_FREE char *path = so.real_path;
        struct fs_open *o = wrap(g, &so, flags);
        if (!o)
                return FS_NO_MEMORY;
        e = finish_existing(g, o, &so);
        if (!e)
                e = open_look_again(o, writers_left, &so.attr);
        if (e) {
                fs_open_unref(o);
                return e;
        }
        o->delete_on_close = g->q->options & FS_OPT_DELETE_ON_CLOSE;
        *ret = (struct fs_opened){.open = o, .action = action_of(g->q)};
        attr_show(g->v, &so.attr, path, &ret->attr);
        return FS_OK;
}

/* ---- the request ---- */

static enum fs_err check_rights_asked(const struct opening *g)
{
        if (g->q->access == 0 || g->q->access & ACCESS_INVALID)
                return FS_DENIED;
        uint32_t deletes = FS_DELETE | FS_MAXIMUM_ALLOWED;
        if (g->q->options & FS_OPT_DELETE_ON_CLOSE && !(g->want & deletes))
                return FS_INVALID;
        if (g->v->config.read_only && (g->want & ACCESS_MODIFY))
                return FS_DENIED;
        return FS_OK;
}

static enum fs_err check_request(const struct opening *g)
{
        const struct fs_open_req *q = g->q;
        unsigned both = FS_OPT_DIR | FS_OPT_FILE;
        if ((q->options & both) == both || (unsigned)q->disposition > FS_OVERWRITE_IF ||
            q->share & ~(uint32_t)(FS_SHARE_READ | FS_SHARE_WRITE | FS_SHARE_DELETE))
                return FS_INVALID;
        if (q->options & FS_OPT_DIR && open_overwrites(q->disposition))
                return FS_INVALID;
        enum fs_err e = check_rights_asked(g);
        return e ? e : name_check_path(q->path);
}

/* FS_CREATE met a name in use: on its way out, or there to stay? */
static enum fs_err why_exists(const struct opening *g)
{
        struct store_opened so;
        struct store_open q = {.path = g->q->path};
        if (g->v->store->ops->open(g->v->store, NULL, &q, 0, &so) != FS_OK)
                return FS_EXISTS;
        struct node *n = node_lookup(g->v->fs, so.attr.dev, so.attr.ino);
        bool pending = n && node_delete_pending(n, g->v->root, so.real_path);
        node_put(n);
        g->v->store->ops->close(so.file);
        free(so.real_path);
        return pending ? FS_DELETE_PENDING : FS_EXISTS;
}

static enum fs_err one_turn(const struct opening *g, struct fs_opened *ret, bool *again)
{
        enum fs_disposition d = g->q->disposition;
        *again = false;
        if (g->how & FS_NOWAIT && d != FS_OPEN && d != FS_OPEN_IF)
                return FS_AGAIN;
        if (d != FS_CREATE) {
                enum fs_err e = open_existing(g, ret);
                if (e != FS_NOT_FOUND || d == FS_OPEN || d == FS_OVERWRITE)
                        return e;
        }
        if (g->how & FS_NOWAIT)
                return FS_AGAIN;
        enum fs_err e = open_create(g, ret);
        if (e != FS_EXISTS)
                return e;
        *again = d != FS_CREATE; /* somebody was faster: then it is there to be opened */
        return *again ? FS_EXISTS : why_exists(g);
}

enum fs_err open_turns(const struct opening *g, struct fs_opened *ret)
{
        bool again = true;
        enum fs_err e = FS_EXISTS;
        for (int i = 0; again && i < MAX_TURNS; i++)
                e = one_turn(g, ret, &again);
        return e;
}

static bool has_short_name(const char *path)
{
        while (*path) {
                size_t n = strcspn(path, "/");
                if (short_name_is_like(path, n))
                        return true;
                path += n + (path[n] == '/');
        }
        return false;
}

/* A path with 8.3 names in it and nothing of that spelling on disk: *q gets the long names, whose
 * memory is *ret_path. */
static enum fs_err resolve_short_names(const struct opening *g, struct fs_open_req *q,
                                       char **ret_path)
{
        struct store_opened so;
        struct store_open as_is = {.path = q->path, .flags = STORE_NOFOLLOW};
        if (!has_short_name(q->path))
                return FS_OK;
        if (g->how & FS_NOWAIT)
                return FS_AGAIN;
        struct store *s = g->v->store;
        enum fs_err e = s->ops->open(s, cred_of_store(g->cred), &as_is, 0, &so);
        if (!e) {
                s->ops->close(so.file);
                free(so.real_path);
                return FS_OK;
        }
        e = short_name_resolve(s, cred_of_store(g->cred), q->path, ret_path);
        if (e == FS_NOT_FOUND && q->disposition != FS_OPEN && q->disposition != FS_OVERWRITE &&
            (*ret_path = tunnel_find(&g->v->root->tunnel, q->path)))
                e = FS_OK;
        if (!e)
                q->path = *ret_path;
        return e == FS_NOT_FOUND ? FS_OK : e;
}

enum fs_err fs_open(struct fs_volume *v, struct fs_client *client, struct fs_cred *cred,
                    const struct fs_open_req *q, unsigned how, struct fs_waiter *w,
                    struct fs_opened *ret)
{
        struct fs_open_req long_q = *q;
        AUTO_FREE char *long_path = NULL;
        struct opening g = {
                .v = v, .client = client, .cred = cred, .q = &long_q, .how = how, .w = w};
        g.want = acl_map_generic(q->access);
        enum fs_err e = check_request(&g);
        if (!e)
                e = resolve_short_names(&g, &long_q, &long_path);
        if (e)
                return e;
        struct path_use use;
        e = path_guard_enter(&v->root->guard, &use, long_q.path, !(how & FS_NOWAIT));
        if (e)
                return e;
        e = long_q.stream ? open_stream(&g, ret) : open_turns(&g, ret);
        path_guard_leave(&v->root->guard, &use);
        return e;
}
