/* Bytes by hand from the field lists of [MS-FSCC] 2.3. */
#include "wire/fscc/fsctl.h"

#include "base/limits.h"
#include "base/utf16.h"
#include "wire/fscc/golden.h"

static void fixed_structures(void **state)
{
        (void)state;
        GOLDEN(fsctl_zero_data, zero, "0010000000000000 0020000000000000");
        assert_int_equal(zero.beyond, 0x2000);
        GOLDEN(fsctl_range, range, "0010000000000000 0020000000000000");
        assert_int_equal(range.length, 0x2000);
        GOLDEN(fsctl_integrity, integrity, "0200 0000 01000000 00100000 00000100");
        assert_int_equal(integrity.algorithm, CHECKSUM_TYPE_CRC64);
        assert_int_equal(integrity.cluster_bytes, 65536);
        GOLDEN(fsctl_object_id, id,
               "00112233445566778899aabbccddeeff 101112131415161718191a1b1c1d1e1f"
               "202122232425262728292a2b2c2d2e2f 303132333435363738393a3b3c3d3e3f");
        assert_int_equal(id.domain[15], 0x3f);
        GOLDEN(fsctl_region, region, "0010000000000000 0020000000000000 01000000 00000000");
        assert_int_equal(region.usage, FILE_REGION_USAGE_VALID_CACHED_DATA);
}

static void ranges_stay_inside_int64(void **state)
{
        (void)state;
        struct fsctl_range r;
        struct fsctl_zero_data z;
        assert_false(fsctl_range_decode(hex("ffffffffffffffff 0100000000000000"), &r));
        assert_false(fsctl_range_decode(hex("0000000000000000 ffffffffffffffff"), &r));
        assert_false(fsctl_range_decode(hex("0100000000000000 ffffffffffffff7f"), &r));
        assert_true(fsctl_range_decode(hex("0000000000000000 ffffffffffffff7f"), &r));
        assert_false(fsctl_zero_data_decode(hex("0200000000000000 0100000000000000"), &z));
        assert_false(fsctl_zero_data_decode(hex("ffffffffffffffff 0100000000000000"), &z));
        assert_true(fsctl_zero_data_decode(hex("0100000000000000 0100000000000000"), &z));
}

static void whole_ranges_only(void **state)
{
        (void)state;
        const struct fsctl_range r = {.offset = 1, .length = 2};
        uint8_t room[40];
        struct writer w = wr_into(room, sizeof room);
        for (int i = 0; i < 3; i++)
                fsctl_range_encode(&w, &r);
        assert_false(wr_ok(&w));             /* STATUS_BUFFER_OVERFLOW ... */
        assert_int_equal(wr_done(&w).n, 32); /* ... with what fits */
        struct bytes rest = bytes_of(room, 40);
        struct fsctl_range back;
        bool bad = false;
        assert_true(fsctl_range_next(&rest, &back, &bad) && fsctl_range_next(&rest, &back, &bad));
        assert_false(fsctl_range_next(&rest, &back, &bad));
        assert_true(bad); /* 8 bytes left over */
}

static void sparse_and_compression(void **state)
{
        (void)state;
        bool sparse;
        uint16_t format;
        assert_true(fsctl_set_sparse_decode(hex(""), &sparse) && sparse);
        assert_true(fsctl_set_sparse_decode(hex("00"), &sparse) && !sparse);
        assert_true(fsctl_set_sparse_decode(hex("02"), &sparse) && sparse);
        assert_true(fsctl_compression_decode(hex("0200"), &format));
        assert_int_equal(format, 2);
        assert_false(fsctl_compression_decode(hex("02"), &format));
}

static void trim(void **state)
{
        (void)state;
        struct fsctl_trim t;
        const struct fsctl_range r[2] = {{1, 2}, {3, 4}};
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        struct bytes whole = hex("00000000 02000000 0100000000000000 0200000000000000"
                                 "0300000000000000 0400000000000000");
        fsctl_trim_encode(&w, 0, r, 2);
        assert_bytes_equal(wr_done(&w), whole);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(fsctl_trim_decode(bytes_first(whole, n), &t));
        assert_true(fsctl_trim_decode(whole, &t));
        assert_int_equal(t.count, 2);
        assert_int_equal(t.ranges.n, 32);
        assert_false(fsctl_trim_decode(hex("00000000 ffffffff 00"), &t));
        static uint8_t many[8 + 16 * (LIMIT_TRIM_RANGES + 1)];
        w = wr_into(many, 8);
        wr_u32(&w, 0);
        wr_u32(&w, LIMIT_TRIM_RANGES + 1);
        assert_false(fsctl_trim_decode(bytes_of(many, sizeof many), &t));
        w = wr_into(many + 4, 4);
        wr_u32(&w, LIMIT_TRIM_RANGES);
        assert_true(fsctl_trim_decode(bytes_of(many, sizeof many), &t));
}

