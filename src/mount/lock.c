/* See lock.h. */
#include "mount/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "mount/flush.h"
#include "mount/handle.h"

struct lock_call {
        struct list link; /* in mount.lock_waits while a lock of this machine is in the way */
        struct mount *m;
        fuse_req_t req;   /* NULL: nobody is to be answered */
        struct node *n;   /* pinned */
        struct handle *h; /* in use */
        uint32_t access;
        struct lock want;
        bool wait;
        struct lock_step steps[LOCK_STEPS_MAX];
        size_t n_steps, at;
        struct frevo_op *op;
        int err;
        void (*done)(void *arg);
        void *arg;
};

static void begin(struct lock_call *c);

/* Locks that waited for one of this machine's: perhaps it is gone. */
static void wake_waiting(struct mount *m, struct node *n)
{
        struct list all;
        list_init(&all);
        list_each_safe (&m->lock_waits, it, next) {
                struct lock_call *c = list_entry(it, struct lock_call, link);
                if (c->n != n)
                        continue;
                list_remove(it);
                list_add_last(&all, it);
        }
        while (!list_empty(&all)) {
                struct lock_call *c = list_entry(all.next, struct lock_call, link);
                list_remove(&c->link);
                begin(c);
        }
}

static void keep_handle(struct file *f)
{
        bool any = !list_empty(&f->locks.locks);
        if (any || !f->lock_handle)
                return;
        struct handle *h = f->lock_handle;
        f->lock_handle = NULL;
        handle_put(f->m, h);
}

static void finish(struct lock_call *c, int err)
{
        struct mount *m = c->m;
        struct node *n = c->n;
        if (c->req) {
                fuse_req_interrupt_func(c->req, NULL, NULL);
                (void)fuse_reply_err(c->req, err);
        }
        if (c->done)
                c->done(c->arg);
        if (c->h)
                handle_put(m, c->h);
        keep_handle(n->file);
        free(c);
        wake_waiting(m, n);
        node_unpin(&m->nodes, n);
}

/* ---- at the server -----------------------------------------------------------------------------
 */

static void step(struct lock_call *c);

static bool is_last(const struct lock_call *c)
{
        return c->at == c->n_steps - 1 && c->want.kind != LOCK_KIND_NONE;
}

static void stepped(void *arg, const struct frevo_result *r)
{
        struct lock_call *c = arg;
        c->op = NULL;
        if (r->err && is_last(c)) {
                lock_refused(&c->n->file->locks, &c->want);
                finish(c, r->err == ECANCELED ? EINTR : r->err);
                return;
        }
        if (r->err && !c->err) /* an unlock that failed, or the rest of a lock that is gone */
                c->err = r->err;
        c->at++;
        step(c);
}

static enum frevo_lock server_kind(enum lock_kind kind)
{
        if (kind == LOCK_KIND_NONE)
                return FREVO_UNLOCK;
        return kind == LOCK_KIND_READ ? FREVO_LOCK_SHARED : FREVO_LOCK_EXCLUSIVE;
}

static void step(struct lock_call *c)
{
        if (c->at == c->n_steps) {
                finish(c, c->err);
                return;
        }
        const struct lock_step *s = &c->steps[c->at];
        c->op = frevo_lock_start(c->h->f, s->from, s->to - s->from + 1, server_kind(s->kind),
                                 is_last(c) && c->wait, stepped, c);
        if (!c->op)
                stepped(c, &(struct frevo_result){.err = ENOMEM});
}

/* ---- here --------------------------------------------------------------------------------------
 */

static void interrupted(fuse_req_t req, void *arg)
{
        struct lock_call *c = arg;
        (void)req;
        if (c->op) {
                frevo_cancel(c->op);
        } else if (!list_empty(&c->link)) {
                list_remove(&c->link);
                finish(c, EINTR);
        }
}

static void begin(struct lock_call *c)
{
        struct file *f = c->n->file;
        bool ok;
        if (c->want.kind != LOCK_KIND_NONE && lock_conflict(&f->locks, &c->want)) {
                if (c->wait)
                        list_add_last(&c->m->lock_waits, &c->link);
                else
                        finish(c, EAGAIN);
                return;
        }
        if (c->want.kind != LOCK_KIND_NONE && lock_is_held(&f->locks, &c->want)) {
                finish(c, 0);
                return;
        }
        c->n_steps = lock_change(&f->locks, &c->want, c->steps, &ok);
        if (!ok) {
                finish(c, ENOLCK);
                return;
        }
        if (!f->lock_handle && c->n_steps) {
                f->lock_handle = c->h;
                c->h->users++;
        }
        step(c);
}

/* What this process wrote under the lock is there before others may have it. */
static void flushed(void *arg, int err)
{
        struct lock_call *c = arg;
        if (err)
                c->err = err;
        begin(c);
}

static void start(struct lock_call *c)
{
        struct file *f = c->n->file;
        if (c->req)
                fuse_req_interrupt_func(c->req, interrupted, c);
        if (c->want.kind == LOCK_KIND_NONE && file_is_unsettled(c->n))
                flush_file(f, flushed, c);
        else
                begin(c);
}

static void have_handle(void *arg, const struct handle_result *r)
{
        struct lock_call *c = arg;
        c->h = r->h;
        if (r->err)
                finish(c, r->err);
        else
                start(c);
}

static void made(void *arg, int err)
{
        struct lock_call *c = arg;
        if (err) {
                finish(c, err);
                return;
        }
        handle_get(c->m, c->n, &(struct handle_how){.access = c->access, .less_will_do = true},
                   have_handle, c);
}

