/* See remove.h. */
#include "mount/remove.h"

#include <errno.h>

#include "mount/attr.h"
#include "mount/dir.h"
#include "mount/flush.h"
#include "mount/handle.h"
#include "mount/names.h"

/* As FUSE's own file systems call such files; the numbers make it unique among machines. */
#define HIDDEN ".fuse_hidden%016llx%08x"
#define HIDDEN_BYTES 48u

struct removal {
        struct mount *m;
        struct node *dir; /* pinned */
        struct node *n;   /* pinned; NULL: we know nothing of it */
        bool directory;
        bool made_writable;
        remove_done done;
        void *arg;
        char *path, *hidden; /* own; hidden: NULL while it is not */
        uint64_t asked;
};

static void finish(struct removal *r, int err)
{
        struct mount *m = r->m;
        if (!err || err == ENOENT) {
                if (r->n && !r->n->gone)
                        node_detach(&m->nodes, r->n);
                names_changed(m, r->dir);
        }
        r->done(r->arg, err);
        if (r->n)
                node_unpin(&m->nodes, r->n);
        node_unpin(&m->nodes, r->dir);
        free(r->path);
        free(r->hidden);
        free(r);
}

static void send(struct removal *r);

static void put_back(void *arg, const struct frevo_result *res)
{
        struct removal *r = arg;
        (void)res; /* it had its chance: what the removal failed with is told */
        finish(r, EBUSY);
}

static void writable(void *arg, const struct frevo_result *res)
{
        struct removal *r = arg;
        if (res->err)
                finish(r, EACCES);
        else
                send(r);
}

/* Servers keep read-only files from being removed; elsewhere that is the folder's to say. */
static bool make_writable(struct removal *r)
{
        const struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                        .access_ns = FREVO_TIME_KEEP,
                                        .write_ns = FREVO_TIME_KEEP,
                                        .change_ns = FREVO_TIME_KEEP,
                                        .attributes = ATTRIBUTE_NORMAL};
        if (r->made_writable || r->directory || !r->n ||
            !(r->n->stat.attributes & ATTRIBUTE_READONLY))
                return false;
        r->made_writable = true;
        return frevo_change_start(r->m->share, r->hidden ? r->hidden : r->path, &ch, writable, r);
}

static void removed(void *arg, const struct frevo_result *res)
{
        struct removal *r = arg;
        if ((res->err == EACCES || res->err == EPERM) && make_writable(r))
                return;
        if (res->err && r->hidden &&
            frevo_rename_start(r->m->share, r->hidden, r->path, false, put_back, r))
                return;
        finish(r, res->err);
}

static void send(struct removal *r)
{
        if (!frevo_remove_start(r->m->share, r->hidden ? r->hidden : r->path, r->directory, removed,
                                r))
                finish(r, ENOMEM);
}

static void renamed(void *arg, const struct frevo_result *res)
{
        struct removal *r = arg;
        if (res->err) { /* then as it is: it goes when it is closed */
                free(r->hidden);
                r->hidden = NULL;
        }
        send(r);
}

static void hide(struct removal *r)
{
        struct mount *m = r->m;
        char name[HIDDEN_BYTES];
        (void)snprintf(name, sizeof name, HIDDEN, (unsigned long long)attr_now_ns(),
                       (unsigned)++m->changes);
        r->hidden = node_path(&m->nodes, r->dir, name);
        if (!r->hidden || !frevo_rename_start(m->share, r->path, r->hidden, false, renamed, r))
                finish(r, ENOMEM);
}

static void idle_closed(void *arg)
{
        struct removal *r = arg;
        if (r->n && r->n->file && !list_empty(&r->n->file->handles) && !r->directory)
                hide(r);
        else
                send(r);
}

static void flushed(void *arg, int err)
{
        struct removal *r = arg;
        (void)err; /* of a file that is going */
        if (r->n)
                handle_close_idle(r->m, r->n, idle_closed, r);
        else
                idle_closed(r);
}

void remove_name(struct mount *m, struct node *dir, const char *name, bool directory,
                 remove_done done, void *arg)
{
        struct removal *r = calloc(1, sizeof *r);
        if (!r) {
                done(arg, ENOMEM);
                return;
        }
        *r = (struct removal){.m = m, .dir = dir, .directory = directory, .done = done, .arg = arg};
        r->n = node_child(&m->nodes, dir, name);
        node_pin(dir);
        if (r->n)
                node_pin(r->n);
        r->path = node_path(&m->nodes, dir, name);
        struct file *f = r->n ? r->n->file : NULL;
        if (!r->path)
                finish(r, errno == ENOENT ? ENOENT : ENOMEM);
        else if (f && f->is_new && !f->putting)
                finish(r, 0); /* it never was */
        else if (f && file_is_unsettled(r->n))
                flush_file(f, flushed, r);
        else {
                if (directory && r->n)
                        dir_let_go(r->n);
                flushed(r, 0);
        }
}
