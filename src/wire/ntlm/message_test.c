#include "base/testing.h"
#include "wire/ntlm/message.h"
#include "wire/ntlm/response.h"

/* [MS-NLMP] 4.2.4.3. */
#define SPEC_CHALLENGE                                                                             \
        "4e544c4d53535000020000000c000c003800000033828ae20123456789abcdef"                         \
        "0000000000000000240024004400000006007017 0000000f 530065007200760065007200"               \
        "02000c0044006f006d00610069006e0001000c0053006500720076006500720000000000"
#define SPEC_AUTHENTICATE                                                                          \
        "4e544c4d5353500003000000180018006c00000054005400840000000c000c00"                         \
        "480000000800080054000000100010005c00000010001000d8000000358288e2"                         \
        "0501280a0000000f44006f006d00610069006e00550073006500720043004f00"                         \
        "4d0050005500540045005200 86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa"                \
        "68cd0ab851e51c96aabc927bebef6a1c0101000000000000 0000000000000000"                        \
        "aaaaaaaaaaaaaaaa0000000002000c0044006f006d00610069006e00"                                 \
        "01000c005300650072007600650072000000000000000000"                                         \
        "c5dad2544fc979909 4ce1ce90bc9d03e"
/* A Windows client's messages, from the 3.1.1 example in "SMB 2 and SMB 3 security in Windows 10:
 * the anatomy of signing and cryptographic keys" (Microsoft open specifications blog, 2017). */
#define WINDOWS_NEGOTIATE                                                                          \
        "4E544C4D5353500001000000978208E2000000000000000000000000000000000603802500000 00F"
#define WINDOWS_AUTHENTICATE                                                                       \
        "4e544c4d53535000030000001800180090000000ee00ee00a80000000c000c0058000000"                 \
        "1a001a0064000000120012007e0000001000100096010000158288e2060380250000000f"                 \
        "ecac77a5f385a8bf9c38c706eeeddcd3530055005400330031003100610064006d006900"                 \
        "6e006900730074007200610074006f007200440052004900560045005200330031003100"                 \
        "00000000000000000000000000000000000000000000000063078eb639fe03e20a231c3a"                 \
        "e3bf23080101000000000000a1a1f5adcbaed001bc4ad05f223cc90f0000000002000c00"                 \
        "53005500540033003100310001000c0053005500540033003100310004000c0053005500"                 \
        "540033003100310003000c0053005500540033003100310007000800a1a1f5adcbaed001"                 \
        "06000400020000000800300030000000000000000000000000300000b61fefcaa857ea57"                 \
        "bf1edcebf8974b8e0eba5a6dfd9d07a31d11b548f8c9d0cc0a0010000000000000000000"                 \
        "00000000000000000900160063006900660073002f005300550054003300310031000000"                 \
        "000000000000000000003b9bdff38f5ee8f9663f11a0f4c03a78"

static struct bytes utf16(const char *ascii)
{
        static uint8_t pool[4][64];
        static unsigned turn;
        uint8_t *p = pool[turn++ % 4];
        size_t n = strlen(ascii);
        for (size_t i = 0; i < n; i++) {
                p[2 * i] = (uint8_t)ascii[i];
                p[2 * i + 1] = 0;
        }
        return bytes_of(p, 2 * n);
}

static void negotiate_from_windows(void **state)
{
        (void)state;
        struct ntlm_negotiate m;
        uint8_t buf[64];
        struct writer w = wr_into(buf, sizeof buf);
        assert_true(ntlm_negotiate_decode(hex(WINDOWS_NEGOTIATE), &m));
        assert_int_equal(m.flags, 0xE2088297u);
        assert_int_equal(m.version, 0x0F00000025800306u);
        assert_int_equal(m.domain.n + m.workstation.n, 0);
        m.flags |= NTLM_DOMAIN_SUPPLIED | NTLM_WORKSTATION_SUPPLIED;
        m.domain = bytes_str("DOM");
        m.workstation = bytes_str("BOX");
        ntlm_negotiate_encode(&w, &m);
        assert_true(wr_ok(&w));
        struct ntlm_negotiate again;
        assert_true(ntlm_negotiate_decode(wr_done(&w), &again));
        assert_bytes_equal(again.domain, bytes_str("DOM"));
        assert_bytes_equal(again.workstation, bytes_str("BOX"));
        assert_int_equal(again.version, m.version);
        assert_true(ntlm_negotiate_decode(hex("4E544C4D5353500001000000978208E2"), &m));
}

