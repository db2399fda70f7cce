/* Deletion: pending until the last open of the name closes, delete-on-close, links, directories. */
#include "fs/testing.h"

static struct fs_open *open_delete(struct world *w, const char *path, unsigned options)
{
        struct fs_open_req q = req(path, FS_DELETE | FS_READ_ATTR, FS_OPEN);
        q.options = options;
        return must_open(w, q);
}

static void test_pending_until_the_last_close(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = open_delete(&w, "x", 0), *b = open_delete(&w, "X", 0);
        struct fs_attr at;
        assert_int_equal(fs_set_delete(a, true), FS_OK);
        assert_int_equal(fs_getattr(b, 0, &at), FS_OK);
        assert_true(at.delete_pending);
        assert_int_equal(at.nlink, 0);
        assert_int_equal(probe(&w, "x"), FS_DELETE_PENDING);
        struct fs_open *o;
        for (unsigned d = 0; d <= FS_OVERWRITE_IF; d++) {
                struct fs_open_req q = req("x", RW, d);
                assert_int_equal(try_open(&w, w.alice, &q, &o), FS_DELETE_PENDING);
        }
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_DELETE_PENDING);
        assert_int_equal(fs_close(b, FS_NOWAIT), FS_AGAIN); /* something is to be removed */
        assert_int_equal(finish(b), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_NOT_FOUND);
        world_end(&w);
}

static void test_anybody_may_take_it_back(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = open_delete(&w, "x", 0), *b = open_delete(&w, "x", 0);
        assert_int_equal(fs_set_delete(a, true), FS_OK);
        assert_int_equal(fs_set_delete(b, false), FS_OK);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(finish(b), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_OK);
        world_end(&w);
}

static void test_delete_on_close(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = open_delete(&w, "x", FS_OPT_DELETE_ON_CLOSE);
        struct fs_open *b = open_delete(&w, "x", 0);
        /* Only its close marks the name. */
        assert_int_equal(probe(&w, "x"), FS_OK);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_DELETE_PENDING);
        assert_int_equal(finish(b), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_NOT_FOUND);
        /* A new file, and an open that is only let go. */
        struct fs_open_req q = req("y", RW | FS_DELETE, FS_CREATE);
        q.options = FS_OPT_DELETE_ON_CLOSE;
        fs_open_unref(must_open(&w, q));
        assert_int_equal(probe(&w, "y"), FS_NOT_FOUND);
        world_end(&w);
}

static void test_deletion_is_of_a_name(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = open_delete(&w, "x", 0);
        assert_int_equal(fs_link(a, "y", false), FS_OK);
        struct fs_open *b = open_delete(&w, "y", 0);
        assert_int_equal(fs_set_delete(a, true), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_DELETE_PENDING);
        assert_int_equal(probe(&w, "y"), FS_OK);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_NOT_FOUND);
        assert_int_equal(probe(&w, "y"), FS_OK);
        assert_int_equal(finish(b), FS_OK);
        world_end(&w);
}

static void test_directories(void **state)
{
        struct world w = world_new();
        make_dir(&w, "d");
        make_file(&w, "d/x");
        struct fs_open *d = open_delete(&w, "d", 0);
        assert_int_equal(fs_set_delete(d, true), FS_NOT_EMPTY);
        assert_int_equal(finish(d), FS_OK);
        /* Delete-on-close of a full directory does nothing, even when others hold it. */
        d = open_delete(&w, "d", FS_OPT_DELETE_ON_CLOSE);
        struct fs_open *e = open_delete(&w, "d", 0);
        assert_int_equal(finish(d), FS_OK);
        assert_int_equal(probe(&w, "d"), FS_OK);
        assert_int_equal(finish(e), FS_OK);
        assert_int_equal(finish(open_delete(&w, "d/x", FS_OPT_DELETE_ON_CLOSE)), FS_OK);
        /* Nothing is made in a directory on its way out. */
        d = open_delete(&w, "d", 0);
        assert_int_equal(fs_set_delete(d, true), FS_OK);
        struct fs_open_req q = req("d/new", RW, FS_CREATE);
        assert_int_equal(try_open(&w, w.alice, &q, &e), FS_DELETE_PENDING);
        assert_int_equal(finish(d), FS_OK);
        assert_int_equal(probe(&w, "d"), FS_NOT_FOUND);
        struct fs_open *root = open_delete(&w, "", 0);
        assert_int_equal(fs_set_delete(root, true), FS_CANNOT_DELETE);
        assert_int_equal(finish(root), FS_OK);
        world_end(&w);
}

static void test_renamed_then_deleted(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = open_delete(&w, "x", FS_OPT_DELETE_ON_CLOSE);
        assert_int_equal(fs_rename(a, "y", false), FS_OK);
        make_file(&w, "x"); /* another file of the old name is left alone */
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(probe(&w, "x"), FS_OK);
        assert_int_equal(probe(&w, "y"), FS_NOT_FOUND);
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pending_until_the_last_close),
                cmocka_unit_test(test_anybody_may_take_it_back),
                cmocka_unit_test(test_delete_on_close),
                cmocka_unit_test(test_deletion_is_of_a_name),
                cmocka_unit_test(test_directories),
                cmocka_unit_test(test_renamed_then_deleted),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
