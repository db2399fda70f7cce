/* Times: written at once, frozen, set for good, thawed. */
#include "fs/testing.h"

#define THEN 130000000000000000 /* some day in 2012 */

static struct fs_attr attr_of(struct fs_open *o)
{
        struct fs_attr a;
        assert_int_equal(fs_getattr(o, 0, &a), FS_OK);
        return a;
}

static void set_mtime(struct fs_open *o, int64_t t)
{
        struct fs_setattr s = {.mtime_ft = t};
        assert_int_equal(fs_setattr(o, &s), FS_OK);
}

static void test_writing_shows_at_once(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *other = must_open(&w, req("x", RW, FS_OPEN));
        set_mtime(other, THEN);
        struct fs_open *o = must_open(&w, req("x", RW, FS_OPEN));
        assert_int_equal(attr_of(o).mtime_ft, THEN);
        assert_int_equal(fs_write(o, "x", 1, 0, false, 0), FS_OK);
        int64_t t = attr_of(o).mtime_ft;
        assert_true(t > THEN);
        assert_int_equal(finish(o), FS_OK); /* and closing changes nothing any more */
        assert_int_equal(attr_of(other).mtime_ft, t);
        assert_int_equal(finish(other), FS_OK);
        world_end(&w);
}

static void test_explicit_time_sticks(void **state)
{
        struct world w = world_new();
        struct fs_open *o = must_open(&w, req("x", RW, FS_CREATE));
        set_mtime(o, THEN);
        assert_int_equal(fs_write(o, "x", 1, 0, false, 0), FS_OK);
        assert_int_equal(fs_set_size(o, 7), FS_OK);
        assert_int_equal(fs_zero(o, 0, 3), FS_OK);
        assert_int_equal(attr_of(o).mtime_ft, THEN);
        assert_int_equal(fs_write(o, "x", 1, 0, false, FS_NOWAIT), FS_AGAIN);
        set_mtime(o, -2);
        assert_int_equal(attr_of(o).mtime_ft, THEN); /* not a date */
        assert_int_equal(fs_write(o, "x", 1, 0, false, FS_NOWAIT), FS_OK);
        assert_true(attr_of(o).mtime_ft > THEN);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_freezing(void **state)
{
        struct world w = world_new();
        struct fs_open *o = must_open(&w, req("x", RW, FS_CREATE));
        struct fs_open *p = must_open(&w, req("x", RW, FS_OPEN));
        set_mtime(p, THEN);
        set_mtime(p, -2);
        set_mtime(o, -1);
        assert_int_equal(fs_write(o, "x", 1, 0, false, 0), FS_OK);
        assert_int_equal(attr_of(o).mtime_ft, THEN);
        assert_int_equal(fs_write(p, "x", 1, 0, false, 0), FS_OK); /* another's I/O counts */
        assert_true(attr_of(o).mtime_ft > THEN);
        assert_int_equal(finish(o), FS_OK);
        assert_int_equal(finish(p), FS_OK);
        world_end(&w);
}

static void test_setting(void **state)
{
        struct world w = world_new();
        struct fs_open *o = must_open(&w, req("x", RW, FS_CREATE));
        struct fs_setattr s = {.btime_ft = THEN, .atime_ft = THEN + 1, .dos = STORE_DOS_HIDDEN};
        assert_int_equal(fs_setattr(o, &s), FS_OK);
        struct fs_attr a = attr_of(o);
        assert_int_equal(a.btime_ft, THEN);
        assert_int_equal(a.atime_ft, THEN + 1);
        assert_int_equal(a.dos, STORE_DOS_HIDDEN);
        s = (struct fs_setattr){.dos = FS_DOS_NORMAL};
        assert_int_equal(fs_setattr(o, &s), FS_OK);
        assert_int_equal(attr_of(o).dos, FS_DOS_NORMAL);
        /* Writing makes it a file to be archived again. */
        assert_int_equal(fs_write(o, "x", 1, 0, false, FS_NOWAIT), FS_AGAIN);
        assert_int_equal(fs_write(o, "x", 1, 0, false, 0), FS_OK);
        assert_int_equal(attr_of(o).dos, STORE_DOS_ARCHIVE);
        s = (struct fs_setattr){.mtime_ft = -3};
        assert_int_equal(fs_setattr(o, &s), FS_INVALID);
        s = (struct fs_setattr){.dos = FS_DOS_DIRECTORY};
        assert_int_equal(fs_setattr(o, &s), FS_INVALID);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_far_dates(void **state)
{
        static const int64_t dates[] = {1, 116444736000000000 - 1, 159000000000000000 /* 2104 */,
                                        200000000000000000};
        struct world w = world_new();
        struct fs_open *o = must_open(&w, req("x", RW, FS_CREATE));
        for (size_t i = 0; i < 4; i++) {
                struct fs_setattr s = {.btime_ft = dates[i], .mtime_ft = dates[i]};
                assert_int_equal(fs_setattr(o, &s), FS_OK);
                assert_int_equal(attr_of(o).btime_ft, dates[i]);
                assert_int_equal(attr_of(o).mtime_ft, dates[i]);
        }
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_writing_shows_at_once),
                cmocka_unit_test(test_explicit_time_sticks),
                cmocka_unit_test(test_freezing),
                cmocka_unit_test(test_setting),
                cmocka_unit_test(test_far_dates),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
