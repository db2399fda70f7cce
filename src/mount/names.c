/* See names.h. */
#include "mount/names.h"

#include <errno.h>

#include "mount/attr.h"
#include "mount/dir.h"
#include "mount/lookup.h"
#include "mount/remove.h"

struct name_call {
        struct mount *m;
        fuse_req_t req;
        struct node *dir; /* pinned */
        uint64_t asked;
        char name[];
};

void names_changed(struct mount *m, struct node *parent)
{
        parent->stat.write_ns = parent->stat.change_ns = attr_now_ns();
        node_changed(m, parent);
}

void names_added(struct mount *m, struct node *parent, struct node *n)
{
        n->listed = true;
        node_changed(m, n);
        names_changed(m, parent);
}

static struct name_call *call_new(fuse_req_t req, fuse_ino_t dir, const char *name)
{
        size_t bytes = strlen(name) + 1;
        struct name_call *c = malloc(sizeof *c + bytes);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return NULL;
        }
        *c = (struct name_call){.m = mount_of(req), .req = req};
        c->dir = node_of(c->m, dir);
        c->asked = c->m->changes;
        memcpy(c->name, name, bytes);
        node_pin(c->dir);
        return c;
}

static void finish(struct name_call *c, int err)
{
        struct mount *m = c->m;
        if (err >= 0)
                (void)fuse_reply_err(c->req, err);
        node_unpin(&m->nodes, c->dir);
        free(c);
}

#define REPLIED (-1) /* finish() says nothing more */

/* ---- making ------------------------------------------------------------------------------------
 */

/* A folder or file that is there now, by us. */
static void made(struct name_call *c, const struct frevo_result *r)
{
        struct mount *m = c->m;
        if (r->err) {
                finish(c, r->err);
                return;
        }
        struct node *n = lookup_take(m, c->dir, c->name, &r->stat, UINT64_MAX);
        if (!n) {
                finish(c, ENOMEM);
                return;
        }
        names_added(m, c->dir, n);
        if (n->stat.type == FREVO_DIRECTORY)
                dir_is_new(m, n);
        attr_reply_entry(m, c->req, n);
        finish(c, REPLIED);
}

static void mkdir_done(void *arg, const struct frevo_result *r)
{
        made(arg, r);
}

void names_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
        struct name_call *c = call_new(req, parent, name);
        (void)mode; /* nothing of it is kept, of folders */
        if (!c)
                return;
        AUTO_FREE char *path = node_path(&c->m->nodes, c->dir, name);
        int err = path ? ENOMEM : errno;
        if (!path || !frevo_mkdir_start(c->m->share, path, mkdir_done, c))
                finish(c, err);
}

static void mknod_done(void *arg, const struct frevo_result *r)
{
        made(arg, r);
}

void names_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
        const struct frevo_put_how how = {.exclusive = true,
                                          .create_ns = FREVO_TIME_KEEP,
                                          .access_ns = FREVO_TIME_KEEP,
                                          .write_ns = FREVO_TIME_KEEP,
                                          .attributes = mode & S_IWUSR ? ATTRIBUTE_NORMAL
                                                                       : ATTRIBUTE_READONLY};
        (void)rdev;
        if (!S_ISREG(mode)) {
                (void)fuse_reply_err(req, EPERM);
                return;
        }
        struct name_call *c = call_new(req, parent, name);
        if (!c)
                return;
        AUTO_FREE char *path = node_path(&c->m->nodes, c->dir, name);
        int err = path ? ENOMEM : errno;
        if (!path || !frevo_put_start(c->m->share, path, NULL, 0, &how, mknod_done, c))
                finish(c, err);
}

/* ---- removing ----------------------------------------------------------------------------------
 */

static void removed(void *arg, int err)
{
        finish(arg, err);
}

void names_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
        struct name_call *c = call_new(req, parent, name);
        if (c)
                remove_name(c->m, c->dir, name, false, removed, c);
}

void names_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
        struct name_call *c = call_new(req, parent, name);
        if (c)
                remove_name(c->m, c->dir, name, true, removed, c);
}

/* ---- links -------------------------------------------------------------------------------------
 */

struct link_call {
        struct mount *m;
        fuse_req_t req;
        struct node *n, *dir; /* pinned */
        char name[];
};

static void link_end(struct link_call *c)
{
        struct mount *m = c->m;
        node_unpin(&m->nodes, c->n);
        node_unpin(&m->nodes, c->dir);
        free(c);
}

static void linked(void *arg, const struct frevo_result *r)
{
        struct link_call *c = arg;
        struct mount *m = c->m;
        if (r->err) {
                (void)fuse_reply_err(c->req, r->err);
                link_end(c);
                return;
        }
        c->n->stat.links = (c->n->stat.links ? c->n->stat.links : 1) + 1;
        node_changed(m, c->n);
        attr_stale(c->n);
        struct node *n = lookup_take(m, c->dir, c->name, &c->n->stat, UINT64_MAX);
        if (n) {
                names_added(m, c->dir, n);
                attr_reply_entry(m, c->req, n);
        } else {
                (void)fuse_reply_err(c->req, ENOMEM);
        }
        link_end(c);
}

void names_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname)
{
        struct mount *m = mount_of(req);
        size_t bytes = strlen(newname) + 1;
        struct link_call *c = malloc(sizeof *c + bytes);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        *c = (struct link_call){
                .m = m, .req = req, .n = node_of(m, ino), .dir = node_of(m, newparent)};
        memcpy(c->name, newname, bytes);
        node_pin(c->n);
        node_pin(c->dir);
        AUTO_FREE char *from = node_path(&m->nodes, c->n, NULL);
        AUTO_FREE char *to = node_path(&m->nodes, c->dir, newname);
        if (from && to && frevo_link_start(m->share, from, to, false, linked, c))
                return;
        (void)fuse_reply_err(req, from && to ? ENOMEM : ENOENT);
        link_end(c);
}

/* Servers make such only for administrators, and often follow them themselves: symlink(2) has a
 * word for file systems without them. */
void names_op_symlink(fuse_req_t req, const char *link, fuse_ino_t parent, const char *name)
{
        (void)link;
        (void)parent;
        (void)name;
        (void)fuse_reply_err(req, EPERM);
}

static void link_read(void *arg, const struct frevo_result *r)
{
        struct name_call *c = arg;
        if (!r->err)
                (void)fuse_reply_readlink(c->req, r->data);
        finish(c, r->err ? r->err : REPLIED);
}

void names_op_readlink(fuse_req_t req, fuse_ino_t ino)
{
        struct name_call *c = call_new(req, ino, "");
        if (!c)
                return;
        AUTO_FREE char *path = node_path(&c->m->nodes, c->dir, NULL);
        int err = path ? ENOMEM : errno;
        if (!path || !frevo_readlink_start(c->m->share, path, link_read, c))
                finish(c, err);
}
