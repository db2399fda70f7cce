/* Listings of a folder with ".", "..", "long-name.bin" and "a.txt", as smbd 4.17 answered
 * QUERY_DIRECTORY in six classes; the others by hand from [MS-FSCC] 2.4.18-2.4.23. */
#include "wire/fscc/directory.h"

#include "base/utf16.h"
#include "wire/fscc/golden.h"

static const struct {
        enum file_class cls;
        const char *listing;
} captured[] = {
        {FILE_DIRECTORY_INFORMATION,
         "48000000000000007393d0b31c81dd01b969d4b31c81dd017393d0b31c81dd017393d0b31c81dd01"
         "0000000000000000000000000000000010000000020000002e000000000000004800000000000000"
         "7393d0b31c81dd01e268d4b31c81dd017393d0b31c81dd017393d0b31c81dd010000000000000000"
         "000000000000000010000000040000002e002e000000000060000000000000008000c44a19c1d501"
         "8000c44a19c1d5018000c44a19c1d5018000c44a19c1d5010a000000000000000010000000000000"
         "800000001a0000006c006f006e0067002d006e0061006d0065002e00620069006e00000000000000"
         "00000000000000008000c44a19c1d5018000c44a19c1d5018000c44a19c1d5018000c44a19c1d501"
         "05000000000000000020000000000000200000000a00000061002e00740078007400"},
        {FILE_FULL_DIRECTORY_INFORMATION,
         "48000000000000007393d0b31c81dd01b969d4b31c81dd017393d0b31c81dd017393d0b31c81dd01"
         "000000000000000000000000000000001000000002000000000000002e0000004800000000000000"
         "7393d0b31c81dd01e268d4b31c81dd017393d0b31c81dd017393d0b31c81dd010000000000000000"
         "00000000000000001000000004000000000000002e002e0060000000000000008000c44a19c1d501"
         "8000c44a19c1d5018000c44a19c1d5018000c44a19c1d5010a000000000000000010000000000000"
         "800000001a000000000000006c006f006e0067002d006e0061006d0065002e00620069006e000000"
         "00000000000000008000c44a19c1d5018000c44a19c1d5018000c44a19c1d5018000c44a19c1d501"
         "05000000000000000020000000000000200000000a0000001100000061002e00740078007400"},
        {FILE_BOTH_DIRECTORY_INFORMATION,
         "60000000000000007393d0b31c81dd01b969d4b31c81dd017393d0b31c81dd017393d0b31c81dd01"
         "00000000000000000000000000000000100000000200000000000000000000000000000000000000"
         "00000000000000000000000000002e0068000000000000007393d0b31c81dd01e268d4b31c81dd01"
         "7393d0b31c81dd017393d0b31c81dd01000000000000000000000000000000001000000004000000"
         "0000000000000000000000000000000000000000000000000000000000002e002e00000000000000"
         "78000000000000008000c44a19c1d5018000c44a19c1d5018000c44a19c1d5018000c44a19c1d501"
         "0a000000000000000010000000000000800000001a00000000000000000000000000000000000000"
         "00000000000000000000000000006c006f006e0067002d006e0061006d0065002e00620069006e00"
         "00000000000000008000c44a19c1d5018000c44a19c1d5018000c44a19c1d5018000c44a19c1d501"
         "05000000000000000020000000000000200000000a00000011000000000000000000000000000000"
         "000000000000000000000000000061002e00740078007400"},
        {FILE_NAMES_INFORMATION,
         "1000000000000000020000002e0000001000000000000000040000002e002e002800000000000000"
         "1a0000006c006f006e0067002d006e0061006d0065002e00620069006e0000000000000000000000"
         "0a00000061002e00740078007400"},
        {FILE_ID_BOTH_DIRECTORY_INFORMATION,
         "70000000000000007393d0b31c81dd01b969d4b31c81dd017393d0b31c81dd017393d0b31c81dd01"
         "00000000000000000000000000000000100000000200000000000000000000000000000000000000"
         "000000000000000000000000000000008e74a700000000002e000000000000007000000000000000"
         "7393d0b31c81dd01e268d4b31c81dd017393d0b31c81dd017393d0b31c81dd010000000000000000"
         "00000000000000001000000004000000000000000000000000000000000000000000000000000000"
         "00000000000000001a60a700000000002e002e000000000088000000000000008000c44a19c1d501"
         "8000c44a19c1d5018000c44a19c1d5018000c44a19c1d5010a000000000000000010000000000000"
         "800000001a0000000000000000000000000000000000000000000000000000000000000000000000"
         "9074a700000000006c006f006e0067002d006e0061006d0065002e00620069006e00000000000000"
         "00000000000000008000c44a19c1d5018000c44a19c1d5018000c44a19c1d5018000c44a19c1d501"
         "05000000000000000020000000000000200000000a00000011000000000000000000000000000000"
         "000000000000000000000000000000008f74a7000000000061002e00740078007400"},
        {FILE_ID_FULL_DIRECTORY_INFORMATION,
         "58000000000000007393d0b31c81dd01b969d4b31c81dd017393d0b31c81dd017393d0b31c81dd01"
         "00000000000000000000000000000000100000000200000000000000000000008e74a70000000000"
         "2e0000000000000058000000000000007393d0b31c81dd01e268d4b31c81dd017393d0b31c81dd01"
         "7393d0b31c81dd010000000000000000000000000000000010000000040000000000000000000000"
         "1a60a700000000002e002e000000000070000000000000008000c44a19c1d5018000c44a19c1d501"
         "8000c44a19c1d5018000c44a19c1d5010a000000000000000010000000000000800000001a000000"
         "00000000000000009074a700000000006c006f006e0067002d006e0061006d0065002e0062006900"
         "6e0000000000000000000000000000008000c44a19c1d5018000c44a19c1d5018000c44a19c1d501"
         "8000c44a19c1d50105000000000000000020000000000000200000000a0000001100000000000000"
         "8f74a7000000000061002e00740078007400"},
};

