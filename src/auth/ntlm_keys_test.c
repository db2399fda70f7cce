#include "auth/ntlm_keys.h"
#include "auth/user_db.h"
#include "base/testing.h"
#include "crypto/hash.h"

/* [MS-NLMP] 4.2.1, 4.2.4. */
static void keys_of_the_specification(void **state)
{
        (void)state;
        uint8_t hash[16], key[16], proof[16], base[16], session[16];
        struct bytes blob = hex("01010000000000000000000000000000aaaaaaaaaaaaaaaa0000000002000c00"
                                "44006f006d00610069006e0001000c00530065007200760065007200"
                                "0000000000000000");
        assert_true(user_hash_password("Password", hash));
        assert_bytes_equal(bytes_of(hash, 16), hex("a4f49c406510bdcab6824ee7c30fd852"));
        assert_true(ntlm_ntowfv2(hash, "User", "Domain", key));
        assert_bytes_equal(bytes_of(key, 16), hex("0c868a403bfd7a93a3001ef22ef02e3f"));
        assert_true(
                ntlm_ntowfv2(hash, "uSER", "Domain", session)); /* the user's case is no matter */
        assert_memory_equal(session, key, 16);
        ntlm_proof(key, hex("0123456789abcdef").p, blob, proof);
        assert_bytes_equal(bytes_of(proof, 16), hex("68cd0ab851e51c96aabc927bebef6a1c"));
        ntlm_session_base_key(key, proof, base);
        assert_bytes_equal(bytes_of(base, 16), hex("8de40ccadbc14a82f15cb0ad0de95ca3"));
        memset(session, 0x55, sizeof session);
        assert_true(rc4_once(bytes_of(base, 16), session, 16));
        assert_bytes_equal(bytes_of(session, 16), hex("c5dad2544fc9799094ce1ce90bc9d03e"));
        struct ntlm_context_keys k;
        memset(session, 0x55, sizeof session);
        ntlm_context_keys_init(&k, session, true);
        assert_bytes_equal(bytes_of(k.seal[0], 16), hex("59f600973cc4960a25480a7c196e4c58"));
        assert_bytes_equal(bytes_of(k.sign[0], 16), hex("4788dc861b4782f35d43fd98fe1a2d39"));
}

/* The 3.1.1 example of "SMB 2 and SMB 3 security in Windows 10: the anatomy of signing and
 * cryptographic keys" (Microsoft open specifications blog, 2017): messages, session key, and both
 * mechListMICs. */
#define WINDOWS_NEGOTIATE                                                                          \
        "4E544C4D5353500001000000978208E200000000000000000000000000000000060380250000000F"
#define WINDOWS_CHALLENGE                                                                          \
        "4e544c4d53535000020000000c000c003800000015828ae20d1d8ba31179d00800000000"                 \
        "0000000050005000440000000a0092270000000f53005500540033003100310002000c00"                 \
        "53005500540033003100310001000c0053005500540033003100310004000c0053005500"                 \
        "540033003100310003000c0053005500540033003100310007000800a1a1f5adcbaed001"                 \
        "00000000"
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

static void mics_of_windows(void **state)
{
        (void)state;
        struct bytes key = hex("270E1BA896585EEB7AF3472D3B4C75A7");
        struct bytes list = hex("300C060A2B06010401823702020A");
        uint8_t mic[16];
        struct ntlm_context_keys k;
        ntlm_message_mic(key.p, hex(WINDOWS_NEGOTIATE), hex(WINDOWS_CHALLENGE),
                         hex(WINDOWS_AUTHENTICATE), mic);
        assert_bytes_equal(bytes_of(mic, 16), hex("ECAC77A5F385A8BF9C38C706EEEDDCD3"));
        ntlm_context_keys_init(&k, key.p, true);
        assert_true(ntlm_first_signature(&k, false, list, mic));
        assert_bytes_equal(bytes_of(mic, 16), hex("0100000063775A9A5FD97F0600000000"));
        assert_true(ntlm_first_signature(&k, true, list, mic));
        assert_bytes_equal(bytes_of(mic, 16), hex("010000003B453CDC3524164200000000"));
}

static void passwords_are_text(void **state)
{
        (void)state;
        uint8_t hash[16];
        assert_true(user_hash_password("", hash)); /* MD4 of nothing, RFC 1320 A.5 */
        assert_bytes_equal(bytes_of(hash, 16), hex("31d6cfe0d16ae931b73c59d7e0c089c0"));
        assert_false(user_hash_password("\xff", hash));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(keys_of_the_specification),
                cmocka_unit_test(mics_of_windows),
                cmocka_unit_test(passwords_are_text),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
