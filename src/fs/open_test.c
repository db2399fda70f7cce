/* CREATE: dispositions, options, attributes, what is refused and why, reads and writes. */
#include "fs/testing.h"

static enum fs_err once(struct world *w, struct fs_open_req q, enum fs_action *ret)
{
        struct fs_opened o = {0};
        enum fs_err e = fs_open(w->vol, w->client, w->alice, &q, 0, NULL, &o);
        if (e)
                return e;
        *ret = o.action;
        return finish(o.open);
}

static const struct {
        enum fs_disposition d;
        enum fs_err missing, there;
        enum fs_action made, found;
} dispositions[] = {
        {FS_SUPERSEDE, FS_OK, FS_OK, FS_CREATED, FS_SUPERSEDED},
        {FS_OPEN, FS_NOT_FOUND, FS_OK, 0, FS_OPENED},
        {FS_CREATE, FS_OK, FS_EXISTS, FS_CREATED, 0},
        {FS_OPEN_IF, FS_OK, FS_OK, FS_CREATED, FS_OPENED},
        {FS_OVERWRITE, FS_NOT_FOUND, FS_OK, 0, FS_OVERWRITTEN},
        {FS_OVERWRITE_IF, FS_OK, FS_OK, FS_CREATED, FS_OVERWRITTEN},
};

static void test_dispositions(void **state)
{
        for (size_t i = 0; i < sizeof dispositions / sizeof *dispositions; i++) {
                struct world w = world_new();
                enum fs_action a = 0;
                assert_int_equal(once(&w, req("new", RW, dispositions[i].d), &a),
                                 dispositions[i].missing);
                assert_int_equal(a, dispositions[i].made);
                make_file(&w, "old");
                a = 0;
                assert_int_equal(once(&w, req("OLD", RW, dispositions[i].d), &a),
                                 dispositions[i].there);
                assert_int_equal(a, dispositions[i].found);
                world_end(&w);
        }
}

static void test_nothing_changes_under_nowait(void **state)
{
        struct world w = world_new();
        struct fs_opened o;
        for (unsigned d = 0; d <= FS_OVERWRITE_IF; d++) {
                struct fs_open_req q = req("x", RW, d);
                enum fs_err e = fs_open(w.vol, w.client, w.alice, &q, FS_NOWAIT, NULL, &o);
                assert_int_equal(e, d == FS_OPEN ? FS_NOT_FOUND : FS_AGAIN);
        }
        assert_int_equal(probe(&w, "x"), FS_NOT_FOUND);
        make_file(&w, "x");
        struct fs_open_req q = req("x", RW, FS_OPEN_IF);
        assert_int_equal(fs_open(w.vol, w.client, w.alice, &q, FS_NOWAIT, NULL, &o), FS_OK);
        assert_int_equal(o.action, FS_OPENED);
        assert_int_equal(fs_close(o.open, FS_NOWAIT), FS_OK);
        fs_open_unref(o.open);
        world_end(&w);
}

static const struct {
        const char *path;
        uint32_t access;
        enum fs_disposition d;
        unsigned options;
        enum fs_err e;
} refusals[] = {
        {"f", 0, FS_OPEN, 0, FS_DENIED},
        {"f", 0x04000000, FS_OPEN, 0, FS_DENIED},
        {"f", RW, FS_OPEN, FS_OPT_DIR, FS_NOT_DIR},
        {"f", RW, FS_OPEN, FS_OPT_DIR | FS_OPT_FILE, FS_INVALID},
        {"f", RW, FS_OVERWRITE, FS_OPT_DIR, FS_INVALID},
        {"f", RW, FS_OVERWRITE_IF + 1, 0, FS_INVALID},
        {"f", RW, FS_CREATE, FS_OPT_DIR, FS_EXISTS},
        {"f", RW, FS_OPEN, FS_OPT_DELETE_ON_CLOSE, FS_INVALID},
        {"d", RW, FS_OPEN, FS_OPT_FILE, FS_IS_DIR},
        {"d", RW, FS_CREATE, 0, FS_EXISTS},
        {"d", RW, FS_OVERWRITE_IF, 0, FS_EXISTS},
        {"", RW, FS_OVERWRITE, 0, FS_DENIED},
        {"", RW, FS_CREATE, FS_OPT_DIR, FS_EXISTS},
        {"none/x", RW, FS_OPEN, 0, FS_PATH_NOT_FOUND},
        {"none/x", RW, FS_CREATE, 0, FS_PATH_NOT_FOUND},
        {"f/x", RW, FS_CREATE, 0, FS_PATH_NOT_FOUND},
        {"a/../f", RW, FS_OPEN, 0, FS_BAD_PATH},
        {"f", FS_SYSTEM_SECURITY, FS_OPEN, 0, FS_PRIVILEGE},
        {"g", FS_SYSTEM_SECURITY, FS_CREATE, 0, FS_PRIVILEGE},
};

