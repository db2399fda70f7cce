/* The examples of [MS-SMB2] 4.5 to 4.7. The specification prints fields, not bytes: the bytes here
 * were laid out from those fields by hand, after section 2.2. Left out are the READ request (in
 * read_write_test.c) and messages of which fields are missing there (the data of READ and WRITE) or
 * hold rubbish (Reserved1 of the CREATE responses). */
#include "base/testing.h"

#include "wire/smb2/roundtrip.h"

struct example {
        const char *name;
        uint16_t command;
        bool is_request;
        const char *hex;
};

/* clang-format off */
static const struct example examples[] = {
        {"4.5 CREATE request", SMB2_CREATE, true,
         "fe534d42400000000000000005006f0000000000000000000a000000000000000000000005000000110000"
         "00000400000000000000000000000000000000000039000009020000000000000000000000000000000000"
         "00008900120080000000030000000100000060000000780018000000000000000000740065007300740066"
         "0069006c0065002e00740078007400"},
        {"4.5 CLOSE request", SMB2_CLOSE, true,
         "fe534d42400000000000000006006f0000000000000000000c000000000000000000000005000000110000"
         "0000040000000000000000000000000000000000001800010000000000090000000000000001000000ffff"
         "ffff"},
        {"4.5 CLOSE response", SMB2_CLOSE, false,
         "fe534d4240000000000000000600010001000000000000000c000000000000000000000005000000110000"
         "0000040000000000000000000000000000000000003c0001000000000080920bccc1a6c6014051fe59c2a6"
         "c60120df514dc2a6c60120df514dc2a6c6010000000000000000000000000000000010000000"},
        {"4.6 CREATE request", SMB2_CREATE, true,
         "fe534d42400000000000000005006f0000000000000000000a000000000000000000000001000000150000"
         "00000400000000000000000000000000000000000039000009020000000000000000000000000000000000"
         "0000970113002000000000000000050000004c00000078001000000000000000000074006500730074002e"
         "00640061007400"},
        {"4.6 SET_INFO request", SMB2_SET_INFO, true,
         "fe534d42400000000000000011006f0000000000000000000b000000000000000000000001000000150000"
         "00000400000000000000000000000000000000000021000114080000006000000000000000190000000000"
         "000005000000ffffffff00f0020000000000"},
        {"4.6 SET_INFO response", SMB2_SET_INFO, false,
         "fe534d4240000000000000001100010001000000000000000b000000000000000000000001000000150000"
         "0000040000000000000000000000000000000000000200"},
        {"4.6 WRITE response, the first", SMB2_WRITE, false,
         "fe534d4240000000000000000900010001000000000000000c000000000000000000000001000000150000"
         "00000400000000000000000000000000000000000011000000000001000000000000000000"},
        {"4.6 WRITE response, the last", SMB2_WRITE, false,
         "fe534d4240000000000000000900010001000000000000000e000000000000000000000001000000150000"
         "0000040000000000000000000000000000000000001100000000f000000000000000000000"},
        {"4.6 CLOSE request", SMB2_CLOSE, true,
         "fe534d42400000000000000006006f0000000000000000000f000000000000000000000001000000150000"
         "0000040000000000000000000000000000000000001800010000000000190000000000000005000000ffff"
         "ffff"},
        {"4.6 CLOSE response", SMB2_CLOSE, false,
         "fe534d4240000000000000000600010001000000000000000f000000000000000000000001000000150000"
         "0000040000000000000000000000000000000000003c0001000000000080a336adc2a6c60140a8adadc2a6"
         "c601d943b55e58a0c601216d1873c2a6c601000003000000000000f002000000000020000000"},
        {"4.7 TREE_DISCONNECT request", SMB2_TREE_DISCONNECT, true,
         "fe534d42400000000000000004006f00000000000000000020000000000000000000000001000000150000"
         "00000400000000000000000000000000000000000004000000"},
        {"4.7 TREE_DISCONNECT response", SMB2_TREE_DISCONNECT, false,
         "fe534d42400000000000000004000100010000000000000020000000000000000000000001000000150000"
         "00000400000000000000000000000000000000000004000000"},
        {"4.7 LOGOFF request", SMB2_LOGOFF, true,
         "fe534d42400000000000000002006f00000000000000000021000000000000000000000000000000150000"
         "00000400000000000000000000000000000000000004000000"},
        {"4.7 LOGOFF response", SMB2_LOGOFF, false,
         "fe534d42400000000000000002000100010000000000000021000000000000000000000000000000150000"
         "00000400000000000000000000000000000000000004000000"},
};
/* clang-format on */

/* Every field is printed and none is ignored, so that what was decoded encodes to the same bytes.
 */
static void test_examples_decode_and_encode(void **state)
{
        static uint8_t out[4096];
        for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
                const struct example *e = &examples[i];
                struct bytes msg = hex(e->hex);
                struct writer w = wr_into(out, sizeof out);
                if (!smb2_roundtrip(e->command, e->is_request, msg, &w))
                        fail_msg("%s does not decode", e->name);
                if (!wr_ok(&w) || !bytes_eq(wr_done(&w), msg))
                        fail_msg("%s encodes to other bytes", e->name);
        }
}

static void test_examples_cut(void **state)
{
        static uint8_t out[4096];
        for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
                const struct example *e = &examples[i];
                struct bytes msg = hex(e->hex);
                for (size_t n = 0; n < msg.n; n++) {
                        struct writer w = wr_into(out, sizeof out);
                        if (smb2_roundtrip(e->command, e->is_request, bytes_first(msg, n), &w))
                                fail_msg("%s cut to %zu was accepted", e->name, n);
                }
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_examples_decode_and_encode),
                cmocka_unit_test(test_examples_cut),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
