/* Named streams, kept where Samba's streams module keeps them: stream S of a file is its attribute
 * user.DosStream.S:$DATA, whose value is the data and one NUL. So a stream holds what an extended
 * attribute can hold, and every change writes it whole, under the lock of the file's streams.
 *
 * Rights were asked when the stream was opened; its value is written as the server. */
#include "store/posix/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/utf16.h"
#include "store/posix/attr.h"
#include "store/posix/posix_err.h"
#include "store/posix/stream_table.h"
#include "store/posix/xattr_raw.h"

#define PREFIX "user.DosStream."
#define SUFFIX ":$DATA"
enum {
        PREFIX_LEN = sizeof PREFIX - 1,
        SUFFIX_LEN = sizeof SUFFIX - 1,
        FULL_NAME = 256,
        NAME_BYTES = FULL_NAME - 1 - PREFIX_LEN - SUFFIX_LEN, /* of a stream's name, at most */
        LIST_BYTES = 64 * 1024,
        ALLOC_UNIT = 8,
};

/* A stream's value in memory: value.n bytes of data, room for LIMIT_XATTR_BYTES with the NUL. */
struct content {
        uint8_t *p;
        size_t n;
};

#define DATA_MAX ((size_t)LIMIT_XATTR_BYTES - 1)

static void full_name(const char *name, char out[FULL_NAME])
{
        (void)snprintf(out, FULL_NAME, PREFIX "%.*s" SUFFIX, NAME_BYTES, name);
}

static enum fs_err check_name(const char *name)
{
        size_t n = strlen(name);
        return n == 0 ? FS_BAD_NAME : n > NAME_BYTES ? FS_TOO_LONG : FS_OK;
}

static uint64_t alloc_of(uint64_t size)
{
        return (size + ALLOC_UNIT - 1) / ALLOC_UNIT * ALLOC_UNIT;
}

/* ---- names ---- */

/* Calls back with the name, NUL-terminated in `name`, of each stream until cb returns false. */
static enum fs_err each_name(const struct posix_file *f, bool (*cb)(void *ctx, const char *name),
                             void *ctx)
{
        AUTO_FREE char *names = malloc(LIST_BYTES + 1);
        if (!names)
                return FS_NO_MEMORY;
        ssize_t n = xattr_raw_list(f, names, LIST_BYTES);
        if (n < 0)
                return n == -EOPNOTSUPP ? FS_OK : posix_err((int)-n);
        names[n] = 0;
        for (char *it = names, *next; it < names + n; it = next) {
                size_t len = strlen(it);
                next = it + len + 1;
                if (len <= PREFIX_LEN + SUFFIX_LEN || strncmp(it, PREFIX, PREFIX_LEN) != 0 ||
                    strcmp(it + len - SUFFIX_LEN, SUFFIX) != 0)
                        continue;
                it[len - SUFFIX_LEN] = 0;
                if (utf8_valid(it) && !cb(ctx, it + PREFIX_LEN))
                        break;
        }
        return FS_OK;
}

struct finding {
        const char *name;
        bool exact, found;
        char real[NAME_BYTES + 1];
};

static bool match(void *ctx, const char *name)
{
        struct finding *s = ctx;
        bool same = strcmp(name, s->name) == 0;
        if (same || (!s->exact && name_casecmp(name, s->name) == 0)) {
                (void)snprintf(s->real, sizeof s->real, "%s", name);
                s->found = true;
        }
        return !same;
}

/* How the stream is spelled on disk: FS_NOT_FOUND, and s->real as asked for, when it is not. */
static enum fs_err find(const struct posix_file *f, const char *name, bool exact, struct finding *s)
{
        *s = (struct finding){.name = name, .exact = exact};
        enum fs_err e = each_name(f, match, s);
        if (e || s->found)
                return e;
        (void)snprintf(s->real, sizeof s->real, "%s", name);
        return FS_NOT_FOUND;
}

/* ---- values; the lock is held ---- */

static enum fs_err load(const struct posix_file *f, const char *name, struct content *ret)
{
        char full[FULL_NAME];
        full_name(name, full);
        uint8_t *p = malloc(LIMIT_XATTR_BYTES);
        if (!p)
                return FS_NO_MEMORY;
        ssize_t n = xattr_raw_get(f, full, p, LIMIT_XATTR_BYTES);
        if (n < 0) {
                free(p);
                return n == -ENODATA ? FS_STALE : posix_err((int)-n);
        }
        *ret = (struct content){.p = p, .n = n ? (size_t)n - 1 : 0};
        return FS_OK;
}

