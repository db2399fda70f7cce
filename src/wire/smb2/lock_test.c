#include "base/testing.h"

#include "wire/smb2/lock.h"

#define ZERO_32 "0000000000000000000000000000000000000000000000000000000000000000"
#define HEADER ZERO_32 ZERO_32
#define FILE_ID "1100000000000000 09000000ffffffff"
#define ELEMENT "6400000000000000 0a00000000000000 12000000 00000000"

static void test_request(void **state)
{
        struct smb2_lock_req q;
        assert_true(smb2_lock_req_decode(hex(HEADER "3000 0200 45000000" FILE_ID ELEMENT
                                                    "ffffffffffffffff 0000000000000000"
                                                    "04000000 00000000"),
                                         &q));
        assert_int_equal(q.lock_count, 2);
        assert_int_equal(q.lock_sequence_number, 5);
        assert_int_equal(q.lock_sequence_index, 4);
        assert_int_equal(q.locks[0].offset, 100);
        assert_int_equal(q.locks[0].length, 10);
        assert_int_equal(q.locks[0].flags,
                         SMB2_LOCKFLAG_EXCLUSIVE_LOCK | SMB2_LOCKFLAG_FAIL_IMMEDIATELY);
        assert_true(q.locks[1].offset == UINT64_MAX); /* as sent: not the codec's to judge */
        assert_int_equal(q.locks[1].length, 0);
}

static void test_refused(void **state)
{
        struct smb2_lock_req q;
        assert_false(smb2_lock_req_decode(hex(HEADER "3000 0000 00000000" FILE_ID ELEMENT), &q));
        assert_false(smb2_lock_req_decode(hex(HEADER "3000 0200 00000000" FILE_ID ELEMENT), &q));
        assert_false(smb2_lock_req_decode(hex(HEADER "3000 ffff 00000000" FILE_ID ELEMENT), &q));
}

static void test_limit(void **state)
{
        static uint8_t buf[SMB2_HEADER_LEN + 24 + 24 * (LIMIT_LOCKS_PER_REQUEST + 1)];
        for (unsigned extra = 0; extra < 2; extra++) {
                struct smb2_lock_req q;
                struct writer w = wr_into(buf, sizeof buf);
                wr_zero(&w, SMB2_HEADER_LEN);
                wr_u16(&w, 48);
                wr_u16(&w, (uint16_t)(LIMIT_LOCKS_PER_REQUEST + extra));
                wr_zero(&w, 4 + 16);
                wr_zero(&w, 24 * (LIMIT_LOCKS_PER_REQUEST + extra));
                assert_true(wr_ok(&w));
                assert_int_equal(smb2_lock_req_decode(wr_done(&w), &q), extra == 0);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_request),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_limit),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