static void test_refusals(void **state)
{
        struct world w = world_new();
        make_file(&w, "f");
        make_dir(&w, "d");
        for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
                struct fs_open_req q = req(refusals[i].path, refusals[i].access, refusals[i].d);
                enum fs_action a;
                q.options = refusals[i].options;
                enum fs_err e = once(&w, q, &a);
                if (e != refusals[i].e)
                        fail_msg("%zu '%s': %s", i, refusals[i].path, fs_err_text(e));
        }
        assert_int_equal(probe(&w, "g"), FS_NOT_FOUND);
        world_end(&w);
}

static uint32_t dos_of(struct world *w, const char *path)
{
        struct fs_open *o = must_open(w, req(path, FS_READ_ATTR, FS_OPEN));
        struct fs_attr a;
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        return a.dos;
}

static void test_attributes(void **state)
{
        struct world w = world_new();
        struct fs_open_req q = req("x", RW, FS_CREATE);
        q.dos = STORE_DOS_HIDDEN | STORE_DOS_SPARSE;
        enum fs_action a;
        assert_int_equal(once(&w, q, &a), FS_OK);
        assert_int_equal(dos_of(&w, "x"), STORE_DOS_HIDDEN | STORE_DOS_ARCHIVE);
        /* Replacing needs to know that it is hidden. */
        q.disposition = FS_OVERWRITE;
        q.dos = 0;
        assert_int_equal(once(&w, q, &a), FS_DENIED);
        q.dos = STORE_DOS_HIDDEN | STORE_DOS_TEMPORARY;
        assert_int_equal(once(&w, q, &a), FS_OK);
        assert_int_equal(dos_of(&w, "x"),
                         STORE_DOS_HIDDEN | STORE_DOS_ARCHIVE | STORE_DOS_TEMPORARY);
        make_dir(&w, "d");
        assert_int_equal(dos_of(&w, "d"), FS_DOS_DIRECTORY);
        q = req("t", RW, FS_CREATE);
        q.options = FS_OPT_DIR;
        q.dos = STORE_DOS_TEMPORARY;
        assert_int_equal(once(&w, q, &a), FS_INVALID);
        world_end(&w);
}

static void test_read_only_attribute(void **state)
{
        struct world w = world_new();
        struct fs_open_req q = req("x", RW | FS_DELETE, FS_CREATE);
        q.dos = STORE_DOS_READONLY;
        struct fs_open *o = must_open(&w, q), *p; /* its maker may write all the same */
        assert_int_equal(fs_write(o, "x", 1, 0, false, 0), FS_OK);
        assert_int_equal(fs_set_delete(o, true), FS_CANNOT_DELETE);
        assert_int_equal(finish(o), FS_OK);
        q = req("x", FS_WRITE_DATA, FS_OPEN);
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_DENIED);
        q.access = FS_READ_DATA;
        q.disposition = FS_OVERWRITE;
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_DENIED);
        q.disposition = FS_OPEN;
        q.access = FS_DELETE;
        q.options = FS_OPT_DELETE_ON_CLOSE;
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_CANNOT_DELETE);
        q.options = 0;
        q.access = FS_MAXIMUM_ALLOWED;
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_OK);
        assert_int_equal(fs_open_access(p) & (FS_WRITE_DATA | FS_APPEND_DATA), 0);
        assert_int_equal(fs_open_access(p) & FS_DELETE, FS_DELETE);
        assert_int_equal(finish(p), FS_OK);
        q = req("y", RW | FS_DELETE, FS_CREATE);
        q.dos = STORE_DOS_READONLY;
        q.options = FS_OPT_DELETE_ON_CLOSE;
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_CANNOT_DELETE);
        world_end(&w);
}

