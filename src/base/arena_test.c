#include "base/arena.h"
#include "base/testing.h"

static void allocates_zeroed_up_to_the_maximum(void **state)
{
        (void)state;
        struct arena a;
        arena_init(&a, 10000);
        uint8_t *p = arena_alloc(&a, 100), *q = arena_alloc(&a, 5000);
        assert_non_null(p);
        assert_non_null(q);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < 5000; i++)
                assert_int_equal(q[i], 0);
        assert_string_equal(arena_strndup(&a, "hello", 4), "hell");
        assert_null(arena_alloc(&a, 6000));
        assert_null(arena_alloc(&a, SIZE_MAX));
        arena_reset(&a);
        assert_non_null(arena_alloc(&a, 6000));
        arena_reset(&a);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(allocates_zeroed_up_to_the_maximum)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
