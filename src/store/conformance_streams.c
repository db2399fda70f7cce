/* Named streams. */
#include "store/conformance.h"

#include <sys/stat.h>
#include <sys/xattr.h>

static enum fs_err open_as(struct env *e, const struct store_cred *cred, const char *path,
                           const char *stream, unsigned flags, struct store_opened *ret)
{
        struct store_open q = {.path = path, .stream = stream, .flags = flags, .mode = 0644};
        return e->s->ops->open(e->s, cred, &q, 0, ret);
}

static struct store_opened open_stream(struct env *e, const char *path, const char *stream,
                                       unsigned flags)
{
        struct store_opened o;
        enum fs_err err = open_as(e, NULL, path, stream, flags, &o);
        if (err)
                fail_msg("%s: open '%s:%s': %s", e->kind, path, stream, fs_err_text(err));
        return o;
}

static void close_stream(struct store_opened *o)
{
        free(o->real_path);
        free(o->real_stream);
        close_file(o->file);
}

static enum fs_err stream_err(struct env *e, const char *path, const char *stream, unsigned flags)
{
        struct store_opened o;
        enum fs_err err = open_as(e, NULL, path, stream, flags, &o);
        if (!err)
                close_stream(&o);
        return err;
}

static void put(struct env *e, const char *path, const char *stream, const char *text)
{
        struct store_opened o = open_stream(e, path, stream, RW | STORE_CREATE);
        assert_int_equal(OPS(o.file)->write(o.file, text, strlen(text), 0, 0), FS_OK);
        close_stream(&o);
}

struct listed {
        unsigned n;
        uint64_t bytes;
        char names[256];
};

static bool note(void *ctx, const char *name, uint64_t size, uint64_t alloc_bytes)
{
        struct listed *l = ctx;
        assert_true(alloc_bytes >= size);
        l->n++;
        l->bytes += size;
        size_t at = strlen(l->names);
        (void)snprintf(l->names + at, sizeof l->names - at, "%s/", name);
        return true;
}

static struct listed list(struct store_file *f)
{
        struct listed l = {0};
        assert_int_equal(OPS(f)->stream_list(f, note, &l), FS_OK);
        return l;
}

static void streams_hold_data(void **state)
{
        struct env *e = *state;
        assert_true(e->s->caps & STORE_CAP_STREAMS);
        struct store_file *f = make_file(e, "f", "base");
        struct store_opened o = open_stream(e, "F", "One", RW | STORE_CREATE | STORE_EXCL);
        assert_true(o.created);
        assert_string_equal(o.real_path, "f");
        assert_string_equal(o.real_stream, "One");
        assert_int_equal(o.attr.size, 0);
        assert_int_equal(o.attr.kind, STORE_FILE);
        assert_int_equal(OPS(o.file)->write(o.file, "0123456789", 10, 0, 0), FS_OK);
        assert_int_equal(OPS(o.file)->write(o.file, "xy", 2, 4, 0), FS_OK);
        assert_content(o.file, "0123xy6789");
        assert_content(f, "base");
        struct store_attr a, b;
        assert_int_equal(OPS(o.file)->attr(o.file, &a), FS_OK);
        assert_int_equal(OPS(f)->attr(f, &b), FS_OK);
        assert_int_equal(a.size, 10);
        assert_int_equal(b.size, 4);
        assert_true(a.dev == b.dev && a.ino == b.ino && a.stream_id && !b.stream_id);
        assert_true(a.btime_ft == b.btime_ft && a.mtime_ft == b.mtime_ft);
        assert_int_equal(OPS(o.file)->resize(o.file, 3), FS_OK);
        assert_content(o.file, "012");
        assert_int_equal(OPS(o.file)->sync(o.file), FS_OK);
        close_stream(&o);
        o = open_stream(e, "f", "oNE", STORE_READ);
        assert_false(o.created);
        assert_string_equal(o.real_stream, "One");
        assert_content(o.file, "012");
        assert_int_equal(OPS(o.file)->write(o.file, "x", 1, 0, 0), FS_DENIED);
        assert_int_equal(OPS(o.file)->resize(o.file, 0), FS_DENIED);
        struct listed l = list(o.file);
        assert_int_equal(l.n, 1);
        assert_int_equal(l.bytes, 3);
        assert_string_equal(l.names, "One/");
        close_stream(&o);
        close_file(f);
}

