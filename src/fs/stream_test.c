/* Named streams: opening, share modes, deletion, renaming, listing. */
#include "fs/testing.h"
#include "store/fault/fault.h"

static struct fs_open_req sreq(const char *path, const char *stream, uint32_t access,
                               enum fs_disposition d)
{
        struct fs_open_req q = req(path, access, d);
        q.stream = stream;
        return q;
}

static enum fs_err stream_probe(struct world *w, const char *path, const char *stream)
{
        struct fs_open *o;
        struct fs_open_req q = sreq(path, stream, FS_READ_ATTR, FS_OPEN);
        enum fs_err e = try_open(w, w->alice, &q, &o);
        return e ? e : finish(o);
}

static void put(struct fs_open *o, const char *text)
{
        assert_int_equal(fs_write(o, text, strlen(text), 0, false, 0), FS_OK);
}

static void make_stream(struct world *w, const char *path, const char *stream, const char *text)
{
        struct fs_open *o = must_open(w, sreq(path, stream, RW, FS_CREATE));
        put(o, text);
        assert_int_equal(finish(o), FS_OK);
}

static void assert_text(struct fs_open *o, const char *text)
{
        char buf[64];
        size_t n = 0;
        assert_int_equal(fs_read(o, buf, sizeof buf, 0, 0, &n), FS_OK);
        assert_bytes_equal(bytes_of(buf, n), bytes_str(text));
}

struct names {
        char text[200];
};

static bool note(void *ctx, const char *name, uint64_t size, uint64_t alloc_bytes)
{
        struct names *l = ctx;
        size_t at = strlen(l->text);
        assert_true(alloc_bytes >= size);
        (void)snprintf(l->text + at, sizeof l->text - at, "%s=%d,", name, (int)size);
        return true;
}

static struct names list(struct fs_open *o)
{
        struct names l = {0};
        assert_int_equal(fs_list_streams(o, note, &l), FS_OK);
        return l;
}

static void streams_hold_data(void **state)
{
        (void)state;
        struct world w = world_new();
        struct fs_open *o = must_open(&w, sreq("new", "one", RW, FS_CREATE));
        put(o, "stream data");
        assert_true(fs_open_is_stream(o));
        assert_false(fs_open_is_dir(o));
        struct fs_open *f = must_open(&w, req("new", RW, FS_OPEN));
        put(f, "base");
        assert_text(o, "stream data");
        assert_text(f, "base");
        assert_string_equal(list(o).text, "=4,one=11,");
        assert_string_equal(list(f).text, "=4,one=11,");
        struct fs_attr a, b;
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        assert_int_equal(fs_getattr(f, 0, &b), FS_OK);
        assert_int_equal(a.size, 11);
        assert_int_equal(b.size, 4);
        assert_true(a.file_id == b.file_id && a.btime_ft == b.btime_ft && a.dos == b.dos);
        assert_true(fs_open_file_id(o) == fs_open_file_id(f));
        char *path = fs_open_path(o);
        assert_string_equal(path, "new:one");
        free(path);
        assert_int_equal(finish(o), FS_OK);
        assert_int_equal(finish(f), FS_OK);
        assert_int_equal(stream_probe(&w, "NEW", "ONE"), FS_OK);
        world_end(&w);
}