static void test_read_only_volume(void **state)
{
        struct fs_volume_config c = {.read_only = true};
        struct world w = world_over(store_mem_new(), &c);
        struct fs_open_req q = req("", FS_WRITE_DATA, FS_OPEN);
        struct fs_open *o;
        uint32_t access;
        w.alice->as_server = true;
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_DENIED);
        q = req("x", FS_READ_DATA, FS_CREATE);
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_DENIED);
        q = req("", FS_MAXIMUM_ALLOWED, FS_OPEN);
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_OK);
        assert_int_equal(fs_open_access(o), 0x1200A9);
        assert_int_equal(finish(o), FS_OK);
        assert_int_equal(fs_volume_access(w.vol, w.alice, &access), FS_OK);
        assert_int_equal(access, 0x1200A9);
        world_end(&w);
}

static void test_data(void **state)
{
        struct world w = world_new();
        struct fs_open *o = must_open(&w, req("x", RW, FS_CREATE));
        char buf[16];
        size_t n = 99;
        assert_int_equal(fs_read(o, buf, 1, 0, 0, &n), FS_END_OF_FILE);
        assert_int_equal(fs_read(o, buf, 0, 0, 0, &n), FS_OK);
        assert_int_equal(n, 0);
        assert_int_equal(fs_write(o, "hello", 5, 0, false, 0), FS_OK);
        assert_int_equal(fs_open_position(o), 5);
        assert_int_equal(fs_write(o, " you", 4, UINT64_MAX, true, 0), FS_OK);
        assert_int_equal(fs_read(o, buf, 16, 0, 0, &n), FS_OK);
        assert_int_equal(n, 9);
        assert_memory_equal(buf, "hello you", 9);
        assert_int_equal(fs_read(o, buf, 1, 9, 0, &n), FS_END_OF_FILE);
        assert_int_equal(fs_read(o, buf, 1, INT64_MAX, 0, &n), FS_INVALID);
        assert_int_equal(fs_read(o, buf, 2, UINT64_MAX, 0, &n), FS_INVALID);
        assert_int_equal(fs_write(o, buf, 1, INT64_MAX, false, 0), FS_INVALID);
        assert_int_equal(fs_write(o, buf, 0, 50, false, 0), FS_OK);
        assert_int_equal(fs_set_size(o, 3), FS_OK);
        assert_int_equal(fs_set_size(o, (uint64_t)1 << 63), FS_INVALID);
        assert_int_equal(fs_set_alloc(o, 1), FS_OK);
        assert_int_equal(fs_read(o, buf, 16, 0, 0, &n), FS_OK);
        assert_int_equal(n, 1);
        assert_int_equal(fs_flush(o), FS_OK);
        assert_int_equal(fs_close(o, 0), FS_OK);
        assert_int_equal(fs_close(o, 0), FS_CLOSED);
        assert_int_equal(fs_read(o, buf, 1, 0, 0, &n), FS_CLOSED);
        assert_int_equal(fs_write(o, buf, 1, 0, false, 0), FS_CLOSED);
        assert_null(fs_open_path(o));
        fs_open_unref(o);
        world_end(&w);
}

