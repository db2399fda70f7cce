/* See share_table.h. */
#include "server/share_table.h"

#include "base/utf16.h"
#include "store/posix/posix.h"

struct share_table {
        const struct server_config *c; /* borrowed: outlives the table */
        unsigned n;                    /* shares[0] is IPC$, shares[i] belongs to c->shares[i-1] */
        struct smb2_share **shares;
};

bool share_list_has(const char *list, const char *name)
{
        size_t n = strlen(name);
        while (list && *list) {
                size_t word = strcspn(list, ", \t");
                if (word == n && strncasecmp(list, name, n) == 0)
                        return true;
                list += word + strspn(list + word, ", \t");
        }
        return false;
}

/* The list "a, b" as the file service wants it, with slashes around each. Caller frees. */
static char *hide_pattern(const char *list)
{
        char *out = malloc(strlen(list) + 3);
        size_t at = 0;
        if (!out)
                return NULL;
        out[at++] = '/';
        for (; *list; list++) {
                bool between = *list == ',' || *list == ' ' || *list == '\t';
                if (!between)
                        out[at++] = *list;
                else if (out[at - 1] != '/')
                        out[at++] = '/';
        }
        if (out[at - 1] != '/')
                out[at++] = '/';
        out[at] = 0;
        return out;
}

static struct fs_volume *volume_new(const struct share_config *c, struct fs *fs,
                                    char error[CONFIG_ERROR_TEXT])
{
        struct store_posix_config sc = {.unprivileged = geteuid() != 0, .read_only = c->read_only};
        struct store *store;
        enum fs_err e = store_posix_new(c->path, &sc, &store);
        if (e != FS_OK) {
                (void)snprintf(error, CONFIG_ERROR_TEXT, "share '%s', folder %s: %s", c->name,
                               c->path, fs_err_text(e));
                return NULL;
        }
        AUTO_FREE char *hide = c->hide_files ? hide_pattern(c->hide_files) : NULL;
        struct fs_volume_config vc = {.name = c->name,
                                      .read_only = c->read_only,
                                      .hide_unreadable = c->hide_unreadable,
                                      .hide_dot_files = c->hide_dot_files,
                                      .hide_files = hide,
                                      .file_mode = c->file_mode,
                                      .dir_mode = c->dir_mode,
                                      .posix_locks = c->posix_locks,
                                      .no_notify = !c->change_notify,
                                      .streams = c->streams};
        struct fs_volume *v = fs_volume_new(fs, store, &vc);
        if (!v) {
                store->ops->free(store);
                (void)snprintf(error, CONFIG_ERROR_TEXT, "share '%s': no memory", c->name);
        }
        return v;
}

static struct smb2_share *share_new(const char *name, const char *comment)
{
        struct smb2_share *s = calloc(1, sizeof *s);
        if (!s)
                return NULL;
        s->refs = 1;
        s->name = strdup(name);
        s->comment = strdup(comment ? comment : "");
        if (s->name && s->comment)
                return s;
        smb2_share_unref(s);
        return NULL;
}

static struct smb2_share *disk_share_new(const struct share_config *c, struct fs *fs,
                                         char error[CONFIG_ERROR_TEXT])
{
        (void)snprintf(error, CONFIG_ERROR_TEXT, "share '%s': no memory", c->name);
        struct smb2_share *s = share_new(c->name, c->comment);
        if (!s)
                return NULL;
        s->encrypt = c->encrypt;
        s->access_based = c->hide_unreadable;
        s->hidden = !c->browseable;
        s->volume = volume_new(c, fs, error);
        if (s->volume)
                return s;
        smb2_share_unref(s);
        return NULL;
}

struct share_table *share_table_new(const struct server_config *c, struct fs *fs,
                                    char error[CONFIG_ERROR_TEXT])
{
        struct share_table *t = calloc(1, sizeof *t);
        if (t)
                t->shares = calloc(c->nshares + 1, sizeof(struct smb2_share *));
        if (t && t->shares)
                t->shares[0] = share_new("IPC$", "Remote procedure calls");
        if (!t || !t->shares || !t->shares[0]) {
                (void)snprintf(error, CONFIG_ERROR_TEXT, "no memory");
                share_table_free(t);
                return NULL;
        }
        t->c = c;
        t->n = 1;
        t->shares[0]->is_ipc = true;
        for (; t->n <= c->nshares; t->n++) {
                t->shares[t->n] = disk_share_new(&c->shares[t->n - 1], fs, error);
                if (!t->shares[t->n]) {
                        share_table_free(t);
                        return NULL;
                }
        }
        return t;
}

void share_table_free(struct share_table *t)
{
        if (!t)
                return;
        for (unsigned i = 0; i < t->n; i++)
                smb2_share_unref(t->shares[i]);
        free(t->shares);
        free(t);
}

struct smb2_share *share_table_find(struct share_table *t, const char *name)
{
        for (unsigned i = 0; i < t->n; i++)
                if (name_casecmp(t->shares[i]->name, name) == 0)
                        return smb2_share_ref(t->shares[i]);
        return NULL;
}

const struct share_config *share_table_config(const struct share_table *t,
                                              const struct smb2_share *s)
{
        for (unsigned i = 1; i < t->n; i++)
                if (t->shares[i] == s)
                        return &t->c->shares[i - 1];
        return NULL;
}

bool share_table_rpc_at(void *table, size_t index, struct rpc_share *out)
{
        const struct share_table *t = table;
        if (index >= t->n)
                return false;
        const struct smb2_share *s = t->shares[index];
        *out = (struct rpc_share){.name = s->name,
                                  .comment = s->comment,
                                  .path = index ? t->c->shares[index - 1].path : NULL,
                                  .kind = s->is_ipc ? RPC_SHARE_IPC : RPC_SHARE_DISK,
                                  .special = s->is_ipc,
                                  .hidden = s->hidden,
                                  .max_users = UINT32_MAX};
        return true;
}
