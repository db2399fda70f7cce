/* See path_guard.h. Called by open.c (enter, leave) and rename.c (freeze, thaw). */
#include "fs/path_guard.h"

#include <string.h>

#include "base/utf16.h"

void path_guard_init(struct path_guard *g)
{
        pthread_mutex_init(&g->mutex, NULL);
        pthread_cond_init(&g->thawed, NULL);
        list_init(&g->uses);
        list_init(&g->freezes);
}

void path_guard_fini(struct path_guard *g)
{
        pthread_mutex_destroy(&g->mutex);
        pthread_cond_destroy(&g->thawed);
}

bool path_is_below(const char *path, const char *dir)
{
        if (!*dir)
                return *path != 0;
        while (*dir) {
                if (!*path)
                        return false;
                if (upcase(utf8_next(&path)) != upcase(utf8_next(&dir)))
                        return false;
        }
        return *path == '/';
}

static bool is_frozen(const struct path_guard *g, const char *path)
{
        list_each (&g->freezes, it) {
                if (path_is_below(path, list_entry(it, struct path_use, link)->path))
                        return true;
        }
        return false;
}

enum fs_err path_guard_enter(struct path_guard *g, struct path_use *u, const char *path,
                             bool may_wait)
{
        u->path = path;
        enum fs_err e = FS_OK;
        pthread_mutex_lock(&g->mutex);
        while (is_frozen(g, path)) {
                if (!may_wait) {
                        e = FS_AGAIN;
                        break;
                }
                pthread_cond_wait(&g->thawed, &g->mutex);
        }
        if (!e)
                list_add_last(&g->uses, &u->link);
        pthread_mutex_unlock(&g->mutex);
        return e;
}

void path_guard_leave(struct path_guard *g, struct path_use *u)
{
        pthread_mutex_lock(&g->mutex);
        list_remove(&u->link);
        pthread_mutex_unlock(&g->mutex);
}

static bool is_related(const struct path_guard *g, const char *dir)
{
        list_each (&g->freezes, it) {
                const char *other = list_entry(it, struct path_use, link)->path;
                if (path_is_below(other, dir) || path_is_below(dir, other) ||
                    name_casecmp(dir, other) == 0)
                        return true;
        }
        list_each (&g->uses, it) {
                if (path_is_below(list_entry(it, struct path_use, link)->path, dir))
                        return true;
        }
        return false;
}

enum fs_err path_guard_freeze(struct path_guard *g, struct path_use *u, const char *dir)
{
        u->path = dir;
        pthread_mutex_lock(&g->mutex);
        bool busy = is_related(g, dir);
        if (!busy)
                list_add_last(&g->freezes, &u->link);
        pthread_mutex_unlock(&g->mutex);
        return busy ? FS_DENIED : FS_OK;
}

void path_guard_thaw(struct path_guard *g, struct path_use *u)
{
        pthread_mutex_lock(&g->mutex);
        list_remove(&u->link);
        pthread_cond_broadcast(&g->thawed);
        pthread_mutex_unlock(&g->mutex);
}
