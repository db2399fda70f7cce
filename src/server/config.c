/* See config.h. The INI syntax itself is inih's; here is only what each setting means. */
#include "server/config.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stddef.h>

enum kind { KIND_STRING, KIND_BOOL, KIND_COUNT, KIND_MODE, KIND_CHOICE, KIND_DIALECT, KIND_LISTEN };

struct setting {
        const char *name;
        enum kind kind;
        size_t at; /* offset in its struct */
        const char *takes, *text;
        const char *const *choices; /* KIND_CHOICE: index is the value; NULL-ended */
        uint32_t max;               /* KIND_COUNT */
};

static const char *const signing_words[] = {"required", "offered", NULL};
static const char *const encryption_words[] = {"offered", "required", "off", NULL};
static const char *const anonymous_words[] = {"no", "ipc", NULL};
static const char *const level_words[] = {"error", "warning", "info", "debug", NULL};

#define S(field) offsetof(struct server_config, field)
static const struct setting server_settings[] = {
        {"port", KIND_COUNT, S(port), "number", "TCP port; 0: 445 where allowed, else 4450", NULL,
         65535},
        {"listen", KIND_LISTEN, 0, "addresses", "comma separated; default: every address", NULL, 0},
        {"name", KIND_STRING, S(name), "name", "this server's name, at most 15 letters", NULL, 0},
        {"state", KIND_STRING, S(state), "folder", "where users and identity are kept", NULL, 0},
        {"users", KIND_STRING, S(users), "file", "users and their password hashes", NULL, 0},
        {"keytab", KIND_STRING, S(keytab), "file", "Kerberos keys: turns Kerberos on", NULL, 0},
        {"kerberos-realms", KIND_STRING, S(kerberos_realms), "realms",
         "whose principals are users here; default: the realms of the keytab's cifs/ keys", NULL,
         0},
        {"signing", KIND_CHOICE, S(signing), "required|offered", "must clients sign every request?",
         signing_words, 0},
        {"encryption", KIND_CHOICE, S(encryption), "offered|required|off",
         "encryption for all shares", encryption_words, 0},
        {"anonymous", KIND_CHOICE, S(anonymous), "no|ipc",
         "may somebody without a name sign in (to IPC$ alone)?", anonymous_words, 0},
        {"log-level", KIND_CHOICE, S(log_level), "error|warning|info|debug", "how much is logged",
         level_words, 0},
        {"loops", KIND_COUNT, S(loops), "number", "network threads; 0: one a processor", NULL, 256},
        {"workers", KIND_COUNT, S(workers), "number", "most threads for blocking work; 0: default",
         NULL, 1024},
        {"busy-poll", KIND_COUNT, S(busy_poll_us), "microseconds",
         "how long a busy loop looks for more work before it sleeps", NULL, 10000},
        {"multichannel", KIND_BOOL, S(multichannel), "yes|no",
         "several connections for one session", NULL, 0},
        {"protocol-min", KIND_DIALECT, S(protocol_min), "2.0.2|2.1|3.0|3.0.2|3.1.1",
         "oldest dialect spoken", NULL, 0},
        {"protocol-max", KIND_DIALECT, S(protocol_max), "2.0.2|2.1|3.0|3.0.2|3.1.1",
         "newest dialect spoken", NULL, 0},
};
#undef S