static enum fs_err store_value(const struct posix_file *f, const char *name,
                               const struct content *c)
{
        char full[FULL_NAME];
        full_name(name, full);
        enum fs_err e = posix_become(posix_file_store(f), NULL);
        if (e)
                return e;
        c->p[c->n] = 0;
        int r = xattr_raw_set(f, full, bytes_of(c->p, c->n + 1));
        if (r == -E2BIG || r == -ERANGE)
                return FS_TOO_BIG;
        return r < 0 ? posix_err(-r) : FS_OK;
}

/* A stream's change is its file's: the kernel sees to ctime only. */
static void touch(const struct posix_file *f)
{
        struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
        /* The data is written, whether or not the time can be told. */
        (void)(f->is_path ? utimensat(f->fd, "", t, AT_EMPTY_PATH) : futimens(f->fd, t));
}

static enum fs_err drop(const struct posix_file *f, const char *name)
{
        char full[FULL_NAME];
        full_name(name, full);
        enum fs_err e = posix_become(posix_file_store(f), NULL);
        int r = e ? 0 : xattr_raw_set(f, full, bytes_of(NULL, 0));
        return e               ? e
               : r == -ENODATA ? FS_OK /* somebody beside us removed it: gone, as wished */
               : r < 0         ? posix_err(-r)
                               : FS_OK;
}

/* ---- opening ---- */

/* A file was opened with the rights that its data needs, which its streams need, too. A directory
 * cannot be opened for writing, nor is a handle for names that makes a stream. */
static enum fs_err check_may_write(const struct posix_file *f, const struct store_cred *cred)
{
        enum fs_err e = posix_become(posix_file_store(f), cred);
        if (!e && faccessat(f->fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) != 0)
                e = posix_err(errno);
        return e;
}

static enum fs_err enter_locked(struct posix_file *f, const struct store_cred *cred,
                                const struct store_open *q, struct store_opened *ret)
{
        struct finding s;
        uint8_t nul[1];
        bool making = q->flags & STORE_CREATE;
        enum fs_err e = find(f, q->stream, q->flags & STORE_EXACT, &s);
        if (!e && making && q->flags & STORE_EXCL)
                return FS_EXISTS;
        if (e && (e != FS_NOT_FOUND || !making))
                return e;
        making = e == FS_NOT_FOUND;
        bool writes = q->flags & STORE_WRITE && f->kind == STORE_DIR;
        e = writes || (making && !ret->created) ? check_may_write(f, cred) : FS_OK;
        if (!e && making)
                e = store_value(f, s.real, &(struct content){.p = nul});
        if (e)
                return e;
        ret->real_stream = strdup(s.real);
        f->stream = ret->real_stream ? stream_get(f->dev, f->ino, s.real) : NULL;
        if (!f->stream) {
                if (making)
                        (void)drop(f, s.real); /* the first error counts */
                free(ret->real_stream);
                return FS_NO_MEMORY;
        }
        ret->created = making;
        return FS_OK;
}

static enum fs_err enter(const struct store_cred *cred, const struct store_open *q,
                         struct store_opened *ret)
{
        struct posix_file *f = posix_file_of(ret->file);
        if (f->kind != STORE_FILE && f->kind != STORE_DIR)
                return FS_DENIED;
        stream_lock(f->dev, f->ino);
        enum fs_err e = enter_locked(f, cred, q, ret);
        stream_unlock(f->dev, f->ino);
        return e;
}

enum fs_err posix_stream_open(struct store *s, const struct store_cred *cred,
                              const struct store_open *q, unsigned how, struct store_opened *ret)
{
        struct store_open file = *q;
        struct store_opened so;
        enum fs_err e = check_name(q->stream);
        if (e)
                return e;
        if (!(s->caps & STORE_CAP_STREAMS))
                return FS_UNSUPPORTED;
        if (q->flags & STORE_MUST_DIR)
                return FS_NOT_DIR;
        if (how & STORE_NOWAIT)
                return FS_AGAIN;
        file.stream = NULL;
        file.flags &= ~(unsigned)(STORE_EXCL | STORE_MUST_FILE);
        e = posix_open(s, cred, &file, how, &so);
        if (e)
                return e;
        bool made = so.created;
        e = enter(cred, q, &so);
        if (!e)
                e = posix_attr(so.file, &so.attr);
        if (!e) {
                *ret = so;
                return FS_OK;
        }
        if (made && !posix_file_of(so.file)->stream)
                (void)posix_remove(s, cred, so.file, so.real_path); /* the first error counts */
        if (posix_file_of(so.file)->stream)
                free(so.real_stream);
        posix_close(so.file);
        free(so.real_path);
        return e;
}

