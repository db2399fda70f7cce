/* CLOSE, [MS-FSA] 2.1.5.5: an open leaves its node, its locks go, and the last open of a name that
 * was marked for deletion takes the name with it. The store's handle lives until the last reference
 * (open.c). */
#include "fs/grant.h"
#include "fs/open.h"

struct leaving {
        struct node_link *link;
        struct fs_cred *deleter; /* with whose rights the name goes; NULL: it stays */
        bool wake;
        bool marked; /* the name, which others have open */
};

/* Would closing o remove its name? n->mutex is held. */
static bool is_last_of_doomed(const struct fs_open *o)
{
        return o->link->opens == 1 && (o->delete_on_close || o->link->delete_pending);
}

/* o, not the last, was opened delete-on-close: from now on its name is marked. */
static bool mark_name(struct fs_open *o)
{
        if (!o->delete_on_close || o->link->delete_pending)
                return false;
        o->link->delete_pending = true;
        lease_doom(o->node, true);
        o->link->deleter = fs_cred_ref(o->cred);
        return true;
}

static void link_free(struct node_link *l)
{
        list_remove(&l->in_node);
        fs_cred_unref(l->deleter);
        free(l->path);
        free(l);
}

/* n->mutex is held. */
static void leave_node(struct fs_open *o, struct leaving *out)
{
        bool last = is_last_of_doomed(o);
        out->marked = mark_name(o) && !last;
        list_remove(&o->in_node);
        grant_drop(o);
        if (o->writable)
                atomic_fetch_add(&o->vol->fs->writers_left, 1);
        atomic_store(&o->closed, true);
        out->wake = lock_drop_all(o) || node_has_waiters(o->node);
        out->link = o->link;
        o->link->opens--;
        if (last)
                out->deleter = fs_cred_ref(o->link->deleter); /* the link stays: newcomers see it */
        else if (o->link->opens == 0)
                link_free(o->link);
}

static void name_is_gone(struct fs_open *o, const char *path)
{
        struct fs_root *r = o->vol->root;
        if (o->base)
                return; /* a stream's: its path names no file */
        tunnel_remember(&r->tunnel, path);
        notify_name(r, path, o->node->dir ? FS_CHANGE_DIR_NAME : FS_CHANGE_FILE_NAME,
                    FS_CHANGE_REMOVED);
}

/* The name goes; without any lock. Newcomers meet "delete pending" until it is decided. */
static enum fs_err remove_name(struct fs_open *o, struct leaving *l)
{
        struct store *s = o->vol->store;
        /* No rename can change the path now: it would need an open of this name. */
        enum fs_err e = s->ops->remove(s, cred_of_store(l->deleter), o->file, l->link->path);
        if (e == FS_OK)
                name_is_gone(o, l->link->path);
        if (e == FS_STALE || e == FS_NOT_FOUND)
                e = FS_OK; /* somebody beside us took the name away: it is gone, as wished */
        if (e == FS_NOT_EMPTY)
                e = FS_OK; /* filled since: then it stays, and no client is told ([MS-FSA] 2.1.5.5)
                            */
        pthread_mutex_lock(&o->node->mutex);
        link_free(l->link);
        pthread_mutex_unlock(&o->node->mutex);
        fs_cred_unref(l->deleter);
        return e;
}

/* A directory marked by delete-on-close must be empty at the time, or nothing is marked. Checked
 * before the node is locked; remove() has the last word. */
static enum fs_err settle_directory(struct fs_open *o)
{
        pthread_mutex_lock(&o->node->mutex);
        bool marks = !atomic_load(&o->closed) && o->node->dir && o->delete_on_close &&
                     !o->link->delete_pending;
        pthread_mutex_unlock(&o->node->mutex);
        if (!marks)
                return FS_OK;
        enum fs_err e = dir_check_empty(o);
        if (e != FS_OK) {
                pthread_mutex_lock(&o->node->mutex);
                o->delete_on_close = false;
                pthread_mutex_unlock(&o->node->mutex);
        }
        return e == FS_NOT_EMPTY ? FS_OK : e;
}

static bool must_block(struct fs_open *o)
{
        pthread_mutex_lock(&o->node->mutex);
        bool yes = !atomic_load(&o->closed) &&
                   (is_last_of_doomed(o) || (o->delete_on_close && o->node->dir));
        pthread_mutex_unlock(&o->node->mutex);
        return yes;
}

enum fs_err fs_close(struct fs_open *o, unsigned how)
{
        if (atomic_load(&o->closed))
                return FS_CLOSED;
        if (how & FS_NOWAIT && (o->base || must_block(o)))
                return FS_AGAIN; /* base: it is closed right after, and neither may stop halfway */
        struct leaving l = {0};
        enum fs_err e = how & FS_NOWAIT ? FS_OK : settle_directory(o);
        pthread_mutex_lock(&o->node->mutex);
        bool mine = !atomic_load(&o->closed);
        /* Another open may have left since: now this is the last one after all. */
        bool late = mine && how & FS_NOWAIT && is_last_of_doomed(o);
        if (mine && !late)
                leave_node(o, &l);
        pthread_mutex_unlock(&o->node->mutex);
        if (!mine || late)
                return mine ? FS_AGAIN : FS_CLOSED;
        notify_close(o);
        if (l.marked) /* it goes when they let go of it */
                grant_recall_now(o);
        if (l.wake)
                node_wake(o->node);
        if (l.deleter) {
                enum fs_err removed = remove_name(o, &l);
                e = removed ? removed : e;
        }
        if (o->base) { /* the file goes with its last stream if it is to go */
                enum fs_err closed = fs_close(o->base, how);
                e = e ? e : closed;
        }
        return e;
}
