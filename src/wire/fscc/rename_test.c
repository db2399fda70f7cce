/* Bytes by hand from [MS-FSCC] 2.4.42.2 and 2.4.43. */
#include "wire/fscc/rename.h"

#include "base/utf16.h"
#include "wire/fscc/golden.h"

static void names_of_every_length(void **state)
{
        (void)state;
        static const struct {
                const char *in;
                bool ex;
                uint32_t flags;
                const char *name;
        } row[] = {
                {"01 ffffff ffffffff 0000000000000000 02000000 6100", false, 1, "a"}, /* unpadded */
                {"00 000000 00000000 0000000000000000 02000000 6100 0000", false, 0, "a"},
                {"00 000000 00000000 0000000000000000 00000000", false, 0, ""},
                {"43000000 00000000 0000000000000000 06000000 64005c006200", true, 0x43, "d\\b"},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct file_rename f;
                assert_true(file_rename_decode(hex(row[i].in), row[i].ex, &f));
                assert_int_equal(f.flags, row[i].flags);
                assert_utf16_is(f.name_utf16, row[i].name);
        }
}

static void encoded_with_padding(void **state)
{
        (void)state;
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        file_rename_encode(&w, false, FILE_RENAME_REPLACE_IF_EXISTS, "a");
        assert_bytes_equal(wr_done(&w),
                           hex("01000000 00000000 0000000000000000 02000000 6100 0000"));
        w = wr_into(room, sizeof room);
        file_rename_encode(&w, true, 0x43, "d\\b");
        assert_bytes_equal(wr_done(&w),
                           hex("43000000 00000000 0000000000000000 06000000 64005c006200"));
}

static void truncated_and_hostile(void **state)
{
        (void)state;
        struct file_rename f;
        struct bytes whole = hex("00000000 00000000 0000000000000000 06000000 64005c006200");
        for (size_t n = 0; n < whole.n; n++)
                assert_false(file_rename_decode(bytes_first(whole, n), n % 2, &f));
        whole = hex("00000000 00000000 0000000000000000 ffffffff 6400");
        assert_false(file_rename_decode(whole, false, &f));
        whole = hex("00000000 00000000 0100000000000000 02000000 6400");
        assert_true(file_rename_decode(whole, false, &f));
        assert_int_equal(f.root_directory, 1); /* the caller's to refuse */
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(names_of_every_length),
                cmocka_unit_test(encoded_with_padding),
                cmocka_unit_test(truncated_and_hostile),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
