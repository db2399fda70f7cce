#include "base/testing.h"

#include "base/auto.h"
#include "wire/smb2/create.h"

#define MXAC "10000400 00000000 00000000 4d784163 00000000" /* behind Next; no data */

static bool decodes(const char *text, struct smb2_create_context_list *l)
{
        return smb2_create_context_list_decode(hex(text), l);
}

static void test_list(void **state)
{
        struct smb2_create_context_list l;
        /* MxAc without data, then AlSi with 8 bytes, then an unknown "ABCD" with one byte. */
        assert_true(decodes("18000000" MXAC "20000000 10000400 00001800 08000000 416c5369 00000000"
                            "0010000000000000"
                            "00000000 10000400 00001800 01000000 41424344 00000000 7f",
                            &l));
        assert_int_equal(l.count, 3);
        assert_int_equal(l.item[0].tag, SMB2_CREATE_TAG_QUERY_MAXIMAL_ACCESS);
        assert_int_equal(l.item[0].data.n, 0);
        const struct smb2_create_context *c =
                smb2_create_context_find(&l, SMB2_CREATE_TAG_ALLOCATION_SIZE);
        uint64_t size;
        assert_non_null(c);
        assert_true(smb2_create_allocation_size_decode(c->data, &size));
        assert_int_equal(size, 4096);
        assert_int_equal(l.item[2].tag, SMB2_CREATE_TAG_UNKNOWN);
        assert_bytes_equal(l.item[2].name, bytes_str("ABCD"));
        assert_null(smb2_create_context_find(&l, SMB2_CREATE_TAG_LEASE));
        assert_true(smb2_create_context_list_decode(bytes_of(NULL, 0), &l));
        assert_int_equal(l.count, 0);
}

static void test_refused(void **state)
{
        static const struct {
                const char *what, *hex;
        } rows[] = {
                {"data at 0, 65535 long", "00000000 10000400 00000000 ffff0000 4d784163 00000000"},
                {"data length wraps", "00000000 10000400 00001800 ffffffff 4d784163 00000000"},
                {"data one byte too long",
                 "00000000 10000400 00001800 02000000 4d784163 00000000 00"},
                {"name behind the end", "00000000 14000400 00000000 00000000 4d784163"},
                {"name inside the fixed part", "00000000 08000400 00000000 00000000 4d784163"},
                {"name of three bytes", "00000000 10000300 00000000 00000000 4d784163 00000000"},
                {"name of no bytes", "00000000 10000000 00000000 00000000 4d784163 00000000"},
                {"next behind the end", "20000000" MXAC},
                {"next to the very end", "18000000" MXAC},
                {"next not aligned", "1c000000" MXAC "00000000 00000000" MXAC},
                {"next smaller than an entry", "08000000" MXAC MXAC},
                {"next wraps", "fffffff8" MXAC},
                {"second one short", "18000000" MXAC "00000000 10000400 00000000"},
                {"data reaches into the second one",
                 "18000000 10000400 00001000 10000000 4d784163 00000000 00000000" MXAC},
        };
        struct smb2_create_context_list l;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                if (decodes(rows[i].hex, &l))
                        fail_msg("%s was accepted", rows[i].what);
}

static void test_limit(void **state)
{
        static uint8_t buf[24 * (LIMIT_CREATE_CONTEXTS + 1)];
        for (unsigned extra = 0; extra < 2; extra++) {
                struct writer w = wr_into(buf, sizeof buf);
                struct smb2_create_context_writer cw;
                struct smb2_create_context_list l;
                smb2_create_context_begin(&cw, &w);
                for (unsigned i = 0; i < LIMIT_CREATE_CONTEXTS + extra; i++)
                        smb2_create_context_add(&cw, SMB2_CREATE_TAG_QUERY_ON_DISK_ID,
                                                bytes_of(NULL, 0));
                assert_int_equal(smb2_create_context_end(&cw), w.at);
                assert_int_equal(smb2_create_context_list_decode(wr_done(&w), &l), extra == 0);
        }
}

