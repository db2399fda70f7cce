/* See user_db.h. Holds the list in memory under one lock and the file beside it: reading (with the
 * permission test on the opened descriptor) and replacing it (write, fsync, rename, fsync the
 * folder). */
#include "auth/user_db.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "auth/user_file.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/utf16.h"
#include "crypto/hash.h"

enum { RELOAD_EVERY_MS = 1000 };

struct user_db {
        pthread_mutex_t lock; /* guards all below */
        char *path;           /* owned; NULL = in memory only */
        struct user_list list;
        struct stat seen;   /* of the file when it was read; zeros = missing */
        uint64_t looked_ms; /* clock_ms of the last stat */
        bool bad_logged;
};

/* ---- reading ---- */

static bool is_private(const struct stat *st, char why[USER_WHY_MAX])
{
        if (!S_ISREG(st->st_mode))
                (void)snprintf(why, USER_WHY_MAX, "it is not a regular file");
        else if (st->st_mode & 077)
                (void)snprintf(why, USER_WHY_MAX,
                               "others than its owner may use it (mode %03o): chmod 600 it",
                               (unsigned)(st->st_mode & 0777));
        else if (st->st_uid != geteuid() && st->st_uid != 0)
                (void)snprintf(why, USER_WHY_MAX, "it belongs to another user");
        else if (st->st_size > (off_t)USER_FILE_MAX)
                (void)snprintf(why, USER_WHY_MAX, "it is larger than 16 MiB");
        else
                return true;
        return false;
}

static bool read_all(int fd, uint8_t *buf, size_t max, size_t *n)
{
        for (*n = 0; *n < max;) {
                ssize_t got = read(fd, buf + *n, max - *n);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return false;
                if (got == 0)
                        break;
                *n += (size_t)got;
        }
        return true;
}

static bool parse_fd(int fd, const struct stat *st, struct user_list *out, char why[USER_WHY_MAX])
{
        size_t max = (size_t)st->st_size + 1, n = 0;
        uint8_t *buf = malloc(max);
        bool ok = buf && read_all(fd, buf, max, &n);
        if (!ok)
                (void)snprintf(why, USER_WHY_MAX, "it cannot be read");
        else if (n == max)
                (void)snprintf(why, USER_WHY_MAX, "it grew while it was read");
        ok = ok && n < max && user_file_parse(bytes_of(buf, n), out, why);
        if (buf)
                secret_wipe(buf, max);
        free(buf);
        return ok;
}

/* Reads the file into *out and its state into *st; a missing file is an empty list. */
static bool load(const char *path, struct user_list *out, struct stat *st, char why[USER_WHY_MAX])
{
        *out = (struct user_list){0};
        memset(st, 0, sizeof *st);
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0 && errno == ENOENT)
                return true;
        if (fd < 0 || fstat(fd, st) != 0) {
                (void)snprintf(why, USER_WHY_MAX, "it cannot be opened: %s",
                               strerrordesc_np(errno));
                return false;
        }
        return is_private(st, why) && parse_fd(fd, st, out, why);
}

struct user_db *user_db_new_memory(void)
{
        struct user_db *db = calloc(1, sizeof *db);
        if (db && pthread_mutex_init(&db->lock, NULL) != 0) {
                free(db);
                db = NULL;
        }
        return db;
}

struct user_db *user_db_open(const char *path, char why[USER_WHY_MAX])
{
        struct user_db *db = user_db_new_memory();
        if (!db || !(db->path = strdup(path))) {
                (void)snprintf(why, USER_WHY_MAX, "no memory");
                user_db_free(db);
                return NULL;
        }
        db->looked_ms = clock_ms();
        if (!load(path, &db->list, &db->seen, why)) {
                user_db_free(db);
                return NULL;
        }
        return db;
}