/* What was never written is zeros, however it came to lie inside. */
static void holes_are_zeros(void **state)
{
        struct env *e = *state;
        struct store_opened o = open_stream(e, "f", "s", RW | STORE_CREATE);
        char buf[200], zero[200] = {0};
        size_t n = 0;
        memset(buf, 'x', sizeof buf);
        assert_int_equal(OPS(o.file)->write(o.file, "x", 1, 100, 0), FS_OK);
        assert_int_equal(OPS(o.file)->read(o.file, buf, sizeof buf, 0, 0, &n), FS_OK);
        assert_int_equal(n, 101);
        assert_memory_equal(buf, zero, 100);
        assert_int_equal(buf[100], 'x');
        assert_int_equal(OPS(o.file)->resize(o.file, 50), FS_OK);
        assert_int_equal(OPS(o.file)->resize(o.file, 150), FS_OK);
        assert_int_equal(OPS(o.file)->read(o.file, buf, sizeof buf, 0, 0, &n), FS_OK);
        assert_int_equal(n, 150);
        assert_memory_equal(buf, zero, 150);
        assert_int_equal(OPS(o.file)->write(o.file, "abcdef", 6, 0, 0), FS_OK);
        assert_int_equal(OPS(o.file)->allocate(o.file, 2, 2, STORE_ALLOC_ZERO), FS_OK);
        assert_int_equal(OPS(o.file)->read(o.file, buf, 6, 0, 0, &n), FS_OK);
        assert_memory_equal(buf, "ab\0\0ef", 6);
        assert_int_equal(OPS(o.file)->read(o.file, buf, 6, 150, 0, &n), FS_OK);
        assert_int_equal(n, 0);
        assert_int_equal(OPS(o.file)->read(o.file, buf, 6, UINT64_MAX - 3, 0, &n), FS_OK);
        assert_int_equal(n, 0);
        assert_int_equal(OPS(o.file)->write(o.file, buf, 6, UINT64_MAX - 3, 0), FS_TOO_BIG);
        assert_int_equal(OPS(o.file)->resize(o.file, UINT64_MAX), FS_TOO_BIG);
        close_stream(&o);
}

static void open_flags(void **state)
{
        struct env *e = *state;
        close_file(make_file(e, "f", ""));
        assert_int_equal(stream_err(e, "f", "s", RW), FS_NOT_FOUND);
        assert_int_equal(stream_err(e, "none", "s", RW), FS_NOT_FOUND);
        assert_int_equal(open_err(e, "none", 0), FS_NOT_FOUND);
        assert_int_equal(stream_err(e, "f", "s", RW | STORE_CREATE | STORE_EXCL), FS_OK);
        assert_int_equal(stream_err(e, "f", "S", RW | STORE_CREATE | STORE_EXCL), FS_EXISTS);
        assert_int_equal(stream_err(e, "f", "S", RW | STORE_CREATE), FS_OK);
        assert_int_equal(stream_err(e, "f", "S", STORE_EXACT), FS_NOT_FOUND);
        assert_int_equal(stream_err(e, "f", "s", STORE_MUST_DIR), FS_NOT_DIR);
        assert_int_equal(stream_err(e, "f", "", RW | STORE_CREATE), FS_BAD_NAME);
        /* a new stream makes its file */
        struct store_opened o = open_stream(e, "new", "s", RW | STORE_CREATE | STORE_EXCL);
        assert_true(o.created);
        close_stream(&o);
        assert_int_equal(open_err(e, "new", STORE_MUST_FILE), FS_OK);
        /* but not when the stream cannot be made */
        char name[400];
        memset(name, 'n', sizeof name);
        name[sizeof name - 1] = 0;
        assert_int_equal(stream_err(e, "other", name, RW | STORE_CREATE), FS_TOO_LONG);
        assert_int_equal(open_err(e, "other", 0), FS_NOT_FOUND);
}

