/* Captured stubs: what impacket 0.10 asked and smbd 4.17 answered about its shares. Two things were
 * changed in them: the share's path, and the number of licences, which the spec wants to be 0. */
#include "wire/rpc/srvsvc.h"

#include "base/testing.h"
#include "base/utf16.h"
#include "wire/rpc/ndr.h"
#include "wire/rpc/win32.h"
#include "wire/rpc/wkssvc.h"

#define ENUM1_STUB                                                                                 \
        "0c0b00000100000000000000010000000000abab0100000001000000b7dd00000000000000000000"         \
        "ffffffff45f0000000000000"

#define ENUM1_REPLY                                                                                \
        "01000000010000000c0002000300000010000200030000001400020000000000180002001c000200"         \
        "000000002000020024000200030000802800020005000000000000000500000064006f0063007300"         \
        "000000000f000000000000000f00000053006f006d006500200064006f00630075006d0065006e00"         \
        "7400730000000000080000000000000008000000730065006300720065007400240000000c000000"         \
        "000000000c0000004e006f007400200066006f007200200061006c006c0000000500000000000000"         \
        "050000004900500043002400000000001b000000000000001b000000490050004300200053006500"         \
        "720076006900630065002000280047006f006c00640065006e002000620079007400650073002900"         \
        "00000000030000002c0002000000000000000000"

#define GET1_STUB "0000000005000000000000000500000064006f00630073000000bfbf01000000"

#define GET0_REPLY                                                                                 \
        "00000000000002000400020005000000000000000500000064006f00630073000000000000000000"

#define GET1_REPLY                                                                                 \
        "010000000000020004000200000000000800020005000000000000000500000064006f0063007300"         \
        "000000000f000000000000000f00000053006f006d006500200064006f00630075006d0065006e00"         \
        "740073000000000000000000"

#define GET2_REPLY                                                                                 \
        "020000000000020004000200000000000800020000000000ffffffff000000000c00020010000200"         \
        "05000000000000000500000064006f0063007300000000000f000000000000000f00000053006f00"         \
        "6d006500200064006f00630075006d0065006e007400730000000000160000000000000016000000"         \
        "43003a005c007300720076005c00660069006c00650073005c0064006f00630075006d0065006e00"         \
        "740000000100000000000000010000000000000000000000"

#define GET501_REPLY                                                                               \
        "f5010000000002000400020000000000080002000000000005000000000000000500000064006f00"         \
        "63007300000000000f000000000000000f00000053006f006d006500200064006f00630075006d00"         \
        "65006e00740073000000000000000000"

#define GET502_REPLY                                                                               \
        "f60100000000020004000200000000000800020000000000ffffffff010000000c00020010000200"         \
        "300000001400020005000000000000000500000064006f0063007300000000000f00000000000000"         \
        "0f00000053006f006d006500200064006f00630075006d0065006e00740073000000000016000000"         \
        "000000001600000043003a005c007300720076005c00660069006c00650073005c0064006f006300"         \
        "75006d0065006e007400000001000000000000000100000000000000300000000100048000000000"         \
        "00000000000000001400000002001c000100000000001400ff011f00010100000000000100000000"         \
        "00000000"

#define GET1005_REPLY "ed030000000002000000000000000000"

#define SERVER100_REPLY                                                                            \
        "6400000000000200f40100000400020007000000000000000700000047004f004c00440045004e00"         \
        "0000000000000000"

#define SERVER101_REPLY                                                                            \
        "6500000000000200f4010000040002000600000001000000039a8000080002000700000000000000"         \
        "0700000047004f004c00440045004e00000000000d000000000000000d00000047006f006c006400"         \
        "65006e002000620079007400650073000000000000000000"

#define SERVER102_REPLY                                                                            \
        "6600000000000200f4010000040002000600000001000000039a800008000200ffffffff0f000000"         \
        "00000000f0000000b80b0000000000000c00020007000000000000000700000047004f004c004400"         \
        "45004e00000000000d000000000000000d00000047006f006c00640065006e002000620079007400"         \
        "650073000000000004000000000000000400000043003a005c00000000000000"

#define WKSTA100_STUB                                                                              \
        "761a00000a000000000000000a000000000000000000000000000000000000000000000064000000"

#define WKSTA100_REPLY                                                                             \
        "6400000004000200f4010000080002000c0002000600000001000000070000000000000007000000"         \
        "47004f004c00440045004e00000000000a000000000000000a00000057004f0052004b0047005200"         \
        "4f0055005000000000000000"

/* Other servers count referents from elsewhere: any distinct numbers mean the same
 * ([C706] 14.3.10). */
