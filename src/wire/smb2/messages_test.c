/* Every captured message: decodes, encodes to a fixed point, and no truncation of it is accepted
 * that cuts the fixed part, or read past its end (each cut is a heap block of exactly its size). */
#include "base/testing.h"

#include <stdlib.h>

#include "base/auto.h"
#include "base/cursor.h"
#include "wire/smb2/captured_messages.h"
#include "wire/smb2/compound.h"
#include "wire/smb2/roundtrip.h"

#define CAPTURED (sizeof captured_messages / sizeof captured_messages[0])

static bool decode(const struct captured_message *m, struct bytes msg)
{
        static uint8_t out[65536];
        struct writer w = wr_into(out, sizeof out);
        return m->is_error ? smb2_roundtrip_error(msg, &w)
                           : smb2_roundtrip(m->command, m->is_request, msg, &w);
}

/* What StructureSize says, without the one byte that odd ones count of the variable part. */
static size_t fixed_len(struct bytes msg)
{
        struct cursor c = cur_at(msg, SMB2_HEADER_LEN);
        return SMB2_HEADER_LEN + (cur_u16(&c) & ~1u);
}

static void test_each_decodes(void **state)
{
        for (size_t i = 0; i < CAPTURED; i++) {
                const struct captured_message *m = &captured_messages[i];
                struct bytes msg = hex(m->hex);
                struct smb2_header h;
                assert_true(smb2_header_decode(msg, &h));
                assert_int_equal(h.command, m->command);
                assert_int_equal(!(h.flags & SMB2_FLAGS_SERVER_TO_REDIR), m->is_request);
                if (!decode(m, msg))
                        fail_msg("%s", m->name);
                if (!m->is_error)
                        assert_true(smb2_roundtrip_check(m->command, m->is_request, msg));
        }
}

static void test_each_truncated(void **state)
{
        for (size_t i = 0; i < CAPTURED; i++) {
                const struct captured_message *m = &captured_messages[i];
                struct bytes msg = hex(m->hex);
                for (size_t n = 0; n < msg.n; n++) {
                        AUTO_FREE uint8_t *cut = malloc(n ? n : 1);
                        assert_non_null(cut);
                        memcpy(cut, msg.p, n);
                        bool ok = decode(m, bytes_of(cut, n));
                        if (ok && n < fixed_len(msg))
                                fail_msg("%s cut to %zu was accepted", m->name, n);
                }
        }
}

static void test_wrong_structure_size(void **state)
{
        for (size_t i = 0; i < CAPTURED; i++) {
                const struct captured_message *m = &captured_messages[i];
                struct bytes msg = hex(m->hex);
                AUTO_FREE uint8_t *copy = malloc(msg.n);
                assert_non_null(copy);
                memcpy(copy, msg.p, msg.n);
                copy[SMB2_HEADER_LEN + 1] ^= 0x80;
                if (decode(m, bytes_of(copy, msg.n)))
                        fail_msg("%s with a wrong StructureSize was accepted", m->name);
        }
}

static void check_compound(const char *text, unsigned elements)
{
        struct bytes frame = hex(text), msg;
        struct smb2_compound c;
        struct smb2_header h;
        unsigned n = 0;
        smb2_compound_init(&c, frame);
        while (smb2_compound_next(&c, &msg, &h) == SMB2_COMPOUND_ELEMENT) {
                bool is_request = !(h.flags & SMB2_FLAGS_SERVER_TO_REDIR);
                assert_true(smb2_roundtrip_check(h.command, is_request, msg));
                n++;
        }
        assert_int_equal(n, elements);
        assert_true(smb2_compound_check(frame, &n));
        assert_int_equal(n, elements);
}

static void test_captured_compounds(void **state)
{
        check_compound(captured_compound_request, 2);
        check_compound(captured_compound_reply, 2);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_decodes),
                cmocka_unit_test(test_each_truncated),
                cmocka_unit_test(test_wrong_structure_size),
                cmocka_unit_test(test_captured_compounds),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
