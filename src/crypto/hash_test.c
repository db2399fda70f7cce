#include "base/testing.h"
#include "crypto/hash.h"

static struct bytes out_of(const uint8_t *p, size_t n)
{
        return bytes_of(p, n);
}

/* RFC 1320 A.5, RFC 1321 A.5, FIPS 180-4 examples. */
static void digests_match_their_standards(void **state)
{
        (void)state;
        const char *why;
        uint8_t out[64];
        const struct bytes abc[] = {bytes_str("a"), bytes_str(""), bytes_str("bc")};
        assert_true(crypto_legacy_ready(&why));
        assert_null(why);
        assert_true(md4(bytes_str("abc"), out));
        assert_bytes_equal(out_of(out, 16), hex("a448017aaf21d8525fc10ae87aa6729d"));
        md5(abc, 3, out);
        assert_bytes_equal(out_of(out, 16), hex("900150983cd24fb0d6963f7d28e17f72"));
        sha256(abc, 3, out);
        assert_bytes_equal(out_of(out, 32), hex("ba7816bf8f01cfea414140de5dae2223"
                                                "b00361a396177a9cb410ff61f20015ad"));
        sha512(abc, 3, out);
        assert_bytes_equal(out_of(out, 64), hex("ddaf35a193617abacc417349ae204131"
                                                "12e6fa4e89a97ea20a9eeee64b55d39a"
                                                "2192992a274fc1a836ba3c23a3feebbd"
                                                "454d4423643ce80e2a9ac94fa54ca49f"));
}

/* RFC 2202 2 case 1; RFC 4231 4.2 and 4.7 (a key longer than a block). */
static void macs_match_their_standards(void **state)
{
        (void)state;
        uint8_t out[32], key[131];
        const struct bytes hi[] = {bytes_str("Hi"), bytes_str(" There")};
        const struct bytes larger =
                bytes_str("Test Using Larger Than Block-Size Key - Hash Key First");
        memset(key, 0x0b, sizeof key);
        hmac_md5(bytes_of(key, 16), hi, 2, out);
        assert_bytes_equal(out_of(out, 16), hex("9294727a3638bb1c13f48ef8158bfc9d"));
        hmac_sha256(bytes_of(key, 20), hi, 2, out);
        assert_bytes_equal(out_of(out, 32), hex("b0344c61d8db38535ca8afceaf0bf12b"
                                                "881dc200c9833da726e9376c2e32cff7"));
        memset(key, 0xaa, sizeof key);
        hmac_sha256(bytes_of(key, 131), &larger, 1, out);
        assert_bytes_equal(out_of(out, 32), hex("60e431591ee0b67f0d8a26aacbf5b77f"
                                                "8e0bc6213728c5140546040f0ee37f54"));
}

/* The vector that everybody quotes for "Key" and "Plaintext". */
static void rc4_continues_its_stream(void **state)
{
        (void)state;
        struct rc4 r;
        uint8_t text[] = "Plaintext";
        assert_true(rc4_init(&r, bytes_str("Key")));
        rc4_apply(&r, text, 4);
        rc4_apply(&r, text + 4, 5);
        rc4_fini(&r);
        assert_bytes_equal(bytes_of(text, 9), hex("bbf316e8d940af0ad3"));
        assert_true(rc4_once(bytes_str("Key"), text, 9));
        assert_memory_equal(text, "Plaintext", 9);
        assert_false(rc4_once(bytes_str(""), text, 9));
}

static void secrets_are_compared_and_wiped(void **state)
{
        (void)state;
        uint8_t a[32], b[32];
        crypto_random(a, sizeof a);
        memcpy(b, a, sizeof a);
        assert_true(ct_equal(a, b, sizeof a));
        assert_true(ct_equal(NULL, NULL, 0));
        b[31] ^= 1;
        assert_false(ct_equal(a, b, sizeof a));
        crypto_random(b, sizeof b);
        assert_false(ct_equal(a, b, sizeof a));
        secret_wipe(a, sizeof a);
        for (size_t i = 0; i < sizeof a; i++)
                assert_int_equal(a[i], 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(digests_match_their_standards),
                cmocka_unit_test(macs_match_their_standards),
                cmocka_unit_test(rc4_continues_its_stream),
                cmocka_unit_test(secrets_are_compared_and_wiped),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