static const char *const names[] = {".", "..", "long-name.bin", "a.txt"};

static size_t decode_all(struct bytes listing, enum file_class cls, struct dir_entry e[8],
                         bool *bad)
{
        size_t n = 0;
        *bad = false;
        while (n < 8 && dir_list_next(&listing, cls, &e[n], bad))
                n++;
        return n;
}

static void captured_listings(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof captured / sizeof *captured; i++) {
                struct dir_entry e[8];
                struct bytes listing = hex(captured[i].listing);
                uint8_t room[4096];
                bool bad;
                struct dir_list l = dir_list_into(room, sizeof room, captured[i].cls);
                assert_int_equal(decode_all(listing, captured[i].cls, e, &bad), 4);
                assert_false(bad);
                for (size_t k = 0; k < 4; k++) {
                        assert_utf16_is(e[k].name_utf16, names[k]);
                        e[k].name = names[k];
                        e[k].short_raw = NULL;
                        assert_true(dir_list_append(&l, &e[k]));
                }
                assert_bytes_equal(dir_list_done(&l), listing);
                if (captured[i].cls == FILE_NAMES_INFORMATION)
                        continue;
                assert_int_equal(e[3].end_of_file, 5);
                assert_int_equal(e[2].attributes, FILE_ATTRIBUTE_NORMAL);
                assert_true(e[3].write_ft == 0x01d5c1194ac40080);
        }
}

static void truncated_listings(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof captured / sizeof *captured; i++) {
                struct bytes listing = hex(captured[i].listing);
                for (size_t n = 1; n < listing.n; n++) {
                        struct dir_entry e[8];
                        bool bad;
                        (void)decode_all(bytes_first(listing, n), captured[i].cls, e, &bad);
                        assert_true(bad);
                }
        }
}

/* An entry that does not fit leaves the listing as it was, whatever room there is. */
static void entries_fit_or_change_nothing(void **state)
{
        (void)state;
        const struct dir_entry e = {.name = "a.txt", .short_name = "A.TXT"};
        for (size_t max = 0; max < 600; max++) {
                uint8_t room[600];
                struct dir_list l = dir_list_into(room, max, FILE_ID_BOTH_DIRECTORY_INFORMATION);
                size_t fitted = 0;
                while (dir_list_append(&l, &e))
                        fitted++;
                /* 114 bytes an entry, 120 with the padding that only a next entry brings */
                assert_int_equal(fitted, max < 114 ? 0 : (max - 114) / 120 + 1);
                assert_int_equal(dir_list_done(&l).n, fitted ? (fitted - 1) * 120 + 114 : 0);
                struct dir_entry back[8];
                bool bad;
                assert_int_equal(decode_all(dir_list_done(&l), FILE_ID_BOTH_DIRECTORY_INFORMATION,
                                            back, &bad),
                                 fitted);
                assert_false(bad);
        }
}

