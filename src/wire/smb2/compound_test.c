#include "base/testing.h"

#include "base/limits.h"
#include "wire/smb2/compound.h"
#include "wire/smb2/echo.h"

/* A frame of ECHO requests: each 64 + 4 bytes, all but the last padded to 72. */
static size_t frame_of(uint8_t *out, size_t max, unsigned elements)
{
        struct writer w = wr_into(out, max);
        for (unsigned i = 0; i < elements; i++) {
                size_t at = w.at;
                struct smb2_header h = {.command = SMB2_ECHO, .message_id = i};
                smb2_header_encode(&w, &h);
                smb2_echo_req_encode(&w);
                if (i + 1 < elements)
                        smb2_compound_link(&w, at);
        }
        assert_true(wr_ok(&w));
        return w.at;
}

static void test_walk(void **state)
{
        uint8_t buf[512];
        struct bytes msg;
        struct smb2_header h;
        struct smb2_compound c;
        smb2_compound_init(&c, bytes_of(buf, frame_of(buf, sizeof buf, 3)));
        for (unsigned i = 0; i < 3; i++) {
                assert_int_equal(smb2_compound_next(&c, &msg, &h), SMB2_COMPOUND_ELEMENT);
                assert_int_equal(h.message_id, i);
                assert_ptr_equal(msg.p, buf + i * 72);
                assert_int_equal(msg.n, i < 2 ? 72 : 68);
                assert_true(smb2_echo_req_decode(msg));
        }
        assert_int_equal(smb2_compound_next(&c, &msg, &h), SMB2_COMPOUND_END);
        assert_int_equal(smb2_compound_next(&c, &msg, &h), SMB2_COMPOUND_END);
}

/* NextCommand of the first of two elements in a frame of 140 bytes. */
static void test_next_command(void **state)
{
        static const struct {
                uint32_t next;
                bool ok;
        } rows[] = {
                {72, true},   {0, true}, /* then the rest is padding of a single message */
                {8, false},              /* smaller than a header */
                {56, false},  {63, false},         {68, false},  /* not a multiple of 8 */
                {73, false},  {76, false},         {80, false},  /* less than a header left */
                {136, false}, {140, false},        {144, false}, /* behind the frame */
                {148, false}, {0x80000000, false}, {0xfffffff8, false}, {0xffffffff, false},
        };
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                uint8_t buf[512];
                size_t n = frame_of(buf, sizeof buf, 2);
                assert_int_equal(n, 140);
                smb2_header_set_next_command(buf, rows[i].next);
                if (smb2_compound_check(bytes_of(buf, n), NULL) != rows[i].ok)
                        fail_msg("NextCommand %u", rows[i].next);
        }
}

static void test_forward_progress(void **state)
{
        uint8_t buf[512];
        struct bytes msg;
        struct smb2_header h;
        struct smb2_compound c;
        size_t n = frame_of(buf, sizeof buf, 2);
        smb2_header_set_next_command(buf + 72, 0xffffffb8); /* -72: back to the first */
        smb2_compound_init(&c, bytes_of(buf, n));
        assert_int_equal(smb2_compound_next(&c, &msg, &h), SMB2_COMPOUND_ELEMENT);
        for (int i = 0; i < 3; i++)
                assert_int_equal(smb2_compound_next(&c, &msg, &h), SMB2_COMPOUND_MALFORMED);
}

static void test_truncated(void **state)
{
        uint8_t buf[512];
        size_t n = frame_of(buf, sizeof buf, 2);
        for (size_t cut = 0; cut < n; cut++)
                if (smb2_compound_check(bytes_of(buf, cut), NULL) != (cut >= 72 + 64))
                        fail_msg("cut to %zu", cut);
}

static void test_limit(void **state)
{
        static uint8_t buf[72 * (LIMIT_COMPOUND + 1)];
        unsigned count;
        size_t n = frame_of(buf, sizeof buf, LIMIT_COMPOUND);
        assert_true(smb2_compound_check(bytes_of(buf, n), &count));
        assert_int_equal(count, LIMIT_COMPOUND);
        n = frame_of(buf, sizeof buf, LIMIT_COMPOUND + 1);
        assert_false(smb2_compound_check(bytes_of(buf, n), &count));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_walk),
                cmocka_unit_test(test_next_command),
                cmocka_unit_test(test_forward_progress),
                cmocka_unit_test(test_truncated),
                cmocka_unit_test(test_limit),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
