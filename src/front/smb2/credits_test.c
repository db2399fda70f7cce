#include "front/smb2/credits.h"

#include "base/testing.h"

static void test_window(void **state)
{
        struct smb2_credits c;
        smb2_credits_init(&c);
        assert_false(smb2_credits_take(&c, 1, 1));
        assert_false(smb2_credits_take(&c, 0, 2)); /* reaches past the window: nothing is taken */
        assert_true(smb2_credits_take(&c, 0, 0));
        assert_false(smb2_credits_take(&c, 0, 1));
        assert_int_equal(smb2_credits_left(&c), 0);
        assert_int_equal(smb2_credits_grant(&c, 10, LIMIT_CREDITS), 10);
        assert_true(smb2_credits_take(&c, 5, 2));  /* any order */
        assert_false(smb2_credits_take(&c, 4, 2)); /* overlaps */
        assert_false(smb2_credits_take(&c, UINT64_MAX, 1));
        assert_int_equal(smb2_credits_left(&c), 8);
}

static void test_limit(void **state)
{
        struct smb2_credits c;
        smb2_credits_init(&c);
        assert_int_equal(smb2_credits_grant(&c, 65535, LIMIT_CREDITS), LIMIT_CREDITS - 1);
        assert_int_equal(smb2_credits_grant(&c, 1, LIMIT_CREDITS), 0);
        /* A skipped id holds the window in place. */
        for (uint64_t id = 1; id < LIMIT_CREDITS; id++)
                assert_true(smb2_credits_take(&c, id, 1));
        assert_int_equal(smb2_credits_grant(&c, 1, LIMIT_CREDITS), 0);
        assert_true(smb2_credits_take(&c, 0, 1));
        assert_int_equal(smb2_credits_left(&c), 0);
        assert_int_equal(smb2_credits_grant(&c, 0, LIMIT_CREDITS), 1);
        assert_true(smb2_credits_take(&c, LIMIT_CREDITS, 1));
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_window),
                                           cmocka_unit_test(test_limit)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
