#include "base/testing.h"
#include "wire/spnego/der.h"
#include "wire/spnego/token.h"

/* [MS-SPNG] 4: a server's NegTokenInit2 with NEGOEX and NTLM. */
#define SPEC_INIT2                                                                                 \
        "6082015d06062b0601050502a08201513082014da01a3018060a2b06010401823702021e060a2b06"         \
        "010401823702020aa28201010481fe4e45474f45585453010000000000000060000000700000"             \
        "00cffa11765e12599a347d766852bfce7097458710bb8242b4c7dfbad2da897aa311a7d8684634"           \
        "30952562dc13c554f20100000000000000006000000001000000000000000000 00005c33530dea"          \
        "f90d4db2ec4ae3786ec3084e45474f45585453030000000100000040000000 8e000000cffa1176"          \
        "5e12599a347d766852bfce705c33530deaf90d4db2ec4ae3786ec308400000004e000000304ca0"           \
        "4a3048302a802830263124302206035504 03131b584d4c50726f766964657220496e7465726d"            \
        "656469617465204341301a801830163114301206035504 03130b584d4c50726f7669646572"              \
        "a32a3028a0261b246e6f745f646566696e65645f696e5f5246433431373840706c656173655f69676e6f7265"
/* A Windows client's and server's tokens, from the 3.1.1 example in "SMB 2 and SMB 3 security in
 * Windows 10: the anatomy of signing and cryptographic keys" (Microsoft open specifications blog,
 * 2017). */
#define WINDOWS_INIT                                                                               \
        "604806062B0601050502A03E303CA00E300C060A2B06010401823702020AA22A0428"                     \
        "4E544C4D5353500001000000978208E2000000000000000000000000000000000603802500 00000F"
#define WINDOWS_DONE "A11B3019A0030A0100A3120410010000003B453CDC3524164200000000"

static struct bytes written(const struct writer *w)
{
        assert_true(wr_ok(w));
        return wr_done(w);
}

static void hint_of_the_specification(void **state)
{
        (void)state;
        struct spnego_init t;
        assert_int_equal(spnego_kind_of(hex(SPEC_INIT2)), SPNEGO_INIT);
        assert_true(spnego_init_decode(hex(SPEC_INIT2), &t));
        assert_int_equal(t.mech_count, 2);
        assert_int_equal(t.mechs[0], SPNEGO_MECH_OTHER);
        assert_int_equal(t.mechs[1], SPNEGO_MECH_NTLMSSP);
        assert_true(t.has_token && t.has_hint && !t.has_mic);
        assert_int_equal(t.token.n, 254);
        assert_memory_equal(t.token.p, "NEGOEXTS", 8);
        assert_int_equal(t.mech_list.n, 26);
}

static void init_of_windows(void **state)
{
        (void)state;
        struct spnego_init t;
        uint8_t buf[256];
        struct writer w = wr_into(buf, sizeof buf);
        assert_true(spnego_init_decode(hex(WINDOWS_INIT), &t));
        assert_int_equal(t.mech_count, 1);
        assert_int_equal(t.mechs[0], SPNEGO_MECH_NTLMSSP);
        assert_int_equal(t.token.n, 40);
        assert_false(t.has_mic || t.has_hint);
        assert_bytes_equal(t.mech_list, hex("300C060A2B06010401823702020A"));
        spnego_init_encode(&w, &t);
        assert_bytes_equal(written(&w), hex(WINDOWS_INIT));
}

static void verdict_of_windows(void **state)
{
        (void)state;
        struct spnego_resp t;
        uint8_t buf[64];
        struct writer w = wr_into(buf, sizeof buf);
        assert_int_equal(spnego_kind_of(hex(WINDOWS_DONE)), SPNEGO_RESP);
        assert_true(spnego_resp_decode(hex(WINDOWS_DONE), &t));
        assert_int_equal(t.state, SPNEGO_ACCEPT_COMPLETED);
        assert_true(t.has_mic && !t.has_token && !t.has_mech);
        assert_bytes_equal(t.mic, hex("010000003B453CDC3524164200000000"));
        spnego_resp_encode(&w, &t);
        assert_bytes_equal(written(&w), hex(WINDOWS_DONE));
}

/* Lengths of one, two and three bytes, all fields, all mechanisms. */
static void round_trips(void **state)
{
        (void)state;
        static const size_t size[] = {0, 1, 0x60, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF};
        static uint8_t body[0x10000], buf[0x11000];
        for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
                struct writer w = wr_into(buf, sizeof buf);
                struct spnego_init a,
                        t = {.mechs = {SPNEGO_MECH_MS_KRB5, SPNEGO_MECH_KRB5, SPNEGO_MECH_NTLMSSP},
                             .mech_count = 3,
                             .has_token = true,
                             .has_mic = true,
                             .has_hint = i % 2,
                             .token = bytes_of(body, size[i]),
                             .mic = bytes_of(body, 16)};
                spnego_init_encode(&w, &t);
                assert_true(spnego_init_decode(written(&w), &a));
                assert_memory_equal(a.mechs, t.mechs, sizeof t.mechs[0] * 3);
                assert_int_equal(a.token.n, size[i]);
                assert_true(a.has_mic && a.mic.n == 16 && a.has_hint == t.has_hint);
                struct spnego_resp b, r = {.state = SPNEGO_REQUEST_MIC,
                                           .has_mech = true,
                                           .mech = SPNEGO_MECH_KRB5,
                                           .has_token = true,
                                           .token = bytes_of(body, size[i])};
                w = wr_into(buf, sizeof buf);
                spnego_resp_encode(&w, &r);
                assert_true(spnego_resp_decode(written(&w), &b));
                assert_int_equal(b.state, SPNEGO_REQUEST_MIC);
                assert_int_equal(b.mech, SPNEGO_MECH_KRB5);
                assert_true(b.has_token && b.token.n == size[i] && !b.has_mic);
        }
}