/* Holes are zeros, not what the memory held before. */
static void holes_are_zeros(void **state)
{
        (void)state;
        struct world w = world_new();
        struct fs_open *o = must_open(&w, sreq("f", "s", RW, FS_CREATE));
        char buf[101], zero[100] = {0};
        size_t n = 0;
        memset(buf, 'x', sizeof buf);
        assert_int_equal(fs_write(o, "x", 1, 100, false, 0), FS_OK);
        assert_int_equal(fs_read(o, buf, sizeof buf, 0, 0, &n), FS_OK);
        assert_int_equal(n, 101);
        assert_memory_equal(buf, zero, 100);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void dispositions(void **state)
{
        (void)state;
        static const struct {
                enum fs_disposition d;
                enum fs_err there, missing;
                int size_there; /* of "data", after */
        } row[] = {
                {FS_OPEN, FS_OK, FS_NOT_FOUND, 4},  {FS_CREATE, FS_EXISTS, FS_OK, 4},
                {FS_OPEN_IF, FS_OK, FS_OK, 4},      {FS_OVERWRITE, FS_OK, FS_NOT_FOUND, 0},
                {FS_OVERWRITE_IF, FS_OK, FS_OK, 0}, {FS_SUPERSEDE, FS_OK, FS_OK, 0},
        };
        struct world w = world_new();
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct fs_open *o;
                struct fs_attr a;
                make_file(&w, "f");
                make_stream(&w, "f", "s", "data");
                struct fs_open_req q = sreq("f", "s", RW | FS_DELETE, row[i].d);
                assert_int_equal(try_open(&w, w.alice, &q, &o), row[i].there);
                if (o)
                        assert_int_equal(finish(o), FS_OK);
                o = must_open(&w, sreq("f", "S", RW, FS_OPEN));
                assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
                assert_int_equal(a.size, row[i].size_there);
                assert_int_equal(finish(o), FS_OK);
                q = sreq("f", "none", RW | FS_DELETE, row[i].d);
                assert_int_equal(try_open(&w, w.alice, &q, &o), row[i].missing);
                if (o)
                        assert_int_equal(finish(o), FS_OK);
                q = sreq("nofile", "none", RW | FS_DELETE, row[i].d);
                assert_int_equal(try_open(&w, w.alice, &q, &o), row[i].missing);
                if (o)
                        assert_int_equal(finish(o), FS_OK);
                assert_int_equal(probe(&w, "nofile"), row[i].missing);
                if (!row[i].missing) {
                        o = must_open(&w, req("nofile", FS_DELETE, FS_OPEN));
                        assert_int_equal(fs_set_delete(o, true), FS_OK);
                        assert_int_equal(finish(o), FS_OK);
                }
                o = must_open(&w, req("f", FS_DELETE, FS_OPEN));
                assert_int_equal(fs_set_delete(o, true), FS_OK);
                assert_int_equal(finish(o), FS_OK);
        }
        world_end(&w);
}

/* A missing stream keeps nothing of its file open: a directory above can be renamed. */
static void missing_stream_leaves_nothing(void **state)
{
        (void)state;
        struct world w = world_new();
        struct fs_stats s;
        make_dir(&w, "d");
        make_file(&w, "d/f");
        assert_int_equal(stream_probe(&w, "d/f", "none"), FS_NOT_FOUND);
        fs_stats(w.fs, &s);
        assert_int_equal(s.opens, 0);
        struct fs_open *d = must_open(&w, req("d", FS_DELETE, FS_OPEN));
        assert_int_equal(fs_rename(d, "e", false), FS_OK);
        assert_int_equal(finish(d), FS_OK);
        /* an open one keeps it in place */
        struct fs_open *o = must_open(&w, sreq("e/f", "s", RW, FS_CREATE));
        d = must_open(&w, req("e", FS_DELETE, FS_OPEN));
        assert_int_equal(fs_rename(d, "g", false), FS_DENIED);
        assert_int_equal(finish(o), FS_OK);
        assert_int_equal(fs_rename(d, "g", false), FS_OK);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

static void names(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                enum fs_err e;
        } row[] = {
                {"plain", FS_OK},     {"?Stream*", FS_OK},   {"\x05 \n <\">|", FS_OK},
                {"", FS_BAD_NAME},    {"a/b", FS_BAD_NAME},  {"a\\b", FS_BAD_NAME},
                {"a:b", FS_BAD_NAME}, {"\xff", FS_BAD_NAME},
        };
        struct world w = world_new();
        make_file(&w, "f");
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct fs_open *o;
                struct fs_open_req q = sreq("f", row[i].name, RW, FS_CREATE);
                assert_int_equal(try_open(&w, w.alice, &q, &o), row[i].e);
                if (o)
                        assert_int_equal(finish(o), FS_OK);
        }
        char name[257];
        memset(name, 'n', sizeof name);
        name[256] = 0;
        assert_int_equal(stream_probe(&w, "f", name), FS_TOO_LONG);
        struct fs_open *o;
        struct fs_open_req q = sreq("f", "plain", RW, FS_OPEN_IF);
        q.options = FS_OPT_DIR;
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_NOT_DIR);
        world_end(&w);
        struct fs_volume_config c = {.name = "bare", .file_mode = 0666, .dir_mode = 0777};
        w = world_over(store_mem_new(), &c);
        make_file(&w, "f");
        assert_int_equal(stream_probe(&w, "f", "s"), FS_BAD_NAME);
        world_end(&w);
}

