#include "base/testing.h"

#include "wire/smb2/error.h"
#include "wire/smb2/status.h"

#define ZERO_32 "0000000000000000000000000000000000000000000000000000000000000000"
#define HEADER ZERO_32 ZERO_32

static void test_plain(void **state)
{
        uint8_t buf[128];
        struct smb2_error_rsp e = {0};
        struct smb2_error_context_list l;
        struct writer w = wr_into(buf, sizeof buf);
        wr_zero(&w, SMB2_HEADER_LEN);
        smb2_error_rsp_encode(&w, &e);
        assert_bytes_equal(bytes_from(wr_done(&w), SMB2_HEADER_LEN), hex("0900 00 00 00000000 00"));
        assert_true(smb2_error_rsp_decode(wr_done(&w), &e));
        assert_true(smb2_error_context_list_decode(&e, &l));
        assert_int_equal(l.count, 0);
        /* Some peers leave the one byte out. */
        assert_true(smb2_error_rsp_decode(bytes_first(wr_done(&w), SMB2_HEADER_LEN + 8), &e));
        assert_false(smb2_error_rsp_decode(bytes_first(wr_done(&w), SMB2_HEADER_LEN + 7), &e));
        assert_false(smb2_error_rsp_decode(hex(HEADER "0900 00 00 02000000 00"), &e));
        assert_false(smb2_error_rsp_decode(hex(HEADER "0900 00 00 ffffffff 00"), &e));
}

static void test_contexts(void **state)
{
        struct smb2_error_rsp e;
        struct smb2_error_context_list l;
        uint32_t needed;
        /* STATUS_BUFFER_TOO_SMALL in 3.1.1: one context with the size that would do. */
        assert_true(smb2_error_rsp_decode(hex(HEADER "0900 01 00 0c000000 04000000 00000000"
                                                     "88130000"),
                                          &e));
        assert_true(smb2_error_context_list_decode(&e, &l));
        assert_int_equal(l.count, 1);
        assert_int_equal(l.item[0].error_id, SMB2_ERROR_ID_DEFAULT);
        assert_true(smb2_buffer_too_small_decode(l.item[0].data, &needed));
        assert_int_equal(needed, 5000);
        /* The same before 3.1.1: the data stands alone. */
        assert_true(smb2_error_rsp_decode(hex(HEADER "0900 00 00 04000000 88130000"), &e));
        assert_true(smb2_error_context_list_decode(&e, &l));
        assert_int_equal(l.count, 1);
        assert_true(smb2_buffer_too_small_decode(l.item[0].data, &needed));
        assert_int_equal(needed, 5000);
}

static void test_contexts_refused(void **state)
{
        static const char *const rows[] = {
                HEADER "0900 01 00 0b000000 04000000 00000000 881300",
                HEADER "0900 01 00 0c000000 ffffffff 00000000 88130000",
                HEADER "0900 02 00 0c000000 04000000 00000000 88130000",
                HEADER "0900 ff 00 0c000000 04000000 00000000 88130000",
                HEADER "0900 01 00 00000000 00",
        };
        struct smb2_error_rsp e;
        struct smb2_error_context_list l;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                assert_true(smb2_error_rsp_decode(hex(rows[i]), &e));
                assert_false(smb2_error_context_list_decode(&e, &l));
        }
}

/* [MS-SMB2] 2.2.2.2.1 laid out by hand: relative link to "b", printed as "b", 4 bytes unparsed. */
#define SYMLINK "1c000000 53594d4c 0c0000a0 1000 0400 0000 0200 0200 0200 01000000 6200 6200"

static void test_symlink(void **state)
{
        uint8_t buf[64];
        struct smb2_symlink_error s;
        struct writer w = wr_into(buf, sizeof buf);
        struct bytes data = hex(SYMLINK);
        assert_true(smb2_symlink_error_decode(data, &s));
        assert_int_equal(s.unparsed_path_length, 4);
        assert_int_equal(s.flags, SMB2_SYMLINK_FLAG_RELATIVE);
        assert_bytes_equal(s.substitute_name, hex("6200"));
        assert_bytes_equal(s.print_name, hex("6200"));
        smb2_symlink_error_encode(&w, &s);
        assert_bytes_equal(wr_done(&w), data);
        for (size_t n = 0; n < data.n; n++)
                assert_false(smb2_symlink_error_decode(bytes_first(data, n), &s));
        assert_false(smb2_symlink_error_decode(/* name behind PathBuffer */
                                               hex("1c000000 53594d4c 0c0000a0 1000 0400 0000 0500 "
                                                   "0200 0200 01000000 62006200"),
                                               &s));
        assert_false(smb2_symlink_error_decode(
                hex("1c000000 53594d4c 0c0000a0 1000 0400 ffff ffff 0200 0200 01000000 62006200"),
                &s));
}

/* The table is sorted, without doubles, and its texts are there. */
static void test_status_table(void **state)
{
        static const uint32_t values[] = {
#define VALUE(name, value, text) value,
                NT_STATUS_TABLE(VALUE)
#undef VALUE
        };
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
                uint32_t back;
                if (i > 0)
                        assert_true(values[i - 1] < values[i]);
                assert_non_null(nt_status_name(values[i]));
                assert_true(strlen(nt_status_text(values[i])) > 0);
                assert_true(nt_status_by_name(nt_status_name(values[i]), &back));
                assert_true(back == values[i]);
        }
        uint32_t s;
        assert_true(nt_status_by_name("ACCESS_DENIED", &s));
        assert_true(s == 0xc0000022);
        assert_false(nt_status_by_name("NO_SUCH_STATUS", &s));
        assert_null(nt_status_name(0xc1234567));
        assert_string_equal(nt_status_text(0xc1234567), "unknown status");
        assert_true(nt_status_is_error(STATUS_ACCESS_DENIED));
        assert_true(nt_status_is_warning(STATUS_BUFFER_OVERFLOW));
        assert_false(nt_status_is_error(STATUS_BUFFER_OVERFLOW));
        assert_false(nt_status_is_error(STATUS_PENDING));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_plain),
                cmocka_unit_test(test_contexts),
                cmocka_unit_test(test_contexts_refused),
                cmocka_unit_test(test_symlink),
                cmocka_unit_test(test_status_table),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