static void truncation_is_refused(void **state)
{
        (void)state;
        static const char *const row[] = {SPEC_INIT2, WINDOWS_INIT, WINDOWS_DONE};
        for (size_t i = 0; i < 3; i++) {
                struct bytes all = hex(row[i]);
                for (size_t n = 0; n <= all.n; n++) {
                        uint8_t *cut = malloc(n + 1); /* its end is the sanitizer's fence */
                        memcpy(cut + 1, all.p, n);
                        struct spnego_init a;
                        struct spnego_resp b;
                        struct bytes in = bytes_of(cut + 1, n);
                        bool ok = spnego_init_decode(in, &a) || spnego_resp_decode(in, &b);
                        assert_int_equal(ok, n == all.n);
                        free(cut);
                }
        }
}

static void malformed_is_refused(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
                bool ok;
        } row[] = {
                {"empty response", "a1023000", true},
                {"a state alone", "a1073005a0030a0101", true},
                {"length padded to four bytes", "a18400000002 3000", true},
                {"indefinite length", "a180 3000 0000", false},
                {"length of five bytes", "a185 0000000002 3000", false},
                {"length past the end", "a103 3000", false},
                {"state of two bytes", "a1083006a0040a020101", false},
                {"state 4", "a1073005a0030a0104", false},
                {"fields out of order", "a10e300ca2020400a0030a0101a2020400", false},
                {"a field twice", "a10c300aa0030a0101a0030a0101", false},
                {"unknown field", "a1063004a7020400", false},
                {"more in a field than one element", "a1083006a20404000400", false},
                {"no OID in the mechanisms", "601306062b0601050502a009 3007a0053003040100", false},
                {"no mechanisms", "601006062b0601050502a006 3004a0023000", false},
                {"another frame", "601806062b0601050503a00e 300ca00a300806062b0601050502", false},
                {"bytes after the sequence",
                 "601c06062b0601050502a00e 300ca00a300806062b0601050502"
                 "04020000",
                 false},
                {"one mechanism", "601806062b0601050502a00e 300ca00a300806062b0601050502", true},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct spnego_init a;
                struct spnego_resp b;
                struct bytes in = hex(row[i].in);
                if ((spnego_init_decode(in, &a) || spnego_resp_decode(in, &b)) != row[i].ok)
                        fail_msg("%s", row[i].name);
        }
}

static void mechanisms_are_bounded(void **state)
{
        (void)state;
        for (size_t n = 1; n <= LIMIT_MECH_TYPES + 1; n++) {
                uint8_t list[512], buf[600];
                struct writer l = wr_into(list, sizeof list), w = wr_into(buf, sizeof buf);
                size_t m = der_begin(&l, DER_SEQUENCE);
                for (size_t i = 0; i < n; i++)
                        der_put(&l, DER_OID, hex("2a8648"));
                der_end(&l, m);
                size_t frame = der_begin(&w, DER_APPLICATION_0);
                der_put(&w, DER_OID, hex("2b0601050502"));
                size_t choice = der_begin(&w, DER_CONTEXT_0), seq = der_begin(&w, DER_SEQUENCE);
                der_put(&w, DER_CONTEXT_0, written(&l));
                der_end(&w, seq);
                der_end(&w, choice);
                der_end(&w, frame);
                struct spnego_init t;
                assert_int_equal(spnego_init_decode(written(&w), &t), n <= LIMIT_MECH_TYPES);
        }
}

static void kinds_are_told_apart(void **state)
{
        (void)state;
        assert_int_equal(spnego_kind_of(bytes_of("NTLMSSP", 8)), SPNEGO_RAW_NTLM);
        assert_int_equal(spnego_kind_of(bytes_of("NTLMSSP", 7)), SPNEGO_UNKNOWN);
        assert_int_equal(spnego_kind_of(bytes_of(NULL, 0)), SPNEGO_UNKNOWN);
}

static void writers_overflow_quietly(void **state)
{
        (void)state;
        struct spnego_init t = {.mechs = {SPNEGO_MECH_NTLMSSP}, .mech_count = 1, .has_hint = true};
        uint8_t buf[256];
        struct writer fits = wr_into(buf, sizeof buf);
        spnego_init_encode(&fits, &t);
        assert_true(wr_ok(&fits));
        for (size_t max = 0; max < sizeof buf; max++) {
                struct writer w = wr_into(buf, max);
                spnego_init_encode(&w, &t);
                assert_int_equal(wr_ok(&w), max >= fits.at);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hint_of_the_specification), cmocka_unit_test(init_of_windows),
                cmocka_unit_test(verdict_of_windows),        cmocka_unit_test(round_trips),
                cmocka_unit_test(truncation_is_refused),     cmocka_unit_test(malformed_is_refused),
                cmocka_unit_test(mechanisms_are_bounded),    cmocka_unit_test(kinds_are_told_apart),
                cmocka_unit_test(writers_overflow_quietly),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