static struct lock_call *call_new(fuse_req_t req, struct mount *m, struct node *n)
{
        struct lock_call *c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        c->m = m;
        c->req = req;
        c->n = n;
        list_init(&c->link);
        node_pin(n);
        return c;
}

static void get_handle(struct lock_call *c, const struct open_file *o)
{
        struct file *f = c->n->file;
        c->h = f->lock_handle ? f->lock_handle : o->h;
        c->access = o->access;
        if (c->h) {
                c->h->users++;
                start(c);
        } else {
                flush_materialize(f, made, c);
        }
}

static enum lock_kind kind_of(int type)
{
        return type == F_UNLCK   ? LOCK_KIND_NONE
               : type == F_RDLCK ? LOCK_KIND_READ
                                 : LOCK_KIND_WRITE;
}

static struct lock lock_from(const struct flock *fl, const struct fuse_file_info *fi)
{
        return (struct lock){
                .owner = fi->lock_owner,
                .from = (uint64_t)fl->l_start,
                .to = fl->l_len ? (uint64_t)(fl->l_start + fl->l_len - 1) : INT64_MAX,
                .kind = kind_of(fl->l_type),
                .pid = fl->l_pid,
        };
}

void lock_op_setlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *fl,
                   int sleep)
{
        struct mount *m = mount_of(req);
        struct lock_call *c = call_new(req, m, node_of(m, ino));
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        c->want = lock_from(fl, fi);
        c->wait = sleep != 0;
        get_handle(c, open_file_of(fi));
}

void lock_op_flock(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, int op)
{
        struct mount *m = mount_of(req);
        struct lock_call *c = call_new(req, m, node_of(m, ino));
        int what = op & ~LOCK_NB;
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        c->want = (struct lock){.owner = fi->lock_owner,
                                .flock = true,
                                .to = INT64_MAX,
                                .kind = what == LOCK_UN   ? LOCK_KIND_NONE
                                        : what == LOCK_SH ? LOCK_KIND_READ
                                                          : LOCK_KIND_WRITE};
        c->wait = !(op & LOCK_NB);
        get_handle(c, open_file_of(fi));
}

/* ---- asking ------------------------------------------------------------------------------------
 */

static void reply_lock(fuse_req_t req, const struct lock *l)
{
        struct flock fl = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
        if (l) {
                fl.l_type = l->kind == LOCK_KIND_WRITE ? F_WRLCK : F_RDLCK;
                fl.l_start = (off_t)l->from;
                fl.l_len = l->to >= INT64_MAX ? 0 : (off_t)(l->to - l->from + 1);
                fl.l_pid = l->pid;
        }
        (void)fuse_reply_lock(req, &fl);
}

static void test_over(struct lock_call *c, const struct lock *in_the_way)
{
        reply_lock(c->req, in_the_way);
        c->req = NULL;
        finish(c, 0);
}

static void test_undone(void *arg, const struct frevo_result *r)
{
        (void)r;
        test_over(arg, NULL);
}

/* The server only says no, not who: one like the wanted one, of nobody known. */
static void tested(void *arg, const struct frevo_result *r)
{
        struct lock_call *c = arg;
        uint64_t n = c->want.to - c->want.from + 1;
        if (r->err == EAGAIN || r->err == EACCES) {
                c->want.kind = LOCK_KIND_WRITE;
                c->want.pid = 0;
                test_over(c, &c->want);
        } else if (r->err) {
                finish(c, r->err);
        } else if (!frevo_lock_start(c->h->f, c->want.from, n, FREVO_UNLOCK, false, test_undone,
                                     c)) {
                finish(c, ENOMEM);
        }
}

void lock_op_getlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *fl)
{
        struct mount *m = mount_of(req);
        struct node *n = node_of(m, ino);
        struct lock want = lock_from(fl, fi);
        const struct open_file *o = open_file_of(fi);
        const struct lock *other = lock_conflict(&n->file->locks, &want);
        bool ours = other || lock_of(&n->file->locks, want.owner, false);
        struct handle *h = n->file->lock_handle ? n->file->lock_handle : o->h;
        if (ours || !h) { /* no other machine has a lock here, or a file that none knows of */
                reply_lock(req, other);
                return;
        }
        struct lock_call *c = call_new(req, m, n);
        if (!c) {
                (void)fuse_reply_err(req, ENOMEM);
                return;
        }
        c->want = want;
        c->h = h;
        h->users++;
        if (!frevo_lock_start(h->f, want.from, want.to - want.from + 1, server_kind(want.kind),
                              false, tested, c))
                finish(c, ENOMEM);
}

/* ---- the end -----------------------------------------------------------------------------------
 */

static void drop(struct mount *m, struct node *n, const struct lock *all, void (*done)(void *arg),
                 void *arg)
{
        struct file *f = n->file;
        struct lock_call *c =
                lock_of(&f->locks, all->owner, all->flock) ? call_new(NULL, m, n) : NULL;
        if (!c) { /* nothing to do; without memory, the server drops them with the handle */
                if (done)
                        done(arg);
                return;
        }
        c->want = *all;
        c->done = done;
        c->arg = arg;
        c->h = f->lock_handle;
        c->h->users++;
        start(c);
}

void lock_drop_owner(struct mount *m, struct node *n, uint64_t owner, void (*done)(void *arg),
                     void *arg)
{
        drop(m, n, &(struct lock){.owner = owner, .to = INT64_MAX}, done, arg);
}

void lock_drop_flock(struct mount *m, struct node *n, uint64_t owner)
{
        drop(m, n, &(struct lock){.owner = owner, .flock = true, .to = INT64_MAX}, NULL, NULL);
}
