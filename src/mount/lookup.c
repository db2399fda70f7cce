/* See lookup.h. */
#include "mount/lookup.h"

#include <errno.h>

#include "mount/attr.h"
#include "mount/dir.h"
#include "mount/handle.h"

struct lookup_call {
        struct mount *m;
        fuse_req_t req;
        struct node *n;   /* pinned: the folder; of getattr, the file itself */
        struct handle *h; /* in use, if not NULL */
        uint64_t asked;
        char name[]; /* "" of getattr */
};

static struct lookup_call *call_new(fuse_req_t req, struct node *n, const char *name)
{
        size_t bytes = strlen(name) + 1;
        struct lookup_call *c = malloc(sizeof *c + bytes);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return NULL;
        }
        *c = (struct lookup_call){.m = mount_of(req), .req = req, .n = n};
        c->asked = c->m->changes;
        memcpy(c->name, name, bytes);
        node_pin(n);
        return c;
}

static void call_end(struct lookup_call *c)
{
        struct mount *m = c->m;
        if (c->h)
                handle_put(m, c->h);
        node_unpin(&m->nodes, c->n);
        free(c);
}

struct node *lookup_take(struct mount *m, struct node *parent, const char *name,
                         const struct frevo_stat *st, uint64_t asked)
{
        struct node *n = node_child(&m->nodes, parent, name);
        bool other = n && n->changed_at <= asked && !file_is_unsettled(n) &&
                     (n->stat.type != st->type || (n->stat.id && st->id && n->stat.id != st->id));
        if (other && n->fresh_until_ms) {
                node_detach(&m->nodes, n);
                n = NULL;
        }
        if (!n)
                n = node_add(&m->nodes, parent, name);
        if (!n)
                return NULL;
        if (dir_is_fresh(parent))
                n->listed = true;
        attr_take(m, n, st, asked);
        return n;
}

static void reply_absent(struct mount *m, fuse_req_t req)
{
        (void)m; /* we know it as well as the kernel could, and hear of changes */
        (void)fuse_reply_err(req, ENOENT);
}

/* ---- one name ----------------------------------------------------------------------------------
 */

static void found(void *arg, const struct frevo_result *r)
{
        struct lookup_call *c = arg;
        struct mount *m = c->m;
        struct node *n = node_child(&m->nodes, c->n, c->name);
        bool ours = n && n->changed_at > c->asked;
        if (r->err && ours) { /* made meanwhile */
                attr_reply_entry(m, c->req, n);
        } else if (r->err) {
                if (r->err == ENOENT && n && !file_is_unsettled(n))
                        node_detach(&m->nodes, n);
                (void)fuse_reply_err(c->req, r->err);
        } else {
                n = lookup_take(m, c->n, c->name, &r->stat, c->asked);
                if (n)
                        attr_reply_entry(m, c->req, n);
                else
                        (void)fuse_reply_err(c->req, ENOMEM);
        }
        call_end(c);
}

static void ask_for_one(struct lookup_call *c)
{
        AUTO_FREE char *path = node_path(&c->m->nodes, c->n, *c->name ? c->name : NULL);
        int err = path ? ENOMEM : errno;
        if (path && frevo_stat_start(c->m->share, path, found, c))
                return;
        (void)fuse_reply_err(c->req, err);
        call_end(c);
}

/* True: answered from what is known. */
static bool answer(struct mount *m, fuse_req_t req, struct node *dir, const char *name)
{
        struct node *n = node_child(&m->nodes, dir, name);
        if (n && attr_is_fresh(m, n)) {
                attr_reply_entry(m, req, n);
                return true;
        }
        if (dir_is_fresh(dir) && (!n || !n->listed) && dir_surely_lacks(m, dir, name)) {
                reply_absent(m, req);
                return true;
        }
        return false;
}

static void listed(void *arg, int err)
{
        struct lookup_call *c = arg;
        if (!err && answer(c->m, c->req, c->n, c->name))
                call_end(c);
        else
                ask_for_one(c);
}

void lookup_op(fuse_req_t req, fuse_ino_t parent, const char *name)
{
        struct mount *m = mount_of(req);
        struct node *dir = node_of(m, parent);
        if (answer(m, req, dir, name))
                return;
        struct lookup_call *c = call_new(req, dir, name);
        if (!c)
                return;
        if (!dir_is_fresh(dir) && dir_counts_miss(m, dir))
                dir_fetch(m, dir, listed, c);
        else
                ask_for_one(c);
}

/* ---- attributes --------------------------------------------------------------------------------
 */

static void got(void *arg, const struct frevo_result *r)
{
        struct lookup_call *c = arg;
        struct mount *m = c->m;
        if (r->err && !(file_is_unsettled(c->n) || c->n->changed_at > c->asked)) {
                (void)fuse_reply_err(c->req, r->err);
        } else {
                if (!r->err)
                        attr_take(m, c->n, &r->stat, c->asked);
                attr_reply(m, c->req, c->n);
        }
        call_end(c);
}

/* Of a file that is open: by its handle, whatever became of its name. */
static bool ask_by_handle(struct lookup_call *c)
{
        c->h = c->n->gone ? handle_use(c->n, FREVO_STAT & 0x80) : NULL;
        return c->h && frevo_fstat_start(c->h->f, got, c);
}

static void ask(struct lookup_call *c)
{
        AUTO_FREE char *path = node_path(&c->m->nodes, c->n, NULL);
        if (ask_by_handle(c) || (path && frevo_stat_start(c->m->share, path, got, c)))
                return;
        if (path)
                (void)fuse_reply_err(c->req, ENOMEM);
        else
                attr_reply(c->m, c->req, c->n); /* gone: what was known last */
        call_end(c);
}

static void parent_listed(void *arg, int err)
{
        struct lookup_call *c = arg;
        if (err || c->n->gone || !attr_is_fresh(c->m, c->n)) {
                ask(c);
                return;
        }
        attr_reply(c->m, c->req, c->n);
        call_end(c);
}

void lookup_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct node *n = node_of(m, ino);
        (void)fi;
        if (attr_is_fresh(m, n)) {
                attr_reply(m, req, n);
                return;
        }
        struct lookup_call *c = call_new(req, n, "");
        if (!c)
                return;
        struct node *dir = n->gone ? NULL : n->parent;
        if (dir && !dir_is_fresh(dir) && dir_counts_miss(m, dir))
                dir_fetch(m, dir, parent_listed, c);
        else
                ask(c);
}

void lookup_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
        struct mount *m = mount_of(req);
        if (ino != FUSE_ROOT_ID)
                node_forget(&m->nodes, node_of(m, ino), nlookup);
        fuse_reply_none(req);
}

void lookup_op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
        struct mount *m = mount_of(req);
        for (size_t i = 0; i < count; i++)
                if (forgets[i].ino != FUSE_ROOT_ID)
                        node_forget(&m->nodes, node_of(m, forgets[i].ino), forgets[i].nlookup);
        fuse_reply_none(req);
}
