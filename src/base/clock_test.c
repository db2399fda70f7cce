#include "base/clock.h"
#include "base/testing.h"

static void filetime_round_trips(void **state)
{
        (void)state;
        static const struct {
                int64_t ft;
                time_t s;
                long ns;
        } row[] = {
                {116444736000000000, 0, 0},
                {116444735999999999, -1, 999999900},
                {0, -11644473600, 0},
                {1, -11644473600, 100},
                {159017472000000000, 4257273600, 0}, /* after 2104 */
                {INT64_MAX, 910692730085, 477580700},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct timespec ts = timespec_of_ft(row[i].ft);
                assert_int_equal(ts.tv_sec, row[i].s);
                assert_int_equal(ts.tv_nsec, row[i].ns);
                assert_true(ft_of_timespec(ts) == row[i].ft);
        }
        assert_true(ft_of_timespec((struct timespec){.tv_sec = INT64_MAX}) == INT64_MAX);
        assert_true(ft_of_timespec((struct timespec){.tv_sec = INT64_MIN}) == INT64_MIN);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(filetime_round_trips)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
