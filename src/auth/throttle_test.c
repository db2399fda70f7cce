#include "auth/throttle.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/testing.h"

static void fail_times(struct throttle *t, unsigned n, const char *user, const char *address)
{
        for (unsigned i = 0; i < n; i++)
                throttle_failed(t, user, address);
}

static void delays_double_and_end(void **state)
{
        (void)state;
        AUTO(throttle_free) struct throttle *t = throttle_new();
        clock_fake_ms = 1000000;
        fail_times(t, LIMIT_AUTH_FAILURES - 1, "ann", NULL);
        assert_int_equal(throttle_wait_ms(t, "ann", NULL), 0);
        uint64_t delay = 1000;
        for (int i = 0; i < 10; i++) {
                throttle_failed(t, "Ann", NULL); /* case is no matter */
                assert_int_equal(throttle_wait_ms(t, "ann", NULL), delay);
                clock_fake_ms += delay - 1;
                assert_int_equal(throttle_wait_ms(t, "ann", NULL), 1);
                clock_fake_ms += 1;
                assert_int_equal(throttle_wait_ms(t, "ann", NULL), 0);
                delay = delay * 2 > 60000 ? 60000 : delay * 2;
        }
        clock_fake_ms += 15 * 60 * 1000 + 1;
        throttle_failed(t, "ann", NULL);
        assert_int_equal(throttle_wait_ms(t, "ann", NULL), 0); /* forgotten: counted from one */
}

static void users_and_addresses_count_apart(void **state)
{
        (void)state;
        AUTO(throttle_free) struct throttle *t = throttle_new();
        clock_fake_ms = 1000000;
        fail_times(t, LIMIT_AUTH_FAILURES, "ann", "10.0.0.1");
        assert_true(throttle_wait_ms(t, "ann", "10.0.0.1") > 0);
        assert_int_equal(throttle_wait_ms(t, "ann", "10.0.0.2"), 0); /* nobody is shut out */
        assert_int_equal(throttle_wait_ms(t, "bob", "10.0.0.1"), 0);
        throttle_succeeded(t, "ANN", "10.0.0.1");
        assert_int_equal(throttle_wait_ms(t, "ann", "10.0.0.1"), 0);
        assert_int_equal(throttle_wait_ms(t, NULL, NULL), 0);
}

/* Trying many names from one address is guessing, too. */
static void an_address_is_slowed_whatever_the_names(void **state)
{
        (void)state;
        AUTO(throttle_free) struct throttle *t = throttle_new();
        clock_fake_ms = 1000000;
        for (unsigned i = 0; i < LIMIT_AUTH_FAILURES_ADDRESS; i++) {
                char name[16];
                (void)snprintf(name, sizeof name, "u%u", i);
                assert_int_equal(throttle_wait_ms(t, "bob", "10.0.0.1"), 0);
                throttle_failed(t, name, "10.0.0.1");
        }
        assert_true(throttle_wait_ms(t, "bob", "10.0.0.1") > 0);
        assert_int_equal(throttle_wait_ms(t, "bob", "10.0.0.2"), 0);
        throttle_succeeded(t, "u1", "10.0.0.1"); /* one good account buys no guesses at others */
        assert_true(throttle_wait_ms(t, "bob", "10.0.0.1") > 0);
}

/* Many names make the oldest give way, not the newest, and the table does not grow. */
static void table_is_bounded(void **state)
{
        (void)state;
        AUTO(throttle_free) struct throttle *t = throttle_new();
        clock_fake_ms = 1000000;
        for (int i = 0; i < 3000; i++) {
                char name[16];
                (void)snprintf(name, sizeof name, "u%d", i);
                throttle_failed(t, name, NULL);
                clock_fake_ms++;
        }
        fail_times(t, LIMIT_AUTH_FAILURES, "last", NULL);
        assert_true(throttle_wait_ms(t, "last", NULL) > 0);
}

static int end_fake_time(void **state)
{
        (void)state;
        clock_fake_ms = 0;
        return 0;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_teardown(delays_double_and_end, end_fake_time),
                cmocka_unit_test_teardown(users_and_addresses_count_apart, end_fake_time),
                cmocka_unit_test_teardown(an_address_is_slowed_whatever_the_names, end_fake_time),
                cmocka_unit_test_teardown(table_is_bounded, end_fake_time),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
