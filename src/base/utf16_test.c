#include "base/testing.h"
#include "base/utf16.h"

static void round_trips(void **state)
{
        (void)state;
        static const struct {
                const char *name, *utf16, *utf8;
        } row[] = {
                {"ascii", "6100 6200", "ab"},
                {"umlaut", "e400", "\xc3\xa4"},
                {"outside the BMP", "3dd8 00de", "\xf0\x9f\x98\x80"},
                {"lone high surrogate", "3dd8", "\xed\xa0\xbd"},
                {"lone low surrogate", "00de 6100",
                 "\xed\xb8\x80"
                 "a"},
                {"two high surrogates", "3dd8 3dd8 00de", "\xed\xa0\xbd\xf0\x9f\x98\x80"},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                char out[32];
                uint8_t back[32];
                struct writer w = wr_into(back, sizeof back);
                assert_true(utf16_to_utf8(hex(row[i].utf16), out, sizeof out));
                assert_string_equal(out, row[i].utf8);
                wr_utf16(&w, out);
                assert_bytes_equal(wr_done(&w), hex(row[i].utf16));
                assert_int_equal(utf16_len(out), w.at);
        }
}

static void refuses(void **state)
{
        (void)state;
        char out[4];
        assert_false(utf16_to_utf8(hex("610062"), out, sizeof out)); /* odd */
        assert_string_equal(out, "");
        assert_false(utf16_to_utf8(hex("6100 0000"), out, sizeof out));           /* NUL inside */
        assert_false(utf16_to_utf8(hex("6100 6200 6300 6400"), out, sizeof out)); /* too long */
        assert_true(utf16_to_utf8(hex("6100 6200 6300"), out, sizeof out));
        assert_false(utf8_valid("\xc0\xaf")); /* overlong */
        assert_false(utf8_valid("\xf5\x80\x80\x80"));
        assert_false(utf8_valid("a\xff"));
        assert_false(utf8_valid("\xe4"));
        assert_true(utf8_valid("\xc3\xa4\xf0\x9f\x98\x80"));
}

static void compares_without_case(void **state)
{
        (void)state;
        assert_int_equal(name_casecmp("Readme.TXT", "rEADME.txt"), 0);
        assert_int_equal(name_casecmp("\xc3\xa4", "\xc3\x84"), 0);
        assert_true(name_casecmp("a", "b") < 0);
        assert_true(name_casecmp("ab", "a") > 0);
        assert_true(name_casehash("Stra\xc3\x9f"
                                  "e") == name_casehash("sTRA\xc3\x9f"
                                                        "E"));
        assert_true(name_casehash("a") != name_casehash("b"));
        char *up = utf8_upcase_new("a\xc3\xa4\xff");
        assert_string_equal(up, "A\xc3\x84\xef\xbf\xbd");
        free(up);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(round_trips),
                cmocka_unit_test(refuses),
                cmocka_unit_test(compares_without_case),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
