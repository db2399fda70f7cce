#include "base/cursor.h"
#include "base/testing.h"

static void gets_are_little_endian(void **state)
{
        (void)state;
        struct cursor c = cur_of(hex("01 0203 04050607 08090a0b0c0d0e0f"));
        assert_int_equal(cur_u8(&c), 0x01);
        assert_int_equal(cur_u16(&c), 0x0302);
        assert_int_equal(cur_u32(&c), 0x07060504);
        assert_true(cur_u64(&c) == 0x0f0e0d0c0b0a0908u);
        assert_true(cur_ok(&c));
        assert_int_equal(cur_left(&c), 0);
}

static void failure_is_sticky(void **state)
{
        (void)state;
        struct cursor c = cur_of(hex("01 02 03"));
        assert_int_equal(cur_u32(&c), 0);
        assert_false(cur_ok(&c));
        assert_int_equal(cur_u8(&c), 0);
        assert_int_equal(cur_left(&c), 0);
        uint8_t out[2] = {9, 9};
        cur_copy(&c, out, 2);
        assert_int_equal(out[0] | out[1], 0);
}

static void windows_stay_inside(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                uint64_t off, len;
                size_t not_before, align;
                bool ok;
        } row[] = {
                {"whole", 0, 8, 0, 1, true},
                {"tail", 4, 4, 4, 4, true},
                {"before the fixed part", 3, 4, 4, 1, false},
                {"past the end", 4, 5, 4, 1, false},
                {"offset past the end", 9, 1, 0, 1, false},
                {"unaligned", 5, 1, 0, 4, false},
                {"sum wraps", 4, UINT64_MAX, 0, 1, false},
                {"offset huge", UINT64_MAX, 1, 0, 1, false},
                {"empty anywhere", UINT64_MAX, 0, 4, 8, true},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct cursor c = cur_of(hex("0001020304050607"));
                struct bytes w =
                        cur_window(&c, row[i].off, row[i].len, row[i].not_before, row[i].align);
                if (cur_ok(&c) != row[i].ok)
                        fail_msg("%s", row[i].name);
                assert_int_equal(w.n, row[i].ok ? row[i].len : 0);
        }
}

static void chains_go_forward(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
                int entries;
                bool bad;
        } row[] = {
                {"empty", "", 0, false},
                {"one", "00000000 aaaaaaaa", 1, false},
                {"two", "08000000 aaaaaaaa 00000000 bbbbbbbb", 2, false},
                {"back into itself", "04000000 aaaaaaaa", 0, true},
                {"past the end", "10000000 aaaaaaaa", 0, true},
                {"second too short", "08000000 aaaaaaaa 00000000", 0, true},
                {"unaligned", "09000000 aaaaaaaa 0000000000000000", 0, true},
                {"ends at the end", "08000000 aaaaaaaa", 0, true},
                {"shorter than an offset", "000000", 0, true},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct bytes rest = hex(row[i].in), entry;
                bool bad = false;
                int n = 0;
                while (cur_chain_next(&rest, &entry, 8, 4, &bad))
                        n++;
                if (n != row[i].entries || bad != row[i].bad)
                        fail_msg("%s: %d entries, bad %d", row[i].name, n, bad);
        }
}

static void align_counts_from_the_start(void **state)
{
        (void)state;
        struct cursor c = cur_of(hex("01 02 03 04 05 06 07 08"));
        cur_skip(&c, 1);
        cur_align(&c, 4);
        assert_int_equal(cur_u8(&c), 5);
        cur_align(&c, 8);
        assert_true(cur_ok(&c));
        assert_int_equal(cur_left(&c), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(gets_are_little_endian),      cmocka_unit_test(failure_is_sticky),
                cmocka_unit_test(windows_stay_inside),         cmocka_unit_test(chains_go_forward),
                cmocka_unit_test(align_counts_from_the_start),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
