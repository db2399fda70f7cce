/* Listings: patterns, resuming, restarting, look-ups, hidden and unreadable entries. */
#include "fs/testing.h"

struct seen {
        char names[64][32];
        size_t n, room; /* room: entries that fit this time */
};

static bool see(void *ctx, const struct fs_dirent *e)
{
        struct seen *s = ctx;
        if (s->n == s->room)
                return false;
        assert_true(strlen(e->name) < sizeof s->names[0]);
        memcpy(s->names[s->n++], e->name, strlen(e->name) + 1);
        return true;
}

static bool has(const struct seen *s, const char *name)
{
        for (size_t i = 0; i < s->n; i++) {
                if (strcmp(s->names[i], name) == 0)
                        return true;
        }
        return false;
}

static struct fs_open *open_dir(struct world *w, const char *path)
{
        return must_open(w, req(path, FS_READ_DATA, FS_OPEN));
}

static enum fs_err list(struct fs_open *d, const char *pattern, unsigned flags, struct seen *s)
{
        *s = (struct seen){.room = 64};
        return fs_list(d, pattern, flags, see, s);
}

static struct world filled(void)
{
        struct world w = world_new();
        make_dir(&w, "d");
        make_file(&w, "d/Alpha.txt");
        make_file(&w, "d/beta.txt");
        make_file(&w, "d/gamma.c");
        make_dir(&w, "d/sub");
        return w;
}

static void test_everything_once(void **state)
{
        struct world w = filled();
        struct fs_open *d = open_dir(&w, "d");
        struct seen s;
        assert_int_equal(list(d, "", 0, &s), FS_OK);
        assert_int_equal(s.n, 6);
        assert_string_equal(s.names[0], ".");
        assert_string_equal(s.names[1], "..");
        assert_true(has(&s, "Alpha.txt") && has(&s, "sub"));
        assert_int_equal(list(d, "", 0, &s), FS_NO_MORE);
        assert_int_equal(list(d, "*.TXT", 0, &s), FS_NO_MORE); /* the first call chose */
        assert_int_equal(list(d, "*.TXT", FS_LIST_RESTART, &s), FS_OK);
        assert_int_equal(s.n, 2);
        assert_int_equal(list(d, "", FS_LIST_RESTART, &s), FS_OK); /* keeps the pattern */
        assert_int_equal(s.n, 2);
        assert_int_equal(list(d, "zzz*", FS_LIST_RESTART, &s), FS_NO_MORE);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

static void test_resuming(void **state)
{
        struct world w = filled();
        for (size_t room = 1; room <= 6; room++) {
                struct fs_open *d = open_dir(&w, "d");
                struct seen all = {0};
                enum fs_err e;
                for (;;) {
                        struct seen s = {.room = room};
                        e = fs_list(d, "*", 0, see, &s);
                        if (e)
                                break;
                        for (size_t i = 0; i < s.n; i++) {
                                assert_false(has(&all, s.names[i]));
                                memcpy(all.names[all.n++], s.names[i], sizeof s.names[i]);
                        }
                }
                assert_int_equal(e, FS_NO_MORE);
                assert_int_equal(all.n, 6);
                assert_int_equal(finish(d), FS_OK);
        }
        world_end(&w);
}

static void test_no_room_at_all(void **state)
{
        struct world w = filled();
        struct fs_open *d = open_dir(&w, "d");
        struct seen none = {0}, s;
        assert_int_equal(fs_list(d, "*", 0, see, &none), FS_OK); /* there was one: not NO_MORE */
        assert_int_equal(list(d, "*", FS_LIST_SINGLE, &s), FS_OK);
        assert_int_equal(s.n, 1);
        assert_string_equal(s.names[0], ".");
        assert_int_equal(fs_list(d, "*", 0, see, &none), FS_OK);
        assert_int_equal(list(d, "*", 0, &s), FS_OK);
        assert_int_equal(s.n, 5);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

static const struct {
        const char *pattern;
        enum fs_err e;
        size_t n;
        const char *name;
} lookups[] = {
        {"ALPHA.TXT", FS_OK, 1, "Alpha.txt"}, /* as spelled on disk */
        {"sub", FS_OK, 1, "sub"},
        {"none", FS_NOT_FOUND, 0, NULL},
        {".", FS_OK, 1, "."},
        {"..", FS_OK, 1, ".."},
        {"g?mma.*", FS_OK, 1, "gamma.c"},
        {"<.txt", FS_OK, 2, "beta.txt"},
        {"q*", FS_NOT_FOUND, 0, NULL},
        {"a/b", FS_BAD_NAME, 0, NULL},
        {"a:b", FS_BAD_NAME, 0, NULL},
};

static void test_lookups(void **state)
{
        struct world w = filled();
        for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
                struct fs_open *d = open_dir(&w, "d");
                struct seen s;
                assert_int_equal(list(d, lookups[i].pattern, 0, &s), lookups[i].e);
                assert_int_equal(s.n, lookups[i].n);
                assert_true(!lookups[i].name || has(&s, lookups[i].name));
                if (lookups[i].e == FS_OK)
                        assert_int_equal(list(d, "", 0, &s), FS_NO_MORE);
                assert_int_equal(finish(d), FS_OK);
        }
        world_end(&w);
}

static void test_not_for_everybody(void **state)
{
        struct world w = filled();
        struct fs_open *f = must_open(&w, req("d/beta.txt", FS_READ_DATA, FS_OPEN));
        struct fs_open *d = must_open(&w, req("d", FS_READ_ATTR, FS_OPEN));
        struct seen s;
        assert_int_equal(list(f, "*", 0, &s), FS_INVALID);
        assert_int_equal(list(d, "*", 0, &s), FS_DENIED);
        assert_int_equal(finish(f), FS_OK);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

static bool see_hidden(void *ctx, const struct fs_dirent *e)
{
        if (e->attr.dos & STORE_DOS_HIDDEN)
                ++*(int *)ctx;
        return true;
}

static void test_hidden_by_name(void **state)
{
        struct fs_volume_config c = {
                .hide_dot_files = true, .hide_files = "/secret*/x.tmp/", .file_mode = 0666};
        struct world w = world_over(store_mem_new(), &c);
        make_file(&w, ".dot");
        make_file(&w, "Secrets");
        make_file(&w, "X.TMP");
        make_file(&w, "plain");
        struct fs_open *d = open_dir(&w, "");
        int n = 0;
        assert_int_equal(fs_list(d, "*", 0, see_hidden, &n), FS_OK);
        assert_int_equal(n, 3);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

static void test_unreadable_hidden(void **state)
{
        struct fs_volume_config c = {.hide_unreadable = true, .file_mode = 0600, .dir_mode = 0777};
        struct world w = world_over(store_mem_new(), &c);
        make_file(&w, "mine");
        struct fs_open_req q = req("his", RW, FS_CREATE);
        struct fs_open *o;
        assert_int_equal(try_open(&w, w.bob, &q, &o), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        struct fs_open *d = open_dir(&w, "");
        struct seen s;
        assert_int_equal(list(d, "*", 0, &s), FS_OK);
        assert_true(has(&s, "mine") && !has(&s, "his"));
        assert_int_equal(list(d, "his", FS_LIST_RESTART, &s), FS_NO_MORE);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_everything_once),   cmocka_unit_test(test_resuming),
                cmocka_unit_test(test_no_room_at_all),    cmocka_unit_test(test_lookups),
                cmocka_unit_test(test_not_for_everybody), cmocka_unit_test(test_hidden_by_name),
                cmocka_unit_test(test_unreadable_hidden),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
