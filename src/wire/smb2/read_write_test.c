#include "base/testing.h"

#include "wire/smb2/read.h"
#include "wire/smb2/write.h"

/* Headers as in [MS-SMB2] 4.5: 111 credits asked for, TreeId 5, SessionId 0x40000000011. */
#define REQ(command, id)                                                                           \
        "fe534d42 4000 0000 00000000" command "6f00 00000000 00000000" id "00000000000000"         \
        "00000000 05000000 1100000000040000 00000000000000000000000000000000"
#define FILE_ID "1100000000000000 09000000ffffffff"

/* [MS-SMB2] 4.5: READ of 98 bytes from offset 0. */
static void test_read_request(void **state)
{
        uint8_t buf[256];
        struct smb2_read_req q;
        struct writer w = wr_into(buf, sizeof buf);
        struct bytes msg = hex(REQ("0800", "0b") "3100 50 00 62000000 0000000000000000" FILE_ID
                                                 "00000000 00000000 00000000 0000 0000 00");
        assert_true(smb2_read_req_decode(msg, &q));
        assert_int_equal(q.padding, 0x50);
        assert_int_equal(q.length, 98);
        assert_int_equal(q.offset, 0);
        assert_int_equal(q.file_id.persistent_id, 17);
        assert_true(q.file_id.volatile_id == 0xFFFFFFFF00000009);
        wr_bytes(&w, bytes_first(msg, SMB2_HEADER_LEN));
        smb2_read_req_encode(&w, 0, &q);
        assert_bytes_equal(wr_done(&w), msg);
}

/* The channel's window counts only where a channel is named. */
static void test_read_channel(void **state)
{
        struct smb2_read_req q;
        assert_true(smb2_read_req_decode(
                hex(REQ("0800", "0b") "3100 50 00 62000000 0000000000000000" FILE_ID
                                      "00000000 00000000 00000000 ffff ffff"),
                &q));
        assert_int_equal(q.channel_info.n, 0);
        assert_false(smb2_read_req_decode(
                hex(REQ("0800", "0b") "3100 50 00 62000000 0000000000000000" FILE_ID
                                      "00000000 01000000 00000000 ffff ffff"),
                &q));
        assert_true(smb2_read_req_decode(
                hex(REQ("0800", "0b") "3100 50 00 62000000 0000000000000000" FILE_ID
                                      "00000000 01000000 00000000 7000 0200 abcd"),
                &q));
        assert_int_equal(q.channel_info.n, 2);
}

/* Fixed part as in the reply of [MS-SMB2] 4.5 (DataOffset 80, 98 bytes), data our own; the head
 * alone equals the whole's start. */
static void test_read_reply(void **state)
{
        uint8_t data[98], whole[256], head[256];
        struct smb2_read_rsp in = {.data = bytes_of(data, sizeof data)}, out;
        struct writer w = wr_into(whole, sizeof whole), h = wr_into(head, sizeof head);
        memset(data, 'x', sizeof data);
        wr_zero(&w, SMB2_HEADER_LEN);
        smb2_read_rsp_encode(&w, 0, &in);
        assert_bytes_equal(bytes_first(bytes_from(wr_done(&w), SMB2_HEADER_LEN), 16),
                           hex("1100 50 00 62000000 00000000 00000000"));
        assert_true(smb2_read_rsp_decode(wr_done(&w), &out));
        assert_bytes_equal(out.data, in.data);
        wr_zero(&h, SMB2_HEADER_LEN);
        smb2_read_rsp_encode_head(&h, 0, &in, sizeof data);
        assert_int_equal(h.at, SMB2_HEADER_LEN + SMB2_READ_RSP_HEAD_LEN);
        assert_bytes_equal(wr_done(&h), bytes_first(wr_done(&w), h.at));
}

#define WRITE_REQ(data_offset, length)                                                             \
        REQ("0900", "0c")                                                                          \
        "3100" data_offset length "0010000000000000" FILE_ID                                       \
        "00000000 00000000 0000 0000 01000000 6162636465666768"

static void test_write_request(void **state)
{
        uint8_t buf[256];
        struct smb2_write_req q;
        struct writer w = wr_into(buf, sizeof buf);
        struct bytes msg = hex(WRITE_REQ("7000", "08000000"));
        assert_true(smb2_write_req_decode(msg, &q));
        assert_int_equal(q.offset, 4096);
        assert_int_equal(q.flags, SMB2_WRITEFLAG_WRITE_THROUGH);
        assert_bytes_equal(q.data, bytes_str("abcdefgh"));
        wr_bytes(&w, bytes_first(msg, SMB2_HEADER_LEN));
        smb2_write_req_encode(&w, 0, &q);
        assert_bytes_equal(wr_done(&w), msg);
}

/* The same judgement, whether the payload is there or still on its way. */
static void test_write_window(void **state)
{
        static const struct {
                const char *hex;
                bool ok;
        } rows[] = {
                {WRITE_REQ("7000", "08000000"), true},  {WRITE_REQ("7400", "04000000"), true},
                {WRITE_REQ("7000", "00000000"), true},  {WRITE_REQ("0000", "00000000"), true},
                {WRITE_REQ("0000", "00100000"), false}, /* the server's own memory */
                {WRITE_REQ("0000", "08000000"), false}, {WRITE_REQ("4000", "08000000"), false},
                {WRITE_REQ("6f00", "08000000"), false}, {WRITE_REQ("7100", "08000000"), false},
                {WRITE_REQ("7000", "09000000"), false}, {WRITE_REQ("7000", "ffffffff"), false},
                {WRITE_REQ("ffff", "01000000"), false}, {WRITE_REQ("ffff", "ffffffff"), false},
        };
        struct smb2_write_req q;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                struct bytes msg = hex(rows[i].hex);
                const size_t head = SMB2_HEADER_LEN + SMB2_WRITE_REQ_HEAD_LEN;
                assert_int_equal(smb2_write_req_decode(msg, &q), rows[i].ok);
                assert_int_equal(smb2_write_req_decode_head(bytes_first(msg, head), msg.n, &q),
                                 rows[i].ok);
                assert_false(smb2_write_req_decode_head(bytes_first(msg, head - 1), msg.n, &q));
        }
}

static void test_write_reply(void **state)
{
        uint8_t buf[128];
        struct smb2_write_rsp in = {.count = 0x10000}, out;
        struct writer w = wr_into(buf, sizeof buf);
        wr_zero(&w, SMB2_HEADER_LEN);
        smb2_write_rsp_encode(&w, &in);
        assert_bytes_equal(bytes_from(wr_done(&w), SMB2_HEADER_LEN),
                           hex("1100 0000 00000100 00000000 0000 0000"));
        assert_true(smb2_write_rsp_decode(wr_done(&w), &out));
        assert_int_equal(out.count, 0x10000);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_read_request), cmocka_unit_test(test_read_channel),
                cmocka_unit_test(test_read_reply),   cmocka_unit_test(test_write_request),
                cmocka_unit_test(test_write_window), cmocka_unit_test(test_write_reply),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