#define S(field) offsetof(struct share_config, field)
static const struct setting share_settings[] = {
        {"path", KIND_STRING, S(path), "folder", "what is shared", NULL, 0},
        {"comment", KIND_STRING, S(comment), "text", "shown in lists of shares", NULL, 0},
        {"read-only", KIND_BOOL, S(read_only), "yes|no", "nothing can be changed", NULL, 0},
        {"encrypt", KIND_BOOL, S(encrypt), "yes|no", "only encrypted clients", NULL, 0},
        {"browseable", KIND_BOOL, S(browseable), "yes|no", "in lists of shares", NULL, 0},
        {"hide-unreadable", KIND_BOOL, S(hide_unreadable), "yes|no",
         "listings leave out what the user may not read", NULL, 0},
        {"hide-dot-files", KIND_BOOL, S(hide_dot_files), "yes|no",
         "names that begin with a dot are hidden files", NULL, 0},
        {"hide-files", KIND_STRING, S(hide_files), "names",
         "comma separated, with * and ?: these are hidden files", NULL, 0},
        {"streams", KIND_BOOL, S(streams), "yes|no", "files have named streams; default: yes", NULL,
         0},
        {"change-notify", KIND_BOOL, S(change_notify), "yes|no",
         "clients are told what changes in folders; default: yes", NULL, 0},
        {"valid-users", KIND_STRING, S(valid_users), "names", "who may connect; default: everybody",
         NULL, 0},
        {"admin-users", KIND_STRING, S(admin_users), "names", "who acts as root here", NULL, 0},
        {"create-mask", KIND_MODE, S(file_mode), "octal", "permissions of new files", NULL, 0},
        {"directory-mask", KIND_MODE, S(dir_mode), "octal", "permissions of new folders", NULL, 0},
        {"posix-locks", KIND_BOOL, S(posix_locks), "yes|no",
         "byte-range locks are held against local programs too", NULL, 0},
};
#undef S

#define COUNT(a) (sizeof(a) / sizeof *(a))

void config_init(struct server_config *c)
{
        *c = (struct server_config){
                .log_level = LOG_LEVEL_INFO,
                .busy_poll_us = 50,
                .multichannel = true,
                .protocol_min = 0x0202,
                .protocol_max = 0x0311,
        };
}

static void share_fini(struct share_config *s)
{
        free(s->name);
        free(s->path);
        free(s->comment);
        free(s->hide_files);
        free(s->valid_users);
        free(s->admin_users);
}

void config_fini(struct server_config *c)
{
        for (unsigned i = 0; i < c->nlisten; i++)
                free(c->listen[i]);
        for (unsigned i = 0; i < c->nshares; i++)
                share_fini(&c->shares[i]);
        free(c->shares);
        free(c->name);
        free(c->state);
        free(c->users);
        free(c->keytab);
        free(c->kerberos_realms);
        config_init(c);
}

/* ---- one value ---- */

static bool parse_bool(const char *v, bool *out)
{
        static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false",
                                                                                    "off", "0"};
        for (size_t i = 0; i < COUNT(yes); i++) {
                if (strcasecmp(v, yes[i]) == 0)
                        return *out = true, true;
                if (strcasecmp(v, no[i]) == 0)
                        return *out = false, true;
        }
        return false;
}

static bool parse_number(const char *v, int base, uint32_t max, uint32_t *out)
{
        char *end;
        errno = 0;
        unsigned long n = strtoul(v, &end, base);
        if (!isdigit((unsigned char)*v) || *end || errno || n > max)
                return false;
        *out = (uint32_t)n;
        return true;
}

static bool parse_choice(const char *v, const char *const *words, int *out)
{
        for (int i = 0; words[i]; i++)
                if (strcasecmp(v, words[i]) == 0)
                        return *out = i, true;
        return false;
}

static bool parse_dialect(const char *v, uint32_t *out)
{
        static const struct {
                const char *word;
                uint32_t dialect;
        } row[] = {{"2.0.2", 0x0202}, {"2.0", 0x0202},   {"2.1", 0x0210},
                   {"3.0", 0x0300},   {"3.0.2", 0x0302}, {"3.1.1", 0x0311}};
        for (size_t i = 0; i < COUNT(row); i++)
                if (strcmp(v, row[i].word) == 0)
                        return *out = row[i].dialect, true;
        return false;
}

static bool replace_string(char **at, const char *v)
{
        char *copy = strdup(v);
        if (!copy)
                return false;
        free(*at);
        *at = copy;
        return true;
}

static bool add_listen(struct server_config *c, const char *v)
{
        while (*v) {
                size_t n = strcspn(v, ", \t");
                if (n && c->nlisten == CONFIG_MAX_LISTEN)
                        return false;
                if (n && !(c->listen[c->nlisten] = strndup(v, n)))
                        return false;
                c->nlisten += n > 0;
                v += n + strspn(v + n, ", \t");
        }
        return true;
}

