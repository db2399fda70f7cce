/* Marking a name for deletion, [MS-FSA] 2.1.5.15.3. The name goes with its last open: close.c. */
#include "fs/open.h"

static enum fs_err check_deletable(struct fs_open *o)
{
        struct store_attr a;
        enum fs_err e = store_file_ops(o->file)->attr(o->file, &a);
        if (e)
                return e;
        if (a.dos & STORE_DOS_READONLY || o->is_root)
                return FS_CANNOT_DELETE;
        return o->node->dir ? dir_check_empty(o) : FS_OK;
}

enum fs_err fs_set_delete(struct fs_open *o, bool del)
{
        enum fs_err e = open_check(o, FS_DELETE);
        if (!e && del)
                e = check_deletable(o);
        if (e)
                return e;
        struct fs_cred *old = NULL;
        pthread_mutex_lock(&o->node->mutex);
        if (atomic_load(&o->closed)) {
                e = FS_CLOSED;
        } else {
                old = o->link->deleter;
                o->link->delete_pending = del;
                lease_doom(o->node, del);
                o->link->deleter = del ? fs_cred_ref(o->cred) : NULL;
        }
        pthread_mutex_unlock(&o->node->mutex);
        fs_cred_unref(old);
        if (!e && del && o->node->dir)
                node_wake(o->node); /* who watches it is told */
        return e;
}
