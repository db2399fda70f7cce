/* See settings.h. */
#include "mount/settings.h"

#include <errno.h>

#include "base/auto.h"

#define CACHE_MS 1000u
#define RECONNECT_MS (24u * 3600 * 1000) /* a server that comes back within a day is waited for */
#define IDLE_HANDLES 256u
#define MS_MAX 86400000u

enum kind {
        FLAG,      /* bool = value */
        TEXT,      /* char *, a copy */
        SECRET,    /* char *, a copy, never shown */
        NUMBER,    /* unsigned */
        OCTAL,     /* mode_t */
        USER_ID,   /* uid_t and gid_t are unsigned */
        SECONDS,   /* unsigned ms; "strict" = 0 */
        DIALECT,   /* both */
        SECURITY,  /* sec= */
        TO_KERNEL, /* given on as it is */
        IGNORED,   /* others' */
};

struct option {
        const char *name;
        enum kind kind;
        size_t at;
        bool value;
};

#define AT(field) offsetof(struct mount_settings, field)
static const struct option options[] = {
        {"user", TEXT, AT(user), 0},
        {"username", TEXT, AT(user), 0},
        {"domain", TEXT, AT(domain), 0},
        {"workgroup", TEXT, AT(domain), 0},
        {"password", SECRET, AT(password), 0},
        {"credentials", TEXT, AT(credentials), 0},
        {"cred", TEXT, AT(credentials), 0},
        {"guest", FLAG, AT(anonymous), true},
        {"sec", SECURITY, 0, 0},
        {"seal", FLAG, AT(encrypt), true},
        {"vers", DIALECT, 0, 0},
        {"uid", USER_ID, AT(conf.uid), 0},
        {"gid", USER_ID, AT(conf.gid), 0},
        {"file_mode", OCTAL, AT(conf.file_mode), 0},
        {"dir_mode", OCTAL, AT(conf.dir_mode), 0},
        {"cache", SECONDS, AT(conf.cache_ms), 0},
        {"actimeo", SECONDS, AT(conf.cache_ms), 0},
        {"retry", SECONDS, AT(reconnect_ms), 0},
        {"lazy_create", FLAG, AT(conf.lazy_create), true},
        {"quiet", FLAG, AT(conf.quiet), true},
        {"idle_handles", NUMBER, AT(conf.idle_handles), 0},
        {"ro", FLAG, AT(conf.read_only), true},
        {"rw", FLAG, AT(conf.read_only), false},
        {"allow_other", TO_KERNEL, 0, 0},
        {"default_permissions", TO_KERNEL, 0, 0},
        {"noexec", TO_KERNEL, 0, 0},
        {"exec", TO_KERNEL, 0, 0},
        {"nosuid", TO_KERNEL, 0, 0},
        {"suid", TO_KERNEL, 0, 0},
        {"nodev", TO_KERNEL, 0, 0},
        {"dev", TO_KERNEL, 0, 0},
        {"noatime", TO_KERNEL, 0, 0},
        {"sync", TO_KERNEL, 0, 0},
        {"dirsync", TO_KERNEL, 0, 0},
        {"auto_unmount", TO_KERNEL, 0, 0},
        {"defaults", IGNORED, 0, 0},
        {"auto", IGNORED, 0, 0},
        {"noauto", IGNORED, 0, 0},
        {"nofail", IGNORED, 0, 0},
        {"_netdev", IGNORED, 0, 0},
        {"users", IGNORED, 0, 0},
        {"nouser", IGNORED, 0, 0},
        {"async", IGNORED, 0, 0},
        {"relatime", IGNORED, 0, 0},
        {"fsname", IGNORED, 0, 0},
        {"subtype", IGNORED, 0, 0},
        {0},
};

bool settings_init(struct mount_settings *s, uid_t uid, gid_t gid)
{
        *s = (struct mount_settings){
                .conf = {.cache_ms = CACHE_MS,
                         .uid = uid,
                         .gid = gid,
                         .file_mode = 0755,
                         .dir_mode = 0755,
                         .idle_handles = IDLE_HANDLES},
                .reconnect_ms = RECONNECT_MS,
                .fuse = strdup(""),
        };
        return s->fuse != NULL;
}

static void wipe(char *secret)
{
        if (secret)
                explicit_bzero(secret, strlen(secret));
        free(secret);
}

void settings_fini(struct mount_settings *s)
{
        free(s->user);
        free(s->domain);
        free(s->credentials);
        wipe(s->password);
        free(s->fuse);
        *s = (struct mount_settings){0};
}

static bool number(const char *text, int base, unsigned long max, unsigned *ret)
{
        char *end = NULL;
        if (*text < '0' || *text > '9')
                return false;
        errno = 0;
        unsigned long v = strtoul(text, &end, base);
        if (errno || *end || v > max)
                return false;
        *ret = (unsigned)v;
        return true;
}

/* "0.5", "3", "1s", "strict". */
static bool seconds(const char *text, unsigned *ret_ms)
{
        char *end = NULL;
        if (strcmp(text, "strict") == 0 || strcmp(text, "none") == 0) {
                *ret_ms = 0;
                return true;
        }
        double v = strtod(text, &end);
        if (end == text || (*end && strcmp(end, "s") != 0) || !(v >= 0) || v > MS_MAX / 1000.0)
                return false;
        *ret_ms = (unsigned)(v * 1000.0);
        return true;
}

