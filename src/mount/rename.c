/* Renaming. What we keep open of the file for nobody is closed before, as open files keep a server
 * from renaming; a target that is open here is removed first, as remove.h does. */
#include <errno.h>

#include "mount/attr.h"
#include "mount/dir.h"
#include "mount/flush.h"
#include "mount/handle.h"
#include "mount/names.h"
#include "mount/remove.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1u
#endif

struct rename_call {
        struct mount *m;
        fuse_req_t req;
        struct node *dir, *newdir; /* pinned */
        struct node *n;            /* pinned; NULL: unknown */
        char *name, *newname;      /* own */
        bool replace, cleared;
};

static void finish(struct rename_call *c, int err)
{
        struct mount *m = c->m;
        (void)fuse_reply_err(c->req, err);
        if (c->n)
                node_unpin(&m->nodes, c->n);
        node_unpin(&m->nodes, c->dir);
        node_unpin(&m->nodes, c->newdir);
        free(c->name);
        free(c->newname);
        free(c);
}

static struct node *target_of(const struct rename_call *c)
{
        struct node *t = node_child(&c->m->nodes, c->newdir, c->newname);
        return t == c->n ? NULL : t;
}

/* The tree of nodes follows. */
static void take(struct rename_call *c)
{
        struct mount *m = c->m;
        struct node *target = target_of(c);
        if (target)
                node_detach(&m->nodes, target);
        names_changed(m, c->dir);
        names_changed(m, c->newdir);
        if (!c->n || c->n->gone)
                return;
        bool listed = dir_is_fresh(c->newdir);
        if (!node_move(&m->nodes, c->n, c->newdir, c->newname)) {
                node_detach(&m->nodes, c->n);
                return;
        }
        c->n->listed = listed;
        node_changed(m, c->n);
        attr_stale(c->n); /* its change time is another */
}

static void send(struct rename_call *c);

static void target_removed(void *arg, int err)
{
        struct rename_call *c = arg;
        if (err && err != ENOENT)
                finish(c, err);
        else
                send(c);
}

static void renamed(void *arg, const struct frevo_result *r)
{
        struct rename_call *c = arg;
        bool in_the_way =
                r->err == EACCES || r->err == EEXIST || r->err == EBUSY || r->err == EPERM;
        struct node *t = target_of(c);
        if (in_the_way && c->replace && !c->cleared && t) {
                /* Read-only, open, or a folder: servers replace none of these, but remove them. */
                c->cleared = true;
                remove_name(c->m, c->newdir, c->newname, t->stat.type == FREVO_DIRECTORY,
                            target_removed, c);
                return;
        }
        if (!r->err)
                take(c);
        finish(c, r->err);
}

static void send(struct rename_call *c)
{
        struct mount *m = c->m;
        AUTO_FREE char *from = node_path(&m->nodes, c->dir, c->name);
        AUTO_FREE char *to = node_path(&m->nodes, c->newdir, c->newname);
        if (!from || !to)
                finish(c, ENOENT);
        else if (!frevo_rename_start(m->share, from, to, c->replace, renamed, c))
                finish(c, ENOMEM);
}

static void target_closed(void *arg)
{
        struct rename_call *c = arg;
        const struct node *t = target_of(c);
        if (c->replace && t && t->file && !list_empty(&t->file->handles)) {
                c->cleared = true;
                remove_name(c->m, c->newdir, c->newname, false, target_removed, c);
        } else {
                send(c);
        }
}

static void source_closed(void *arg)
{
        struct rename_call *c = arg;
        struct node *t = target_of(c);
        if (t && t->file)
                handle_close_idle(c->m, t, target_closed, c);
        else
                target_closed(c);
}

static void flushed(void *arg, int err)
{
        struct rename_call *c = arg;
        if (err) {
                finish(c, err);
                return;
        }
        if (!c->n) {
                source_closed(c);
                return;
        }
        dir_let_go_below(c->m, c->n);
        handle_close_idle(c->m, c->n, source_closed, c);
}

static struct rename_call *call_new(fuse_req_t req, fuse_ino_t parent, const char *name,
                                    fuse_ino_t newparent, const char *newname)
{
        struct rename_call *c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        c->name = strdup(name);
        c->newname = strdup(newname);
        if (!c->name || !c->newname) {
                free(c->name);
                free(c->newname);
                free(c);
                return NULL;
        }
        c->m = mount_of(req);
        c->req = req;
        c->dir = node_of(c->m, parent);
        c->newdir = node_of(c->m, newparent);
        c->n = node_child(&c->m->nodes, c->dir, name);
        node_pin(c->dir);
        node_pin(c->newdir);
        if (c->n)
                node_pin(c->n);
        return c;
}

void names_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t newparent,
                     const char *newname, unsigned flags)
{
        if (flags & ~(unsigned)RENAME_NOREPLACE) { /* no server exchanges two names */
                (void)fuse_reply_err(req, EINVAL);
                return;
        }
        struct rename_call *c = call_new(req, parent, name, newparent, newname);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        c->replace = !(flags & (unsigned)RENAME_NOREPLACE);
        if (c->n && c->n->file && file_is_unsettled(c->n))
                flush_file(c->n->file, flushed, c);
        else
                flushed(c, 0);
}