static void share_modes(void **state)
{
        (void)state;
        static const struct {
                const char *first;
                uint32_t access, share;
                const char *second;
                uint32_t access2, share2;
                enum fs_err e;
        } row[] = {
                /* one stream: as one file */
                {"s", FS_READ_DATA, 0, "S", FS_READ_DATA, 7, FS_SHARING},
                {"s", FS_READ_DATA, 1, "s", FS_READ_DATA, 1, FS_OK},
                {"s", FS_WRITE_DATA, 7, "s", FS_READ_DATA, 1, FS_SHARING},
                /* different streams, and the file itself: nothing to each other */
                {"s", FS_WRITE_DATA, 0, "t", FS_WRITE_DATA, 0, FS_OK},
                {"s", FS_WRITE_DATA, 0, NULL, FS_WRITE_DATA, 0, FS_OK},
                {NULL, FS_WRITE_DATA, 0, "s", FS_WRITE_DATA, 0, FS_OK},
                {"s", FS_DELETE, 0, "t", FS_DELETE, 0, FS_OK},
                /* but whoever deletes the file deletes them all, [MS-FSA] 2.1.5.1.2.1 */
                {"s", FS_READ_DATA, 3, NULL, FS_DELETE, 7, FS_SHARING},
                {"s", FS_READ_DATA, 7, NULL, FS_DELETE, 7, FS_OK},
                {"s", FS_READ_ATTR, 0, NULL, FS_DELETE, 7, FS_OK},
                {NULL, FS_DELETE, 7, "s", FS_READ_DATA, 3, FS_SHARING},
                {NULL, FS_DELETE, 0, "s", FS_READ_DATA, 4, FS_OK},
                {NULL, FS_DELETE, 7, "s", FS_READ_ATTR, 0, FS_OK},
        };
        struct world w = world_new();
        make_file(&w, "f");
        make_stream(&w, "f", "s", "1");
        make_stream(&w, "f", "t", "2");
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct fs_open_req q = sreq("f", row[i].first, row[i].access, FS_OPEN);
                q.share = row[i].share;
                struct fs_open *a = must_open(&w, q), *b;
                q = sreq("f", row[i].second, row[i].access2, FS_OPEN);
                q.share = row[i].share2;
                enum fs_err e = try_open(&w, w.bob, &q, &b);
                if (e != row[i].e)
                        fail_msg("row %zu: %s", i, fs_err_text(e));
                if (b)
                        assert_int_equal(finish(b), FS_OK);
                assert_int_equal(finish(a), FS_OK);
        }
        world_end(&w);
}

static void deleting_a_stream(void **state)
{
        (void)state;
        struct world w = world_new();
        make_file(&w, "f");
        make_stream(&w, "f", "s", "1");
        make_stream(&w, "f", "t", "2");
        struct fs_open *a = must_open(&w, sreq("f", "s", RW | FS_DELETE, FS_OPEN));
        struct fs_open *b = must_open(&w, sreq("f", "s", RW, FS_OPEN));
        struct fs_attr at;
        assert_int_equal(fs_set_delete(a, true), FS_OK);
        assert_int_equal(fs_getattr(b, 0, &at), FS_OK);
        assert_true(at.delete_pending);
        assert_int_equal(at.nlink, 1);
        assert_int_equal(stream_probe(&w, "f", "s"), FS_DELETE_PENDING);
        assert_int_equal(stream_probe(&w, "f", "t"), FS_OK);
        assert_int_equal(probe(&w, "f"), FS_OK);
        assert_int_equal(finish(a), FS_OK);
        assert_text(b, "1");
        assert_int_equal(fs_close(b, FS_NOWAIT), FS_AGAIN);
        assert_int_equal(finish(b), FS_OK);
        assert_int_equal(stream_probe(&w, "f", "s"), FS_NOT_FOUND);
        struct fs_open_req q = sreq("f", "t", FS_DELETE, FS_OPEN);
        q.options = FS_OPT_DELETE_ON_CLOSE;
        assert_int_equal(finish(must_open(&w, q)), FS_OK);
        assert_int_equal(stream_probe(&w, "f", "t"), FS_NOT_FOUND);
        assert_int_equal(probe(&w, "f"), FS_OK);
        world_end(&w);
}

/* The file is gone when its last stream's open is. */
static void deleting_the_file(void **state)
{
        (void)state;
        struct world w = world_new();
        make_file(&w, "f");
        make_stream(&w, "f", "s", "1");
        struct fs_open *s = must_open(&w, sreq("f", "s", RW, FS_OPEN));
        struct fs_open *f = must_open(&w, req("f", FS_DELETE, FS_OPEN));
        assert_int_equal(fs_set_delete(f, true), FS_OK);
        assert_int_equal(finish(f), FS_OK);
        assert_int_equal(probe(&w, "f"), FS_DELETE_PENDING);
        assert_int_equal(stream_probe(&w, "f", "s"), FS_DELETE_PENDING);
        assert_int_equal(stream_probe(&w, "f", "t"), FS_DELETE_PENDING);
        assert_text(s, "1");
        assert_int_equal(finish(s), FS_OK);
        assert_int_equal(probe(&w, "f"), FS_NOT_FOUND);
        make_file(&w, "f");
        assert_int_equal(stream_probe(&w, "f", "s"), FS_NOT_FOUND);
        world_end(&w);
}