static void challenge_of_the_specification(void **state)
{
        (void)state;
        struct ntlm_challenge m;
        struct ntlm_av_list av;
        uint8_t buf[128];
        struct writer w = wr_into(buf, sizeof buf);
        assert_true(ntlm_challenge_decode(hex(SPEC_CHALLENGE), &m));
        assert_int_equal(m.flags, 0xE28A8233u);
        assert_bytes_equal(bytes_of(m.challenge, 8), hex("0123456789abcdef"));
        assert_int_equal(m.target_info.n, 36);
        assert_true(ntlm_av_decode(m.target_info, &av));
        assert_bytes_equal(av.value[NTLM_AV_NB_COMPUTER], utf16("Server"));
        assert_bytes_equal(av.value[NTLM_AV_NB_DOMAIN], utf16("Domain"));
        m.target_name =
                utf16("Server"); /* REQUEST_TARGET is clear there, though the name is sent */
        ntlm_challenge_encode(&w, &m);
        assert_bytes_equal(wr_done(&w), hex(SPEC_CHALLENGE));
}

static void authenticate_of_the_specification(void **state)
{
        (void)state;
        struct ntlm_authenticate m;
        struct ntlmv2_response r;
        assert_true(ntlm_authenticate_decode(hex(SPEC_AUTHENTICATE), &m));
        assert_int_equal(m.flags, 0xE2888235u);
        assert_bytes_equal(m.user, utf16("User"));
        assert_bytes_equal(m.domain, utf16("Domain"));
        assert_bytes_equal(m.workstation, utf16("COMPUTER"));
        assert_bytes_equal(m.session_key, hex("c5dad2544fc9799094ce1ce90bc9d03e"));
        assert_bytes_equal(m.lm_response, hex("86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa"));
        assert_false(m.mic_room);
        assert_true(ntlmv2_response_decode(m.nt_response, &r));
        assert_bytes_equal(bytes_of(r.proof, 16), hex("68cd0ab851e51c96aabc927bebef6a1c"));
        assert_bytes_equal(bytes_of(r.client_challenge, 8), hex("aaaaaaaaaaaaaaaa"));
        assert_int_equal(r.time_ft, 0);
        uint8_t buf[256];
        struct writer w = wr_into(buf, sizeof buf), b = wr_into(buf + 128, 128);
        ntlmv2_blob_encode(&b, 0, r.client_challenge, r.av.pairs);
        assert_bytes_equal(wr_done(&b), r.blob);
        ntlm_authenticate_encode(&w, &m);
        assert_bytes_equal(wr_done(&w), hex(SPEC_AUTHENTICATE));
}

static void authenticate_of_windows_has_a_mic(void **state)
{
        (void)state;
        struct ntlm_authenticate m;
        struct ntlmv2_response r;
        uint8_t buf[512];
        struct writer w = wr_into(buf, sizeof buf);
        assert_true(ntlm_authenticate_decode(hex(WINDOWS_AUTHENTICATE), &m));
        assert_true(m.mic_room);
        assert_bytes_equal(bytes_of(m.mic, 16), hex("ECAC77A5F385A8BF9C38C706EEEDDCD3"));
        assert_bytes_equal(m.user, utf16("administrator"));
        assert_true(ntlmv2_response_decode(m.nt_response, &r));
        assert_int_equal(r.av.flags, NTLM_AV_FLAG_MIC);
        assert_bytes_equal(r.av.value[NTLM_AV_TARGET_NAME], utf16("cifs/SUT311"));
        assert_int_equal(r.av.time_ft, r.time_ft);
        ntlm_authenticate_encode(&w, &m);
        assert_bytes_equal(wr_done(&w), hex(WINDOWS_AUTHENTICATE));
}

/* Any cut of any message decodes without reading outside (the sanitizer watches); what a cut of the
 * fixed part or of the payload leaves is refused. */
