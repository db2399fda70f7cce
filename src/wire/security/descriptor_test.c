#include "wire/security/descriptor.h"

#include "base/testing.h"

/* What smbd 4.17 answered to QUERY_INFO of security, parts OWNER | GROUP | DACL of a file with
 * Unix mode 0666. */
#define FILE_SD                                                                                    \
        "0100048014000000300000000000000040000000"                                                 \
        "01050000000000051500000039c32bf37736342708d55c2fe8030000"                                 \
        "01020000000000160200000000000000"                                                         \
        "0200580003000000"                                                                         \
        "000024009f011f0001050000000000051500000039c32bf37736342708d55c2fe8030000"                 \
        "000018009f011f0001020000000000160200000000000000"                                         \
        "000014009f011f00010100000000000100000000"
/* The same file, OWNER alone and DACL alone. */
#define OWNER_SD                                                                                   \
        "0100008014000000000000000000000000000000"                                                 \
        "01050000000000051500000039c32bf37736342708d55c2fe8030000"
#define DACL_SD                                                                                    \
        "0100048000000000000000000000000014000000"                                                 \
        "0200580003000000"                                                                         \
        "000024009f011f0001050000000000051500000039c32bf37736342708d55c2fe8030000"                 \
        "000018009f011f0001020000000000160200000000000000"                                         \
        "000014009f011f00010100000000000100000000"

#define ALL_PARTS (SECINFO_OWNER | SECINFO_GROUP | SECINFO_DACL | SECINFO_SACL)

static void check_encodes_to(const struct secdesc *sd, uint32_t which, const char *want)
{
        uint8_t room[512];
        struct writer w = wr_into(room, sizeof room);
        secdesc_encode(&w, sd, which);
        assert_true(wr_ok(&w));
        assert_bytes_equal(wr_done(&w), hex(want));
        assert_int_equal(secdesc_len(sd, which), wr_done(&w).n);
}

static void captured_descriptor(void **state)
{
        (void)state;
        struct secdesc sd;
        struct ace e;
        char text[SID_TEXT_MAX];
        assert_true(secdesc_decode(hex(FILE_SD), &sd));
        assert_true(sd.has_owner && sd.has_group);
        sid_to_text(&sd.group, text);
        assert_string_equal(text, "S-1-22-2-0");
        assert_int_equal(sd.dacl.count, 3);
        struct acl_iter it = acl_iter_of(&sd.dacl);
        for (int i = 0; i < 3; i++) {
                assert_true(acl_next(&it, &e));
                assert_int_equal(e.type, ACE_ALLOW);
                assert_false(e.opaque);
                assert_int_equal(e.mask, 0x001f019f);
        }
        sid_to_text(&e.sid, text);
        assert_string_equal(text, "S-1-1-0");
        assert_false(acl_next(&it, &e));
        check_encodes_to(&sd, ALL_PARTS, FILE_SD);
        check_encodes_to(&sd, SECINFO_OWNER, OWNER_SD);
        check_encodes_to(&sd, SECINFO_DACL, DACL_SD);
        check_encodes_to(&sd, SECINFO_LABEL, "0100008000000000000000000000000000000000");
}

static void truncated_is_refused(void **state)
{
        (void)state;
        struct secdesc sd;
        struct bytes whole = hex(FILE_SD);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(secdesc_decode(bytes_first(whole, n), &sd));
        uint8_t room[512];
        assert_true(secdesc_decode(whole, &sd));
        for (size_t n = 0; n < whole.n; n++) {
                struct writer w = wr_into(room, n);
                secdesc_encode(&w, &sd, ALL_PARTS);
                assert_false(wr_ok(&w));
        }
}

static void hostile_descriptors(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
                bool ok;
        } row[] = {
                {"empty but whole", "0100008000000000000000000000000000000000", true},
                {"revision 2", "0200008000000000000000000000000000000000", false},
                {"not self-relative", "0100000000000000000000000000000000000000", false},
                {"owner inside the header", "0100008004000000000000000000000000000000", false},
                {"owner at the end", "0100008014000000000000000000000000000000", false},
                {"owner far outside", "01000080ffffffff000000000000000000000000", false},
                {"NULL DACL", "0100048000000000000000000000000000000000", true},
                {"DACL not present, offset wild", "01000080000000000000000000000000ffffffff", true},
                {"DACL without entries",
                 "0100048000000000000000000000000014000000 0200080000000000", true},
                {"ACL size below its header",
                 "0100048000000000000000000000000014000000 0200070000000000", false},
                {"ACL size past the end",
                 "0100048000000000000000000000000014000000 0200090000000000", false},
                {"ACL revision 3", "0100048000000000000000000000000014000000 0300080000000000",
                 false},
                {"65535 entries", "0100048000000000000000000000000014000000 02000800ffff0000",
                 false},
                {"one entry of size 0",
                 "0100048000000000000000000000000014000000 02000c0001000000 00000000", false},
                {"entry longer than the list",
                 "0100048000000000000000000000000014000000 02000c0001000000 63000800 00000000",
                 false},
                {"unknown entry of 4 bytes",
                 "0100048000000000000000000000000014000000 02000c0001000000 63000400", true},
                {"allow entry too short for a SID",
                 "0100048000000000000000000000000014000000 0200100001000000 00000800 00000000",
                 false},
                {"SID in an entry with 16 sub-authorities",
                 "0100048000000000000000000000000014000000 0200180001000000 00001000 00000000"
                 "0110000000000001",
                 false},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct secdesc sd;
                if (secdesc_decode(hex(row[i].in), &sd) != row[i].ok)
                        fail_msg("%s", row[i].name);
        }
}

