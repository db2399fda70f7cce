/* Volumes: one share's view of a store, and the roots that volumes share. */
#include "fs/volume.h"

#include <stdatomic.h>
#include <string.h>

#include "fs/access.h"
#include "fs/wildcard.h"

/* Which directory does the store start at? Zeros (a root of its own) when it cannot tell now. */
static void root_identity(struct store *s, uint64_t *dev, uint64_t *ino)
{
        struct store_open q = {.path = "", .flags = STORE_MUST_DIR};
        struct store_opened o;
        *dev = *ino = 0;
        if (s->ops->open(s, NULL, &q, 0, &o) != FS_OK)
                return;
        *dev = o.attr.dev;
        *ino = o.attr.ino;
        s->ops->close(o.file);
        free(o.real_path);
}

static struct fs_root *root_lookup(struct fs *f, uint64_t dev, uint64_t ino)
{
        list_each (&f->roots, it) {
                struct fs_root *r = list_entry(it, struct fs_root, link);
                if (ino && r->dev == dev && r->ino == ino)
                        return r;
        }
        return NULL;
}

static struct fs_root *root_get(struct fs *f, struct store *s)
{
        uint64_t dev, ino;
        root_identity(s, &dev, &ino);
        pthread_mutex_lock(&f->roots_mutex);
        struct fs_root *r = root_lookup(f, dev, ino);
        if (!r && (r = calloc(1, sizeof *r))) {
                r->dev = dev;
                r->ino = ino;
                path_guard_init(&r->guard);
                tunnel_init(&r->tunnel);
                notify_root_init(&r->notify);
                list_add_last(&f->roots, &r->link);
        }
        if (r)
                r->refs++;
        pthread_mutex_unlock(&f->roots_mutex);
        return r;
}

static void root_put(struct fs *f, struct fs_root *r)
{
        if (!r)
                return;
        pthread_mutex_lock(&f->roots_mutex);
        bool last = --r->refs == 0;
        if (last)
                list_remove(&r->link);
        pthread_mutex_unlock(&f->roots_mutex);
        if (last) {
                path_guard_fini(&r->guard);
                tunnel_fini(&r->tunnel);
                notify_root_fini(&r->notify);
                free(r);
        }
}

/* "/a/b*" gives "a" and "b*". */
static bool split_patterns(struct fs_volume *v, const char *text)
{
        for (const char *s = text; s && *s;) {
                const char *end = strchrnul(s, '/');
                if (end > s) {
                        char **more = reallocarray(v->hidden, v->nhidden + 1, sizeof(char *));
                        if (!more)
                                return false;
                        v->hidden = more;
                        if (!(more[v->nhidden] = strndup(s, (size_t)(end - s))))
                                return false;
                        v->nhidden++;
                }
                s = *end ? end + 1 : end;
        }
        return true;
}

static bool config_copy(struct fs_volume *v, const struct fs_volume_config *c)
{
        v->config = *c;
        v->config.posix_locks = false; /* not there yet; see fs.h */
        v->config.name = strdup(c->name ? c->name : "");
        v->config.hide_files = c->hide_files ? strdup(c->hide_files) : NULL;
        return v->config.name && (!c->hide_files || v->config.hide_files) &&
               split_patterns(v, c->hide_files);
}

static void volume_free(struct fs_volume *v)
{
        root_put(v->fs, v->root);
        for (size_t i = 0; i < v->nhidden; i++)
                free(v->hidden[i]);
        free(v->hidden);
        free((char *)v->config.name);
        free((char *)v->config.hide_files);
        v->store->ops->free(v->store);
        free(v);
}

struct fs_volume *fs_volume_new(struct fs *f, struct store *s, const struct fs_volume_config *c)
{
        struct fs_volume *v = calloc(1, sizeof *v);
        if (!v) {
                s->ops->free(s);
                return NULL;
        }
        atomic_init(&v->refs, 1);
        v->fs = f;
        v->store = s;
        if (!config_copy(v, c) || !(v->root = root_get(f, s))) {
                volume_free(v);
                return NULL;
        }
        return v;
}

struct fs_volume *fs_volume_ref(struct fs_volume *v)
{
        atomic_fetch_add(&v->refs, 1);
        return v;
}

void fs_volume_unref(struct fs_volume *v)
{
        if (v && atomic_fetch_sub(&v->refs, 1) == 1)
                volume_free(v);
}

const struct fs_volume_config *fs_volume_config(const struct fs_volume *v)
{
        return &v->config;
}

unsigned fs_volume_caps(const struct fs_volume *v)
{
        return v->store->caps;
}

enum fs_err fs_volume_space(struct fs_volume *v, struct store_space *ret)
{
        return v->store->ops->space(v->store, ret);
}

enum fs_err fs_volume_access(struct fs_volume *v, struct fs_cred *cred, uint32_t *ret_access)
{
        struct access_path a;
        enum fs_err e = access_of_path(v, cred, "", cred_of_store(cred), &a);
        if (!e)
                *ret_access = a.allowed;
        return e;
}

bool volume_hides(const struct fs_volume *v, const char *name)
{
        if (v->config.hide_dot_files && name[0] == '.' && strcmp(name, ".") != 0 &&
            strcmp(name, "..") != 0)
                return true;
        for (size_t i = 0; i < v->nhidden; i++) {
                if (wildcard_match(v->hidden[i], name))
                        return true;
        }
        return false;
}