static void test_rights_are_needed(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *o = must_open(&w, req("x", FS_READ_ATTR, FS_OPEN));
        struct fs_setattr s = {.dos = FS_DOS_NORMAL};
        struct fs_ea ea = {"a", bytes_str("b")};
        struct store_range r;
        uint8_t buf[512];
        size_t n;
        assert_int_equal(fs_read(o, buf, 1, 0, 0, &n), FS_DENIED);
        assert_int_equal(fs_write(o, buf, 1, 0, false, 0), FS_DENIED);
        assert_int_equal(fs_flush(o), FS_DENIED);
        assert_int_equal(fs_setattr(o, &s), FS_DENIED);
        assert_int_equal(fs_set_size(o, 1), FS_DENIED);
        assert_int_equal(fs_set_alloc(o, 1), FS_DENIED);
        assert_int_equal(fs_set_delete(o, true), FS_DENIED);
        assert_int_equal(fs_rename(o, "y", false), FS_DENIED);
        assert_int_equal(fs_get_sd(o, SECINFO_DACL, buf, sizeof buf, &n), FS_DENIED);
        assert_int_equal(fs_get_sd(o, SECINFO_SACL, buf, sizeof buf, &n), FS_DENIED);
        assert_int_equal(fs_set_sd(o, SECINFO_DACL, bytes_of(buf, 20), NULL), FS_DENIED);
        assert_int_equal(fs_set_ea(o, &ea, 1), FS_DENIED);
        assert_int_equal(fs_list_ea(o, NULL, NULL), FS_DENIED);
        assert_int_equal(fs_set_sparse(o, true), FS_DENIED);
        assert_int_equal(fs_zero(o, 0, 1), FS_DENIED);
        assert_int_equal(fs_ranges(o, 0, 1, &r, 1, &n), FS_DENIED);
        assert_int_equal(fs_copy(o, 0, o, 0, 1), FS_DENIED);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_append_only(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *o = must_open(&w, req("x", FS_APPEND_DATA, FS_OPEN));
        assert_int_equal(fs_write(o, "abc", 3, 0, false, 0), FS_OK);
        assert_int_equal(fs_write(o, "d", 1, 2, false, 0), FS_DENIED);
        assert_int_equal(fs_write(o, "d", 1, 3, false, 0), FS_OK);
        assert_int_equal(fs_write(o, "e", 1, UINT64_MAX, false, 0), FS_OK);
        struct fs_attr a;
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        assert_int_equal(a.size, 5);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static bool count_ea(void *ctx, const char *name, struct bytes value)
{
        (void)name;
        (void)value;
        ++*(int *)ctx;
        return true;
}

static void test_eas(void **state)
{
        struct world w = world_new();
        struct fs_ea two[] = {{"ONE", bytes_str("1")}, {"TWO", bytes_str("22")}};
        struct fs_open_req q = req("x", RW, FS_CREATE);
        q.eas = two;
        q.neas = 2;
        struct fs_open *o = must_open(&w, q);
        struct fs_attr a;
        int n = 0;
        assert_int_equal(fs_list_ea(o, count_ea, &n), FS_OK);
        assert_int_equal(n, 2);
        assert_int_equal(fs_getattr(o, FS_ATTR_EA, &a), FS_OK);
        assert_int_equal(a.ea_bytes, 4 + (4 + 4 + 1) + (4 + 4 + 2));
        struct fs_ea gone[] = {{"one", {0}}, {"never", {0}}};
        assert_int_equal(fs_set_ea(o, gone, 2), FS_OK);
        struct fs_ea bad = {"a:b", bytes_str("x")};
        assert_int_equal(fs_set_ea(o, &bad, 1), FS_BAD_NAME);
        n = 0;
        assert_int_equal(fs_list_ea(o, count_ea, &n), FS_OK);
        assert_int_equal(n, 1);
        assert_int_equal(finish(o), FS_OK);
        o = must_open(&w, req("x", RW, FS_OVERWRITE)); /* takes them along */
        n = 0;
        assert_int_equal(fs_list_ea(o, count_ea, &n), FS_OK);
        assert_int_equal(n, 0);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_sparse(void **state)
{
        struct world w = world_new();
        struct fs_open *o = must_open(&w, req("x", RW, FS_CREATE));
        struct store_range r[4];
        struct fs_attr a;
        size_t n;
        assert_int_equal(fs_set_size(o, 1 << 20), FS_OK);
        assert_int_equal(fs_ranges(o, 0, 2 << 20, r, 4, &n), FS_OK);
        assert_int_equal(n, 1); /* not sparse: all of it, up to the end */
        assert_int_equal(r[0].len, 1 << 20);
        assert_int_equal(fs_set_sparse(o, true), FS_OK);
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        assert_true(a.dos & STORE_DOS_SPARSE);
        assert_int_equal(fs_ranges(o, 0, 1 << 20, r, 4, &n), FS_OK);
        assert_int_equal(n, 0);
        assert_int_equal(fs_write(o, "x", 1, 1 << 19, false, 0), FS_OK);
        assert_int_equal(fs_ranges(o, 0, 1 << 20, r, 4, &n), FS_OK);
        assert_int_equal(n, 1);
        assert_int_equal(fs_zero(o, 0, 4 << 20), FS_OK);
        assert_int_equal(fs_ranges(o, 0, 1 << 20, r, 4, &n), FS_OK);
        assert_int_equal(n, 0);
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        assert_int_equal(a.size, 1 << 20); /* zeroing never grows a file */
        assert_int_equal(fs_ranges(o, (uint64_t)1 << 63, 1, r, 4, &n), FS_INVALID);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_copy(void **state)
{
        struct world w = world_new();
        struct fs_open *a = must_open(&w, req("a", RW, FS_CREATE));
        struct fs_open *b = must_open(&w, req("b", RW, FS_CREATE));
        char buf[16];
        size_t n;
        assert_int_equal(fs_write(a, "0123456789", 10, 0, false, 0), FS_OK);
        assert_int_equal(fs_copy(a, 2, b, 1, 4), FS_OK);
        assert_int_equal(fs_read(b, buf, 16, 0, 0, &n), FS_OK);
        assert_int_equal(n, 5);
        assert_memory_equal(buf, "\0002345", 5);
        assert_int_equal(fs_copy(a, 7, b, 0, 4), FS_INVALID); /* past the source's end */
        assert_int_equal(fs_copy(a, 0, a, 3, 7), FS_OK);      /* overlapping: as at once */
        assert_int_equal(fs_read(a, buf, 16, 0, 0, &n), FS_OK);
        assert_memory_equal(buf, "0120123456", 10);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(finish(b), FS_OK);
        world_end(&w);
}

/* ---- what happens between the store's answer and the opening ---- */

static struct {
        struct store_ops ops;
        const struct store_ops *real;
        struct fs_open *writer; /* writes once, when somebody opens the file */
        bool leaves;
} late;

static enum fs_err open_then_write(struct store *s, const struct store_cred *cred,
                                   const struct store_open *q, unsigned how,
                                   struct store_opened *ret)
{
        enum fs_err e = late.real->open(s, cred, q, how, ret);
        struct fs_open *o = late.writer;
        late.writer = NULL;
        if (e || !o)
                return e;
        assert_int_equal(fs_write(o, "12345", 5, 0, false, 0), FS_OK);
        if (late.leaves)
                assert_int_equal(finish(o), FS_OK);
        return FS_OK;
}

static void test_sizes_are_of_after_the_opening(void **state)
{
        (void)state;
        for (int leaves = 0; leaves < 2; leaves++) {
                struct fs_volume_config c = {.name = "test", .file_mode = 0644, .dir_mode = 0755};
                struct store *s = store_mem_new();
                assert_non_null(s);
                late.real = s->ops;
                late.ops = *s->ops;
                late.ops.open = open_then_write;
                struct world w = world_over(s, &c);
                struct fs_open *writer = must_open(&w, req("x", RW, FS_CREATE));
                s->ops = &late.ops;
                late.leaves = leaves;
                late.writer = writer;
                struct fs_open_req q = req("x", FS_READ_DATA, FS_OPEN);
                struct fs_opened o;
                assert_int_equal(fs_open(w.vol, w.client, w.alice, &q, 0, NULL, &o), FS_OK);
                assert_int_equal(o.attr.size, 5);
                assert_int_equal(finish(o.open), FS_OK);
                if (!leaves)
                        assert_int_equal(finish(writer), FS_OK);
                world_end(&w);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_dispositions),
                cmocka_unit_test(test_nothing_changes_under_nowait),
                cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_attributes),
                cmocka_unit_test(test_read_only_attribute),
                cmocka_unit_test(test_read_only_volume),
                cmocka_unit_test(test_data),
                cmocka_unit_test(test_rights_are_needed),
                cmocka_unit_test(test_append_only),
                cmocka_unit_test(test_eas),
                cmocka_unit_test(test_sparse),
                cmocka_unit_test(test_copy),
                cmocka_unit_test(test_sizes_are_of_after_the_opening),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
