#include "base/testing.h"
#include "base/writer.h"

static void puts_and_fills(void **state)
{
        (void)state;
        uint8_t buf[32];
        struct writer w = wr_into(buf, sizeof buf);
        size_t mark = wr_u32_later(&w);
        wr_u8(&w, 1);
        wr_u16be(&w, 0x0203);
        wr_align(&w, 4);
        wr_u64(&w, 0x1122334455667788u);
        wr_fill_u32(&w, mark, (uint32_t)w.at);
        assert_true(wr_ok(&w));
        assert_bytes_equal(wr_done(&w), hex("10000000 01 0203 00 8877665544332211"));
}

static void overflow_is_sticky_and_writes_nothing(void **state)
{
        (void)state;
        uint8_t buf[4] = {0xEE, 0xEE, 0xEE, 0xEE};
        struct writer w = wr_into(buf, 3);
        wr_u16(&w, 0);
        wr_u16(&w, 0);
        wr_u8(&w, 0);
        assert_false(wr_ok(&w));
        assert_int_equal(w.at, 2);
        assert_int_equal(buf[2], 0xEE);
        assert_int_equal(wr_left(&w), 0);
        wr_fill_u32(&w, 0, 7);
        assert_int_equal(buf[0], 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(puts_and_fills),
                cmocka_unit_test(overflow_is_sticky_and_writes_nothing),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
