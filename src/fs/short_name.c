/* See short_name.h. */
#include "fs/short_name.h"

#include "base/utf16.h"

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
#define HASH_DIGITS 6u

/* What may stand in an 8.3 name, in capitals. */
static bool is_short_char(uint32_t cp)
{
        return cp < 0x80 && cp > 0x20 && !strchr("\"*+,./:;<=>?[\\]|", (int)cp);
}

/* FNV-1a over capitals: must be the same in every process, so it has no seed. */
static uint32_t hash_of(const char *name)
{
        uint32_t h = 0x811C9DC5u, cp;
        while ((cp = utf8_next(&name)) != 0)
                for (uint32_t u = upcase(cp), i = 0; i < 3; i++, u >>= 8)
                        h = (h ^ (u & 0xFF)) * 0x01000193u;
        return h;
}

/* Copies up to `max` legal characters of s[0..n), in capitals; returns how many. */
static size_t copy_legal(const char *s, size_t n, char *out, size_t max)
{
        const char *end = s + n;
        size_t at = 0;
        while (s < end && at < max) {
                uint32_t cp = upcase(utf8_next(&s));
                if (is_short_char(cp))
                        out[at++] = (char)cp;
        }
        return at;
}

/* Is name[0..n) all legal and at most `max` long? */
static bool is_legal(const char *s, size_t n, size_t max)
{
        const char *end = s + n;
        if (n > max)
                return false;
        while (s < end)
                if (!is_short_char(upcase(utf8_next(&s))))
                        return false;
        return true;
}

void short_name_of(const char *name, char out[SHORT_NAME_MAX])
{
        const char *dot = strrchr(name, '.');
        size_t stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
        const char *ext = name[stem] ? name + stem + 1 : "";
        size_t at = 0, ext_n = strlen(ext);
        bool whole = stem > 0 && is_legal(name, stem, 8) && is_legal(ext, ext_n, 3) &&
                     (ext_n > 0 || !name[stem]);
        if (whole) {
                at = copy_legal(name, stem, out, 8);
        } else {
                uint32_t h = hash_of(name);
                if (copy_legal(name, stem, out, 1) == 0)
                        out[0] = '_';
                for (at = 1; at <= HASH_DIGITS; at++, h /= 36)
                        out[at + (at == HASH_DIGITS)] = digits[h % 36];
                out[HASH_DIGITS] = '~';
                at = HASH_DIGITS + 2;
        }
        char legal_ext[4];
        size_t n = copy_legal(ext, ext_n, legal_ext, 3);
        if (n) {
                out[at++] = '.';
                memcpy(out + at, legal_ext, n);
                at += n;
        }
        out[at] = 0;
}

bool short_name_is_like(const char *c, size_t n)
{
        return n >= HASH_DIGITS + 2 && n < SHORT_NAME_MAX && c[HASH_DIGITS] == '~' &&
               (n == HASH_DIGITS + 2 || c[HASH_DIGITS + 2] == '.');
}

/* The entry of directory `dir` whose short name is `want` (n bytes); caller frees; NULL: none. */
static char *find_entry(struct store *s, struct store_file *dir, const char *want, size_t n)
{
        struct store_dir *d;
        struct store_entry e;
        char name[SHORT_NAME_MAX], *found = NULL;
        if (s->ops->dir_open(dir, &d) != FS_OK)
                return NULL;
        while (!found && s->ops->dir_next(d, &e) == FS_OK) {
                short_name_of(e.name, name);
                if (strlen(name) == n && strncasecmp(name, want, n) == 0)
                        found = strdup(e.name);
        }
        s->ops->dir_close(d);
        return found;
}

static char *find_in(struct store *s, const struct store_cred *cred, const char *parent,
                     const char *want, size_t n)
{
        struct store_open q = {.path = parent, .flags = STORE_READ | STORE_MUST_DIR};
        struct store_opened o;
        if (s->ops->open(s, cred, &q, 0, &o) != FS_OK)
                return NULL;
        char *found = find_entry(s, o.file, want, n);
        s->ops->close(o.file);
        free(o.real_path);
        return found;
}

enum fs_err short_name_resolve(struct store *s, const struct store_cred *cred, const char *path,
                               char **ret_path)
{
        AUTO_FREE char *done = strdup("");
        bool replaced = false;
        while (done && *path) {
                size_t n = strcspn(path, "/");
                AUTO_FREE char *name =
                        short_name_is_like(path, n) ? find_in(s, cred, done, path, n) : NULL;
                char *longer;
                replaced |= name != NULL;
                if (asprintf(&longer, "%s%s%.*s", done, *done ? "/" : "",
                             name ? (int)strlen(name) : (int)n, name ? name : path) < 0)
                        return FS_NO_MEMORY;
                free(done);
                done = longer;
                path += n + (path[n] == '/');
        }
        if (!done)
                return FS_NO_MEMORY;
        if (!replaced)
                return FS_NOT_FOUND;
        *ret_path = done;
        done = NULL;
        return FS_OK;
}
