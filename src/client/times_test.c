/* Times both ways, and where 64 bits end. */
#include "client/times.h"

#include "frevo/frevo.h"

#include "base/testing.h"
#include "wire/fscc/attributes.h"

static void test_both_ways(void **state)
{
        static const struct {
                int64_t ns, ft;
        } t[] = {
                /* 1970-01-01 and 2000-01-01 as [MS-DTYP] 2.3.3 counts them */
                {0, INT64_C(116444736000000000)},
                {INT64_C(946684800000000000), INT64_C(125911584000000000)},
                {100, INT64_C(116444736000000001)},
                {-100, INT64_C(116444735999999999)},
                {INT64_C(4323369600000000000), INT64_C(159678432000000000)}, /* 2107-01-01 */
        };
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
                assert_true(ns_of_ft(t[i].ft) == t[i].ns);
                assert_true(ft_of_ns(t[i].ns) == t[i].ft);
        }
        assert_true(ft_of_ns(-1) == INT64_C(116444735999999999)); /* down, before 1970 too */
        assert_true(ft_of_ns(199) == INT64_C(116444736000000001));
        (void)state;
}

static void test_ends(void **state)
{
        assert_true(ft_of_ns(FREVO_TIME_KEEP) == FT_KEEP);
        assert_true(ns_of_ft(0) == 0);
        static const int64_t ft[] = {1, -1, -2, INT64_MIN, INT64_MAX};
        for (size_t i = 0; i < sizeof ft / sizeof ft[0]; i++)
                assert_true(ns_of_ft(ft[i]) != FREVO_TIME_KEEP);
        assert_true(ns_of_ft(1) < INT64_C(-9000000000000000000));
        assert_true(ns_of_ft(INT64_MAX) > INT64_C(9000000000000000000));
        /* Nothing that a caller can say becomes "keep", "freeze" or "thaw". */
        assert_true(ft_of_ns(INT64_MIN + 1) > 0);
        assert_true(ft_of_ns(INT64_MAX) > 0);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_both_ways),
                cmocka_unit_test(test_ends),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
