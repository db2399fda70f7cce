/* See xattr.h. */
#include "mount/xattr.h"

#include <errno.h>
#include <sys/xattr.h>

#include "base/writer.h"
#include "mount/flush.h"
#include "mount/handle.h"
#include "mount/notifier.h"

#define USER "user."
#define READ_EA 0x8u
#define WRITE_EA 0x10u
#define LIST_BYTES_MAX 65536u

enum what { GET, LIST, SET };

struct xattr_call {
        struct mount *m;
        fuse_req_t req;
        struct node *n; /* pinned */
        struct frevo_file *f;
        enum what what;
        size_t size; /* of the caller's buffer; SET: of the value */
        int flags;
        char *name;  /* own; without "user." */
        char *value; /* own; NULL: removes */
};

static void closed(void *arg, const struct frevo_result *r)
{
        struct mount *m = arg;
        (void)r; /* nothing hangs on it */
        m->in_flight--;
}

static void finish(struct xattr_call *c, int err)
{
        struct mount *m = c->m;
        if (err >= 0)
                (void)fuse_reply_err(c->req, err);
        if (c->f && frevo_close_start(c->f, closed, m))
                m->in_flight++;
        node_unpin(&m->nodes, c->n);
        free(c->name);
        free(c->value);
        free(c);
}

#define REPLIED (-1)

static void reply_bytes(struct xattr_call *c, const void *data, size_t n)
{
        if (c->size && n > c->size) {
                finish(c, ERANGE);
                return;
        }
        if (c->size)
                (void)fuse_reply_buf(c->req, data, n);
        else
                (void)fuse_reply_xattr(c->req, n);
        finish(c, REPLIED);
}

static void got(void *arg, const struct frevo_result *r)
{
        struct xattr_call *c = arg;
        if (r->err)
                finish(c, r->err == ENOENT ? ENODATA : r->err);
        else
                reply_bytes(c, r->data, r->n);
}

static void listed(void *arg, const struct frevo_result *r)
{
        struct xattr_call *c = arg;
        uint8_t *out = malloc(LIST_BYTES_MAX);
        struct writer w = wr_into(out, out ? LIST_BYTES_MAX : 0);
        for (size_t i = 0; !r->err && i < r->n_entries; i++) {
                wr_bytes(&w, bytes_str(USER));
                wr_bytes(&w, bytes_of(r->entries[i].name, strlen(r->entries[i].name) + 1));
        }
        if (r->err)
                finish(c, r->err);
        else if (!out || !wr_ok(&w))
                finish(c, out ? E2BIG : ENOMEM);
        else
                reply_bytes(c, out, w.at);
        free(out);
}

static void was_set(void *arg, const struct frevo_result *r)
{
        struct xattr_call *c = arg;
        finish(c, r->err);
}

static void set(struct xattr_call *c)
{
        if (!frevo_set_ea_start(c->f, c->name, c->value, c->value ? c->size : 0, was_set, c))
                finish(c, ENOMEM);
}

/* XATTR_CREATE, XATTR_REPLACE and removing: is it there? */
static void looked(void *arg, const struct frevo_result *r)
{
        struct xattr_call *c = arg;
        bool there = !r->err && r->n;
        if (r->err && r->err != ENOENT && r->err != ENODATA)
                finish(c, r->err);
        else if (there && c->flags & XATTR_CREATE)
                finish(c, EEXIST);
        else if (!there && (c->flags & XATTR_REPLACE))
                finish(c, ENODATA);
        else
                set(c);
}

static void opened(void *arg, const struct frevo_result *r)
{
        struct xattr_call *c = arg;
        const struct frevo_op *op = NULL;
        if (r->err) {
                finish(c, r->err);
                return;
        }
        c->f = r->file;
        if (c->what == LIST)
                op = frevo_list_eas_start(c->f, listed, c);
        else if (c->what == GET)
                op = frevo_get_ea_start(c->f, c->name, got, c);
        else if (c->flags)
                op = frevo_get_ea_start(c->f, c->name, looked, c);
        else {
                set(c);
                return;
        }
        if (!op)
                finish(c, ENOMEM);
}

static void open_it(void *arg, int err)
{
        struct xattr_call *c = arg;
        AUTO_FREE char *path = node_path(&c->m->nodes, c->n, NULL);
        const struct frevo_open_how how = {.access = FREVO_STAT | READ_EA |
                                                     (c->what == SET ? WRITE_EA : 0)};
        if (err || !path)
                finish(c, err ? err : ENOENT);
        else if (!frevo_open_start(c->m->share, path, &how, opened, c))
                finish(c, ENOMEM);
}

static struct xattr_call *call_new(fuse_req_t req, fuse_ino_t ino, const char *name)
{
        struct xattr_call *c = calloc(1, sizeof *c);
        if (!c || !(c->name = strdup(name))) {
                free(c);
                (void)fuse_reply_err(req, ENOMEM);
                return NULL;
        }
        c->m = mount_of(req);
        c->req = req;
        c->n = node_of(c->m, ino);
        node_pin(c->n);
        return c;
}

static void start(struct xattr_call *c)
{
        if (c->n->file && c->n->file->is_new)
                flush_materialize(c->n->file, open_it, c);
        else
                open_it(c, 0);
}

/* What stands behind "user."; NULL for other name spaces. */
static const char *user_part(const char *name)
{
        size_t n = strlen(USER);
        return strncmp(name, USER, n) == 0 && name[n] ? name + n : NULL;
}

void xattr_op_get(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
        const char *ea = user_part(name);
        if (!ea) {
                (void)fuse_reply_err(req, ENODATA);
                return;
        }
        struct xattr_call *c = call_new(req, ino, ea);
        if (!c)
                return;
        c->what = GET;
        c->size = size;
        start(c);
}

void xattr_op_list(fuse_req_t req, fuse_ino_t ino, size_t size)
{
        struct xattr_call *c = call_new(req, ino, "");
        if (!c)
                return;
        c->what = LIST;
        c->size = size;
        start(c);
}

void xattr_op_set(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size,
                  int flags)
{
        const char *ea = user_part(name);
        if (!ea || !size) { /* an empty EA is none */
                (void)fuse_reply_err(req, ea ? EINVAL : ENOTSUP);
                return;
        }
        struct xattr_call *c = call_new(req, ino, ea);
        if (!c)
                return;
        c->what = SET;
        c->size = size;
        c->flags = flags;
        c->value = malloc(size);
        if (!c->value) {
                finish(c, ENOMEM);
                return;
        }
        memcpy(c->value, value, size);
        start(c);
}

void xattr_op_remove(fuse_req_t req, fuse_ino_t ino, const char *name)
{
        const char *ea = user_part(name);
        if (!ea) {
                (void)fuse_reply_err(req, ENODATA);
                return;
        }
        struct xattr_call *c = call_new(req, ino, ea);
        if (!c)
                return;
        c->what = SET;
        c->flags = XATTR_REPLACE;
        start(c);
}
