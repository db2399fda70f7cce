/* Watching directories: what is told, to whom, in which order, and how waiting ends. */
#include "fs/testing.h"

#define EVERYTHING 0xFFFu

/* What a request was told: "+a.txt *b/c" and so on. */
struct news {
        char text[512];
        size_t room; /* entries that fit */
};

static bool take(void *ctx, unsigned action, const char *name)
{
        static const char sign[] = "?+-*<>";
        struct news *n = ctx;
        if (n->room-- == 0)
                return false;
        size_t at = strlen(n->text);
        int k = snprintf(n->text + at, sizeof n->text - at, "%s%c%s", at ? " " : "", sign[action],
                         name);
        return k > 0 && (size_t)k < sizeof n->text - at;
}

static unsigned woken;
static void count_wake(struct fs_waiter *w)
{
        woken++;
}

static struct fs_open *open_dir(struct world *w, const char *path)
{
        struct fs_open_req q = req(path, FS_READ_DATA, FS_OPEN);
        q.options = FS_OPT_DIR;
        return must_open(w, q);
}

static enum fs_err ask(struct fs_open *o, uint32_t filter, bool recursive, struct news *n,
                       struct fs_waiter *w)
{
        *n = (struct news){.room = 100};
        struct fs_notify_req q = {.filter = filter,
                                  .recursive = recursive,
                                  .max_bytes = 4096,
                                  .take = take,
                                  .ctx = n};
        return fs_notify(o, &q, w);
}

static void rename_to(struct world *w, const char *from, const char *to)
{
        struct fs_open *o = must_open(w, req(from, FS_DELETE, FS_OPEN));
        assert_int_equal(fs_rename(o, to, false), FS_OK);
        assert_int_equal(finish(o), FS_OK);
}

static void remove_file(struct world *w, const char *path)
{
        struct fs_open_req q = req(path, FS_DELETE, FS_OPEN);
        q.options = FS_OPT_DELETE_ON_CLOSE;
        assert_int_equal(finish(must_open(w, q)), FS_OK);
}