#define DUPLICATE                                                                                  \
        "0102030405060708 1112131415161718 0010000000000000 0020000000000000 "                     \
        "0030000000000000"

static void duplicate_extents(void **state)
{
        (void)state;
        static const struct {
                const char *in;
                bool ex, ok;
        } row[] = {
                {DUPLICATE, false, true},
                {"3000000000000000" DUPLICATE "01000000 00000000", true, true},
                {"3800000000000000" DUPLICATE "01000000 00000000", true, true},
                {"3100000000000000" DUPLICATE "01000000 00000000", true, false},
                {"00 00000000000000 0000000000000000 ffffffffffffffff 0000000000000000"
                 "0100000000000000",
                 false, false},
                {"00 00000000000000 0000000000000000 0100000000000000 0000000000000000"
                 "ffffffffffffff7f",
                 false, false},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct fsctl_duplicate d;
                struct bytes in = hex(row[i].in);
                assert_int_equal(fsctl_duplicate_decode(in, row[i].ex, &d), row[i].ok);
                if (!row[i].ok || (row[i].ex && in.p[0] != 0x30))
                        continue;
                uint8_t room[64];
                struct writer w = wr_into(room, sizeof room);
                fsctl_duplicate_encode(&w, row[i].ex, &d);
                assert_bytes_equal(wr_done(&w), in);
                for (size_t n = 0; n < in.n; n++)
                        assert_false(fsctl_duplicate_decode(bytes_first(in, n), row[i].ex, &d));
        }
}

static void pipes(void **state)
{
        (void)state;
        struct bytes whole = hex("6079feffffffffff 08000000 01 00 7300720076007300"), data;
        struct fsctl_pipe_wait f;
        struct fsctl_pipe_peek p;
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(fsctl_pipe_wait_decode(bytes_first(whole, n), &f));
        assert_true(fsctl_pipe_wait_decode(whole, &f));
        assert_true(f.has_timeout && f.timeout_100ns == -100000);
        assert_utf16_is(f.name_utf16, "srvs");
        fsctl_pipe_wait_encode(&w, &f, "srvs");
        assert_bytes_equal(wr_done(&w), whole);
        assert_true(
                fsctl_pipe_peek_decode(hex("03000000 05000000 01000000 05000000 6162"), &p, &data));
        assert_bytes_equal(data, bytes_str("ab"));
        w = wr_into(room, sizeof room);
        fsctl_pipe_peek_encode(&w, &p);
        assert_bytes_equal(wr_done(&w), hex("03000000 05000000 01000000 05000000"));
}

static void regions(void **state)
{
        (void)state;
        uint32_t total;
        struct bytes regions;
        struct fsctl_region r;
        bool bad = false;
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        fsctl_region_reply_encode(&w, 3, 1);
        fsctl_region_encode(&w, &(struct fsctl_region){.length = 5, .usage = 1});
        struct bytes whole = wr_done(&w);
        assert_true(fsctl_region_reply_decode(whole, &total, &regions));
        assert_int_equal(total, 3);
        assert_true(fsctl_region_next(&regions, &r, &bad) && r.length == 5);
        assert_false(fsctl_region_next(&regions, &r, &bad) || bad);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(fsctl_region_reply_decode(bytes_first(whole, n), &total, &regions));
        assert_false(fsctl_region_reply_decode(hex("00000000 ffffffff ffffffff 00000000"), &total,
                                               &regions));
}

static void codes_tell_their_access(void **state)
{
        (void)state;
        assert_int_equal(FSCTL_ACCESS(FSCTL_GET_COMPRESSION), 0);
        assert_int_equal(FSCTL_ACCESS(FSCTL_QUERY_ALLOCATED_RANGES), 1);
        assert_int_equal(FSCTL_ACCESS(FSCTL_SET_ZERO_DATA), 2);
        assert_int_equal(FSCTL_ACCESS(FSCTL_SET_COMPRESSION), 3);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(fixed_structures),
                cmocka_unit_test(ranges_stay_inside_int64),
                cmocka_unit_test(whole_ranges_only),
                cmocka_unit_test(sparse_and_compression),
                cmocka_unit_test(trim),
                cmocka_unit_test(duplicate_extents),
                cmocka_unit_test(pipes),
                cmocka_unit_test(regions),
                cmocka_unit_test(codes_tell_their_access),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
