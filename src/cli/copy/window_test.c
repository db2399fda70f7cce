/* The window and the bucket, on a clock of the test's own. */
#include "base/testing.h"

#include "cli/copy/bucket.h"
#include "cli/copy/window.h"

/* A line of `rate` bytes a second with a delay, kept full for `seconds`. */
static void run_line(struct window *w, uint64_t rate, unsigned rtt_us, unsigned seconds)
{
        uint64_t now = 1, block = 256u << 10, end = now + seconds * 1000000ull;
        while (now < end) {
                while (window_has_room(w, block))
                        window_take(w, block, now);
                /* What is in flight bounds the rate, as the line does. */
                uint64_t by_window = w->in_flight * 1000000u / rtt_us;
                uint64_t real = by_window < rate ? by_window : rate;
                now += block * 1000000u / real;
                window_give(w, block, now, rtt_us);
        }
}

static void test_size_is_twice_what_the_line_holds(void **state)
{
        static const struct {
                uint64_t rate;
                unsigned rtt_us;
                uint64_t low, high;
        } rows[] = {
                {125000000, 1000, WINDOW_MIN_BYTES, WINDOW_MIN_BYTES},
                {125000000, 50000, 12000000, 13000000},
                {125000000, 100000, 24000000, 26000000},
                {1250000000, 200000, WINDOW_MAX_BYTES, WINDOW_MAX_BYTES},
                {1000000, 50000, WINDOW_MIN_BYTES, WINDOW_MIN_BYTES},
        };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                struct window w;
                window_init(&w);
                run_line(&w, rows[i].rate, rows[i].rtt_us, 3);
                assert_in_range(w.size, rows[i].low, rows[i].high);
        }
}

static void test_room(void **state)
{
        struct window w;
        window_init(&w);
        assert_true(window_has_room(&w, 1ull << 40)); /* alone, anything goes */
        window_take(&w, WINDOW_MIN_BYTES - 10, 1);
        assert_true(window_has_room(&w, 10));
        assert_false(window_has_room(&w, 11));
        window_give(&w, WINDOW_MIN_BYTES - 10, 2, 0);
        assert_int_equal(w.in_flight, 0);
}

static void test_block(void **state)
{
        struct window w;
        window_init(&w);
        assert_int_equal(window_block(&w, 8u << 20), 512u << 10);
        assert_int_equal(window_block(&w, 65536), 65536);
        w.size = WINDOW_MAX_BYTES;
        assert_int_equal(window_block(&w, 8u << 20), WINDOW_BLOCK_MAX);
}

static void test_bucket_keeps_the_rate(void **state)
{
        struct bucket b;
        uint64_t now = 5, sent = 0;
        bucket_init(&b, 1000000, now);
        while (now < 10000005) {
                now += bucket_wait_us(&b, now);
                if (bucket_wait_us(&b, now))
                        continue;
                bucket_take(&b, 262144);
                sent += 262144;
        }
        assert_in_range(sent, 9900000, 10600000);
}

static void test_bucket_without_limit(void **state)
{
        struct bucket b;
        bucket_init(&b, 0, 1);
        bucket_take(&b, 1u << 30);
        assert_int_equal(bucket_wait_us(&b, 1), 0);
}

static void test_bucket_saves_little(void **state)
{
        struct bucket b;
        bucket_init(&b, 1000000, 0);
        assert_int_equal(bucket_wait_us(&b, 86400ull * 1000000), 0);
        assert_int_equal(b.level, 100000);
        bucket_take(&b, 1100000);
        assert_in_range(bucket_wait_us(&b, 86400ull * 1000000), 1000000, 1000002);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_size_is_twice_what_the_line_holds),
                cmocka_unit_test(test_room),
                cmocka_unit_test(test_block),
                cmocka_unit_test(test_bucket_keeps_the_rate),
                cmocka_unit_test(test_bucket_without_limit),
                cmocka_unit_test(test_bucket_saves_little),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