static void fixed_parts_have_the_sizes_of_the_table(void **state)
{
        (void)state;
        size_t classes = 0;
        for (unsigned k = 0; k < 256; k++) {
                const struct fscc_class *c = fscc_file_class(k);
                if (!c || !c->is_directory)
                        continue;
                uint8_t room[256];
                struct dir_list l = dir_list_into(room, sizeof room, (enum file_class)k);
                const struct dir_entry e = {.name = ""};
                assert_true(dir_list_append(&l, &e));
                assert_int_equal(dir_list_done(&l).n, c->query_min);
                classes++;
        }
        assert_int_equal(classes, 12);
}

/* [MS-FSCC] 2.4.20, byte for byte: every field that any class knows. */
static void the_largest_class(void **state)
{
        (void)state;
        const struct dir_entry e = {
                .file_index = 1,
                .create_ft = 2,
                .access_ft = 3,
                .write_ft = 4,
                .change_ft = 5,
                .end_of_file = 6,
                .allocation = 7,
                .attributes = FILE_ATTRIBUTE_REPARSE_POINT,
                .ea_size = 99,
                .reparse_tag = IO_REPARSE_TAG_SYMLINK,
                .file_id = 8,
                .file_id128 = {9},
                .name = "n",
                .short_name = "s",
        };
        uint8_t room[256];
        struct dir_list l =
                dir_list_into(room, sizeof room, FILE_ID_ALL_EXTD_BOTH_DIRECTORY_INFORMATION);
        assert_true(dir_list_append(&l, &e));
        assert_bytes_equal(
                dir_list_done(&l),
                hex("00000000 01000000 0200000000000000 0300000000000000 0400000000000000"
                    "0500000000000000 0600000000000000 0700000000000000 00040000 02000000"
                    "0c0000a0 0c0000a0 0800000000000000 09000000000000000000000000000000"
                    "02 00 7300 00000000000000000000000000000000000000000000 6e00"));
        struct dir_entry back[8];
        bool bad;
        assert_int_equal(decode_all(dir_list_done(&l), FILE_ID_ALL_EXTD_BOTH_DIRECTORY_INFORMATION,
                                    back, &bad),
                         1);
        assert_int_equal(back[0].reparse_tag, IO_REPARSE_TAG_SYMLINK);
        assert_utf16_is(back[0].short_utf16, "s");
}

static void raw_short_names_and_long_ones(void **state)
{
        (void)state;
        static const uint8_t raw[DIR_SHORT_NAME_BYTES] = {1, 2, 3, 4};
        uint8_t room[256];
        struct dir_entry e = {.name = "", .short_raw = raw, .reserved2 = 0x81a4};
        struct dir_list l = dir_list_into(room, sizeof room, FILE_ID_BOTH_DIRECTORY_INFORMATION);
        assert_true(dir_list_append(&l, &e));
        assert_bytes_equal(bytes_of(room + 68, 28), hex("00 00 01020304 00000000000000000000000000"
                                                        "00000000000000 a481"));
        e = (struct dir_entry){.name = "", .short_name = "much too long"};
        l = dir_list_into(room, sizeof room, FILE_BOTH_DIRECTORY_INFORMATION);
        assert_true(dir_list_append(&l, &e));
        assert_int_equal(room[68], 0); /* no 8.3 name: said as none */
}

static void hostile_listings(void **state)
{
        (void)state;
        static const char *const bad_names[] = {
                "00000000 00000000 00000100 6100",              /* name length past the end */
                "04000000 00000000 02000000 61000000",          /* next inside this entry */
                "ffffffff 00000000 02000000 61000000",          /* next far outside */
                "10000000 00000000 02000000 61000000",          /* next at the end */
                "0e000000 00000000 02000000 61000000 00000000", /* next too short */
                "0c000000 00000000 02000000 00000000 00000000 00000000", /* name inside the next */
        };
        for (size_t i = 0; i < sizeof bad_names / sizeof *bad_names; i++) {
                struct dir_entry e[8];
                bool bad;
                (void)decode_all(hex(bad_names[i]), FILE_NAMES_INFORMATION, e, &bad);
                assert_true(bad);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(captured_listings),
                cmocka_unit_test(truncated_listings),
                cmocka_unit_test(entries_fit_or_change_nothing),
                cmocka_unit_test(fixed_parts_have_the_sizes_of_the_table),
                cmocka_unit_test(the_largest_class),
                cmocka_unit_test(raw_short_names_and_long_ones),
                cmocka_unit_test(hostile_listings),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