static struct bytes renumbered(struct bytes b, uint8_t delta)
{
        static uint8_t room[4096];
        memcpy(room, b.p, b.n);
        for (size_t i = 0; i + 4 <= b.n; i += 4)
                if (room[i + 1] == 0 && room[i + 2] == 2 && room[i + 3] == 0 && room[i] >= delta)
                        room[i] = (uint8_t)(room[i] - delta);
        return bytes_of(room, b.n);
}

static const struct srvsvc_share docs = {
        .name = "docs",
        .remark = "Some documents",
        .path = "C:\\srv\\files\\document",
        .max_uses = UINT32_MAX,
};

static void share_listing(void **state)
{
        (void)state;
        const struct srvsvc_share shares[] = {
                docs,
                {.name = "secret$", .remark = "Not for all", .path = ""},
                {.name = "IPC$",
                 .remark = "IPC Service (Golden bytes)",
                 .path = "",
                 .type = STYPE_IPC | STYPE_SPECIAL},
        };
        const struct srvsvc_share_enum_reply r = {
                .level = 1, .shares = shares, .count = 3, .total = 3, .has_resume = true};
        uint8_t room[1024];
        struct writer w = wr_into(room, sizeof room);
        srvsvc_share_enum_reply_encode(&w, &r);
        assert_bytes_equal(wr_done(&w), renumbered(hex(ENUM1_REPLY), 0x0c));
        for (size_t n = 0; n < hex(ENUM1_REPLY).n; n++) {
                w = wr_into(room, n);
                srvsvc_share_enum_reply_encode(&w, &r);
                assert_false(wr_ok(&w));
        }
}

static void listing_received(void **state)
{
        (void)state;
        struct srvsvc_share_seen seen[3];
        struct bytes whole = hex(ENUM1_REPLY);
        uint32_t count, status;
        char text[64];
        assert_true(srvsvc_share_enum_reply_decode(whole, seen, 3, &count, &status));
        assert_int_equal(count, 3);
        assert_int_equal(status, 0);
        assert_true(utf16_to_utf8(seen[1].name_utf16, text, sizeof text));
        assert_string_equal(text, "secret$");
        assert_true(utf16_to_utf8(seen[2].remark_utf16, text, sizeof text));
        assert_string_equal(text, "IPC Service (Golden bytes)");
        assert_int_equal(seen[2].type, STYPE_IPC | STYPE_SPECIAL);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(srvsvc_share_enum_reply_decode(bytes_first(whole, n), seen, 3, &count,
                                                            &status));
        assert_true(srvsvc_share_enum_reply_decode(whole, seen, 1, &count, &status));
        assert_int_equal(count, 3); /* the rest was looked at, and not stored */
        /* 2^32 - 1 entries in 8 bytes */
        assert_false(srvsvc_share_enum_reply_decode(
                hex("01000000 01000000 00000200 ffffffff 04000200 ffffffff 0000000000000000"), seen,
                3, &count, &status));
}

static void listing_requests(void **state)
{
        (void)state;
        struct srvsvc_share_enum_req q;
        struct bytes whole = hex(ENUM1_STUB);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(srvsvc_share_enum_req_decode(bytes_first(whole, n), &q));
        assert_true(srvsvc_share_enum_req_decode(whole, &q));
        assert_int_equal(q.level, 1);
        assert_int_equal(q.preferred_max, MAX_PREFERRED_LENGTH);
        assert_true(q.has_resume);
        uint8_t room[256];
        struct writer w = wr_into(room, sizeof room);
        struct srvsvc_share_enum_req back;
        q.resume = 7;
        srvsvc_share_enum_req_encode(&w, "\\\\server", &q);
        assert_true(srvsvc_share_enum_req_decode(wr_done(&w), &back));
        assert_int_equal(back.resume, 7);
}

static void hostile_requests(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
                bool ok;
        } row[] = {
                {"no server, no container, no handle",
                 "00000000 01000000 01000000 00000000 ffffffff 00000000", true},
                {"level and arm differ", "00000000 01000000 02000000 00000000 ffffffff 00000000",
                 false},
                {"unknown level", "00000000 e7030000 e7030000", true},
                {"entries without a buffer",
                 "00000000 01000000 01000000 00000200 01000000 00000000 ffffffff 00000000", false},
                {"2^32 - 1 entries",
                 "00000000 01000000 01000000 00000200 ffffffff 00000200 ffffffff ffffffff 00000000",
                 false},
                {"server name of 2^32 - 1 units", "00000200 ffffffff 00000000 ffffffff 6100 0000",
                 false},
                {"server name past its maximum",
                 "00000200 01000000 00000000 02000000 61000000"
                 "01000000 01000000 00000000 ffffffff 00000000",
                 false},
                {"server name with an offset",
                 "00000200 03000000 01000000 02000000 61000000"
                 "01000000 01000000 00000000 ffffffff 00000000",
                 false},
                {"server name without NUL",
                 "00000200 02000000 00000000 02000000 61006100"
                 "01000000 01000000 00000000 ffffffff 00000000",
                 false},
                {"server name of nothing",
                 "00000200 00000000 00000000 00000000"
                 "01000000 01000000 00000000 ffffffff 00000000",
                 false},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct srvsvc_share_enum_req q;
                if (srvsvc_share_enum_req_decode(hex(row[i].in), &q) != row[i].ok)
                        fail_msg("%s", row[i].name);
        }
}

