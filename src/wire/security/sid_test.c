#include "wire/security/sid.h"

#include "base/testing.h"

/* Bytes: owner and group of a file, as smbd 4.17 answered QUERY_INFO; texts: [MS-DTYP] 2.4.2.4. */
static const struct {
        const char *text, *packet;
} golden[] = {
        {"S-1-5-21-4079731513-657733239-794613000-1000",
         "01 05 000000000005 15000000 39c32bf3 77363427 08d55c2f e8030000"},
        {"S-1-22-2-0", "01 02 000000000016 02000000 00000000"},
        {"S-1-1-0", "01 01 000000000001 00000000"},
        {"S-1-5-32-544", "01 02 000000000005 20000000 20020000"},
        {"S-1-16-8192", "01 01 000000000010 00200000"},
        {"S-1-0xFFFFFFFFFFFF-4294967295", "01 01 ffffffffffff ffffffff"},
};

static void text_and_packet_agree(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
                struct sid a, b;
                char text[SID_TEXT_MAX];
                uint8_t room[SID_MAX_BYTES];
                struct writer w = wr_into(room, sizeof room);
                struct bytes packet = hex(golden[i].packet);
                assert_true(sid_decode(packet, &a));
                assert_true(sid_of_text(golden[i].text, &b));
                sid_to_text(&a, text);
                assert_string_equal(text, golden[i].text);
                assert_true(sid_eq(&a, &b));
                sid_put(&w, &b);
                assert_bytes_equal(wr_done(&w), packet);
                assert_int_equal(sid_len(&b), packet.n);
                for (size_t n = 0; n < packet.n; n++)
                        assert_false(sid_decode(bytes_first(packet, n), &a));
        }
}

static void bad_packets_are_refused(void **state)
{
        (void)state;
        static const char *const bad[] = {
                "02 01 000000000001 00000000", /* revision */
                "01 10 000000000001 00000000", /* 16 sub-authorities */
                "01 ff 000000000001 00000000",
                "01 01 000000000001 00000000 00", /* something behind it */
                "01 02 000000000001 00000000",    /* one short */
        };
        struct sid s;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
                assert_false(sid_decode(hex(bad[i]), &s));
        struct bytes b = hex("01 10 000000000001 00000000");
        struct cursor c = cur_of(b);
        assert_int_equal(sid_get(&c).count, 0); /* nothing of a bad one leaks out */
}

static void bad_texts_are_refused(void **state)
{
        (void)state;
        static const char *const bad[] = {
                "",
                "S",
                "S-",
                "S-1",
                "S-1-",
                "S-1-5",
                "S-1-5-",
                "S-2-5-1",
                "S-1-5-1x",
                "S-1-05-1",
                "S-1-5-01",
                "S-1-5-4294967296",
                "S-1-4294967296-1",
                "S-1-0x1000000000000-1",
                "S-1-0x-1",
                "S-1-5--1",
                " S-1-5-1",
                "S-1-5-1 ",
                "S-1-5-18446744073709551617",
                "S-1-5-1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16",
        };
        struct sid s;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
                if (sid_of_text(bad[i], &s))
                        fail_msg("accepted '%s'", bad[i]);
        assert_true(sid_of_text("s-1-0X0000000000005-1-2-3-4-5-6-7-8-9-10-11-12-13-14-15", &s));
        assert_int_equal(s.count, 15);
        assert_int_equal(s.authority, 5);
}

static void longest_text_fits(void **state)
{
        (void)state;
        struct sid s = {.revision = 1, .count = 15, .authority = 0xFFFFFFFFFFFF}, back;
        char text[SID_TEXT_MAX];
        memset(s.sub, 0xFF, sizeof s.sub);
        sid_to_text(&s, text);
        assert_int_equal(strlen(text), SID_TEXT_MAX - 1);
        assert_true(sid_of_text(text, &back));
        assert_true(sid_eq(&s, &back));
}

static void order_is_total(void **state)
{
        (void)state;
        static const char *const rising[] = {"S-1-1-0", "S-1-5-1", "S-1-5-1-0", "S-1-5-2",
                                             "S-1-16-1"};
        for (size_t i = 0; i < 5; i++)
                for (size_t j = 0; j < 5; j++) {
                        struct sid a, b;
                        assert_true(sid_of_text(rising[i], &a) && sid_of_text(rising[j], &b));
                        assert_int_equal(sid_cmp(&a, &b), (i > j) - (i < j));
                }
}

static void domain_membership(void **state)
{
        (void)state;
        struct sid domain, user, other;
        assert_true(sid_of_text("S-1-5-21-1-2-3", &domain));
        assert_true(sid_of_text("S-1-5-21-1-2-3-1000", &user));
        assert_true(sid_of_text("S-1-5-21-1-2-4-1000", &other));
        assert_true(sid_is_in_domain(&user, &domain));
        assert_false(sid_is_in_domain(&other, &domain));
        assert_false(sid_is_in_domain(&domain, &domain));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(text_and_packet_agree), cmocka_unit_test(bad_packets_are_refused),
                cmocka_unit_test(bad_texts_are_refused), cmocka_unit_test(longest_text_fits),
                cmocka_unit_test(order_is_total),        cmocka_unit_test(domain_membership),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