/* `base` is the struct that the setting's offset is in. */
static bool set_value(const struct setting *s, void *base, const char *v)
{
        char *at = (char *)base + s->at;
        switch (s->kind) {
        case KIND_STRING:
                return replace_string((char **)(void *)at, v);
        case KIND_BOOL:
                return parse_bool(v, (bool *)at);
        case KIND_COUNT:
                return parse_number(v, 10, s->max, (uint32_t *)(void *)at);
        case KIND_MODE:
                return parse_number(v, 8, 0777, (uint32_t *)(void *)at);
        case KIND_CHOICE:
                return parse_choice(v, s->choices, (int *)(void *)at);
        case KIND_DIALECT:
                return parse_dialect(v, (uint32_t *)(void *)at);
        case KIND_LISTEN:
                return add_listen(base, v);
        }
        return false;
}

/* ---- finding the setting ------------------------------------------------------------------------
 */

/* Edits needed to turn a into b, for "did you mean"; names are short. */
static unsigned distance(const char *a, const char *b)
{
        unsigned row[64];
        size_t n = strlen(b);
        if (n >= COUNT(row))
                return UINT_MAX;
        for (unsigned j = 0; j <= n; j++)
                row[j] = j;
        for (unsigned i = 1; a[i - 1]; i++) {
                unsigned diagonal = row[0];
                row[0] = i;
                for (unsigned j = 1; j <= n; j++) {
                        unsigned best = diagonal + (a[i - 1] != b[j - 1]);
                        diagonal = row[j];
                        best = row[j] + 1 < best ? row[j] + 1 : best;
                        row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
                }
        }
        return row[n];
}

static const struct setting *nearest(const struct setting *t, size_t n, const char *name)
{
        const struct setting *best = t;
        for (size_t i = 1; i < n; i++)
                if (distance(name, t[i].name) < distance(name, best->name))
                        best = &t[i];
        return best;
}

struct table {
        const char *section;
        const struct setting *settings;
        size_t n;
};
static const struct table server_table = {"server", server_settings, COUNT(server_settings)};
static const struct table share_table = {"share", share_settings, COUNT(share_settings)};

static bool set_named(const struct table *t, void *base, const char *name, const char *value,
                      char error[CONFIG_ERROR_TEXT])
{
        for (size_t i = 0; i < t->n; i++) {
                const struct setting *s = &t->settings[i];
                if (strcasecmp(s->name, name) != 0)
                        continue;
                if (set_value(s, base, value))
                        return true;
                (void)snprintf(error, CONFIG_ERROR_TEXT, "%s = %s: expected %s (%s)", name, value,
                               s->takes, s->text);
                return false;
        }
        (void)snprintf(error, CONFIG_ERROR_TEXT,
                       "there is no setting '%s' for a %s; did you mean '%s'?", name, t->section,
                       nearest(t->settings, t->n, name)->name);
        return false;
}

bool config_set(struct server_config *c, const char *name, const char *value,
                char error[CONFIG_ERROR_TEXT])
{
        return set_named(&server_table, c, name, value, error);
}

static struct share_config *share_named(struct server_config *c, const char *name)
{
        for (unsigned i = 0; i < c->nshares; i++)
                if (strcasecmp(c->shares[i].name, name) == 0)
                        return &c->shares[i];
        if (c->nshares == CONFIG_MAX_SHARES)
                return NULL;
        struct share_config *more = realloc(c->shares, (c->nshares + 1) * sizeof *more);
        if (!more)
                return NULL;
        c->shares = more;
        more += c->nshares;
        *more = (struct share_config){.name = strdup(name),
                                      .browseable = true,
                                      .streams = true,
                                      .change_notify = true,
                                      .file_mode = 0644,
                                      .dir_mode = 0755};
        if (!more->name)
                return NULL;
        c->nshares++;
        return more;
}

/* ---- the file ---- */

struct reading {
        struct server_config *c;
        FILE *f;
        unsigned line;
        char why[CONFIG_ERROR_TEXT];
        unsigned why_line;
};

static char *read_line(char *s, int n, void *stream)
{
        struct reading *r = stream;
        char *got = fgets(s, n, r->f);
        r->line += got != NULL;
        return got;
}

