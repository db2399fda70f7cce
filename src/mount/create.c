/* Making files. As a rule the server is asked at once: the other machines see the new name, and
 * O_EXCL means what it says for them as well.
 *
 * With -o lazy_create, a file that our knowledge of the folder says is new is made without asking:
 * its bytes gather in the buffer, and go out with name, attributes and times as one request when it
 * is closed. An error is close(2)'s then, and until then nobody else sees the name.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"
#include "mount/attr.h"
#include "mount/dir.h"
#include "mount/flush.h"
#include "mount/names.h"
#include "mount/open.h"

struct create_call {
        struct mount *m;
        fuse_req_t req;
        struct node *parent, *n; /* pinned */
        struct fuse_file_info fi;
        uint32_t attributes;
        bool was_known;
};

static void finish(struct create_call *c, int err)
{
        struct mount *m = c->m;
        if (err)
                (void)fuse_reply_err(c->req, err);
        node_unpin(&m->nodes, c->n);
        node_unpin(&m->nodes, c->parent);
        free(c);
}

static void answer(struct create_call *c, struct handle *h)
{
        struct mount *m = c->m;
        if (!open_attach(m, c->n, h, &c->fi)) {
                finish(c, ENOMEM);
                return;
        }
        struct fuse_entry_param e = attr_entry(m, c->n);
        if (fuse_reply_create(c->req, &e, &c->fi) != 0) { /* interrupted */
                node_forget(&m->nodes, c->n, 1);
                open_detach(m, open_file_of(&c->fi));
        }
        finish(c, 0);
}

static void opened(void *arg, const struct handle_result *r)
{
        struct create_call *c = arg;
        if (r->err) {
                finish(c, r->err);
                return;
        }
        if (r->created || !c->was_known)
                names_added(c->m, c->parent, c->n);
        else if (c->fi.flags & O_TRUNC)
                ra_invalidate(&c->n->file->ra, 0, 0);
        answer(c, r->h);
}

static enum frevo_disposition disposition_of(int flags)
{
        if (flags & O_EXCL)
                return FREVO_CREATE_NEW;
        return flags & O_TRUNC ? FREVO_CREATE_OR_TRUNCATE : FREVO_OPEN_OR_CREATE;
}

static void ask(void *arg, int err)
{
        struct create_call *c = arg;
        if (err) {
                finish(c, err);
                return;
        }
        handle_get(c->m, c->n,
                   &(struct handle_how){.access = open_access(c->fi.flags),
                                        .disposition = disposition_of(c->fi.flags),
                                        .attributes = c->attributes},
                   opened, c);
}

static bool may_be_lazy(const struct create_call *c, const char *name)
{
        const struct mount *m = c->m;
        if (!m->conf.lazy_create || c->was_known || (c->fi.flags & (O_SYNC | O_DIRECT)) ||
            !dir_is_fresh(c->parent))
                return false;
        return (c->fi.flags & O_ACCMODE) != O_RDONLY && dir_surely_lacks(m, c->parent, name);
}

static void make_lazily(struct create_call *c)
{
        struct node *n = c->n;
        struct file *f = file_get(c->m, n);
        int64_t now = attr_now_ns();
        if (!f) {
                finish(c, ENOMEM);
                return;
        }
        f->is_new = true;
        f->new_exclusive = (c->fi.flags & O_EXCL) != 0;
        n->stat = (struct frevo_stat){.type = FREVO_FILE,
                                      .attributes = c->attributes,
                                      .create_ns = now,
                                      .access_ns = now,
                                      .write_ns = now,
                                      .change_ns = now};
        n->fresh_until_ms = clock_ms() + c->m->conf.cache_ms + 1;
        flush_note(f);
        names_added(c->m, c->parent, n);
        answer(c, NULL);
}

void open_op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
                    struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct node *dir = node_of(m, parent);
        struct node *n = node_child(&m->nodes, dir, name);
        struct create_call *c = calloc(1, sizeof *c);
        bool was_known = n != NULL;
        if (!n && c)
                n = node_add(&m->nodes, dir, name);
        if (!c || !n) {
                free(c);
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        *c = (struct create_call){
                .m = m, .req = req, .parent = dir, .n = n, .fi = *fi, .was_known = was_known};
        c->attributes = mode & S_IWUSR ? ATTRIBUTE_NORMAL : ATTRIBUTE_READONLY;
        node_pin(dir);
        node_pin(n);
        if (may_be_lazy(c, name))
                make_lazily(c);
        else if (n->file && n->file->is_new)
                flush_materialize(n->file, ask, c);
        else
                ask(c, 0);
}
