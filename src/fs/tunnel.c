/* See tunnel.h. */
#include "fs/tunnel.h"

#include "base/clock.h"
#include "base/utf16.h"
#include "fs/short_name.h"

void tunnel_init(struct tunnel *t)
{
        memset(t, 0, sizeof *t);
        pthread_mutex_init(&t->mutex, NULL);
}

void tunnel_fini(struct tunnel *t)
{
        for (size_t i = 0; i < TUNNEL_NAMES; i++)
                free(t->entry[i].path);
        pthread_mutex_destroy(&t->mutex);
}

static const char *last_of(const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash ? slash + 1 : path;
}

void tunnel_remember(struct tunnel *t, const char *path)
{
        char name[SHORT_NAME_MAX];
        short_name_of(last_of(path), name);
        if (!short_name_is_like(name, strlen(name))) /* its own short name: nothing to give back */
                return;
        char *copy = strdup(path);
        if (!copy)
                return; /* forgotten a little early */
        pthread_mutex_lock(&t->mutex);
        unsigned i = t->next++ % TUNNEL_NAMES;
        char *old = t->entry[i].path;
        t->entry[i].path = copy;
        t->entry[i].until_ms = clock_ms() + TUNNEL_MS;
        pthread_mutex_unlock(&t->mutex);
        free(old);
}

static bool stands_for(const char *short_path, const char *long_path)
{
        char name[SHORT_NAME_MAX];
        const char *s = last_of(short_path), *l = last_of(long_path);
        if (s - short_path != l - long_path ||
            strncasecmp(short_path, long_path, (size_t)(s - short_path)) != 0)
                return false;
        short_name_of(l, name);
        return name_casecmp(name, s) == 0;
}

char *tunnel_find(struct tunnel *t, const char *path)
{
        char *found = NULL;
        pthread_mutex_lock(&t->mutex);
        for (size_t i = 0; i < TUNNEL_NAMES && !found; i++)
                if (t->entry[i].path && t->entry[i].until_ms > clock_ms() &&
                    stands_for(path, t->entry[i].path))
                        found = strdup(t->entry[i].path);
        pthread_mutex_unlock(&t->mutex);
        return found;
}
