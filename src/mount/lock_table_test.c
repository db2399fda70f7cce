/* POSIX locks: owners, pieces, and what the server is asked for. */
#include "base/testing.h"
#include "mount/lock_table.h"

static struct lock lock(uint64_t owner, uint64_t from, uint64_t to, enum lock_kind kind)
{
        return (struct lock){.owner = owner, .from = from, .to = to, .kind = kind};
}

static size_t change(struct lock_table *t, struct lock want, struct lock_step *steps)
{
        bool ok = false;
        size_t n = lock_change(t, &want, steps, &ok);
        assert_true(ok);
        return n;
}

static void assert_step(struct lock_step s, uint64_t from, uint64_t to, enum lock_kind kind)
{
        assert_int_equal(s.from, from);
        assert_int_equal(s.to, to);
        assert_int_equal(s.kind, kind);
}

static void test_middle_is_cut_out(void **state)
{
        struct lock_table t;
        struct lock_step s[LOCK_STEPS_MAX];
        (void)state;
        lock_table_init(&t);
        assert_int_equal(change(&t, lock(1, 0, 99, LOCK_KIND_READ), s), 1);
        assert_step(s[0], 0, 99, LOCK_KIND_READ);
        assert_int_equal(change(&t, lock(1, 40, 59, LOCK_KIND_NONE), s), 3);
        assert_step(s[0], 0, 99, LOCK_KIND_NONE);
        assert_step(s[1], 0, 39, LOCK_KIND_READ);
        assert_step(s[2], 60, 99, LOCK_KIND_READ);
        assert_int_equal(change(&t, lock(1, 0, UINT64_MAX, LOCK_KIND_NONE), s), 2);
        assert_null(lock_of(&t, 1, false));
        lock_table_fini(&t);
}

static void test_upgrade(void **state)
{
        struct lock_table t;
        struct lock_step s[LOCK_STEPS_MAX];
        struct lock other = lock(2, 5, 5, LOCK_KIND_READ), mine = lock(1, 0, 9, LOCK_KIND_WRITE);
        (void)state;
        lock_table_init(&t);
        assert_int_equal(change(&t, lock(1, 0, 9, LOCK_KIND_READ), s), 1);
        assert_null(lock_conflict(&t, &other));
        assert_false(lock_is_held(&t, &mine));
        assert_int_equal(change(&t, mine, s), 2);
        assert_step(s[0], 0, 9, LOCK_KIND_NONE);
        assert_step(s[1], 0, 9, LOCK_KIND_WRITE);
        assert_true(lock_is_held(&t, &mine));
        assert_non_null(lock_conflict(&t, &other));
        lock_refused(&t, &mine);
        assert_null(lock_conflict(&t, &other));
        lock_table_fini(&t);
}

static void test_two_kinds_do_not_meet(void **state)
{
        struct lock_table t;
        struct lock_step s[LOCK_STEPS_MAX];
        struct lock flock = lock(2, 0, INT64_MAX, LOCK_KIND_WRITE);
        (void)state;
        flock.flock = true;
        lock_table_init(&t);
        assert_int_equal(change(&t, lock(1, 0, 9, LOCK_KIND_WRITE), s), 1);
        assert_null(lock_conflict(&t, &flock));
        flock.flock = false;
        assert_non_null(lock_conflict(&t, &flock));
        lock_table_fini(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_middle_is_cut_out),
                cmocka_unit_test(test_upgrade),
                cmocka_unit_test(test_two_kinds_do_not_meet),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