/* ---- the operations ---- */

/* The lock is held. */
static enum fs_err check_data(const struct posix_file *f, unsigned need)
{
        return f->stream->gone ? FS_STALE : f->flags & need ? FS_OK : FS_DENIED;
}

static ssize_t value_bytes(const struct posix_file *f, const char *name)
{
        char full[FULL_NAME];
        full_name(name, full);
        return xattr_raw_get(f, full, NULL, 0);
}

enum fs_err stream_attr(struct posix_file *f, struct store_attr *a)
{
        stream_lock(f->dev, f->ino);
        ssize_t n = f->stream->gone ? 0 : value_bytes(f, f->stream->name);
        stream_unlock(f->dev, f->ino);
        if (n < 0 && n != -ENODATA)
                return posix_err((int)-n);
        a->kind = STORE_FILE;
        a->size = n > 0 ? (uint64_t)n - 1 : 0;
        a->alloc_bytes = alloc_of(a->size);
        a->stream_id = f->stream->id;
        return FS_OK;
}

static enum fs_err read_locked(const struct posix_file *f, void *p, size_t n, uint64_t off,
                               size_t *ret_n)
{
        struct content c;
        enum fs_err e = check_data(f, STORE_READ);
        if (!e)
                e = load(f, f->stream->name, &c);
        if (e)
                return e;
        size_t left = off < c.n ? c.n - (size_t)off : 0;
        *ret_n = n < left ? n : left;
        if (*ret_n)
                memcpy(p, c.p + off, *ret_n);
        free(c.p);
        return FS_OK;
}

enum fs_err stream_read(struct posix_file *f, void *p, size_t n, uint64_t off, unsigned how,
                        size_t *ret_n)
{
        if (how & STORE_NOWAIT)
                return FS_AGAIN;
        stream_lock(f->dev, f->ino);
        enum fs_err e = read_locked(f, p, n, off, ret_n);
        stream_unlock(f->dev, f->ino);
        return e;
}

/* Writes from[0..n) (zeros if NULL) at off, and makes the stream end no earlier than there; with
 * `cut`, exactly there. What lies between the old end and off is zeros. */
static enum fs_err change_locked(const struct posix_file *f, const void *from, size_t n, size_t off,
                                 bool cut)
{
        struct content c;
        enum fs_err e = check_data(f, STORE_WRITE);
        if (!e)
                e = load(f, f->stream->name, &c);
        if (e)
                return e;
        if (c.n < off + n) {
                memset(c.p + c.n, 0, off + n - c.n);
                c.n = off + n;
        }
        if (from && n)
                memcpy(c.p + off, from, n);
        else if (n)
                memset(c.p + off, 0, n);
        if (cut)
                c.n = off + n;
        e = store_value(f, f->stream->name, &c);
        free(c.p);
        if (!e)
                touch(f);
        return e;
}

static enum fs_err change(struct posix_file *f, const void *from, size_t n, size_t off, bool cut)
{
        stream_lock(f->dev, f->ino);
        enum fs_err e = change_locked(f, from, n, off, cut);
        stream_unlock(f->dev, f->ino);
        return e;
}

enum fs_err stream_write(struct posix_file *f, const void *p, size_t n, uint64_t off, unsigned how)
{
        if (!(f->flags & STORE_WRITE))
                return FS_DENIED;
        if (n == 0)
                return FS_OK;
        if (off > DATA_MAX || n > DATA_MAX - off)
                return FS_TOO_BIG;
        if (how & STORE_NOWAIT)
                return FS_AGAIN;
        return change(f, p, n, (size_t)off, false);
}

enum fs_err stream_resize(struct posix_file *f, uint64_t size)
{
        if (!(f->flags & STORE_WRITE))
                return FS_DENIED;
        if (size > DATA_MAX)
                return FS_TOO_BIG;
        return change(f, NULL, 0, (size_t)size, true);
}