void user_db_free(struct user_db *db)
{
        if (!db)
                return;
        user_list_fini(&db->list);
        free(db->path);
        (void)pthread_mutex_destroy(&db->lock); /* nobody uses it any more: the caller's promise */
        free(db);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
        return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
               a->st_mode == b->st_mode && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
               a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
               a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Locked. Takes over a changed file. A file that has become bad (or vanished) keeps the old list:
 * an editor's slip must not lock everybody out; it is logged once. */
static void reload(struct user_db *db)
{
        struct stat st = {0};
        struct user_list fresh;
        char why[USER_WHY_MAX];
        if (!db->path || (stat(db->path, &st) != 0 && db->seen.st_ino == 0) ||
            (st.st_ino && same_file(&st, &db->seen)))
                return;
        if (st.st_ino && load(db->path, &fresh, &st, why)) {
                user_list_fini(&db->list);
                db->list = fresh;
                db->seen = st;
                db->bad_logged = false;
        } else if (!db->bad_logged) {
                log_error("user database %s is not read again: %s", db->path,
                          st.st_ino ? why : "it is gone");
                db->bad_logged = true;
        }
}

bool user_db_lookup(struct user_db *db, const char *name, struct user_record *out)
{
        (void)pthread_mutex_lock(&db->lock); /* fails only for broken mutexes */
        if (clock_ms() - db->looked_ms >= RELOAD_EVERY_MS) {
                db->looked_ms = clock_ms();
                reload(db);
        }
        const struct user_record *u = user_list_find(&db->list, name);
        if (u)
                *out = *u;
        (void)pthread_mutex_unlock(&db->lock);
        return u != NULL;
}

size_t user_db_list(struct user_db *db, void (*each)(void *arg, const struct user_record *u),
                    void *arg)
{
        (void)pthread_mutex_lock(&db->lock);
        reload(db);
        size_t n = db->list.count;
        for (size_t i = 0; i < n; i++) {
                struct user_record u = db->list.users[i];
                secret_wipe(u.nt_hash, sizeof u.nt_hash);
                each(arg, &u);
        }
        (void)pthread_mutex_unlock(&db->lock);
        return n;
}

/* ---- writing ---- */

static bool write_all(int fd, struct bytes b)
{
        while (b.n) {
                ssize_t put = write(fd, b.p, b.n);
                if (put < 0 && errno != EINTR)
                        return false;
                if (put > 0)
                        b = bytes_from(b, (size_t)put);
        }
        return true;
}

static int open_folder_of(const char *path)
{
        AUTO_FREE char *folder = strdup(path);
        if (!folder)
                return -1;
        char *slash = strrchr(folder, '/');
        if (slash)
                slash[slash == folder ? 1 : 0] = 0;
        return open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The rename itself is on disk only when its folder is. */
static bool sync_folder_of(const char *path)
{
        AUTO_CLOSE int fd = open_folder_of(path);
        return fd >= 0 && fsync(fd) == 0;
}

static bool replace_file(const char *path, struct bytes text)
{
        AUTO_FREE char *temp = NULL;
        if (asprintf(&temp, "%s.XXXXXX", path) < 0) {
                temp = NULL;
                return false;
        }
        AUTO_CLOSE int fd = mkostemp(temp, O_CLOEXEC); /* mode 0600 */
        if (fd < 0)
                return false;
        if (write_all(fd, text) && fsync(fd) == 0 && rename(temp, path) == 0)
                return sync_folder_of(path);
        int saved = errno;
        (void)unlink(temp); /* the first error is the one to tell */
        errno = saved;
        return false;
}

/* Locked. Writes the list; false with the reason. */
static bool store(struct user_db *db, const struct user_list *l, char why[USER_WHY_MAX])
{
        if (!db->path)
                return true;
        size_t room = user_file_room(l);
        uint8_t *buf = malloc(room);
        if (!buf) {
                (void)snprintf(why, USER_WHY_MAX, "no memory");
                return false;
        }
        struct writer w = wr_into(buf, room);
        user_file_format(&w, l);
        bool ok = wr_ok(&w) && replace_file(db->path, wr_done(&w));
        if (!ok)
                (void)snprintf(why, USER_WHY_MAX, "%s cannot be written: %s", db->path,
                               strerrordesc_np(errno));
        secret_wipe(buf, room);
        free(buf);
        return ok;
}

static bool copy_list(const struct user_list *from, struct user_list *to)
{
        *to = (struct user_list){0};
        for (size_t i = 0; i < from->count; i++)
                if (!user_list_add(to, &from->users[i])) {
                        user_list_fini(to);
                        return false;
                }
        return true;
}

/* What a change does to the copy of the list; false with the reason. */
typedef bool edit_fn(struct user_list *l, const struct user_record *u, char why[USER_WHY_MAX]);

/* Edits a copy, stores it, and only then makes it the list: a failure leaves all as it was. The
 * lock on the folder keeps a second process (`frevo user` beside a server) from editing at the same
 * time; where it cannot be had, the edit goes on without. */
static bool change(struct user_db *db, edit_fn *edit, const struct user_record *u,
                   char why[USER_WHY_MAX])
{
        struct user_list copy;
        (void)pthread_mutex_lock(&db->lock);
        AUTO_CLOSE int folder = db->path ? open_folder_of(db->path) : -1;
        if (folder >= 0)
                (void)flock(folder, LOCK_EX); /* released by the close */
        reload(db);
        bool ok = copy_list(&db->list, &copy);
        if (!ok)
                (void)snprintf(why, USER_WHY_MAX, "no memory");
        ok = ok && edit(&copy, u, why) && store(db, &copy, why);
        if (ok) {
                user_list_fini(&db->list);
                db->list = copy;
                if (db->path && stat(db->path, &db->seen) != 0)
                        memset(&db->seen, 0, sizeof db->seen); /* reload will see it as changed */
        } else {
                user_list_fini(&copy);
        }
        (void)pthread_mutex_unlock(&db->lock);
        return ok;
}

static struct user_record *must_find(struct user_list *l, const char *name, char why[USER_WHY_MAX])
{
        struct user_record *u = user_list_find(l, name);
        if (!u)
                (void)snprintf(why, USER_WHY_MAX, "there is no user of this name");
        return u;
}

static bool edit_add(struct user_list *l, const struct user_record *u, char why[USER_WHY_MAX])
{
        if (user_list_find(l, u->name)) {
                (void)snprintf(why, USER_WHY_MAX, "there is a user of this name already");
                return false;
        }
        if (user_list_add(l, u))
                return true;
        (void)snprintf(why, USER_WHY_MAX, "too many users, or no memory");
        return false;
}

static bool edit_passwd(struct user_list *l, const struct user_record *u, char why[USER_WHY_MAX])
{
        struct user_record *old = must_find(l, u->name, why);
        if (old)
                memcpy(old->nt_hash, u->nt_hash, sizeof old->nt_hash);
        return old != NULL;
}

static bool edit_flags(struct user_list *l, const struct user_record *u, char why[USER_WHY_MAX])
{
        struct user_record *old = must_find(l, u->name, why);
        if (old)
                old->flags = u->flags;
        return old != NULL;
}

static bool edit_remove(struct user_list *l, const struct user_record *u, char why[USER_WHY_MAX])
{
        struct user_record *old = must_find(l, u->name, why);
        if (old)
                user_list_remove(l, old);
        return old != NULL;
}

static bool set_name(char out[USER_NAME_MAX], const char *name, char why[USER_WHY_MAX])
{
        if (!user_name_ok(name)) {
                (void)snprintf(why, USER_WHY_MAX,
                               "a name is 1 to 255 bytes of UTF-8 without : / \\ @ or leading #");
                return false;
        }
        (void)snprintf(out, USER_NAME_MAX, "%s", name);
        return true;
}

static bool set_password(uint8_t out[USER_HASH_LEN], const char *password, char why[USER_WHY_MAX])
{
        const char *reason = "the password is no valid UTF-8";
        if (!crypto_legacy_ready(&reason) || !user_hash_password(password, out)) {
                (void)snprintf(why, USER_WHY_MAX, "%s",
                               reason ? reason : "the password is no valid UTF-8");
                return false;
        }
        return true;
}

bool user_db_add(struct user_db *db, const char *name, const char *password, uint32_t flags,
                 const char *unix_name, char why[USER_WHY_MAX])
{
        struct user_record u = {.flags = flags};
        bool ok = set_name(u.name, name, why) &&
                  (!unix_name || !*unix_name || set_name(u.unix_name, unix_name, why)) &&
                  set_password(u.nt_hash, password, why) && change(db, edit_add, &u, why);
        secret_wipe(&u, sizeof u);
        return ok;
}

bool user_db_passwd(struct user_db *db, const char *name, const char *password,
                    char why[USER_WHY_MAX])
{
        struct user_record u = {0};
        bool ok = set_name(u.name, name, why) && set_password(u.nt_hash, password, why) &&
                  change(db, edit_passwd, &u, why);
        secret_wipe(&u, sizeof u);
        return ok;
}

bool user_db_set_flags(struct user_db *db, const char *name, uint32_t flags, char why[USER_WHY_MAX])
{
        struct user_record u = {.flags = flags};
        return set_name(u.name, name, why) && change(db, edit_flags, &u, why);
}

bool user_db_remove(struct user_db *db, const char *name, char why[USER_WHY_MAX])
{
        struct user_record u = {0};
        return set_name(u.name, name, why) && change(db, edit_remove, &u, why);
}

bool user_hash_password(const char *password, uint8_t out[USER_HASH_LEN])
{
        size_t n = utf16_len(password);
        memset(out, 0, USER_HASH_LEN);
        uint8_t *text = utf8_valid(password) ? malloc(n + 1) : NULL;
        if (!text)
                return false;
        struct writer w = wr_into(text, n);
        wr_utf16(&w, password);
        bool ok = wr_ok(&w) && md4(wr_done(&w), out);
        secret_wipe(text, n + 1);
        free(text);
        return ok;
}
