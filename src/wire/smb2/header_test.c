#include "base/testing.h"

#include "wire/smb2/compound.h"
#include "wire/smb2/header.h"

/* [MS-SMB2] 4.5, the READ request's header: CreditCharge 0, 111 credits, MessageId 11, TreeId 5,
 * SessionId 0x40000000011. */
static const char sync_header[] = "fe534d42 4000 0000 00000000 0800 6f00 00000000 00000000"
                                  "0b00000000000000 00000000 05000000 1100000000040000"
                                  "00000000000000000000000000000000";
/* As above, but an asynchronous reply: STATUS_PENDING, AsyncId 0x1122334455667788, signed. */
static const char async_header[] = "fe534d42 4000 0100 03010000 0f00 0100 0b000000 00000000"
                                   "0b00000000000000 8877665544332211 1100000000040000"
                                   "000102030405060708090a0b0c0d0e0f";

static void test_sync(void **state)
{
        struct smb2_header h;
        uint8_t out[SMB2_HEADER_LEN];
        struct writer w = wr_into(out, sizeof out);
        assert_true(smb2_header_decode(hex(sync_header), &h));
        assert_int_equal(h.credit_charge, 0);
        assert_int_equal(h.command, SMB2_READ);
        assert_int_equal(h.credits, 111);
        assert_int_equal(h.flags, 0);
        assert_int_equal(h.message_id, 11);
        assert_int_equal(h.tree_id, 5);
        assert_int_equal(h.session_id, 0x40000000011);
        assert_false(smb2_header_is_async(&h));
        smb2_header_encode(&w, &h);
        assert_bytes_equal(wr_done(&w), hex(sync_header));
}

static void test_async(void **state)
{
        struct smb2_header h;
        uint8_t out[SMB2_HEADER_LEN];
        struct writer w = wr_into(out, sizeof out);
        assert_true(smb2_header_decode(hex(async_header), &h));
        assert_true(smb2_header_is_async(&h));
        assert_int_equal(h.status, 0x103);
        assert_true(h.async_id == 0x1122334455667788);
        assert_int_equal(h.tree_id, 0);
        assert_int_equal(h.signature[15], 15);
        smb2_header_encode(&w, &h);
        assert_bytes_equal(wr_done(&w), hex(async_header));
}

static void test_refused(void **state)
{
        struct smb2_header h;
        struct bytes good = hex(sync_header);
        for (size_t n = 0; n < good.n; n++)
                assert_false(smb2_header_decode(bytes_first(good, n), &h));
        uint8_t copy[SMB2_HEADER_LEN];
        memcpy(copy, good.p, sizeof copy);
        copy[0] = 0xff; /* SMB 1 */
        assert_false(smb2_header_decode(bytes_of(copy, sizeof copy), &h));
        copy[0] = 0xfe;
        copy[4] = 65; /* StructureSize */
        assert_false(smb2_header_decode(bytes_of(copy, sizeof copy), &h));
}

static void test_patches(void **state)
{
        struct smb2_header h;
        uint8_t sig[16], copy[SMB2_HEADER_LEN];
        memcpy(copy, hex(sync_header).p, sizeof copy);
        memset(sig, 0xab, sizeof sig);
        smb2_header_set_status(copy, 0xc0000022);
        smb2_header_set_credits(copy, 0x1234);
        smb2_header_set_credit_charge(copy, 7);
        smb2_header_set_next_command(copy, 0x78);
        smb2_header_set_message_id(copy, SMB2_MESSAGE_ID_UNSOLICITED);
        smb2_header_set_session_id(copy, 0x0102030405060708);
        smb2_header_add_flags(copy, SMB2_FLAGS_SIGNED);
        smb2_header_add_flags(copy, SMB2_FLAGS_SERVER_TO_REDIR);
        smb2_header_set_signature(copy, sig);
        assert_true(smb2_header_decode(bytes_of(copy, sizeof copy), &h));
        assert_true(h.status == 0xc0000022);
        assert_int_equal(h.credits, 0x1234);
        assert_int_equal(h.credit_charge, 7);
        assert_int_equal(h.next_command, 0x78);
        assert_true(h.message_id == UINT64_MAX);
        assert_true(h.session_id == 0x0102030405060708);
        assert_int_equal(h.flags, SMB2_FLAGS_SIGNED | SMB2_FLAGS_SERVER_TO_REDIR);
        assert_memory_equal(h.signature, sig, 16);
        assert_int_equal(h.command, SMB2_READ); /* neighbours are untouched */
        assert_int_equal(h.tree_id, 5);
        smb2_header_set_signature(copy, NULL);
        assert_true(smb2_header_decode(bytes_of(copy, sizeof copy), &h));
        assert_int_equal(h.signature[0] | h.signature[15], 0);
}

/* A27: a frame of nothing, 00 00 00 00 on the wire. */
static void a27_empty_frame(void **state)
{
        struct smb2_header h;
        struct smb2_compound walk;
        struct bytes msg;
        unsigned count;
        (void)state;
        assert_false(smb2_header_decode(bytes_of(NULL, 0), &h));
        assert_false(smb2_compound_check(bytes_of(NULL, 0), &count));
        smb2_compound_init(&walk, bytes_of(NULL, 0));
        assert_int_not_equal(smb2_compound_next(&walk, &msg, &h), SMB2_COMPOUND_ELEMENT);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sync),       cmocka_unit_test(test_async),
                cmocka_unit_test(test_refused),    cmocka_unit_test(test_patches),
                cmocka_unit_test(a27_empty_frame),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
