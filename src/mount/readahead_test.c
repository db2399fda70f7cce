/* What is asked for ahead, and what becomes of it. */
#include "base/testing.h"
#include "mount/readahead.h"

#define BLOCK 1000u
#define SIZE 100000u

static unsigned dropped;

static void drop(void *keep)
{
        (void)keep;
        dropped++;
}

/* Asks as long as there is something to ask for; answers at once. Returns the number of blocks. */
static unsigned ask_all(struct readahead *r, uint64_t off, size_t n)
{
        static uint8_t data[BLOCK];
        unsigned asked = 0;
        struct block *b;
        while ((b = ra_ask(r, off, n, SIZE)) != NULL) {
                ra_came(r, b, 0, data, b->n, data);
                asked++;
        }
        return asked;
}

static void test_window_grows_with_a_reader_in_order(void **state)
{
        struct readahead r;
        unsigned most = 0;
        (void)state;
        dropped = 0;
        ra_init(&r, BLOCK, 16, drop);
        for (uint64_t off = 0; off < SIZE; off += 500) {
                assert_true(ra_note(&r, off, 500));
                unsigned n = ask_all(&r, off, 500);
                most = n > most ? n : most;
                assert_non_null(ra_find(&r, off));
                assert_non_null(ra_find(&r, off + 499));
        }
        assert_true(most >= 2);
        assert_int_equal(r.window, 16);
        ra_fini(&r);
        assert_int_equal(dropped, SIZE / BLOCK);
}

static void test_random_reads_ask_for_nothing(void **state)
{
        struct readahead r;
        (void)state;
        ra_init(&r, 1u << 20, 16, drop);
        assert_false(ra_note(&r, 50u << 20, 4096));
        assert_false(ra_note(&r, 500u << 20, 4096));
        assert_false(ra_note(&r, 100u << 20, 4096));
        assert_int_equal(r.window, 1);
        assert_true(list_empty(&r.blocks));
        ra_fini(&r);
}

static void test_small_file_is_one_block(void **state)
{
        struct readahead r;
        (void)state;
        ra_init(&r, BLOCK, 16, drop);
        assert_true(ra_note(&r, 0, 4096));
        struct block *b = ra_ask(&r, 0, 4096, 700);
        assert_non_null(b);
        assert_int_equal(b->n, 700);
        assert_null(ra_ask(&r, 0, 4096, 700));
        ra_came(&r, b, 0, "x", 1, NULL);
        ra_fini(&r);
}

static void test_written_over_while_asked_for(void **state)
{
        struct readahead r;
        (void)state;
        dropped = 0;
        ra_init(&r, BLOCK, 16, drop);
        assert_true(ra_note(&r, 0, 100));
        struct block *b = ra_ask(&r, 0, 100, SIZE);
        b->users++; /* a read waits */
        ra_invalidate(&r, 50, 10);
        assert_true(b->stale);
        assert_null(ra_find(&r, 0)); /* not for others */
        ra_came(&r, b, 0, "x", 1, &r);
        assert_int_equal(b->state, BLOCK_HERE); /* still for the one that waited */
        assert_int_equal(dropped, 0);
        ra_release(&r, b);
        assert_int_equal(dropped, 1);
        ra_fini(&r);
}

static void test_failure_is_not_kept(void **state)
{
        struct readahead r;
        (void)state;
        ra_init(&r, BLOCK, 16, drop);
        assert_true(ra_note(&r, 0, 100));
        struct block *b = ra_ask(&r, 0, 100, SIZE);
        b->users++;
        ra_came(&r, b, 5, NULL, 0, NULL);
        assert_int_equal(b->err, 5);
        ra_release(&r, b);
        assert_null(ra_find(&r, 0));
        ra_fini(&r);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_window_grows_with_a_reader_in_order),
                cmocka_unit_test(test_random_reads_ask_for_nothing),
                cmocka_unit_test(test_small_file_is_one_block),
                cmocka_unit_test(test_written_over_while_asked_for),
                cmocka_unit_test(test_failure_is_not_kept),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
