/* Bytes by hand from [MS-FSCC] 2.1.2. */
#include "wire/fscc/reparse.h"

#include "base/limits.h"
#include "base/utf16.h"
#include "wire/fscc/golden.h"

#define LINK "0c0000a0 1400 0000 0000 0400 0400 0400 01000000 62002e00 62002e00"

static void symbolic_links(void **state)
{
        (void)state;
        struct reparse r;
        struct reparse_symlink s;
        struct bytes whole = hex(LINK);
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        reparse_symlink_encode(&w, "b.", "b.", true);
        assert_bytes_equal(wr_done(&w), whole);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(reparse_decode(bytes_first(whole, n), &r));
        assert_true(reparse_decode(whole, &r));
        assert_true(reparse_symlink_decode(&r, &s));
        assert_true(s.relative);
        assert_utf16_is(s.substitute_utf16, "b.");
        assert_utf16_is(s.print_utf16, "b.");
        w = wr_into(room, sizeof room);
        reparse_encode(&w, &r);
        assert_bytes_equal(wr_done(&w), whole);
        struct bytes data = r.data;
        for (size_t n = 0; n < data.n; n++) {
                r.data = bytes_first(data, n);
                assert_false(reparse_symlink_decode(&r, &s));
        }
}

static void hostile_links(void **state)
{
        (void)state;
        static const char *const bad[] = {
                "0000 0600 0400 0400 00000000 61006100", /* substitute past the end */
                "0000 0400 0200 0400 00000000 61006100", /* print past the end */
                "ffff 0400 0000 0400 00000000 61006100",
                "0000 0300 0000 0400 00000000 61006100", /* odd */
                "0100 0200 0000 0400 00000000 61006100",
        };
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                struct reparse r = {.tag = IO_REPARSE_TAG_SYMLINK, .data = hex(bad[i])};
                struct reparse_symlink s;
                assert_false(reparse_symlink_decode(&r, &s));
        }
}

static void mount_points(void **state)
{
        (void)state;
        struct reparse r;
        struct reparse_symlink s;
        assert_true(reparse_decode(hex("030000a0 0c00 0000 0000 0200 0200 0200 61006200"), &r));
        assert_true(reparse_symlink_decode(&r, &s));
        assert_utf16_is(s.print_utf16, "b");
}

static void lengths_must_agree(void **state)
{
        (void)state;
        struct reparse r;
        assert_true(reparse_decode(hex("12000080 0200 0000 aabb"), &r));
        assert_false(r.has_guid);
        assert_false(reparse_decode(hex("12000080 0100 0000 aabb"), &r));
        assert_false(reparse_decode(hex("12000080 0300 0000 aabb"), &r));
        /* a tag that is not Microsoft's carries a GUID */
        assert_true(reparse_decode(hex("12000000 0200 0000 000102030405060708090a0b0c0d0e0f aabb"),
                                   &r));
        assert_true(r.has_guid);
        assert_int_equal(r.data.n, 2);
        assert_false(reparse_decode(hex("12000000 0200 0000 aabb"), &r));
        static uint8_t big[LIMIT_REPARSE_BYTES + 1];
        struct writer w = wr_into(big, 8);
        wr_u32(&w, IO_REPARSE_TAG_DFSR);
        wr_u16(&w, sizeof big - 8);
        assert_false(reparse_decode(bytes_of(big, sizeof big), &r));
        w = wr_into(big, 8);
        wr_u32(&w, IO_REPARSE_TAG_DFSR);
        wr_u16(&w, sizeof big - 9);
        assert_true(reparse_decode(bytes_of(big, sizeof big - 1), &r));
}

static void unix_things(void **state)
{
        (void)state;
        static const struct {
                const char *in, *target;
                struct reparse_nfs f;
        } row[] = {
                {"14000080 1000 0000 4348520000000000 01000000 02000000",
                 "",
                 {.type = NFS_SPECFILE_CHR, .major = 1, .minor = 2}},
                {"14000080 0800 0000 4649464f00000000", "", {.type = NFS_SPECFILE_FIFO}},
                {"14000080 0a00 0000 4c4e4b0100000000 6200", "b", {.type = NFS_SPECFILE_LNK}},
        };
        for (size_t i = 0; i < 3; i++) {
                struct reparse r;
                struct reparse_nfs f;
                uint8_t room[64];
                struct writer w = wr_into(room, sizeof room);
                reparse_nfs_encode(&w, &row[i].f, row[i].target);
                assert_bytes_equal(wr_done(&w), hex(row[i].in));
                assert_true(reparse_decode(hex(row[i].in), &r));
                assert_true(reparse_nfs_decode(&r, &f));
                assert_true(f.type == row[i].f.type && f.minor == row[i].f.minor);
                assert_utf16_is(f.target_utf16, row[i].target);
        }
        struct reparse r = {.tag = IO_REPARSE_TAG_NFS, .data = hex("0102030405060708")};
        struct reparse_nfs f;
        assert_false(reparse_nfs_decode(&r, &f)); /* a type that is not in the table */
}

static void linux_links(void **state)
{
        (void)state;
        struct reparse r;
        struct bytes target;
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        reparse_lx_symlink_encode(&w, "../x");
        assert_bytes_equal(wr_done(&w), hex("1d0000a0 0800 0000 02000000 2e2e2f78"));
        assert_true(reparse_decode(wr_done(&w), &r));
        assert_true(reparse_lx_symlink_decode(&r, &target));
        assert_bytes_equal(target, bytes_str("../x"));
        r.data = hex("01000000 61");
        assert_false(reparse_lx_symlink_decode(&r, &target));
        r.data = hex("02000000 6100");
        assert_false(reparse_lx_symlink_decode(&r, &target));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(symbolic_links), cmocka_unit_test(hostile_links),
                cmocka_unit_test(mount_points),   cmocka_unit_test(lengths_must_agree),
                cmocka_unit_test(unix_things),    cmocka_unit_test(linux_links),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
