/* Byte-range locks: conflicts, zero lengths, all or none, waiting. */
#include "fs/testing.h"

#define EX FS_LOCK_EXCLUSIVE
#define SH FS_LOCK_SHARED
#define UN FS_LOCK_UNLOCK

static enum fs_err lock1(struct fs_open *o, uint64_t off, uint64_t len, unsigned flags)
{
        struct fs_lock l = {off, len, flags};
        return fs_lock(o, &l, 1, NULL);
}

/* One open holds the first lock; the same (own) or another asks for the second. */
static const struct {
        struct fs_lock held, asked;
        enum fs_err other, own;
} cases[] = {
        {{0, 10, EX}, {5, 10, EX}, FS_LOCK_DENIED, FS_LOCK_DENIED},
        {{0, 10, EX}, {5, 10, SH}, FS_LOCK_DENIED, FS_OK},
        {{0, 10, SH}, {5, 10, SH}, FS_OK, FS_OK},
        {{0, 10, SH}, {5, 10, EX}, FS_LOCK_DENIED, FS_LOCK_DENIED},
        {{0, 10, EX}, {10, 10, EX}, FS_OK, FS_OK},
        {{10, 10, EX}, {0, 10, EX}, FS_OK, FS_OK},
        {{0, 0, EX}, {0, 0, EX}, FS_OK, FS_OK},
        {{0, 10, EX}, {0, 0, EX}, FS_OK, FS_OK},                   /* {0, 0} meets nothing */
        {{0, 10, EX}, {5, 0, EX}, FS_LOCK_DENIED, FS_LOCK_DENIED}, /* inside */
        {{0, 10, EX}, {10, 0, EX}, FS_OK, FS_OK},                  /* at the end */
        {{5, 10, EX}, {5, 0, EX}, FS_OK, FS_OK},                   /* at the start */
        {{5, 0, EX}, {0, 10, EX}, FS_LOCK_DENIED, FS_LOCK_DENIED},
        {{5, 0, EX}, {5, 0, EX}, FS_OK, FS_OK},
        {{UINT64_MAX, 1, EX}, {UINT64_MAX, 1, SH}, FS_LOCK_DENIED, FS_OK},
        {{0, UINT64_MAX, EX}, {UINT64_MAX, 1, SH}, FS_OK, FS_OK},
};

static void test_conflicts(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct fs_open *a = must_open(&w, req("x", RW, FS_OPEN));
                struct fs_open *b = must_open(&w, req("x", RW, FS_OPEN));
                assert_int_equal(fs_lock(a, &cases[i].held, 1, NULL), FS_OK);
                if (fs_lock(b, &cases[i].asked, 1, NULL) != cases[i].other)
                        fail_msg("case %zu, another open", i);
                assert_int_equal(finish(b), FS_OK);
                if (fs_lock(a, &cases[i].asked, 1, NULL) != cases[i].own)
                        fail_msg("case %zu, the same open", i);
                assert_int_equal(finish(a), FS_OK);
        }
        world_end(&w);
}

