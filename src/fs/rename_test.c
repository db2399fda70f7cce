/* Rename and link: what stands in the way, and what other opens see. */
#include "fs/testing.h"

static struct fs_open *open_delete(struct world *w, const char *path)
{
        return must_open(w, req(path, FS_DELETE | FS_READ_ATTR, FS_OPEN));
}

static void assert_path(struct fs_open *o, const char *path)
{
        char *p = fs_open_path(o);
        assert_string_equal(p, path);
        free(p);
}

static void test_files(void **state)
{
        struct world w = world_new();
        make_file(&w, "a");
        make_file(&w, "b");
        make_dir(&w, "d");
        struct fs_open *o = open_delete(&w, "a"), *other = open_delete(&w, "a");
        assert_int_equal(fs_rename(o, "a", false), FS_OK);
        assert_int_equal(fs_rename(o, "A", false), FS_OK); /* the same name otherwise spelled */
        assert_path(o, "A");
        assert_int_equal(fs_rename(o, "B", false), FS_EXISTS);
        assert_int_equal(fs_rename(o, "d", true), FS_DENIED);
        assert_int_equal(fs_rename(o, "none/x", true), FS_PATH_NOT_FOUND);
        assert_int_equal(fs_rename(o, "A/x", true), FS_PATH_NOT_FOUND);
        assert_int_equal(fs_rename(o, "x*", true), FS_BAD_NAME);
        assert_int_equal(fs_rename(o, "", true), FS_DENIED);
        assert_int_equal(fs_rename(o, "b", true), FS_OK);
        assert_path(other, "b"); /* all opens follow */
        assert_int_equal(fs_rename(o, "d/c", false), FS_OK);
        assert_path(other, "d/c");
        assert_int_equal(probe(&w, "a"), FS_NOT_FOUND);
        assert_int_equal(probe(&w, "b"), FS_NOT_FOUND);
        assert_int_equal(fs_set_delete(o, true), FS_OK);
        assert_int_equal(fs_rename(o, "e", false), FS_DENIED);
        assert_int_equal(finish(o), FS_OK);
        assert_int_equal(finish(other), FS_OK);
        assert_int_equal(probe(&w, "d/c"), FS_NOT_FOUND);
        world_end(&w);
}