static void null_list_is_not_an_empty_list(void **state)
{
        (void)state;
        struct secdesc sd;
        assert_true(secdesc_decode(hex("0100048000000000000000000000000000000000"), &sd));
        assert_true(sd.control & SD_DACL_PRESENT);
        assert_int_equal(sd.dacl.raw.n, 0);
        check_encodes_to(&sd, SECINFO_DACL, "0100048000000000000000000000000000000000");
        const char *none = "0100048000000000000000000000000014000000 0200080000000000";
        assert_true(secdesc_decode(hex(none), &sd));
        assert_int_equal(sd.dacl.raw.n, 8);
        check_encodes_to(&sd, SECINFO_DACL, none);
}

/* SACL: an audit entry, a mandatory label (medium, no write up), an entry of unknown type 0x77.
 * Composed by hand from [MS-DTYP] 2.4.4.10 and 2.4.4.13. */
#define AUDIT "02c01400 01000000 010100000000000100000000"
#define LABEL "11001400 01000000 010100000000001000200000"
#define OTHER "77000800 deadbeef"
#define SACL_SD "0100108000000000000000001400000000000000 0200380003000000" AUDIT LABEL OTHER

static void parts_of_the_sacl(void **state)
{
        (void)state;
        struct secdesc sd;
        assert_true(secdesc_decode(hex(SACL_SD), &sd));
        check_encodes_to(&sd, SECINFO_SACL | SECINFO_LABEL, SACL_SD);
        check_encodes_to(&sd, SECINFO_LABEL,
                         "0100108000000000000000001400000000000000 02001c0001000000" LABEL);
        check_encodes_to(&sd, SECINFO_SACL,
                         "0100108000000000000000001400000000000000 0200240002000000" AUDIT OTHER);
        check_encodes_to(&sd, SECINFO_SCOPE, "0100008000000000000000000000000000000000");
}

static void builder_composes_and_copies(void **state)
{
        (void)state;
        uint8_t room[256];
        struct writer w = wr_into(room, sizeof room);
        struct acl_builder b = acl_begin(&w);
        struct ace deny = {.type = ACE_DENY, .flags = ACE_CONTAINER_INHERIT, .mask = 0x10000};
        struct ace object = {.type = ACE_ALLOW_OBJECT, .raw = hex("05000c00 01000000 00000000")};
        assert_true(sid_of_text("S-1-1-0", &deny.sid));
        acl_put_ace(&b, &deny);
        acl_put_ace(&b, &object);
        acl_end(&b);
        assert_bytes_equal(wr_done(&w), hex("0400280002000000"
                                            "01021400 00000100 010100000000000100000000"
                                            "05000c00 01000000 00000000"));
        struct acl a;
        assert_true(acl_decode(wr_done(&w), &a));
        assert_int_equal(a.revision, ACL_REVISION_DS);
}

static void too_large_a_list_is_not_built(void **state)
{
        (void)state;
        static uint8_t room[70000];
        struct writer w = wr_into(room, sizeof room);
        struct acl_builder b = acl_begin(&w);
        struct ace e = {.type = ACE_ALLOW, .mask = 1};
        memset(e.sid.sub, 0, sizeof e.sid.sub);
        e.sid.revision = 1;
        e.sid.count = 15;
        for (int i = 0; i < 900; i++)
                acl_put_ace(&b, &e);
        assert_true(wr_ok(&w));
        acl_end(&b);
        assert_false(wr_ok(&w)); /* 900 entries of 76 bytes pass 64 KiB */
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(captured_descriptor),
                cmocka_unit_test(truncated_is_refused),
                cmocka_unit_test(hostile_descriptors),
                cmocka_unit_test(null_list_is_not_an_empty_list),
                cmocka_unit_test(parts_of_the_sacl),
                cmocka_unit_test(builder_composes_and_copies),
                cmocka_unit_test(too_large_a_list_is_not_built),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
