#include "base/testing.h"

#include "wire/smb2/fsctl.h"
#include "wire/smb2/query_info.h"

#define KEY "000102030405060708090a0b0c0d0e0f1011121314151617"
#define CHUNK "0010000000000000 0020000000000000 00000100 00000000"

static void test_copychunk(void **state)
{
        static struct srv_copychunk_copy c;
        uint8_t buf[256];
        struct writer w = wr_into(buf, sizeof buf);
        struct bytes in = hex(KEY "02000000 00000000" CHUNK CHUNK);
        assert_true(srv_copychunk_copy_decode(in, &c));
        assert_int_equal(c.chunk_count, 2);
        assert_int_equal(c.source_key[23], 0x17);
        assert_int_equal(c.chunks[1].source_offset, 0x1000);
        assert_int_equal(c.chunks[1].target_offset, 0x2000);
        assert_int_equal(c.chunks[1].length, 0x10000);
        srv_copychunk_copy_encode(&w, &c);
        assert_bytes_equal(wr_done(&w), in);
        for (size_t n = 0; n < in.n; n++)
                assert_false(srv_copychunk_copy_decode(bytes_first(in, n), &c));
        /* Above the limit: the caller answers with its limits, no chunk is looked at. */
        assert_true(srv_copychunk_copy_decode(hex(KEY "ffffffff 00000000" CHUNK), &c));
        assert_true(c.chunk_count == UINT32_MAX);
        assert_true(srv_copychunk_copy_decode(hex(KEY "00000000 00000000"), &c));
}

static void test_small_replies(void **state)
{
        uint8_t buf[64];
        struct srv_copychunk_response r = {2, 0, 0x20000}, r2;
        struct srv_resume_key k = {{1, 2, 3}}, k2;
        uint32_t ms;
        struct writer w = wr_into(buf, sizeof buf);
        srv_copychunk_response_encode(&w, &r);
        assert_bytes_equal(wr_done(&w), hex("02000000 00000000 00000200"));
        assert_true(srv_copychunk_response_decode(wr_done(&w), &r2));
        assert_memory_equal(&r, &r2, sizeof r);
        assert_false(srv_copychunk_response_decode(bytes_first(wr_done(&w), 11), &r2));
        w = wr_into(buf, sizeof buf);
        srv_resume_key_encode(&w, &k);
        assert_int_equal(w.at, 32);
        assert_true(srv_resume_key_decode(wr_done(&w), &k2));
        assert_memory_equal(&k, &k2, sizeof k);
        assert_false(srv_resume_key_decode(bytes_first(wr_done(&w), 27), &k2));
        assert_true(network_resiliency_request_decode(hex("e8030000 00000000"), &ms));
        assert_int_equal(ms, 1000);
        assert_false(network_resiliency_request_decode(hex("e8030000 000000"), &ms));
}

static void test_validate_negotiate(void **state)
{
        struct validate_negotiate_info_req q;
        uint8_t buf[64];
        struct writer w = wr_into(buf, sizeof buf);
        struct bytes in = hex("7f000000 000102030405060708090a0b0c0d0e0f 0100 0200 0202 0003");
        assert_true(validate_negotiate_info_req_decode(in, &q));
        assert_int_equal(q.capabilities, 0x7f);
        assert_int_equal(q.security_mode, 1);
        assert_int_equal(q.dialect_count, 2);
        assert_int_equal(q.dialects[1], SMB2_DIALECT_300);
        validate_negotiate_info_req_encode(&w, &q);
        assert_bytes_equal(wr_done(&w), in);
        for (size_t n = 0; n < in.n; n++)
                assert_false(validate_negotiate_info_req_decode(bytes_first(in, n), &q));
        assert_false(validate_negotiate_info_req_decode(
                hex("7f000000 000102030405060708090a0b0c0d0e0f 0100 ffff 0202"), &q));

        struct validate_negotiate_info_rsp r = {.capabilities = 5,
                                                .security_mode = 1,
                                                .dialect = SMB2_DIALECT_302},
                                           r2;
        w = wr_into(buf, sizeof buf);
        validate_negotiate_info_rsp_encode(&w, &r);
        assert_int_equal(w.at, 24);
        assert_true(validate_negotiate_info_rsp_decode(wr_done(&w), &r2));
        assert_int_equal(r2.dialect, SMB2_DIALECT_302);
        assert_false(validate_negotiate_info_rsp_decode(bytes_first(wr_done(&w), 23), &r2));
}

