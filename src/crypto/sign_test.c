#include "base/testing.h"
#include "crypto/hash.h"
#include "crypto/sign.h"

/* RFC 4493 4. */
#define RFC4493_KEY "2b7e151628aed2a6abf7158809cf4f3c"
#define RFC4493_TEXT                                                                               \
        "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51"                        \
        "30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710"

static void cmac_matches_rfc_4493(void **state)
{
        (void)state;
        static const struct {
                size_t n;
                const char *mac;
        } row[] = {{0, "bb1d6929e95937287fa37d129b756746"},
                   {16, "070a16b46b4d4144f79bdd9dd04a287c"},
                   {40, "dfa66747de9ae63030ca32611497c827"},
                   {64, "51f0bebf7e3b9d92fc49741779363cfe"}};
        struct signer s;
        uint8_t sig[SIGN_LEN];
        assert_true(signer_init(&s, SIGN_AES_CMAC, hex(RFC4493_KEY)));
        for (int turn = 0; turn < 2; turn++) /* a signer is used again and again */
                for (size_t i = 0; i < 4; i++) {
                        struct bytes text = bytes_first(hex(RFC4493_TEXT), row[i].n);
                        signer_sign(&s, &text, 1, NULL, sig);
                        assert_bytes_equal(bytes_of(sig, 16), hex(row[i].mac));
                }
        signer_fini(&s);
}

/* The successful SESSION_SETUP response of the 3.1.1 example in "SMB 2 and SMB 3 security in
 * Windows 10: the anatomy of signing and cryptographic keys" (Microsoft open specifications blog,
 * 2017). */
static void cmac_matches_a_windows_server(void **state)
{
        (void)state;
        struct bytes head = hex("FE534D42400001000000000001008000090000000000000003000000"
                                "00000000FFFE0000000000001900000000100000");
        struct bytes rest = hex("0900000048001D00A11B3019A0030A0100A312041001000000"
                                "3B453CDC3524164200000000");
        const struct bytes parts[] = {head, bytes_of("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16), rest};
        struct signer s;
        assert_true(signer_init(&s, SIGN_AES_CMAC, hex("73FE7A9A77BEF0BDE49C650D8CCB5F76")));
        assert_true(signer_check(&s, parts, 3, NULL, hex("EBE146DA120BA25FC3376A49DFE31BC1").p));
        assert_false(signer_check(&s, parts, 3, NULL, hex("EBE146DA120BA25FC3376A49DFE31BC0").p));
        signer_fini(&s);
}

/* RFC 4231 4.3, cut to 16 bytes as [MS-SMB2] 3.1.4.1 says. */
static void hmac_matches_rfc_4231(void **state)
{
        (void)state;
        struct signer s;
        const struct bytes text = bytes_str("what do ya want for nothing?");
        assert_true(signer_init(&s, SIGN_HMAC_SHA256, bytes_str("Jefe")));
        for (int turn = 0; turn < 2; turn++)
                assert_true(signer_check(&s, &text, 1, NULL,
                                         hex("5bdcc146bf60754e6a042426089575c7").p));
        signer_fini(&s);
}

/* The empty text: test case 1 of the GCM specification. The other: computed by an independent
 * implementation of AES and GHASH in Python. */
static void gmac_matches(void **state)
{
        (void)state;
        struct signer s;
        uint8_t zero[16] = {0}, text[100], nonce[12];
        assert_true(signer_init(&s, SIGN_AES_GMAC, bytes_of(zero, 16)));
        assert_true(signer_check(&s, NULL, 0, zero, hex("58e2fccefa7e3061367f1d57a4e7455a").p));
        signer_fini(&s);
        for (size_t i = 0; i < sizeof text; i++)
                text[i] = (uint8_t)i;
        signer_gmac_nonce(0x0102030405060708u, true, false, nonce);
        assert_bytes_equal(bytes_of(nonce, 12), hex("080706050403020101000000"));
        const struct bytes parts[] = {{text, 7}, {NULL, 0}, {text + 7, 64}, {text + 71, 29}};
        assert_true(signer_init(&s, SIGN_AES_GMAC, bytes_of(text, 16)));
        for (int turn = 0; turn < 2; turn++)
                assert_true(signer_check(&s, parts, 4, nonce,
                                         hex("38409f0bed64a965b61de3be0eb8c6ec").p));
        signer_gmac_nonce(1, false, true, nonce);
        assert_bytes_equal(bytes_of(nonce, 12), hex("010000000000000002000000"));
        assert_false(signer_check(&s, parts, 4, nonce, hex("38409f0bed64a965b61de3be0eb8c6ec").p));
        signer_fini(&s);
}

/* However a message is cut into parts, its signature is the same; around the sizes of blocks. */
static void parts_make_no_difference(void **state)
{
        (void)state;
        static uint8_t text[5000];
        static const size_t size[] = {1, 15, 16, 17, 31, 32, 33, 2047, 2048, 2049, 4096, 5000};
        uint8_t whole[16], nonce[12] = {1};
        crypto_random(text, sizeof text);
        for (enum sign_alg alg = SIGN_HMAC_SHA256; alg <= SIGN_AES_GMAC; alg++) {
                struct signer s;
                assert_true(signer_init(&s, alg, bytes_of(text, 16)));
                for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
                        const struct bytes all = bytes_of(text, size[i]);
                        signer_sign(&s, &all, 1, nonce, whole);
                        for (size_t cut = 0; cut <= all.n; cut += 1 + cut / 8) {
                                const struct bytes two[] = {bytes_first(all, cut),
                                                            bytes_from(all, cut)};
                                assert_true(signer_check(&s, two, 2, nonce, whole));
                        }
                }
                signer_fini(&s);
        }
}

static void wrong_keys_are_refused(void **state)
{
        (void)state;
        struct signer s;
        assert_false(signer_init(&s, SIGN_AES_CMAC, bytes_str("short")));
        signer_fini(&s);
        assert_false(signer_init(&s, (enum sign_alg)3, hex(RFC4493_KEY)));
        signer_fini(&s);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(cmac_matches_rfc_4493),
                cmocka_unit_test(cmac_matches_a_windows_server),
                cmocka_unit_test(hmac_matches_rfc_4231),
                cmocka_unit_test(gmac_matches),
                cmocka_unit_test(parts_make_no_difference),
                cmocka_unit_test(wrong_keys_are_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