static void test_bad_lists(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *o = must_open(&w, req("x", RW, FS_OPEN));
        struct fs_lock mixed[] = {{0, 1, EX}, {0, 1, UN}}, many[LIMIT_LOCKS_PER_REQUEST + 1] = {0};
        assert_int_equal(fs_lock(o, mixed, 2, NULL), FS_INVALID);
        assert_int_equal(fs_lock(o, mixed, 0, NULL), FS_INVALID);
        assert_int_equal(fs_lock(o, many, LIMIT_LOCKS_PER_REQUEST + 1, NULL), FS_INVALID);
        assert_int_equal(lock1(o, 0, 1, EX | SH), FS_INVALID);
        assert_int_equal(lock1(o, 2, UINT64_MAX, EX), FS_TOO_BIG);
        assert_int_equal(lock1(o, UINT64_MAX, 2, UN), FS_TOO_BIG);
        assert_int_equal(finish(o), FS_OK);
        assert_int_equal(lock1(o = must_open(&w, req("x", FS_READ_ATTR, FS_OPEN)), 0, 1, SH),
                         FS_DENIED);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_all_or_none(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = must_open(&w, req("x", RW, FS_OPEN));
        struct fs_open *b = must_open(&w, req("x", RW, FS_OPEN));
        assert_int_equal(lock1(b, 20, 10, EX), FS_OK);
        struct fs_lock three[] = {{0, 5, EX}, {10, 5, SH}, {20, 5, EX}};
        assert_int_equal(fs_lock(a, three, 3, NULL), FS_LOCK_DENIED);
        struct fs_stats s;
        fs_stats(w.fs, &s);
        assert_int_equal(s.locks, 1);
        /* Unlocking goes in order, up to the first that is not there. */
        assert_int_equal(fs_lock(a, three, 2, NULL), FS_OK);
        struct fs_lock undo[] = {{0, 5, UN}, {1, 5, UN}, {10, 5, UN}};
        assert_int_equal(fs_lock(a, undo, 3, NULL), FS_NOT_LOCKED);
        fs_stats(w.fs, &s);
        assert_int_equal(s.locks, 2);
        assert_int_equal(lock1(b, 10, 5, UN), FS_NOT_LOCKED); /* not its own */
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(finish(b), FS_OK);
        world_end(&w);
}

static void test_unlock_takes_the_exclusive_one_first(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = must_open(&w, req("x", RW, FS_OPEN));
        struct fs_open *b = must_open(&w, req("x", RW, FS_OPEN));
        assert_int_equal(lock1(a, 0, 5, EX), FS_OK);
        assert_int_equal(lock1(a, 0, 5, SH), FS_OK);
        assert_int_equal(lock1(a, 0, 5, UN), FS_OK);
        assert_int_equal(lock1(b, 0, 5, SH), FS_OK);
        assert_int_equal(lock1(a, 0, 5, UN), FS_OK);
        assert_int_equal(lock1(a, 0, 5, UN), FS_NOT_LOCKED);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(finish(b), FS_OK);
        world_end(&w);
}

static void test_io_respects_locks(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = must_open(&w, req("x", RW, FS_OPEN));
        struct fs_open *b = must_open(&w, req("x", RW, FS_OPEN));
        char buf[20] = {0};
        size_t n;
        assert_int_equal(fs_write(a, buf, 20, 0, false, 0), FS_OK);
        assert_int_equal(lock1(a, 0, 10, EX), FS_OK);
        assert_int_equal(fs_read(b, buf, 1, 9, 0, &n), FS_LOCK_CONFLICT);
        assert_int_equal(fs_write(b, buf, 1, 9, false, 0), FS_LOCK_CONFLICT);
        assert_int_equal(fs_read(b, buf, 1, 10, 0, &n), FS_OK);
        assert_int_equal(fs_write(a, buf, 1, 9, false, 0), FS_OK);
        assert_int_equal(fs_read(a, buf, 1, 9, 0, &n), FS_OK);
        assert_int_equal(fs_set_size(b, 5), FS_LOCK_CONFLICT);
        assert_int_equal(fs_zero(b, 0, 20), FS_LOCK_CONFLICT);
        assert_int_equal(fs_copy(b, 5, b, 15, 2), FS_LOCK_CONFLICT);
        assert_int_equal(fs_copy(b, 15, b, 5, 2), FS_LOCK_CONFLICT);
        assert_int_equal(lock1(a, 0, 10, UN), FS_OK);
        assert_int_equal(lock1(a, 0, 10, SH), FS_OK);
        assert_int_equal(fs_read(b, buf, 1, 9, 0, &n), FS_OK);
        assert_int_equal(fs_write(b, buf, 1, 9, false, 0), FS_LOCK_CONFLICT);
        /* A shared lock stops its own holder's writes as well. */
        assert_int_equal(fs_write(a, buf, 1, 9, false, 0), FS_LOCK_CONFLICT);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(fs_write(b, buf, 1, 9, false, 0), FS_OK);
        assert_int_equal(finish(b), FS_OK);
        world_end(&w);
}

struct woken {
        struct fs_waiter w;
        int times;
};

static int order[4], norder;

static void note(struct fs_waiter *w)
{
        struct woken *k = container_of(w, struct woken, w);
        k->times++;
        order[norder++ % 4] = (int)w->ticket;
}

static void test_waiting(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = must_open(&w, req("x", RW, FS_OPEN));
        struct fs_open *b = must_open(&w, req("x", RW, FS_OPEN));
        struct woken k1 = {.w.wake = note}, k2 = {.w.wake = note};
        struct fs_lock l = {0, 10, EX};
        norder = 0;
        assert_int_equal(fs_lock(a, &l, 1, NULL), FS_OK);
        assert_int_equal(fs_lock(b, &l, 1, &k1.w), FS_PARKED);
        assert_int_equal(fs_lock(b, &l, 1, &k2.w), FS_PARKED);
        assert_int_equal(lock1(a, 0, 10, UN), FS_OK);
        assert_int_equal(k1.times, 1);
        assert_int_equal(k2.times, 1);
        assert_true(order[0] < order[1]);
        assert_false(fs_waiter_cancel(&k1.w));
        /* The later one is faster; the earlier parks again, before whoever comes next. */
        assert_int_equal(fs_lock(b, &l, 1, &k2.w), FS_OK);
        assert_int_equal(fs_lock(a, &l, 1, &k2.w), FS_PARKED);
        assert_int_equal(fs_lock(a, &l, 1, &k1.w), FS_PARKED);
        norder = 0;
        assert_int_equal(finish(b), FS_OK); /* closing lets go, too */
        assert_int_equal(norder, 2);
        assert_true(order[0] < order[1]);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(fs_lock(a = must_open(&w, req("x", RW, FS_OPEN)), &l, 1, &k1.w), FS_OK);
        assert_int_equal(finish(a), FS_OK);
        world_end(&w);
}

static void test_cancelling(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = must_open(&w, req("x", RW, FS_OPEN));
        struct fs_open *b = must_open(&w, req("x", RW, FS_OPEN));
        struct woken k = {.w.wake = note};
        struct fs_lock l = {0, 10, EX};
        assert_false(fs_waiter_cancel(&k.w));
        assert_int_equal(fs_lock(a, &l, 1, NULL), FS_OK);
        assert_int_equal(fs_lock(b, &l, 1, &k.w), FS_PARKED);
        assert_true(fs_waiter_cancel(&k.w));
        assert_false(fs_waiter_cancel(&k.w));
        assert_int_equal(lock1(a, 0, 10, UN), FS_OK);
        assert_int_equal(k.times, 0);
        /* An open that is closed while it waits is woken to hear of it. */
        assert_int_equal(fs_lock(a, &l, 1, NULL), FS_OK);
        assert_int_equal(fs_lock(b, &l, 1, &k.w), FS_PARKED);
        assert_int_equal(fs_close(b, 0), FS_OK);
        assert_int_equal(k.times, 1);
        assert_int_equal(fs_lock(b, &l, 1, &k.w), FS_CLOSED);
        fs_open_unref(b);
        assert_int_equal(finish(a), FS_OK);
        world_end(&w);
}

static void test_too_many(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *a = must_open(&w, req("x", RW, FS_OPEN));
        for (uint64_t i = 0; i < LIMIT_LOCKS_PER_OPEN; i++)
                assert_int_equal(lock1(a, 0, 0, SH), FS_OK);
        assert_int_equal(lock1(a, 0, 0, SH), FS_TOO_MANY);
        assert_int_equal(finish(a), FS_OK);
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_conflicts),
                cmocka_unit_test(test_bad_lists),
                cmocka_unit_test(test_all_or_none),
                cmocka_unit_test(test_unlock_takes_the_exclusive_one_first),
                cmocka_unit_test(test_io_respects_locks),
                cmocka_unit_test(test_waiting),
                cmocka_unit_test(test_cancelling),
                cmocka_unit_test(test_too_many),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
