/* What the kernel reads of a folder: each open one sees the names that were there when it began. */
#include <errno.h>

#include "mount/attr.h"
#include "mount/dir.h"

struct open_dir {
        struct node *n;     /* pinned */
        struct node **seen; /* pinned; NULL: not read yet */
        size_t n_seen;
};

struct read_call {
        struct mount *m;
        fuse_req_t req;
        struct open_dir *d;
        size_t size, off;
        bool plus;
};

static struct open_dir *open_dir_of(const struct fuse_file_info *fi)
{
        return (struct open_dir *)(uintptr_t)fi->fh; /* NOLINT: what opendir put there */
}

void dir_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
        struct open_dir *d = calloc(1, sizeof *d);
        if (!d) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        d->n = node_of(mount_of(req), ino);
        node_pin(d->n);
        fi->fh = (uint64_t)(uintptr_t)d;
        (void)fuse_reply_open(req, fi);
}

static void drop_seen(struct mount *m, struct open_dir *d)
{
        for (size_t i = 0; i < d->n_seen; i++)
                node_unpin(&m->nodes, d->seen[i]);
        free((void *)d->seen);
        d->seen = NULL;
        d->n_seen = 0;
}

void dir_op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
        struct mount *m = mount_of(req);
        struct open_dir *d = open_dir_of(fi);
        (void)ino;
        drop_seen(m, d);
        node_unpin(&m->nodes, d->n);
        free(d);
        (void)fuse_reply_err(req, 0);
}

static bool look(struct open_dir *d)
{
        size_t n = 0;
        list_each (&d->n->children, it)
                n += list_entry(it, struct node, sibling)->listed;
        d->seen = calloc(n + 1, sizeof *d->seen);
        if (!d->seen)
                return false;
        list_each (&d->n->children, it) {
                struct node *c = list_entry(it, struct node, sibling);
                if (!c->listed)
                        continue;
                node_pin(c);
                d->seen[d->n_seen++] = c;
        }
        return true;
}

/* "." and "..", which no server's listing holds here. They are counted as no look-ups. */
static size_t put_dot(const struct read_call *c, size_t i, char *buf, size_t room)
{
        const struct node *n = i && c->d->n->parent ? c->d->n->parent : c->d->n;
        struct fuse_entry_param e = {0};
        attr_stat(c->m, n, &e.attr);
        const char *name = i ? ".." : ".";
        return c->plus ? fuse_add_direntry_plus(c->req, buf, room, name, &e, (off_t)i + 1)
                       : fuse_add_direntry(c->req, buf, room, name, &e.attr, (off_t)i + 1);
}

static size_t put_node(const struct read_call *c, size_t i, char *buf, size_t room)
{
        struct node *n = c->d->seen[i - 2];
        size_t need;
        if (n->gone || n->parent != c->d->n)
                return 0;
        if (!c->plus) {
                struct stat st;
                attr_stat(c->m, n, &st);
                return fuse_add_direntry(c->req, buf, room, n->name, &st, (off_t)i + 1);
        }
        struct fuse_entry_param e = attr_entry(c->m, n);
        need = fuse_add_direntry_plus(c->req, buf, room, n->name, &e, (off_t)i + 1);
        if (need > room)
                n->lookups--; /* not told; d->seen pins it */
        return need;
}

static void reply(const struct read_call *c)
{
        AUTO_FREE char *buf = malloc(c->size);
        size_t at = 0;
        if (!buf) {
                (void)fuse_reply_err(c->req, ENOMEM);
                return;
        }
        for (size_t i = c->off; i < c->d->n_seen + 2; i++) {
                size_t n = i < 2 ? put_dot(c, i, buf + at, c->size - at)
                                 : put_node(c, i, buf + at, c->size - at);
                if (n > c->size - at)
                        break;
                at += n;
        }
        (void)fuse_reply_buf(c->req, buf, at);
}

static void fetched(void *arg, int err)
{
        struct read_call *c = arg;
        if (!err && !c->d->seen && !look(c->d))
                err = ENOMEM;
        if (err)
                (void)fuse_reply_err(c->req, err);
        else
                reply(c);
        free(c);
}

static void read_dir(fuse_req_t req, size_t size, off_t off, const struct fuse_file_info *fi,
                     bool plus)
{
        struct read_call *c = malloc(sizeof *c);
        struct open_dir *d = open_dir_of(fi);
        struct mount *m = mount_of(req);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        *c = (struct read_call){
                .m = m, .req = req, .d = d, .size = size, .off = (size_t)off, .plus = plus};
        if (off == 0) /* the beginning, perhaps once more: look anew */
                drop_seen(m, d);
        if (d->seen || dir_is_fresh(d->n)) {
                if (d->seen || look(d))
                        reply(c);
                else
                        (void)fuse_reply_err(req, ENOMEM);
                free(c);
        } else {
                dir_fetch(m, d->n, fetched, c);
        }
}

void dir_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                    struct fuse_file_info *fi)
{
        (void)ino;
        read_dir(req, size, off, fi, false);
}

void dir_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                        struct fuse_file_info *fi)
{
        (void)ino;
        read_dir(req, size, off, fi, true);
}