static void overwriting_the_file(void **state)
{
        (void)state;
        struct world w = world_new();
        make_file(&w, "f");
        make_stream(&w, "f", "s", "1");
        make_stream(&w, "f", "t", "2");
        struct fs_open *t = must_open(&w, sreq("f", "t", RW, FS_OPEN));
        struct fs_open *f = must_open(&w, req("f", RW, FS_OVERWRITE));
        assert_string_equal(list(f).text, "=0,t=1,"); /* nobody loses what he has open */
        assert_text(t, "2");
        assert_int_equal(finish(t), FS_OK);
        assert_int_equal(finish(f), FS_OK);
        world_end(&w);
}

static void renaming(void **state)
{
        (void)state;
        struct world w = world_new();
        make_file(&w, "f");
        make_stream(&w, "f", "full", "1");
        make_stream(&w, "f", "empty", "");
        make_stream(&w, "f", "s", "2");
        struct fs_open *s = must_open(&w, sreq("f", "s", RW | FS_DELETE, FS_OPEN));
        struct fs_open *s2 = must_open(&w, sreq("f", "s", RW, FS_OPEN));
        struct fs_open *empty = must_open(&w, sreq("f", "empty", RW, FS_OPEN));
        assert_int_equal(fs_rename_stream(s2, NULL, "x", false), FS_DENIED);
        assert_int_equal(fs_rename_stream(s, NULL, "a:b", false), FS_BAD_NAME);
        assert_int_equal(fs_rename_stream(s, NULL, "FULL", false), FS_EXISTS);
        assert_int_equal(fs_rename_stream(s, NULL, "full", true), FS_INVALID);
        assert_int_equal(fs_rename_stream(s, NULL, "empty", true), FS_INVALID);
        assert_int_equal(finish(empty), FS_OK);
        assert_int_equal(fs_rename_stream(s, NULL, "empty", true), FS_OK);
        char *path = fs_open_path(s2);
        assert_string_equal(path, "f:empty");
        free(path);
        assert_int_equal(stream_probe(&w, "f", "s"), FS_NOT_FOUND);
        assert_int_equal(fs_rename_stream(s, NULL, "EMPTY", false), FS_OK);
        assert_int_equal(fs_rename(s, "g", false), FS_INVALID);
        assert_int_equal(fs_link(s, "g", false), FS_INVALID);
        make_file(&w, "other");
        assert_int_equal(fs_rename_stream(s, "other", "z", false), FS_INVALID);
        assert_int_equal(fs_rename_stream(s, "F", "z", false), FS_SHARING);
        /* shared still, by whatever name */
        struct fs_open_req q = sreq("f", "empty", FS_READ_DATA, FS_OPEN);
        struct fs_open *x;
        q.share = 0;
        assert_int_equal(try_open(&w, w.bob, &q, &x), FS_SHARING);
        /* the file takes its streams along */
        struct fs_open *f = must_open(&w, req("f", FS_DELETE, FS_OPEN));
        assert_int_equal(fs_rename(f, "moved", false), FS_OK);
        assert_int_equal(finish(f), FS_OK);
        path = fs_open_path(s);
        assert_string_equal(path, "moved:EMPTY");
        free(path);
        assert_int_equal(fs_set_delete(s, true), FS_OK);
        assert_int_equal(fs_rename_stream(s, NULL, "y", false), FS_DENIED);
        assert_int_equal(finish(s2), FS_OK);
        assert_int_equal(finish(s), FS_OK);
        assert_int_equal(stream_probe(&w, "moved", "EMPTY"), FS_NOT_FOUND);
        assert_int_equal(probe(&w, "moved"), FS_OK);
        world_end(&w);
}