static bool dialect(struct mount_settings *s, const char *text)
{
        static const struct {
                const char *name;
                uint16_t min, max;
        } known[] = {
                {"default", 0, 0},         {"2", 0x0202, 0x0210},     {"2.0", 0x0202, 0x0202},
                {"2.1", 0x0210, 0x0210},   {"3", 0x0300, 0x0311},     {"3.0", 0x0300, 0x0300},
                {"3.02", 0x0302, 0x0302},  {"3.0.2", 0x0302, 0x0302}, {"3.11", 0x0311, 0x0311},
                {"3.1.1", 0x0311, 0x0311},
        };
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
                if (strcmp(text, known[i].name) == 0) {
                        s->min_dialect = known[i].min;
                        s->max_dialect = known[i].max;
                        return true;
                }
        return false;
}

static bool security(struct mount_settings *s, const char *text)
{
        s->kerberos = strcmp(text, "krb5") == 0 || strcmp(text, "krb5i") == 0;
        s->anonymous = strcmp(text, "none") == 0;
        return s->kerberos || s->anonymous || strcmp(text, "ntlmssp") == 0 ||
               strcmp(text, "ntlmsspi") == 0 || strcmp(text, "ntlmv2") == 0;
}

static bool to_kernel(struct mount_settings *s, const char *text)
{
        size_t n = strlen(s->fuse) + strlen(text) + 2;
        char *more = malloc(n);
        if (!more)
                return false;
        (void)snprintf(more, n, "%s,%s", s->fuse, text);
        free(s->fuse);
        s->fuse = more;
        return true;
}

static bool copy_text(char **into, const char *text)
{
        wipe(*into);
        *into = strdup(text);
        return *into != NULL;
}

static bool take(struct mount_settings *s, const struct option *o, const char *value,
                 const char *whole)
{
        char *field = (char *)s + o->at; /* NOLINT: what the table says is there */
        switch (o->kind) {
        case FLAG:
                *(bool *)field = o->value;
                return true;
        case TEXT:
        case SECRET:
                return copy_text((char **)(void *)field, value);
        case NUMBER:
                return number(value, 10, 65536, (unsigned *)(void *)field);
        case USER_ID:
                return number(value, 10, UINT32_MAX - 1, (unsigned *)(void *)field);
        case OCTAL:
                return number(value, 8, 07777, (unsigned *)(void *)field);
        case SECONDS:
                return seconds(value, (unsigned *)(void *)field);
        case DIALECT:
                return dialect(s, value);
        case SECURITY:
                return security(s, value);
        case TO_KERNEL:
                return to_kernel(s, whole);
        default:
                return true;
        }
}

static bool wants_value(const struct option *o)
{
        return o->kind != FLAG && o->kind != TO_KERNEL && o->kind != IGNORED;
}

static bool add_one(struct mount_settings *s, const char *word, char why[SETTINGS_WHY_MAX])
{
        const char *value = strchr(word, '=');
        size_t n = value ? (size_t)(value - word) : strlen(word);
        if (n == 0 || strncmp(word, "x-", 2) == 0 || strncmp(word, "comment", n) == 0)
                return true;
        /* fstab's word: any user may mount */
        if (!value && strcmp(word, "user") == 0)
                return true;
        for (const struct option *o = options; o->name; o++) {
                if (strlen(o->name) != n || strncmp(o->name, word, n) != 0)
                        continue;
                if (wants_value(o) && !value)
                        break;
                if (take(s, o, value ? value + 1 : "", word))
                        return true;
                break;
        }
        bool secret = strncmp(word, "password", n) == 0;
        (void)snprintf(why, SETTINGS_WHY_MAX, "-o %.*s: no such option, or no such value",
                       secret ? (int)n : 100, word);
        return false;
}

bool settings_add(struct mount_settings *s, const char *list, char why[SETTINGS_WHY_MAX])
{
        AUTO_FREE char *copy = strdup(list);
        bool ok = copy != NULL;
        char *rest = copy, *word;
        why[0] = 0;
        while (ok && (word = strsep(&rest, ",")) != NULL)
                ok = add_one(s, word, why);
        if (copy) /* a password may have been in it */
                explicit_bzero(copy, strlen(list));
        return ok;
}

static bool add_line(struct mount_settings *s, char *line)
{
        line += strspn(line, " \t");
        char *value = strchr(line, '=');
        if (!*line || *line == '#' || !value)
                return !*line || *line == '#';
        size_t n = (size_t)(value++ - line);
        while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
                n--;
        line[n] = 0;
        value += strspn(value, " \t") *
                 (strncmp(line, "pass", 4) != 0); /* a password may begin so */
        if (strcmp(line, "username") == 0 || strcmp(line, "user") == 0)
                return copy_text(&s->user, value);
        if (strcmp(line, "password") == 0)
                return copy_text(&s->password, value);
        if (strcmp(line, "domain") == 0 || strcmp(line, "workgroup") == 0)
                return copy_text(&s->domain, value);
        return false;
}

bool settings_add_credentials(struct mount_settings *s, char *text, char why[SETTINGS_WHY_MAX])
{
        char *rest = text, *line;
        for (unsigned n = 1; (line = strsep(&rest, "\n")) != NULL; n++) {
                line[strcspn(line, "\r")] = 0;
                if (add_line(s, line))
                        continue;
                (void)snprintf(why, SETTINGS_WHY_MAX,
                               "line %u is none of username=, password=, domain=", n);
                return false;
        }
        return true;
}