static void one_share(void **state)
{
        (void)state;
        /* level 502's descriptor is smbd's for "everyone, everything" */
        struct srvsvc_share with_sd = docs;
        with_sd.security = hex("010004800000000000000000000000001400000002001c00010000000000"
                               "1400ff011f00010100000000000100000000");
        static const struct {
                uint32_t level, uses;
                const char *reply;
        } row[] = {{0, 0, GET0_REPLY},     {1, 0, GET1_REPLY},     {2, 0, GET2_REPLY},
                   {501, 0, GET501_REPLY}, {502, 1, GET502_REPLY}, {1005, 0, GET1005_REPLY}};
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                uint8_t room[512];
                struct writer w = wr_into(room, sizeof room);
                with_sd.uses = row[i].uses;
                srvsvc_share_info_reply_encode(&w, row[i].level, &with_sd, 0);
                assert_bytes_equal(wr_done(&w), hex(row[i].reply));
        }
        struct srvsvc_share_info_req q;
        struct bytes whole = hex(GET1_STUB);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(srvsvc_share_info_req_decode(bytes_first(whole, n), &q));
        assert_true(srvsvc_share_info_req_decode(whole, &q));
        assert_int_equal(q.level, 1);
        assert_int_equal(q.name_utf16.n, 8);
}

static void server_and_workstation(void **state)
{
        (void)state;
        const struct srvsvc_server s = {.name = "GOLDEN",
                                        .comment = "Golden bytes",
                                        .user_path = "C:\\",
                                        .platform = 500,
                                        .major = 6,
                                        .minor = 1,
                                        .type = 0x809a03,
                                        .users = UINT32_MAX,
                                        .disc = 15,
                                        .announce = 240,
                                        .anndelta = 3000};
        static const char *const reply[] = {SERVER100_REPLY, SERVER101_REPLY, SERVER102_REPLY};
        uint8_t room[512];
        for (uint32_t i = 0; i < 3; i++) {
                struct writer w = wr_into(room, sizeof room);
                srvsvc_server_info_reply_encode(&w, 100 + i, &s, 0);
                assert_bytes_equal(wr_done(&w), hex(reply[i]));
        }
        const struct wkssvc_wksta k = {
                .name = "GOLDEN", .domain = "WORKGROUP", .platform = 500, .major = 6, .minor = 1};
        struct writer w = wr_into(room, sizeof room);
        uint32_t level;
        wkssvc_wksta_info_reply_encode(&w, 100, &k, 0);
        assert_bytes_equal(wr_done(&w), renumbered(hex(WKSTA100_REPLY), 4));
        struct bytes whole = hex(WKSTA100_STUB);
        for (size_t n = 0; n < whole.n; n++)
                assert_false(srvsvc_level_req_decode(bytes_first(whole, n), &level));
        assert_true(srvsvc_level_req_decode(whole, &level));
        assert_int_equal(level, 100);
}

/* Captured: a share that does not exist; an unknown level has no arm and thus no pointer. */
static void failures(void **state)
{
        (void)state;
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        srvsvc_share_info_reply_encode(&w, 1, NULL, 123);
        assert_bytes_equal(wr_done(&w), hex("01000000 00000000 7b000000"));
        w = wr_into(room, sizeof room);
        srvsvc_share_info_reply_encode(&w, 999, NULL, WIN32_INVALID_LEVEL);
        assert_bytes_equal(wr_done(&w), hex("e7030000 7c000000"));
        w = wr_into(room, sizeof room);
        srvsvc_server_info_reply_encode(&w, 7, NULL, WIN32_INVALID_LEVEL);
        assert_bytes_equal(wr_done(&w), hex("07000000 7c000000"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(share_listing),    cmocka_unit_test(listing_received),
                cmocka_unit_test(listing_requests), cmocka_unit_test(hostile_requests),
                cmocka_unit_test(one_share),        cmocka_unit_test(server_and_workstation),
                cmocka_unit_test(failures),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
