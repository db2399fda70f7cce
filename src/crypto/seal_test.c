#include "base/testing.h"
#include "crypto/seal.h"

struct vector {
        enum seal_alg alg;
        const char *key, *nonce, *aad, *plain, *cipher, *tag;
};

/* GCM: test cases 4 and 16 of the GCM specification (McGrew, Viega). CCM with the nonce and tag
 * lengths of SMB: made with an independent implementation of AES and CCM in Python, which
 * reproduces example 2 of SP800-38C. */
static const struct vector VECTORS[] = {
        {SEAL_AES128_GCM, "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
         "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
         "5bc94fbc3221a5db94fae95ae7121a47"},
        {SEAL_AES256_GCM, "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
         "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
         "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
         "76fc6ece0f4e1768cddf8853bb2d551b"},
        {SEAL_AES128_CCM, "404142434445464748494a4b4c4d4e4f", "101112131415161718191a",
         "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f4041424344454647",
         "d6d28b1b24b85b4ffbe0998809dab62e35428a3cca41bdc880d80004b03a18e37ecd2758ab2f14bb",
         "f235ad9580df414fd0c87dc7d0f2f052"},
        {SEAL_AES256_CCM, "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
         "101112131415161718191a",
         "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f4041424344454647",
         "05be4fa985289932bcf824709a4950dd790fa62950bfbf50a8e8e4f98b598e51dc5ffee1d264fd49",
         "446fdbfeaf93b4a15407cf77e9fbf19a"},
};

static void ciphers_match_vectors(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++) {
                const struct vector *v = &VECTORS[i];
                struct sealer s;
                struct bytes plain = hex(v->plain), aad = hex(v->aad), nonce = hex(v->nonce);
                uint8_t buf[64], tag[16];
                assert_int_equal(nonce.n, seal_nonce_len(v->alg));
                assert_true(sealer_init(&s, v->alg, hex(v->key)));
                for (int turn = 0; turn < 2; turn++) {
                        memcpy(buf, plain.p, plain.n);
                        seal_encrypt(&s, nonce.p, aad, buf, plain.n, tag);
                        assert_bytes_equal(bytes_of(buf, plain.n), hex(v->cipher));
                        assert_bytes_equal(bytes_of(tag, 16), hex(v->tag));
                        assert_true(seal_decrypt(&s, nonce.p, aad, buf, plain.n, tag));
                        assert_bytes_equal(bytes_of(buf, plain.n), plain);
                }
                sealer_fini(&s);
        }
}

/* One flipped bit anywhere: refused, and nothing of the text is left; the next good message passes.
 */
static void tampering_is_seen(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++) {
                const struct vector *v = &VECTORS[i];
                struct sealer s;
                uint8_t all[16 + 32 + 64 + 16]; /* nonce, aad, text, tag */
                struct bytes part[4] = {hex(v->nonce), hex(v->aad), hex(v->cipher), hex(v->tag)};
                assert_true(sealer_init(&s, v->alg, hex(v->key)));
                size_t total = part[0].n + part[1].n + part[2].n + part[3].n;
                for (size_t at = 0; at <= total; at++) { /* the last round changes nothing */
                        size_t n = 0, start[4];
                        for (size_t p = 0; p < 4; p++) {
                                start[p] = n;
                                memcpy(all + n, part[p].p, part[p].n);
                                n += part[p].n;
                        }
                        if (at < total)
                                all[at] ^= 0x40;
                        bool ok = seal_decrypt(&s, all, bytes_of(all + start[1], part[1].n),
                                               all + start[2], part[2].n, all + start[3]);
                        assert_int_equal(ok, at == total);
                        for (size_t b = 0; !ok && b < part[2].n; b++)
                                assert_int_equal(all[start[2] + b], 0);
                }
                sealer_fini(&s);
        }
}

static void wrong_keys_are_refused(void **state)
{
        (void)state;
        struct sealer s;
        assert_false(sealer_init(&s, SEAL_AES256_GCM, hex(VECTORS[0].key)));
        sealer_fini(&s);
        assert_false(sealer_init(&s, (enum seal_alg)0, hex(VECTORS[0].key)));
        sealer_fini(&s);
        assert_int_equal(seal_key_len((enum seal_alg)5), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(ciphers_match_vectors),
                cmocka_unit_test(tampering_is_seen),
                cmocka_unit_test(wrong_keys_are_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
