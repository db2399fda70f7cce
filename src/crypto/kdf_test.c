#include "base/testing.h"
#include "crypto/kdf.h"

/* Made with Python's hmac; 512 bits need two rounds of the counter. */
static void kdf_counts_rounds(void **state)
{
        (void)state;
        uint8_t key[32], out[64];
        for (size_t i = 0; i < sizeof key; i++)
                key[i] = (uint8_t)i;
        kdf_sp800_108(bytes_of(key, 32), bytes_str("label"), bytes_str("context"), out, 64);
        assert_bytes_equal(bytes_of(out, 64), hex("a96742dab629385c2fda3ab31ff80ae5"
                                                  "ab8f18d61a903f75d4cb97422e3b9586"
                                                  "4f650329d558a492707fde7467250678"
                                                  "68d9647d1a5d07f510bb09aa8d05efaa"));
}

/* The examples of "SMB 2 and SMB 3 security in Windows 10: the anatomy of signing and cryptographic
 * keys" (Microsoft open specifications blog, 2017), as a server sees them: it encrypts with
 * server_out. */
static void keys_match_windows_3_0(void **state)
{
        (void)state;
        struct session_key_source src = {.dialect = 0x0300};
        struct session_keys k;
        memcpy(src.session_key, hex("7CD451825D0450D235424E44BA6E78CC").p, 16);
        assert_true(session_keys_derive(&src, &k));
        assert_int_equal(k.cipher_key_len, 16);
        assert_bytes_equal(bytes_of(k.signing, 16), hex("0B7E9C5CAC36C0F6EA9AB275298CEDCE"));
        assert_bytes_equal(bytes_of(k.server_in, 16), hex("FAD27796665B313EBB578F388632B4F7"));
        assert_bytes_equal(bytes_of(k.server_out, 16), hex("B0F0427F7CEB416D1D9DCC0CD4F99447"));
        assert_bytes_equal(bytes_of(k.application, 16), /* made with Python's hmac */
                           hex("bb23a4575aa26c721af525af15a87b4f"));
}

#define PREAUTH_311                                                                                \
        "0DD13628CC3ED218EF9DF9772D436D0887AB9814BFAE63A80AA845F36909DB7928622DDDAD522D97"         \
        "51640A459762C5A9D6BB084CBB3CE6BDADEF5D5BCE3C6C01"

static void keys_match_windows_3_1_1(void **state)
{
        (void)state;
        struct session_key_source src = {.dialect = 0x0311, .preauth_hash = hex(PREAUTH_311).p};
        struct session_keys k;
        uint8_t channel[16];
        memcpy(src.session_key, hex("270E1BA896585EEB7AF3472D3B4C75A7").p, 16);
        assert_true(session_keys_derive(&src, &k));
        assert_int_equal(k.cipher_key_len, 16);
        assert_bytes_equal(bytes_of(k.signing, 16), hex("73FE7A9A77BEF0BDE49C650D8CCB5F76"));
        assert_bytes_equal(bytes_of(k.server_in, 16), hex("629BCBC54422A0F572B97F45989B6073"));
        assert_bytes_equal(bytes_of(k.server_out, 16), hex("E2AF0DCEFAC68DA71A0DFBD0D1350D74"));
        assert_bytes_equal(bytes_of(k.application, 16), hex("6D7AD7954E9EC61E907B4D473DC178FF"));
        assert_true(channel_signing_key_derive(0x0311, src.session_key, src.preauth_hash, channel));
        assert_memory_equal(channel, k.signing, 16);
}

/* Made with Python's hmac: the ciphers' keys have 256 bits and come from the full key. */
static void keys_of_256_bits(void **state)
{
        (void)state;
        uint8_t full[64];
        for (size_t i = 0; i < sizeof full; i++)
                full[i] = (uint8_t)i;
        struct session_key_source src = {.dialect = 0x0311,
                                         .cipher_256 = true,
                                         .full_key = bytes_of(full, 32),
                                         .preauth_hash = full};
        struct session_keys k;
        memcpy(src.session_key, full, 16);
        assert_true(session_keys_derive(&src, &k));
        assert_int_equal(k.cipher_key_len, 32);
        assert_bytes_equal(bytes_of(k.server_in, 32), hex("e568de865ae188f20138931c5423898f"
                                                          "c0d5e94fa094b72d474fc56cf5703db6"));
        assert_bytes_equal(bytes_of(k.server_out, 32), hex("53f8b2fb513a90f5231f5ac12ba0a24b"
                                                           "9eed8f6e80596136560f1b0003e8d2ae"));
        assert_bytes_equal(bytes_of(k.signing, 16), hex("f7e5401ecc6e79ef9eab401b05004e4f"));
        assert_bytes_equal(bytes_of(k.application, 16), hex("3b37360639dd593424d252bd73a0c0ff"));
}

static void dialects_differ(void **state)
{
        (void)state;
        struct session_keys k;
        struct session_key_source src = {.dialect = 0x0210, .session_key = {1, 2, 3}};
        assert_true(session_keys_derive(&src, &k));
        assert_memory_equal(k.signing, src.session_key, 16);
        assert_memory_equal(k.application, src.session_key, 16);
        assert_int_equal(k.cipher_key_len, 0);
        src.dialect = 0x02FF;
        assert_false(session_keys_derive(&src, &k));
        src.dialect = 0x0311; /* without a hash */
        assert_false(session_keys_derive(&src, &k));
        assert_false(channel_signing_key_derive(0x0210, src.session_key, NULL, k.signing));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(kdf_counts_rounds),
                cmocka_unit_test(keys_match_windows_3_0),
                cmocka_unit_test(keys_match_windows_3_1_1),
                cmocka_unit_test(keys_of_256_bits),
                cmocka_unit_test(dialects_differ),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