static void directories(void **state)
{
        (void)state;
        struct world w = world_new();
        make_dir(&w, "d");
        struct fs_open *o = must_open(&w, sreq("d", "s", RW, FS_CREATE)), *d;
        put(o, "of a directory");
        assert_string_equal(list(o).text, "s=14,");
        struct fs_attr a;
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        assert_false(a.directory);
        struct fs_open_req q = req("d", FS_DELETE, FS_OPEN);
        q.options = FS_OPT_DIR;
        d = must_open(&w, q);
        assert_int_equal(fs_set_delete(d, true), FS_OK);
        assert_int_equal(finish(d), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        assert_int_equal(probe(&w, "d"), FS_NOT_FOUND);
        o = must_open(&w, sreq("", "s", RW | FS_DELETE, FS_CREATE)); /* the root has them, too */
        assert_int_equal(fs_set_delete(o, true), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

/* A stream's rights are the file's; adding one takes the right to write. */
static void rights(void **state)
{
        (void)state;
        struct fs_volume_config c = {
                .name = "t", .file_mode = 0644, .dir_mode = 0755, .streams = true};
        struct world w = world_over(store_mem_new(), &c);
        struct fs_open *o;
        make_file(&w, "f");
        make_stream(&w, "f", "s", "1");
        struct fs_open_req q = sreq("f", "s", FS_READ_DATA, FS_OPEN);
        assert_int_equal(try_open(&w, w.bob, &q, &o), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        q = sreq("f", "s", FS_WRITE_DATA, FS_OPEN);
        assert_int_equal(try_open(&w, w.bob, &q, &o), FS_DENIED);
        q = sreq("f", "n", FS_READ_DATA, FS_OPEN_IF);
        assert_int_equal(try_open(&w, w.bob, &q, &o), FS_DENIED);
        o = must_open(&w, req("f", FS_WRITE_ATTR, FS_OPEN));
        struct fs_setattr ro = {.dos = STORE_DOS_READONLY};
        assert_int_equal(fs_setattr(o, &ro), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        q = sreq("f", "s", FS_WRITE_DATA, FS_OPEN);
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_DENIED);
        q = sreq("f", "s", FS_DELETE, FS_OPEN);
        q.options = FS_OPT_DELETE_ON_CLOSE;
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_CANNOT_DELETE);
        /* attributes set by a stream are the file's */
        o = must_open(&w, sreq("f", "s", FS_WRITE_ATTR, FS_OPEN));
        struct fs_setattr normal = {.dos = FS_DOS_NORMAL, .mtime_ft = 130000000000000000};
        assert_int_equal(fs_setattr(o, &normal), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        struct fs_attr a;
        o = must_open(&w, req("f", FS_READ_ATTR, FS_OPEN));
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        assert_int_equal(a.dos, FS_DOS_NORMAL);
        assert_true(a.mtime_ft == 130000000000000000);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static enum fs_err use_stream(struct world *w)
{
        struct fs_open *o;
        struct names l = {0};
        struct fs_open_req q = sreq("new", "s", RW | FS_DELETE, FS_CREATE);
        enum fs_err e = try_open(w, w->alice, &q, &o);
        if (e)
                return e;
        e = fs_write(o, "data", 4, 0, false, 0);
        e = e ? e : fs_rename_stream(o, NULL, "t", false);
        e = e ? e : fs_list_streams(o, note, &l);
        enum fs_err closed = finish(o);
        return e ? e : closed;
}

/* Whichever call of the store fails: the error comes out, and nothing is left open. */
static void failing_stores(void **state)
{
        (void)state;
        for (int op = 0; op < STORE_OP_COUNT; op++) {
                for (uint64_t nth = 1;; nth++) {
                        struct fs_volume_config c = {
                                .name = "t", .file_mode = 0666, .dir_mode = 0777, .streams = true};
                        struct store *s = store_fault_new(store_mem_new());
                        struct world w = world_over(s, &c);
                        struct store_fault f = {
                                .op = (enum store_op)op, .from = nth, .count = 1, .err = FS_IO};
                        struct fs_stats stats;
                        assert_true(store_fault_add(s, &f));
                        enum fs_err e = use_stream(&w);
                        bool hit = store_fault_hits(s);
                        store_fault_clear(s);
                        assert_true(hit || e == FS_OK);
                        fs_stats(w.fs, &stats);
                        assert_int_equal(stats.opens, 0);
                        world_end(&w);
                        if (!hit)
                                break;
                }
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(streams_hold_data),
                cmocka_unit_test(holes_are_zeros),
                cmocka_unit_test(dispositions),
                cmocka_unit_test(missing_stream_leaves_nothing),
                cmocka_unit_test(names),
                cmocka_unit_test(share_modes),
                cmocka_unit_test(deleting_a_stream),
                cmocka_unit_test(deleting_the_file),
                cmocka_unit_test(overwriting_the_file),
                cmocka_unit_test(renaming),
                cmocka_unit_test(directories),
                cmocka_unit_test(rights),
                cmocka_unit_test(failing_stores),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
