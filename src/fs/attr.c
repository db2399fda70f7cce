/* Attributes: how clients are shown them, and setting times and DOS bits, [MS-FSA] 2.1.5.12.6 and
 * 2.1.5.15.2. Times that a client has set or frozen by a handle are left alone by that handle's
 * I/O. */
#include "fs/grant.h"
#include "fs/name.h"
#include "fs/open.h"

#define DOS_SETTABLE                                                                               \
        ((uint32_t)(STORE_DOS_READONLY | STORE_DOS_HIDDEN | STORE_DOS_SYSTEM | STORE_DOS_ARCHIVE | \
                    STORE_DOS_TEMPORARY | STORE_DOS_OFFLINE | STORE_DOS_NOT_INDEXED))
enum { TIME_FREEZE = -1, TIME_THAW = -2 };

static uint32_t show_dos(const struct fs_volume *v, const struct store_attr *a, const char *path)
{
        uint32_t d = a->dos & STORE_DOS_KEPT;
        if (volume_hides(v, name_last(path)))
                d |= STORE_DOS_HIDDEN;
        if (a->kind == STORE_DIR)
                d |= FS_DOS_DIRECTORY;
        if (a->kind == STORE_SYMLINK)
                d |= FS_DOS_REPARSE;
        return d ? d : (uint32_t)FS_DOS_NORMAL;
}

void attr_show(const struct fs_volume *v, const struct store_attr *a, const char *path,
               struct fs_attr *ret)
{
        bool dir = a->kind == STORE_DIR;
        *ret = (struct fs_attr){
                .file_id = a->ino,
                .btime_ft = a->btime_ft,
                .atime_ft = a->atime_ft,
                .mtime_ft = a->mtime_ft,
                .ctime_ft = a->ctime_ft,
                .size = dir ? 0 : a->size,
                .alloc_bytes = dir ? 0 : a->alloc_bytes,
                .dos = show_dos(v, a, path),
                .nlink = a->nlink,
                .directory = dir,
                .symlink = a->kind == STORE_SYMLINK,
                .mode = a->mode,
                .uid = a->uid,
                .gid = a->gid,
        };
}

/* What clients are told as EaSize: the old OS/2 list, 4 bytes and for each EA 4 bytes, name, NUL,
 * value. */
static bool add_ea(void *ctx, const char *name, struct bytes value)
{
        uint32_t *sum = ctx;
        *sum += (uint32_t)(4 + strlen(name) + 1 + value.n);
        return true;
}

static enum fs_err ea_bytes(struct fs_open *o, uint32_t *ret)
{
        const struct store_ops *ops = store_file_ops(o->file);
        *ret = 0;
        enum fs_err e = ops->xattr_list ? ops->xattr_list(o->file, add_ea, ret) : FS_OK;
        if (*ret)
                *ret += 4;
        return e == FS_UNSUPPORTED ? FS_OK : e;
}

enum fs_err fs_getattr(struct fs_open *o, unsigned want, struct fs_attr *ret)
{
        struct store_attr a;
        uint32_t eas = 0;
        AUTO_FREE char *path = open_path_new(o);
        if (!path)
                return atomic_load(&o->closed) ? FS_CLOSED : FS_NO_MEMORY;
        enum fs_err e = store_file_ops(o->file)->attr(o->file, &a);
        if (!e && want & FS_ATTR_EA)
                e = ea_bytes(o, &eas);
        if (e)
                return e;
        attr_show(o->vol, &a, path, ret);
        ret->ea_bytes = eas;
        ret->delete_pending = open_delete_pending(o);
        /* A name marked for deletion no longer counts ([MS-FSA] 2.1.5.12.27). */
        if (ret->delete_pending && ret->nlink && !o->base)
                ret->nlink--;
        return FS_OK;
}

/* ---- setting ---- */

static bool is_time(int64_t t)
{
        return t != 0 && t != TIME_FREEZE && t != TIME_THAW;
}

static enum fs_err check_set(const struct fs_open *o, const struct fs_setattr *s)
{
        if (s->btime_ft < TIME_THAW || s->atime_ft < TIME_THAW || s->mtime_ft < TIME_THAW ||
            s->ctime_ft < TIME_THAW)
                return FS_INVALID;
        if (s->dos & FS_DOS_DIRECTORY && !o->node->dir)
                return FS_INVALID;
        if (s->dos & STORE_DOS_TEMPORARY && o->node->dir)
                return FS_INVALID;
        return FS_OK;
}

static void remember_frozen(struct fs_open *o, int64_t t, unsigned what)
{
        if (t == TIME_THAW)
                atomic_fetch_and(&o->frozen, ~what);
        else if (t != 0)
                atomic_fetch_or(&o->frozen, what); /* an explicit time sticks, too */
}