/* inih's convention: 0 stops at this line. */
static int handle(void *user, const char *section, const char *name, const char *value)
{
        struct reading *r = user;
        bool ok;
        if (strcasecmp(section, "server") == 0) {
                ok = config_set(r->c, name, value, r->why);
        } else if (strncasecmp(section, "share ", 6) == 0) {
                const char *share = section + 6 + strspn(section + 6, " ");
                struct share_config *s = share_named(r->c, share);
                (void)snprintf(r->why, sizeof r->why, "too many shares, or no memory");
                ok = s && set_named(&share_table, s, name, value, r->why);
        } else {
                (void)snprintf(r->why, sizeof r->why,
                               "section [%s]: expected [server] or [share NAME]", section);
                ok = false;
        }
        if (!ok && !r->why_line)
                r->why_line = r->line;
        return ok;
}

bool config_read(struct server_config *c, const char *path, char error[CONFIG_ERROR_TEXT])
{
        struct reading r = {.c = c, .f = fopen(path, "re")};
        if (!r.f) {
                (void)snprintf(error, CONFIG_ERROR_TEXT, "%s: %s", path, strerror(errno));
                return false;
        }
        int bad = ini_parse_stream(read_line, &r, handle, &r);
        (void)fclose(r.f); /* only read from */
        if (bad == 0)
                return true;
        if (r.why_line)
                (void)snprintf(error, CONFIG_ERROR_TEXT, "%.200s, line %u: %.250s", path,
                               r.why_line, r.why);
        else
                (void)snprintf(error, CONFIG_ERROR_TEXT,
                               "%s, line %d: expected [section] or name = value", path, bad);
        return false;
}

bool config_add_share(struct server_config *c, const char *spec, char error[CONFIG_ERROR_TEXT])
{
        AUTO_FREE char *copy = strdup(spec);
        char *path = copy ? strchr(copy, '=') : NULL;
        if (!path || path == copy) {
                (void)snprintf(error, CONFIG_ERROR_TEXT, "share '%s': expected NAME=PATH", spec);
                return false;
        }
        *path++ = 0;
        struct share_config *s = share_named(c, copy);
        char *save = NULL, *word = strtok_r(path, ",", &save);
        if (!s || !word) {
                (void)snprintf(error, CONFIG_ERROR_TEXT, "share '%s': expected NAME=PATH", spec);
                return false;
        }
        bool ok = set_named(&share_table, s, "path", word, error);
        while (ok && (word = strtok_r(NULL, ",", &save))) {
                char *value = strchr(word, '=');
                if (value)
                        *value++ = 0;
                ok = set_named(&share_table, s, word, value ? value : "yes", error);
        }
        return ok;
}

static bool share_name_ok(const char *name)
{
        return *name && strlen(name) <= 80 && strcasecmp(name, "IPC$") != 0 &&
               !strpbrk(name, "\"/\\[]:|<>+=;,*?");
}

bool config_check(const struct server_config *c, char error[CONFIG_ERROR_TEXT])
{
        if (c->nshares == 0) {
                (void)snprintf(error, CONFIG_ERROR_TEXT,
                               "no share: give a folder, or a [share NAME] with a path");
                return false;
        }
        for (unsigned i = 0; i < c->nshares; i++) {
                const struct share_config *s = &c->shares[i];
                if (!share_name_ok(s->name)) {
                        (void)snprintf(error, CONFIG_ERROR_TEXT,
                                       "share '%.100s': the name is reserved, too long or has one "
                                       "of \" / \\ [ ] : | < > + = ; , * ?",
                                       s->name);
                        return false;
                }
                if (!s->path) {
                        (void)snprintf(error, CONFIG_ERROR_TEXT, "share '%s' has no path", s->name);
                        return false;
                }
        }
        if (c->protocol_min > c->protocol_max) {
                (void)snprintf(error, CONFIG_ERROR_TEXT, "protocol-min is newer than protocol-max");
                return false;
        }
        return true;
}

void config_describe(void (*each)(void *ctx, const char *section, const char *name,
                                  const char *takes, const char *text),
                     void *ctx)
{
        const struct table *const tables[] = {&server_table, &share_table};
        for (size_t t = 0; t < COUNT(tables); t++)
                for (size_t i = 0; i < tables[t]->n; i++) {
                        const struct setting *s = &tables[t]->settings[i];
                        each(ctx, tables[t]->section, s->name, s->takes, s->text);
                }
}