static void directories_have_streams(void **state)
{
        struct env *e = *state;
        make_dir(e, "d");
        put(e, "d", "s", "of a directory");
        struct store_opened o = open_stream(e, "d", "s", RW);
        struct store_dir *d;
        assert_int_equal(o.attr.kind, STORE_FILE);
        assert_content(o.file, "of a directory");
        assert_int_equal(OPS(o.file)->dir_open(o.file, &d), FS_NOT_DIR);
        assert_int_equal(e->s->ops->remove(e->s, NULL, o.file, "d"), FS_OK);
        close_stream(&o);
        assert_int_equal(open_err(e, "d", STORE_MUST_DIR), FS_OK);
        assert_int_equal(stream_err(e, "d", "s", 0), FS_NOT_FOUND);
}

static void streams_are_no_attributes(void **state)
{
        struct env *e = *state;
        put(e, "f", "s", "secret");
        struct store_file *f = open_ok(e, "f", RW);
        char buf[16];
        size_t n;
        assert_int_equal(OPS(f)->xattr_get(f, "DosStream.s:$DATA", buf, sizeof buf, &n),
                         FS_NO_SUCH_ATTR);
        close_file(f);
}

static void removing(void **state)
{
        struct env *e = *state;
        put(e, "f", "a", "1");
        put(e, "f", "b", "2");
        struct store_opened a = open_stream(e, "f", "a", RW), b = open_stream(e, "f", "b", RW);
        uint64_t id = a.attr.stream_id;
        assert_int_equal(e->s->ops->remove(e->s, NULL, a.file, "f"), FS_OK);
        assert_int_equal(stream_err(e, "f", "a", 0), FS_NOT_FOUND);
        assert_content(b.file, "2");
        put(e, "f", "a", "other");
        struct store_opened again = open_stream(e, "f", "a", RW);
        assert_true(again.attr.stream_id != id);
        close_stream(&again);
        close_stream(&a);
        close_stream(&b);
        remove_path(e, "f"); /* with all that it has */
        close_file(make_file(e, "f", ""));
        assert_int_equal(stream_err(e, "f", "b", 0), FS_NOT_FOUND);
}

static void renaming(void **state)
{
        struct env *e = *state;
        put(e, "f", "a", "1");
        put(e, "f", "b", "2");
        struct store_opened a = open_stream(e, "f", "a", RW), a2 = open_stream(e, "f", "a", RW);
        char *real = NULL;
        assert_int_equal(e->s->ops->rename(e->s, NULL, a.file, "f", "g", false, &real), FS_INVALID);
        assert_int_equal(e->s->ops->link(e->s, NULL, a.file, "f", "g", false), FS_INVALID);
        assert_int_equal(OPS(a.file)->stream_rename(a.file, "B", false), FS_EXISTS);
        assert_int_equal(OPS(a.file)->stream_rename(a.file, "A", false), FS_OK);
        assert_non_null(strchr(list(a.file).names, 'A'));
        assert_int_equal(OPS(a.file)->stream_rename(a.file, "c", false), FS_OK);
        assert_content(a2.file, "1");
        struct store_attr at;
        assert_int_equal(OPS(a2.file)->attr(a2.file, &at), FS_OK);
        assert_int_equal(at.stream_id, a.attr.stream_id);
        assert_int_equal(stream_err(e, "f", "a", 0), FS_NOT_FOUND);
        assert_int_equal(OPS(a2.file)->stream_rename(a2.file, "B", true), FS_OK);
        struct listed l = list(a.file);
        assert_int_equal(l.n, 1);
        assert_string_equal(l.names, "B/");
        struct store_opened b = open_stream(e, "f", "b", STORE_READ);
        assert_content(b.file, "1");
        assert_int_equal(b.attr.stream_id, a.attr.stream_id);
        close_stream(&b);
        close_stream(&a);
        close_stream(&a2);
        struct store_file *f = open_ok(e, "f", RW);
        assert_int_equal(OPS(f)->stream_rename(f, "x", false), FS_INVALID);
        close_file(f);
}

static enum fs_err fill(struct store_file *f, size_t n)
{
        char *p = calloc(1, n);
        enum fs_err err = OPS(f)->write(f, p, n, 0, 0);
        free(p);
        return err;
}