static void truncation_is_refused(void **state)
{
        (void)state;
        static const struct {
                const char *text;
                size_t whole; /* shorter than this is no message */
        } row[] = {{WINDOWS_NEGOTIATE, 16},
                   {SPEC_CHALLENGE, 0x68},
                   {SPEC_AUTHENTICATE, 0xE8},
                   {WINDOWS_AUTHENTICATE, 0x1A6}};
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct bytes all = hex(row[i].text);
                for (size_t n = 0; n < all.n; n++) {
                        uint8_t *cut = malloc(n + 1); /* its end is the sanitizer's fence */
                        memcpy(cut + 1, all.p, n);
                        struct ntlm_negotiate a;
                        struct ntlm_challenge b;
                        struct ntlm_authenticate c;
                        struct bytes in = bytes_of(cut + 1, n);
                        bool ok = ntlm_negotiate_decode(in, &a) || ntlm_challenge_decode(in, &b) ||
                                  ntlm_authenticate_decode(in, &c);
                        assert_int_equal(ok, n >= row[i].whole);
                        free(cut);
                }
        }
}

/* One field of a good AUTHENTICATE changed: {offset, little-endian 32-bit value}. */
static void a11_hostile_fields_are_refused(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                size_t at;
                uint32_t value;
        } row[] = {
                {"session key of 64 bytes with KEY_EXCH", 52, 0x00400040},
                {"session key of 15 bytes", 52, 0x000F000F},
                {"no session key though KEY_EXCH", 52, 0},
                {"session key past the end", 56, 0xD9},
                {"offset wraps", 24, 0xFFFFFFF0},
                {"payload inside the fixed part", 32, 8},
                {"length past the end", 20, 0x7FFF7FFF},
                {"another type", 8, 1},
                {"no NTLMSSP", 0, 0},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                uint8_t buf[256];
                struct ntlm_authenticate m;
                struct bytes good = hex(SPEC_AUTHENTICATE);
                memcpy(buf, good.p, good.n);
                for (size_t b = 0; b < 4; b++)
                        buf[row[i].at + b] = (uint8_t)(row[i].value >> 8 * b);
                if (ntlm_authenticate_decode(bytes_of(buf, good.n), &m))
                        fail_msg("%s", row[i].name);
        }
}

static void pair_lists_are_bounded(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
                bool ok;
        } row[] = {
                {"empty list", "00000000", true},
                {"nothing", "", false},
                {"no end", "0100020041 00", false},
                {"bytes behind the end", "00000000 ffff", true},
                {"end with a value", "00000100 00", false},
                {"value past the end", "01000500 41004200", false},
                {"unknown id", "ff7f0200 4100 00000000", true},
                {"same id twice", "01000200 4100 01000200 4200 00000000", false},
                {"flags of 3 bytes", "06000300 020000 00000000", false},
                {"time of 4 bytes", "07000400 02000000 00000000", false},
                {"bindings of 4 bytes", "0a000400 02000000 00000000", false},
        };
        struct ntlm_av_list av;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
                if (ntlm_av_decode(hex(row[i].in), &av) != row[i].ok)
                        fail_msg("%s", row[i].name);
        uint8_t many[4 * 65] = {0};
        for (size_t i = 0; i < 64; i++)
                many[4 * i] = 0xF0;
        assert_false(ntlm_av_decode(bytes_of(many, sizeof many), &av)); /* 64 and the end */
        assert_true(ntlm_av_decode(bytes_of(many + 4, sizeof many - 4), &av));
}

static void responses_have_a_version(void **state)
{
        (void)state;
        struct ntlmv2_response r;
        uint8_t buf[16 + 28 + 4] = {0};
        for (size_t n = 0; n <= sizeof buf; n++) {
                buf[16] = buf[17] = 1;
                assert_int_equal(ntlmv2_response_decode(bytes_of(buf, n), &r), n == sizeof buf);
        }
        buf[16] = 2;
        assert_false(ntlmv2_response_decode(bytes_of(buf, sizeof buf), &r));
        buf[16] = 1;
        buf[17] = 0;
        assert_false(ntlmv2_response_decode(bytes_of(buf, sizeof buf), &r));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(negotiate_from_windows),
                cmocka_unit_test(challenge_of_the_specification),
                cmocka_unit_test(authenticate_of_the_specification),
                cmocka_unit_test(authenticate_of_windows_has_a_mic),
                cmocka_unit_test(truncation_is_refused),
                cmocka_unit_test(a11_hostile_fields_are_refused),
                cmocka_unit_test(pair_lists_are_bounded),
                cmocka_unit_test(responses_have_a_version),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
