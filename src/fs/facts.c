/* Facts of an open that need no I/O, and the check that every call on an open begins with. */
#include "fs/open.h"

enum fs_err open_check(struct fs_open *o, uint32_t need)
{
        if (atomic_load(&o->closed))
                return FS_CLOSED;
        return (o->access & need) == need ? FS_OK : FS_DENIED;
}

uint32_t fs_open_access(const struct fs_open *o)
{
        return o->access;
}

unsigned fs_open_options(const struct fs_open *o)
{
        return o->options;
}

bool fs_open_is_dir(const struct fs_open *o)
{
        return o->node->dir;
}

struct fs_volume *fs_open_volume(const struct fs_open *o)
{
        return o->vol;
}

uint64_t fs_open_file_id(const struct fs_open *o)
{
        return o->file_id;
}

bool open_delete_pending(struct fs_open *o)
{
        pthread_mutex_lock(&o->node->mutex);
        bool pending = !atomic_load(&o->closed) && o->link->delete_pending;
        pthread_mutex_unlock(&o->node->mutex);
        return pending;
}

static char *link_path_new(struct fs_open *o)
{
        char *path = NULL;
        pthread_mutex_lock(&o->node->mutex);
        if (!atomic_load(&o->closed))
                path = strdup(o->link->path);
        pthread_mutex_unlock(&o->node->mutex);
        return path;
}

char *open_path_new(struct fs_open *o)
{
        return link_path_new(open_of_file(o));
}

char *fs_open_path(struct fs_open *o)
{
        char *path = open_path_new(o), *both = NULL;
        if (!path || !o->base)
                return path;
        AUTO_FREE char *stream = link_path_new(o);
        if (stream && asprintf(&both, "%s:%s", path, stream) < 0)
                both = NULL;
        free(path);
        return both;
}

bool fs_open_is_stream(const struct fs_open *o)
{
        return o->base;
}

uint64_t fs_open_position(const struct fs_open *o)
{
        return atomic_load_explicit(&o->position, memory_order_relaxed);
}

void fs_open_set_position(struct fs_open *o, uint64_t pos)
{
        atomic_store_explicit(&o->position, pos, memory_order_relaxed);
}

uint32_t fs_open_mode(const struct fs_open *o)
{
        return atomic_load(&o->mode);
}

void fs_open_set_mode(struct fs_open *o, uint32_t mode)
{
        atomic_store(&o->mode, mode);
}