static unsigned times_to_set(const struct fs_setattr *s, struct store_attr *a)
{
        unsigned what = 0;
        if (is_time(s->btime_ft))
                a->btime_ft = s->btime_ft, what |= STORE_SET_BTIME;
        if (is_time(s->atime_ft))
                a->atime_ft = s->atime_ft, what |= STORE_SET_ATIME;
        if (is_time(s->mtime_ft))
                a->mtime_ft = s->mtime_ft, what |= STORE_SET_MTIME;
        return what;
}

static unsigned dos_to_set(const struct fs_open *o, const struct fs_setattr *s,
                           struct store_attr *a)
{
        uint32_t settable = DOS_SETTABLE;
        if (s->dos == 0)
                return 0;
        if (o->is_root || (o->base && o->base->is_root))
                settable &= ~(uint32_t)(STORE_DOS_HIDDEN | STORE_DOS_SYSTEM);
        uint32_t fresh = (a->dos & ~settable) | (s->dos & settable);
        if (fresh == a->dos)
                return 0;
        a->dos = fresh;
        return STORE_SET_DOS;
}

static uint32_t changes_of(const struct fs_setattr *s, unsigned what)
{
        return (s->dos ? (uint32_t)FS_CHANGE_ATTR : 0u) |
               (what & STORE_SET_BTIME ? (uint32_t)FS_CHANGE_CREATION : 0u) |
               (what & STORE_SET_ATIME ? (uint32_t)FS_CHANGE_ACCESS : 0u) |
               (what & STORE_SET_MTIME ? (uint32_t)FS_CHANGE_WRITE : 0u);
}

enum fs_err fs_setattr(struct fs_open *o, const struct fs_setattr *s)
{
        const struct store_ops *ops = store_file_ops(o->file);
        enum fs_err e = open_check(o, FS_WRITE_ATTR);
        if (!e)
                e = check_set(o, s);
        struct store_attr a;
        if (!e)
                e = ops->attr(o->file, &a);
        if (e)
                return e;
        unsigned what = times_to_set(s, &a) | dos_to_set(o, s, &a);
        /* Our own metadata, and the right was checked: as the server. */
        if (what && (e = ops->set_attr(o->file, NULL, what, &a)))
                return e;
        remember_frozen(o, s->atime_ft, OPEN_FROZEN_ATIME);
        remember_frozen(o, s->mtime_ft, OPEN_FROZEN_MTIME);
        struct node *n = open_of_file(o)->node;
        pthread_mutex_lock(&n->mutex);
        n->archived = (a.dos & STORE_DOS_ARCHIVE) != 0;
        pthread_mutex_unlock(&n->mutex);
        notify_changed(o, changes_of(s, what));
        return FS_OK;
}

/* ---- what I/O does to attributes ---- */

static bool needs_archive(struct fs_open *o)
{
        struct node *n = open_of_file(o)->node;
        pthread_mutex_lock(&n->mutex);
        bool yes = !n->archived && !n->dir;
        pthread_mutex_unlock(&n->mutex);
        return yes;
}

bool attr_write_blocks(struct fs_open *o)
{
        return atomic_load_explicit(&o->frozen, memory_order_relaxed) || needs_archive(o);
}

void attr_mark_changed(struct fs_open *o)
{
        grant_data_changes(o);
        const struct store_ops *ops = store_file_ops(o->file);
        struct store_attr a;
        if (!needs_archive(o) || ops->attr(o->file, &a) != FS_OK)
                return;
        a.dos |= STORE_DOS_ARCHIVE;
        /* A hint for backup programs: the data is written, whether or not it can be kept. */
        (void)ops->set_attr(o->file, NULL, STORE_SET_DOS, &a);
        struct node *n = open_of_file(o)->node;
        pthread_mutex_lock(&n->mutex);
        n->archived = true; /* tried once a node, not with every write */
        pthread_mutex_unlock(&n->mutex);
}

enum fs_err attr_freeze_begin(struct fs_open *o, unsigned frozen, struct attr_thaw *t)
{
        t->what = 0;
        if (frozen & OPEN_FROZEN_ATIME)
                t->what |= STORE_SET_ATIME;
        if (frozen & OPEN_FROZEN_MTIME)
                t->what |= STORE_SET_MTIME;
        return t->what ? store_file_ops(o->file)->attr(o->file, &t->before) : FS_OK;
}

enum fs_err attr_freeze_end(struct fs_open *o, const struct attr_thaw *t)
{
        if (!t->what)
                return FS_OK;
        return store_file_ops(o->file)->set_attr(o->file, NULL, t->what, &t->before);
}