static void names_and_contents_are_told_in_order(void **state)
{
        struct world w = world_new();
        struct news n;
        make_dir(&w, "d");
        struct fs_open *d = open_dir(&w, "d");
        assert_int_equal(ask(d, EVERYTHING, false, &n, NULL), FS_AGAIN);
        make_file(&w, "d/a");
        make_file(&w, "elsewhere");
        make_dir(&w, "d/sub");
        make_file(&w, "d/sub/deep"); /* not recursive */
        rename_to(&w, "d/a", "d/b");
        struct fs_open *b = must_open(&w, req("d/b", RW, FS_OPEN));
        assert_int_equal(fs_write(b, "x", 1, 0, false, 0), FS_OK);
        assert_int_equal(fs_write(b, "x", 1, 1, false, 0), FS_OK); /* told once */
        assert_int_equal(finish(b), FS_OK);
        remove_file(&w, "d/b");
        assert_int_equal(ask(d, EVERYTHING, false, &n, NULL), FS_OK);
        assert_string_equal(n.text, "+a +sub <a >b *b -b");
        assert_int_equal(ask(d, EVERYTHING, false, &n, NULL), FS_AGAIN);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

static void a_move_between_directories_goes_and_comes(void **state)
{
        struct world w = world_new();
        struct news n, m;
        make_dir(&w, "d");
        make_dir(&w, "d/sub");
        make_file(&w, "d/a");
        struct fs_open *d = open_dir(&w, "d"), *root = open_dir(&w, "");
        assert_int_equal(ask(d, FS_CHANGE_FILE_NAME, false, &n, NULL), FS_AGAIN);
        assert_int_equal(ask(root, FS_CHANGE_FILE_NAME, true, &m, NULL), FS_AGAIN);
        rename_to(&w, "d/a", "d/sub/a");
        assert_int_equal(ask(d, 0, true, &n, NULL), FS_OK); /* the first request counts */
        assert_string_equal(n.text, "-a");
        assert_int_equal(ask(root, 0, false, &m, NULL), FS_OK);
        assert_string_equal(m.text, "-d/a +d/sub/a");
        assert_int_equal(finish(d), FS_OK);
        assert_int_equal(finish(root), FS_OK);
        world_end(&w);
}

static void each_filter_hears_its_own(void **state)
{
        struct world w = world_new();
        make_file(&w, "f");
        static const struct {
                uint32_t filter;
                struct fs_setattr set;
        } cases[] = {
                {FS_CHANGE_ATTR, {.dos = STORE_DOS_HIDDEN}},
                {FS_CHANGE_CREATION, {.btime_ft = 116444736000000000 + 1}},
                {FS_CHANGE_ACCESS, {.atime_ft = 116444736000000000 + 1}},
                {FS_CHANGE_WRITE, {.mtime_ft = 116444736000000000 + 1}},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct news n;
                struct fs_open *hears = open_dir(&w, ""), *deaf = open_dir(&w, "");
                assert_int_equal(ask(hears, cases[i].filter, false, &n, NULL), FS_AGAIN);
                assert_int_equal(ask(deaf, EVERYTHING & ~cases[i].filter, false, &n, NULL),
                                 FS_AGAIN);
                struct fs_open *f = must_open(&w, req("f", FS_WRITE_ATTR, FS_OPEN));
                assert_int_equal(fs_setattr(f, &cases[i].set), FS_OK);
                assert_int_equal(finish(f), FS_OK);
                assert_int_equal(ask(deaf, 0, false, &n, NULL), FS_AGAIN);
                assert_int_equal(ask(hears, 0, false, &n, NULL), FS_OK);
                assert_string_equal(n.text, "*f");
                assert_int_equal(finish(hears), FS_OK);
                assert_int_equal(finish(deaf), FS_OK);
        }
        world_end(&w);
}

static void more_than_fits_is_forgotten(void **state)
{
        struct world w = world_new();
        struct news n = {.room = 100};
        struct fs_open *d = open_dir(&w, "");
        /* 12 bytes and two a letter; the next entry begins at a multiple of four */
        struct fs_notify_req q = {
                .filter = FS_CHANGE_FILE_NAME, .max_bytes = 30, .take = take, .ctx = &n};
        assert_int_equal(fs_notify(d, &q, NULL), FS_AGAIN);
        make_file(&w, "a");
        make_file(&w, "b"); /* 16 + 14 */
        assert_int_equal(fs_notify(d, &q, NULL), FS_OK);
        assert_string_equal(n.text, "+a +b");
        make_file(&w, "c");
        make_file(&w, "dd");
        make_file(&w, "e");
        assert_int_equal(fs_notify(d, &q, NULL), FS_OVERFLOWED);
        assert_int_equal(fs_notify(d, &q, NULL), FS_AGAIN); /* told once */
        make_file(&w, "g");
        n = (struct news){.room = 0}; /* a later request with less room */
        assert_int_equal(fs_notify(d, &q, NULL), FS_OVERFLOWED);
        assert_int_equal(finish(d), FS_OK);
        world_end(&w);
}

static void waiting_ends_by_news_cancel_close_and_deletion(void **state)
{
        struct world w = world_new();
        struct news n;
        make_dir(&w, "d");
        struct fs_open *d = open_dir(&w, "d"), *other = must_open(&w, req("d", FS_DELETE, FS_OPEN));
        struct fs_waiter first = {.wake = count_wake}, second = {.wake = count_wake};
        woken = 0;
        assert_int_equal(ask(d, EVERYTHING, false, &n, &first), FS_PARKED);
        assert_int_equal(ask(d, EVERYTHING, false, &n, &second), FS_PARKED);
        make_file(&w, "d/a");
        assert_int_equal(woken, 2);
        assert_false(fs_waiter_cancel(&first));
        assert_int_equal(ask(d, EVERYTHING, false, &n, &first), FS_OK);
        assert_string_equal(n.text, "+a");
        assert_int_equal(ask(d, EVERYTHING, false, &n, &second), FS_PARKED);
        assert_true(fs_waiter_cancel(&second));

        remove_file(&w, "d/a");
        assert_int_equal(ask(d, EVERYTHING, false, &n, &first), FS_OK);
        assert_int_equal(ask(d, EVERYTHING, false, &n, &first), FS_PARKED);
        assert_int_equal(fs_set_delete(other, true), FS_OK);
        assert_int_equal(woken, 3);
        assert_int_equal(ask(d, EVERYTHING, false, &n, &first), FS_DELETE_PENDING);
        assert_int_equal(fs_set_delete(other, false), FS_OK);

        assert_int_equal(ask(d, EVERYTHING, false, &n, &first), FS_PARKED);
        assert_int_equal(fs_close(d, 0), FS_OK);
        assert_int_equal(woken, 4);
        assert_int_equal(ask(d, EVERYTHING, false, &n, &first), FS_CLOSED);
        fs_open_unref(d);
        assert_int_equal(finish(other), FS_OK);
        world_end(&w);
}

/* B15: the right to list is needed; a file cannot be watched. */
static void who_may_not_list_may_not_watch(void **state)
{
        struct world w = world_new();
        struct news n;
        make_file(&w, "f");
        struct fs_open *d = must_open(&w, req("", FS_READ_ATTR, FS_OPEN));
        struct fs_open *f = must_open(&w, req("f", RW, FS_OPEN));
        assert_int_equal(ask(d, EVERYTHING, true, &n, NULL), FS_DENIED);
        assert_int_equal(ask(f, EVERYTHING, false, &n, NULL), FS_INVALID);
        assert_int_equal(finish(d), FS_OK);
        assert_int_equal(finish(f), FS_OK);
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(names_and_contents_are_told_in_order),
                cmocka_unit_test(a_move_between_directories_goes_and_comes),
                cmocka_unit_test(each_filter_hears_its_own),
                cmocka_unit_test(more_than_fits_is_forgotten),
                cmocka_unit_test(waiting_ends_by_news_cancel_close_and_deletion),
                cmocka_unit_test(who_may_not_list_may_not_watch),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
