#include "base/testing.h"
#include "crypto/preauth.h"

/* The second connection's NEGOTIATE request, and the first's SESSION_SETUP requests and response,
 * in "SMB 2 and SMB 3 security in Windows 10: the anatomy of signing and cryptographic keys"
 * (Microsoft, 2017). */
static void hash_matches_windows(void **state)
{
        (void)state;
        struct preauth p;
        preauth_init(&p);
        struct bytes request = hex(
                "FE534D4240000100000000000000800000000000000000000100000000000000FFFE000000000000"
                "00000000000000000000000000000000000000000000000024000500010000003F000000ECD86F32"
                "6276024F9F7752B89BB33F3A70000000020000000202100200030203110300000100260000000000"
                "0100200001003E38B8B81A9AFB172278056F4898FD09A1B9976A49B2D771161FCD4D40DF7D7D0000"
                "0200060000000000020002000100");
        const struct bytes parts[] = {bytes_first(request, 64), bytes_from(request, 64)};
        preauth_add(&p, parts, 2);
        assert_bytes_equal(bytes_of(p.value, 64),
                           hex("F035C2B2BAB116E0DCF6A74E26670604D1BF6DDA065913AF7C30E93C1F025AC3CE2"
                               "DD44D4DE26524"
                               "A785E5D8E06AF0BE1C74296FEF05B045C3793A12B32C49DF"));
}

static void hash_goes_on_from_a_copy(void **state)
{
        (void)state;
        struct preauth p, session;
        memcpy(p.value,
               hex("324BFA92A4F3A190E466EBEA08D9C110DC88BFED758D9846ECC6F541CC1D02AE3C94A79F36011E9"
                   "9"
                   "7E13F841B91B50957AD07B19C8E2539C0B23FDAE09D2C513")
                       .p,
               64);
        session = p;
        struct bytes request = hex(
                "FE534D4240000100000000000100800000000000000000000200000000000000FFFE000000000000"
                "00000000000000000000000000000000000000000000000019000001010000000000000058004A00"
                "0000000000000000604806062B0601050502A03E303CA00E300C060A2B06010401823702020AA22A"
                "04284E544C4D5353500001000000978208E200000000000000000000000000000000060380250000"
                "000F");
        preauth_add(&session, &request, 1);
        assert_bytes_equal(bytes_of(session.value, 64),
                           hex("AC0B0F2B9986257700365E416D142A6EDC96DF03594A19E52A15F6BD0D041CD5D43"
                               "2F8ED42C55E33"
                               "197A50C9EC00F1462B50C592211B1471A04B56088FDFD5F9"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hash_matches_windows),
                cmocka_unit_test(hash_goes_on_from_a_copy),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
