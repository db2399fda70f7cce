/* The two stored forms shared with Samba. Golden bytes: written by smbd 4.17.12 (vfs acl_xattr,
 * store dos attributes) and read back with getfattr; the older versions made with Samba's own
 * encoder. */
#include "base/testing.h"
#include "store/posix/dosattrib.h"
#include "store/posix/ntacl.h"
#include "store/store.h"

#define DOS_V5 "0000 0500 0500 0000 11000000 22000000 e4dfaa971b81dd01"

static void dosattrib_golden(void **state)
{
        (void)state;
        struct dosattrib d;
        assert_true(dosattrib_decode(hex(DOS_V5), &d));
        assert_true(d.has_dos && d.has_btime);
        assert_int_equal(d.dos, STORE_DOS_HIDDEN | STORE_DOS_ARCHIVE);
        assert_true(d.btime_ft == 0x01dd811b97aadfe4);
        uint8_t buf[64];
        struct writer w = wr_into(buf, sizeof buf);
        dosattrib_encode(&w, &d, false);
        assert_bytes_equal(wr_done(&w), hex(DOS_V5));
        w = wr_into(buf, sizeof buf);
        d.dos = 0;
        d.btime_ft = 0x01dd811b97ab7cb3;
        dosattrib_encode(&w, &d, true); /* the directory beside it */
        assert_bytes_equal(wr_done(&w),
                           hex("0000 0500 0500 0000 11000000 10000000 b37cab971b81dd01"));
}

static void dosattrib_rows(void **state)
{
        (void)state;
        static const struct {
                const char *hex;
                bool ok;
                uint32_t dos;
                bool has_btime;
        } rows[] = {
                {"30783233", true, 0x23, false},   /* "0x23" */
                {"3078323300", true, 0x23, false}, /* "0x23", NUL */
                {"3078", false, 0, false},         /* no digits */
                {"3078675a", false, 0, false},     /* no hexadecimal */
                {"30783131313131313131313131", false, 0, false},
                {"00", false, 0, false},
                {"0000 0500 0400 0000 11000000 22000000 e4dfaa971b81dd01", false, 0, false},
                {"0000 0600 0600 0000 11000000 22000000 e4dfaa971b81dd01", false, 0, false},
                {"0000 0500 0500 0000 01000000 22000000 0000000000000000", true, 0x22, false},
                {"0000 0500 0500 0000 11000000 ffffffff e4dfaa971b81dd01", true, 0x3B27, true},
                /* version 4: a time more */
                {"0000 0400 0400 0000 51000000 20000000 1111111111111111 e4dfaa971b81dd01", true,
                 0x20, true},
                /* version 3: "0x20", sizes before the time */
                {"3078323000 00 0300 0300 0000 11000000 20000000 00000000 0000000000000000"
                 "0000000000000000 e4dfaa971b81dd01 0000000000000000",
                 true, 0x20, true},
        };
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                struct dosattrib d = {0};
                bool ok = dosattrib_decode(hex(rows[i].hex), &d);
                if (ok != rows[i].ok || d.dos != rows[i].dos || d.has_btime != rows[i].has_btime)
                        fail_msg("row %zu: %d %x %d", i, ok, d.dos, d.has_btime);
        }
}

static void dosattrib_truncated(void **state)
{
        (void)state;
        struct bytes b = hex(DOS_V5);
        struct dosattrib d;
        for (size_t n = 0; n < b.n; n++)
                assert_false(dosattrib_decode(bytes_first(b, n), &d));
}

/* One descriptor: owner S-1-5-18, empty DACL; offsets are filled in by the version. */
#define SD(owner, dacl)                                                                            \
        "01000480" owner "00000000 00000000" dacl "0101000000000005 12000000 0200080000000000"
#define ZERO64                                                                                     \
        "00000000000000000000000000000000 00000000000000000000000000000000"                        \
        "00000000000000000000000000000000 00000000000000000000000000000000"
#define PLAIN SD("14000000", "20000000")
#define V1 "0100 0100 00000200" SD("1c000000", "28000000")
#define V2 "0200 0200 00000200 04000200 00000000000000000000000000000000" SD("30000000", "3c000000")
#define V3 "0300 0300 00000200 04000200 0000" ZERO64 "0000" SD("64000000", "70000000")
#define V4                                                                                         \
        "0400 0400 00000200 04000200 0100" ZERO64                                                  \
        "706f7369785f61636c00 d83bab971b81dd01" ZERO64 SD("b4000000", "c0000000")

static void ntacl_versions(void **state)
{
        (void)state;
        static const char *const v[] = {V1, V2, V3, V4};
        uint8_t buf[256];
        for (size_t i = 0; i < 4; i++) {
                struct bytes b = hex(v[i]);
                struct writer w = wr_into(buf, sizeof buf);
                assert_true(ntacl_decode(b, &w));
                assert_bytes_equal(wr_done(&w), hex(PLAIN));
                for (size_t n = 0; n + 21 < b.n;
                     n++) { /* the descriptor's body is others' to judge */
                        w = wr_into(buf, sizeof buf);
                        assert_false(ntacl_decode(bytes_first(b, n), &w));
                }
        }
        struct writer w = wr_into(buf, sizeof buf);
        assert_true(ntacl_encode(&w, hex(PLAIN)));
        assert_bytes_equal(wr_done(&w), hex(V1));
}

/* bugs A10: what others wrote there is not believed. */
static void a10_ntacl_hostile(void **state)
{
        (void)state;
        static const char *const bad[] = {
                "",
                "0100 0100 00000000",
                "0100 0100 00000200",
                "0000 0000 00000200" SD("1c000000", "28000000"),
                "0500 0500 00000200" SD("1c000000", "28000000"),
                "0100 0200 00000200" SD("1c000000", "28000000"),
                "0100 0100 00000200" SD("04000000", "28000000"), /* points before the descriptor */
                "0100 0100 00000200" SD("ffffffff", "28000000"),
                "0100 0100 00000200" SD("1c000000", "00000080"),
                "0400 0400 00000200 04000200 0100" ZERO64 "7070707070", /* text without an end */
                "0200 0200 00000200 00000000 00000000000000000000000000000000",
        };
        uint8_t buf[256];
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
                struct writer w = wr_into(buf, sizeof buf);
                if (ntacl_decode(hex(bad[i]), &w))
                        fail_msg("row %zu", i);
        }
        struct writer w = wr_into(buf, 30);
        assert_false(ntacl_decode(hex(V1), &w)); /* does not fit */
        w = wr_into(buf, sizeof buf);
        assert_false(ntacl_encode(&w, hex("01000480")));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(dosattrib_golden),    cmocka_unit_test(dosattrib_rows),
                cmocka_unit_test(dosattrib_truncated), cmocka_unit_test(ntacl_versions),
                cmocka_unit_test(a10_ntacl_hostile),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
