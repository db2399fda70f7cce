#include "front/smb2/slots.h"

#include "base/testing.h"

static void test_ids(void **state)
{
        struct slots s;
        int things[6];
        slots_init(&s, 5);
        for (uint32_t i = 0; i < 5; i++)
                assert_int_equal(slots_add(&s, &things[i]), i);
        assert_int_equal(slots_add(&s, &things[5]), UINT32_MAX); /* the limit */
        uint32_t before = slots_generation(&s, 2);
        slots_remove(&s, 2);
        assert_null(slots_get(&s, 2));
        assert_int_equal(slots_add(&s, &things[5]), 2);
        assert_ptr_equal(slots_get(&s, 2), &things[5]);
        assert_int_not_equal(slots_generation(&s, 2), before); /* an old id is not valid again */
        assert_null(slots_get(&s, 1000));
        assert_null(slots_get(&s, UINT32_MAX));
        slots_fini(&s);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_ids)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