static void test_network_interfaces(void **state)
{
        uint8_t buf[400];
        struct writer w = wr_into(buf, sizeof buf);
        size_t last = SIZE_MAX;
        bool bad = false;
        struct network_interface_info v4 = {.if_index = 2,
                                            .capability = RSS_CAPABLE,
                                            .link_speed = 1000000000,
                                            .family = NETWORK_INTERFACE_IPV4,
                                            .address = {192, 0, 2, 7}};
        struct network_interface_info v6 = {.if_index = 3,
                                            .family = NETWORK_INTERFACE_IPV6,
                                            .address = {0xfe, 0x80, [15] = 1},
                                            .scope_id = 3};
        struct network_interface_info out;
        network_interface_info_encode(&w, &last, &v4);
        network_interface_info_encode(&w, &last, &v6);
        assert_true(wr_ok(&w));
        assert_int_equal(w.at, 304);
        assert_bytes_equal(bytes_first(wr_done(&w), 32),
                           hex("98000000 02000000 01000000 00000000 00ca9a3b00000000"
                               "0200 0000 c0000207"));
        struct bytes rest = wr_done(&w);
        assert_true(network_interface_info_next(&rest, &out, &bad));
        assert_memory_equal(&out, &v4, sizeof v4);
        assert_true(network_interface_info_next(&rest, &out, &bad));
        assert_memory_equal(out.address, v6.address, 16);
        assert_int_equal(out.scope_id, 3);
        assert_false(network_interface_info_next(&rest, &out, &bad));
        assert_false(bad);
        rest = bytes_first(wr_done(&w), 303);
        assert_false(network_interface_info_next(&rest, &out, &bad));
        assert_true(bad);
}

static void test_snapshots(void **state)
{
        struct srv_snapshot_array a;
        assert_true(srv_snapshot_array_decode(hex("05000000 00000000 f4010000"), &a));
        assert_int_equal(a.number_of_snapshots, 5);
        assert_int_equal(a.snapshot_array_size, 500);
        assert_int_equal(a.snapshots.n, 0);
        assert_true(srv_snapshot_array_decode(hex("01000000 01000000 04000000 40000000"), &a));
        assert_int_equal(a.snapshots.n, 4);
        assert_false(srv_snapshot_array_decode(hex("01000000 01000000 05000000 40000000"), &a));
        assert_false(srv_snapshot_array_decode(hex("01000000 01000000 ffffffff 40000000"), &a));
}

static void test_quota(void **state)
{
        struct smb2_query_quota_info q;
        assert_true(smb2_query_quota_info_decode(
                hex("01 00 0000 04000000 00000000 00000000 aabbccdd"), &q));
        assert_true(q.return_single);
        assert_int_equal(q.sid_list.n, 4);
        assert_true(smb2_query_quota_info_decode(
                hex("00 01 0000 00000000 02000000 02000000 aabbccdd"), &q));
        assert_bytes_equal(q.start_sid, hex("ccdd"));
        assert_true(smb2_query_quota_info_decode(hex("00 00 0000 00000000 00000000 00000000"), &q));
        static const char *const rows[] = {
                "00 00 0000 05000000 00000000 00000000 aabbccdd",
                "00 00 0000 00000000 02000000 03000000 aabbccdd",
                "00 00 0000 00000000 02000000 ffffffff aabbccdd",
                "00 00 0000 00000000 02000000 f0ffffff aabbccdd", /* back to the start */
                "00 00 0000 02000000 02000000 02000000 aabbccdd", /* both formats */
                "00 00 0000 00000000 00000000 000000",
        };
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                assert_false(smb2_query_quota_info_decode(hex(rows[i]), &q));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_copychunk),
                cmocka_unit_test(test_small_replies),
                cmocka_unit_test(test_validate_negotiate),
                cmocka_unit_test(test_network_interfaces),
                cmocka_unit_test(test_snapshots),
                cmocka_unit_test(test_quota),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