enum fs_err stream_allocate(struct posix_file *f, uint64_t off, uint64_t len, enum store_alloc kind)
{
        struct store_attr a;
        if (!(f->flags & STORE_WRITE))
                return FS_DENIED;
        if (len == 0)
                return FS_OK;
        if (kind == STORE_ALLOC_RESERVE) /* no attribute has space in reserve */
                return off > DATA_MAX || len > DATA_MAX - off ? FS_TOO_BIG : FS_UNSUPPORTED;
        enum fs_err e = stream_attr(f, &a);
        if (e || off >= a.size)
                return e;
        uint64_t left = a.size - off;
        return change(f, NULL, (size_t)(len < left ? len : left), (size_t)off, false);
}

enum fs_err stream_ranges(struct posix_file *f, uint64_t off, uint64_t len, struct store_range *r,
                          size_t cap, size_t *ret_n)
{
        struct store_attr a;
        if (!(f->flags & (STORE_READ | STORE_WRITE)))
                return FS_DENIED;
        enum fs_err e = stream_attr(f, &a);
        if (e)
                return e;
        uint64_t left = off < a.size ? a.size - off : 0, n = len < left ? len : left;
        *ret_n = 0;
        if (n == 0)
                return FS_OK;
        if (cap == 0)
                return FS_BUFFER_SMALL;
        r[0] = (struct store_range){.off = off, .len = n};
        *ret_n = 1;
        return FS_OK;
}

enum fs_err stream_remove(struct posix_file *f)
{
        stream_lock(f->dev, f->ino);
        enum fs_err e = f->stream->gone ? FS_STALE : drop(f, f->stream->name);
        if (!e)
                f->stream->gone = true;
        stream_unlock(f->dev, f->ino);
        return e;
}

/* ---- renaming ---- */

/* The new name is there before the old one goes. */
static enum fs_err rename_locked(struct posix_file *f, const char *to, bool replace)
{
        struct posix_stream *st = f->stream;
        struct finding s;
        struct content c = {0};
        enum fs_err e = find(f, to, false, &s);
        if (e && e != FS_NOT_FOUND)
                return e;
        bool own = !e && name_casecmp(s.real, st->name) == 0;
        if (strcmp(to, st->name) == 0)
                return FS_OK;
        if (!e && !own && !replace)
                return FS_EXISTS;
        char *copy = strdup(to);
        e = copy ? load(f, st->name, &c) : FS_NO_MEMORY;
        if (e) {
                free(copy);
                return e;
        }
        e = store_value(f, to, &c);
        if (!e && s.found && !own && strcmp(s.real, to) != 0)
                e = drop(f, s.real); /* the replaced one, spelled otherwise */
        if (!e)
                e = drop(f, st->name);
        free(c.p);
        if (e) {
                free(copy);
                return e;
        }
        struct posix_stream *there = own ? NULL : stream_lookup(f->dev, f->ino, to);
        if (there)
                there->gone = true;
        free(st->name);
        st->name = copy;
        return FS_OK;
}

enum fs_err posix_stream_rename(struct store_file *sf, const char *to, bool replace)
{
        struct posix_file *f = posix_file_of(sf);
        enum fs_err e = f->stream ? check_name(to) : FS_INVALID;
        if (e)
                return e;
        stream_lock(f->dev, f->ino);
        e = f->stream->gone ? FS_STALE : rename_locked(f, to, replace);
        stream_unlock(f->dev, f->ino);
        return e;
}

/* ---- listing ---- */

struct listing {
        const struct posix_file *f;
        bool (*cb)(void *ctx, const char *name, uint64_t size, uint64_t alloc_bytes);
        void *ctx;
};

static bool give(void *ctx, const char *name)
{
        struct listing *l = ctx;
        ssize_t n = value_bytes(l->f, name);
        if (n < 0) /* vanished */
                return true;
        uint64_t size = n ? (uint64_t)n - 1 : 0;
        return l->cb(l->ctx, name, size, alloc_of(size));
}

enum fs_err posix_stream_list(struct store_file *sf,
                              bool (*cb)(void *ctx, const char *name, uint64_t size,
                                         uint64_t alloc_bytes),
                              void *ctx)
{
        struct listing l = {.f = posix_file_of(sf), .cb = cb, .ctx = ctx};
        if (!(l.f->head.store->caps & STORE_CAP_STREAMS))
                return FS_OK;
        return each_name(l.f, give, &l);
}