/* A stream too large for its place says so, and stays as it was. */
static void too_large(void **state)
{
        struct env *e = *state;
        if (!e->is_posix)
                return;
        put(e, "f", "s", "old");
        struct store_opened o = open_stream(e, "f", "s", RW);
        enum fs_err err = fill(o.file, 65535);
        assert_true(err == FS_OK || err == FS_NO_SPACE || err == FS_TOO_BIG);
        if (err)
                assert_content(o.file, "old");
        assert_int_equal(fill(o.file, 65536), FS_TOO_BIG);
        assert_int_equal(OPS(o.file)->resize(o.file, 65536), FS_TOO_BIG);
        close_stream(&o);
}

/* As Samba keeps them: see a share that it wrote, and write what it will read. */
static void on_disk(void **state)
{
        struct env *e = *state;
        char path[128], value[64];
        if (!e->is_posix)
                return;
        close_file(make_file(e, "f", ""));
        (void)snprintf(path, sizeof path, "%s/f", e->dir);
        assert_int_equal(setxattr(path, "user.DosStream.dS:$DATA", "hello", 6, 0), 0);
        assert_int_equal(setxattr(path, "user.DosStream.:$DATA", "x", 2, 0), 0);
        assert_int_equal(setxattr(path, "user.DosStream.nosuffix", "x", 2, 0), 0);
        assert_int_equal(setxattr(path, "user.DosStream.bad\xff:$DATA", "x", 2, 0), 0);
        struct store_opened o = open_stream(e, "f", "DS", RW);
        assert_string_equal(list(o.file).names, "dS/");
        assert_content(o.file, "hello");
        assert_int_equal(OPS(o.file)->write(o.file, "w", 1, 5, 0), FS_OK);
        assert_int_equal(getxattr(path, "user.DosStream.dS:$DATA", value, sizeof value), 7);
        assert_memory_equal(value, "hellow\0", 7);
        assert_int_equal(OPS(o.file)->resize(o.file, 0), FS_OK);
        assert_int_equal(getxattr(path, "user.DosStream.dS:$DATA", value, sizeof value), 1);
        assert_int_equal(value[0], 0);
        assert_int_equal(removexattr(path, "user.DosStream.dS:$DATA"), 0);
        size_t n;
        assert_int_equal(OPS(o.file)->read(o.file, value, 1, 0, 0, &n), FS_STALE);
        assert_int_equal(OPS(o.file)->write(o.file, "x", 1, 0, 0), FS_STALE);
        assert_int_equal(e->s->ops->remove(e->s, NULL, o.file, "f"), FS_OK);
        close_stream(&o);
}

/* A stranger may read the streams of what he may read, and write none of what he may not. */
static void rights(void **state)
{
        struct env *e = *state;
        struct store_cred who = {.uid = 12345, .gid = 12345};
        struct store_opened o;
        if (strcmp(e->kind, "posix") != 0)
                return;
        assert_int_equal(chmod(e->dir, 0755), 0);
        put(e, "f", "s", "data"); /* mode 0644 */
        make_dir(e, "d");
        put(e, "d", "s", "data"); /* mode 0755 */
        for (int i = 0; i < 2; i++) {
                const char *path = i ? "d" : "f";
                assert_int_equal(open_as(e, &who, path, "s", STORE_READ, &o), FS_OK);
                assert_content(o.file, "data");
                close_stream(&o);
                assert_int_equal(open_as(e, &who, path, "s", RW, &o), FS_DENIED);
                assert_int_equal(open_as(e, &who, path, "n", STORE_CREATE, &o), FS_DENIED);
                assert_int_equal(open_as(e, &who, path, "n", RW | STORE_CREATE, &o), FS_DENIED);
        }
}

const struct CMUnitTest streams_tests[] = {
        cmocka_unit_test(streams_hold_data),
        cmocka_unit_test(holes_are_zeros),
        cmocka_unit_test(open_flags),
        cmocka_unit_test(directories_have_streams),
        cmocka_unit_test(streams_are_no_attributes),
        cmocka_unit_test(removing),
        cmocka_unit_test(renaming),
        cmocka_unit_test(too_large),
        cmocka_unit_test(on_disk),
        cmocka_unit_test(rights),
        {0},
};