static void test_targets_that_stay(void **state)
{
        struct world w = world_new();
        make_file(&w, "a");
        make_file(&w, "open");
        struct fs_open_req q = req("fixed", RW, FS_CREATE);
        q.dos = STORE_DOS_READONLY;
        assert_int_equal(finish(must_open(&w, q)), FS_OK);
        struct fs_open *o = open_delete(&w, "a"), *t = open_delete(&w, "open");
        assert_int_equal(fs_rename(o, "fixed", true), FS_DENIED);
        assert_int_equal(fs_rename(o, "open", true), FS_DENIED);
        assert_int_equal(fs_set_delete(t, true), FS_OK);
        assert_int_equal(fs_rename(o, "open", true), FS_DELETE_PENDING);
        assert_int_equal(finish(t), FS_OK);
        assert_int_equal(fs_rename(o, "open", true), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_directories(void **state)
{
        struct world w = world_new();
        make_dir(&w, "d");
        make_dir(&w, "d/sub");
        make_dir(&w, "dd");
        make_file(&w, "d/sub/x");
        make_file(&w, "f");
        struct fs_open *d = open_delete(&w, "d"), *x = open_delete(&w, "d/sub/x");
        struct fs_open *beside = open_delete(&w, "dd");
        assert_int_equal(fs_rename(d, "e", false), FS_DENIED); /* something below is open */
        assert_int_equal(finish(x), FS_OK);
        assert_int_equal(fs_rename(d, "d/sub/d", false), FS_DENIED); /* into itself */
        assert_int_equal(fs_rename(d, "f", true), FS_DENIED);
        assert_int_equal(fs_rename(d, "dd", true), FS_DENIED);
        assert_int_equal(fs_rename(d, "D", false), FS_OK);
        assert_int_equal(fs_rename(d, "e", false), FS_OK);
        assert_int_equal(probe(&w, "e/sub/x"), FS_OK);
        assert_int_equal(probe(&w, "d"), FS_NOT_FOUND);
        assert_int_equal(finish(beside), FS_OK);
        assert_int_equal(finish(d), FS_OK);
        struct fs_open *root = open_delete(&w, "");
        assert_int_equal(fs_rename(root, "x", false), FS_DENIED);
        assert_int_equal(finish(root), FS_OK);
        world_end(&w);
}

/* [MS-FSA] 2.1.5.15.12: the directory is opened to add a file, sharing reading and writing. */
static const struct {
        uint32_t access, share;
        enum fs_err e;
} holders[] = {
        {FS_READ_DATA, SHARE_ALL, FS_OK},
        {FS_READ_DATA, FS_SHARE_READ | FS_SHARE_WRITE, FS_OK},
        {FS_READ_DATA, FS_SHARE_READ, FS_SHARING},
        {FS_DELETE, SHARE_ALL, FS_SHARING},
        {FS_DELETE, FS_SHARE_READ | FS_SHARE_WRITE, FS_SHARING},
        {FS_READ_ATTR, 0, FS_OK},
};

static void test_directory_held_open(void **state)
{
        struct world w = world_new();
        make_dir(&w, "d");
        for (size_t i = 0; i < sizeof holders / sizeof *holders; i++) {
                struct fs_open_req q = req("d", holders[i].access, FS_OPEN);
                q.share = holders[i].share;
                make_file(&w, "d/x");
                struct fs_open *d = must_open(&w, q), *x = open_delete(&w, "d/x");
                enum fs_err e = fs_rename(x, "d/y", true);
                if (e != holders[i].e)
                        fail_msg("%zu: %s", i, fs_err_text(e));
                assert_int_equal(fs_set_delete(x, true), FS_OK);
                assert_int_equal(finish(x), FS_OK);
                assert_int_equal(finish(d), FS_OK);
        }
        world_end(&w);
}

static void test_links(void **state)
{
        struct world w = world_new();
        make_file(&w, "a");
        make_file(&w, "b");
        make_dir(&w, "d");
        struct fs_open *o = open_delete(&w, "a");
        struct fs_open *d = must_open(&w, req("d", FS_READ_ATTR, FS_OPEN));
        struct fs_attr at;
        assert_int_equal(fs_link(d, "e", false), FS_IS_DIR);
        assert_int_equal(fs_link(o, "b", false), FS_EXISTS);
        assert_int_equal(fs_link(o, "a", false), FS_EXISTS);
        assert_int_equal(fs_link(o, "d/c", false), FS_OK);
        assert_int_equal(fs_link(o, "b", true), FS_OK);
        assert_int_equal(fs_getattr(o, 0, &at), FS_OK);
        assert_int_equal(at.nlink, 3);
        assert_path(o, "a");
        assert_int_equal(finish(d), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_openings_and_renames_keep_apart(void **state)
{
        struct path_guard g;
        struct path_use open1, open2, dir, dir2;
        path_guard_init(&g);
        assert_int_equal(path_guard_enter(&g, &open1, "Dir/sub/x", false), FS_OK);
        assert_int_equal(path_guard_freeze(&g, &dir, "dir"), FS_DENIED);
        assert_int_equal(path_guard_freeze(&g, &dir, "di"), FS_OK);
        path_guard_thaw(&g, &dir);
        path_guard_leave(&g, &open1);
        assert_int_equal(path_guard_freeze(&g, &dir, "dir"), FS_OK);
        assert_int_equal(path_guard_freeze(&g, &dir2, "DIR/sub"), FS_DENIED);
        assert_int_equal(path_guard_enter(&g, &open1, "DIR/x", false), FS_AGAIN);
        assert_int_equal(path_guard_enter(&g, &open2, "dir", false), FS_OK);
        path_guard_leave(&g, &open2);
        path_guard_thaw(&g, &dir);
        assert_int_equal(path_guard_enter(&g, &open1, "DIR/x", false), FS_OK);
        path_guard_leave(&g, &open1);
        path_guard_fini(&g);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_files),
                cmocka_unit_test(test_targets_that_stay),
                cmocka_unit_test(test_directories),
                cmocka_unit_test(test_directory_held_open),
                cmocka_unit_test(test_links),
                cmocka_unit_test(test_openings_and_renames_keep_apart),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