/* The list of a reply, built in place behind a header that does not start at offset 0. */
static void test_reply_in_place(void **state)
{
        uint8_t buf[512] = {0};
        struct writer w = wr_into(buf, sizeof buf);
        struct smb2_create_context_writer cw;
        struct smb2_header h = {.command = SMB2_CREATE, .flags = SMB2_FLAGS_SERVER_TO_REDIR};
        struct smb2_create_rsp in = {.end_of_file = 98, .file_id = {17, 9}}, out;
        struct smb2_create_maximal_access_rsp mxac = {0, 0x001f01ff}, mxac2;
        struct smb2_create_lease lease = {.version = 2, .lease_state = 7, .epoch = 3}, lease2;
        struct smb2_create_context_list l;
        const size_t hdr_at = 104;
        wr_zero(&w, hdr_at);
        smb2_header_encode(&w, &h);
        smb2_create_rsp_begin(&w, hdr_at, &in, &cw);
        smb2_create_context_open(&cw, SMB2_CREATE_TAG_QUERY_MAXIMAL_ACCESS);
        smb2_create_maximal_access_rsp_encode(&w, &mxac);
        smb2_create_context_close(&cw);
        smb2_create_context_open(&cw, SMB2_CREATE_TAG_LEASE);
        smb2_create_lease_encode(&w, &lease);
        smb2_create_context_close(&cw);
        assert_int_equal(smb2_create_context_end(&cw), 32 + 24 + 52);
        assert_true(wr_ok(&w));

        struct bytes msg = bytes_from(wr_done(&w), hdr_at);
        assert_true(smb2_create_rsp_decode(msg, &out));
        assert_int_equal(out.end_of_file, 98);
        assert_ptr_equal(out.contexts.p, msg.p + 152);
        assert_true(smb2_create_context_list_decode(out.contexts, &l));
        assert_int_equal(l.count, 2);
        assert_true(smb2_create_maximal_access_rsp_decode(l.item[0].data, &mxac2));
        assert_int_equal(mxac2.maximal_access, 0x001f01ff);
        assert_true(smb2_create_lease_decode(l.item[1].data, &lease2));
        assert_memory_equal(&lease2, &lease, sizeof lease);
}

static void test_reply_without_contexts(void **state)
{
        uint8_t buf[256];
        struct writer w = wr_into(buf, sizeof buf);
        struct smb2_create_context_writer cw;
        struct smb2_create_rsp in = {0}, out;
        wr_zero(&w, SMB2_HEADER_LEN);
        smb2_create_rsp_begin(&w, 0, &in, &cw);
        assert_int_equal(smb2_create_context_end(&cw), 0);
        assert_int_equal(w.at, 152);
        assert_true(smb2_create_rsp_decode(wr_done(&w), &out));
        assert_int_equal(out.contexts.n, 0);
}

/* Each fixed structure takes exactly its own length. */
static void test_data_lengths(void **state)
{
        static const uint8_t zero[64];
        struct smb2_create_lease lease;
        struct smb2_create_durable_v2_req d2;
        struct smb2_create_durable_v2_rsp d2r;
        struct smb2_create_reconnect_v2_req r2;
        struct smb2_create_maximal_access_rsp mx;
        struct smb2_create_disk_id_rsp disk;
        struct smb2_file_id id;
        int64_t ft;
        uint64_t size;
        for (size_t n = 0; n <= sizeof zero; n++) {
                struct bytes b = bytes_of(zero, n);
                assert_int_equal(smb2_create_lease_decode(b, &lease), n == 32 || n == 52);
                assert_int_equal(smb2_create_durable_req_decode(b), n == 16);
                assert_int_equal(smb2_create_durable_rsp_decode(b), n == 8);
                assert_int_equal(smb2_create_reconnect_req_decode(b, &id), n == 16);
                assert_int_equal(smb2_create_durable_v2_req_decode(b, &d2), n == 32);
                assert_int_equal(smb2_create_durable_v2_rsp_decode(b, &d2r), n == 8);
                assert_int_equal(smb2_create_reconnect_v2_req_decode(b, &r2), n == 36);
                assert_int_equal(smb2_create_maximal_access_req_decode(b, &ft), n == 0 || n == 8);
                assert_int_equal(smb2_create_maximal_access_rsp_decode(b, &mx), n == 8);
                assert_int_equal(smb2_create_disk_id_rsp_decode(b, &disk), n == 32);
                assert_int_equal(smb2_create_timewarp_decode(b, &ft), n == 8);
                assert_int_equal(smb2_create_allocation_size_decode(b, &size), n == 8);
        }
}

static void test_app_instance(void **state)
{
        uint8_t buf[64];
        struct writer w = wr_into(buf, sizeof buf);
        struct smb2_guid id = {{1, 2, 3}}, id2;
        struct smb2_create_app_instance_version v = {0x1122, 0x3344}, v2;
        smb2_create_app_instance_id_encode(&w, id);
        assert_int_equal(w.at, 20);
        assert_true(smb2_create_app_instance_id_decode(wr_done(&w), &id2));
        assert_true(smb2_guid_eq(id, id2));
        assert_false(smb2_create_app_instance_id_decode(bytes_first(wr_done(&w), 19), &id2));
        w = wr_into(buf, sizeof buf);
        smb2_create_app_instance_version_encode(&w, &v);
        assert_bytes_equal(wr_done(&w),
                           hex("1800 0000 00000000 2211000000000000 4433000000000000"));
        assert_true(smb2_create_app_instance_version_decode(wr_done(&w), &v2));
        assert_true(v2.high == v.high && v2.low == v.low);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_list),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_limit),
                cmocka_unit_test(test_reply_in_place),
                cmocka_unit_test(test_reply_without_contexts),
                cmocka_unit_test(test_data_lengths),
                cmocka_unit_test(test_app_instance),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
