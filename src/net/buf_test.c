#include "net/buf.h"

#include "base/testing.h"
#include "net/thread.h"

static void sizes_and_alignment(void **state)
{
        (void)state;
        static const struct {
                size_t ask, cap;
        } row[] = {
                {0, 4096},
                {1, 4096},
                {4096, 4096},
                {4097, 65536},
                {65537, 262144},
                {262145, 1048576 + BUF_ROOM_BYTES},
                {1048577 + BUF_ROOM_BYTES, BUF_MAX_BYTES},
                {BUF_MAX_BYTES, BUF_MAX_BYTES},
        };
        struct buf_pool *p = buf_pool_new(1 << 20);
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                AUTO(buf_unref) struct buf *b = buf_get(p, row[i].ask);
                assert_non_null(b);
                assert_int_equal(b->cap, row[i].cap);
                assert_int_equal((uintptr_t)b->p % 4096, 0);
                b->p[0] = b->p[b->cap - 1] = 1;
                assert_int_equal(buf_pool_used_bytes(p), row[i].cap);
        }
        assert_null(buf_get(p, BUF_MAX_BYTES + 1));
        assert_int_equal(buf_pool_used_bytes(p), 0);
        assert_int_equal(buf_pool_bytes(p), 0); /* nobody ticks: nothing is kept */
        buf_pool_free(p);
}

static void the_cache_is_bounded_and_empties(void **state)
{
        (void)state;
        struct buf_pool *p = buf_pool_new(1 << 20);
        struct buf_cache c;
        buf_cache_init(&c, p);
        buf_cache_enter(&c);
        static struct buf *b[600];
        for (int i = 0; i < 600; i++)
                assert_non_null(b[i] = buf_get(p, 4096));
        assert_true(buf_cache_start(&c));
        assert_false(buf_cache_start(&c));
        for (int i = 0; i < 600; i++)
                buf_unref(b[i]);
        assert_int_equal(buf_pool_bytes(p), (64 + 256) * 4096); /* the cache's, the pool's */
        struct buf *last = buf_get(p, 100);
        assert_ptr_equal(last->p, b[63]->p); /* the newest in the cache */
        buf_unref(last);
        int rounds = 1;
        while (buf_cache_trim(&c))
                rounds++;
        assert_in_range(rounds, 2, 4);
        assert_int_equal(buf_pool_bytes(p), 0);
        buf_cache_fini(&c);
        buf_pool_free(p);
}

static void a_working_set_survives_trimming(void **state)
{
        (void)state;
        struct buf_pool *p = buf_pool_new(1 << 20);
        struct buf_cache c;
        buf_cache_init(&c, p);
        buf_cache_enter(&c);
        uint8_t *first = NULL;
        for (int i = 0; i < 10; i++) {
                AUTO(buf_unref) struct buf *b = buf_get(p, 65536);
                (void)buf_cache_start(&c);
                assert_true(!first || b->p == first);
                first = b->p;
                assert_true(buf_cache_trim(&c));
        }
        buf_cache_fini(&c);
        assert_int_equal(buf_pool_bytes(p), 0);
        buf_pool_free(p);
}

static void *unref_here(void *arg)
{
        buf_unref(arg);
        return NULL;
}

static void another_thread_may_free(void **state)
{
        (void)state;
        struct buf_pool *p = buf_pool_new(1 << 20);
        struct buf_cache c;
        buf_cache_init(&c, p);
        buf_cache_enter(&c);
        struct buf *b = buf_get(p, 65536);
        assert_true(buf_cache_start(&c));
        uint8_t *was = b->p;
        assert_ptr_equal(buf_ref(b), b);
        buf_unref(b);
        assert_true(buf_is_alone(b));
        pthread_t t;
        assert_int_equal(thread_start(&t, "test", unref_here, b), 0);
        assert_int_equal(pthread_join(t, NULL), 0);
        b = buf_get(p, 65536); /* by way of the shared pool */
        assert_ptr_equal(b->p, was);
        buf_unref(b);
        buf_cache_fini(&c);
        buf_pool_free(p);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sizes_and_alignment),
                cmocka_unit_test(the_cache_is_bounded_and_empties),
                cmocka_unit_test(a_working_set_survives_trimming),
                cmocka_unit_test(another_thread_may_free),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
