/* Streams, change notices and quotas: the lists linked by NextEntryOffset. */
#include "base/utf16.h"
#include "wire/fscc/golden.h"
#include "wire/fscc/notify.h"
#include "wire/fscc/quota.h"
#include "wire/fscc/stream.h"

/* A file with a named stream, as smbd 4.17 answered FileStreamInformation. */
#define STREAMS                                                                                    \
        "30000000 14000000 0000000000000000 0000000000000000"                                      \
        "3a007300740072003a002400440041005400410000000000"                                         \
        "00000000 0e000000 0500000000000000 0020000000000000"                                      \
        "3a003a0024004400410054004100"

static void captured_streams(void **state)
{
        (void)state;
        struct bytes whole = hex(STREAMS), rest = whole;
        struct stream_entry e;
        bool bad = false;
        assert_true(stream_list_next(&rest, &e, &bad));
        assert_utf16_is(e.name_utf16, ":str:$DATA");
        assert_true(stream_list_next(&rest, &e, &bad));
        assert_utf16_is(e.name_utf16, "::$DATA");
        assert_int_equal(e.size, 5);
        assert_int_equal(e.allocation, 0x2000);
        assert_false(stream_list_next(&rest, &e, &bad));
        assert_false(bad);
        uint8_t room[128];
        struct stream_list l = stream_list_into(room, sizeof room);
        assert_true(stream_list_append(&l, ":str:$DATA", 0, 0));
        assert_true(stream_list_append(&l, "::$DATA", 5, 0x2000));
        assert_bytes_equal(stream_list_done(&l), whole);
        for (size_t n = 1; n < whole.n; n++) {
                rest = bytes_first(whole, n);
                bad = false;
                while (stream_list_next(&rest, &e, &bad))
                        ;
                assert_true(bad);
                l = stream_list_into(room, n);
                bool first = stream_list_append(&l, ":str:$DATA", 0, 0);
                assert_int_equal(first, n >= 44);
                if (first)
                        assert_false(stream_list_append(&l, "::$DATA", 5, 0x2000));
                assert_int_equal(stream_list_done(&l).n, n >= 44 ? 44 : 0);
        }
}

/* By hand from [MS-FSCC] 2.7.1. */
#define NOTICES                                                                                    \
        "10000000 04000000 02000000 61000000"                                                      \
        "00000000 05000000 06000000 64005c006200"

static void composed_notices(void **state)
{
        (void)state;
        struct bytes whole = hex(NOTICES), rest;
        uint8_t room[64];
        struct notify_list l = notify_list_into(room, sizeof room);
        assert_true(notify_list_append(&l, FILE_ACTION_RENAMED_OLD_NAME, "a"));
        assert_true(notify_list_append(&l, FILE_ACTION_RENAMED_NEW_NAME, "d\\b"));
        assert_bytes_equal(notify_list_done(&l), whole);
        struct notify_entry e;
        for (size_t n = 1; n <= whole.n; n++) {
                bool bad = false;
                int seen = 0;
                rest = bytes_first(whole, n);
                while (notify_list_next(&rest, &e, &bad))
                        seen++;
                assert_int_equal(bad, n < whole.n);
                if (!bad)
                        assert_int_equal(seen, 2);
        }
        assert_int_equal(e.action, FILE_ACTION_RENAMED_NEW_NAME);
        assert_utf16_is(e.name_utf16, "d\\b");
        l = notify_list_into(room, 13);
        assert_false(notify_list_append(&l, FILE_ACTION_ADDED, "a"));
        assert_int_equal(notify_list_done(&l).n, 0);
}

/* By hand from [MS-FSCC] 2.4.41. */
#define QUOTAS                                                                                     \
        "38000000 0c000000 0100000000000000 0200000000000000 0300000000000000"                     \
        "ffffffffffffffff 010100000000000100000000 00000000"                                       \
        "00000000 0c000000 0000000000000000 0000000000000000 0000000000000000"                     \
        "0400000000000000 010100000000000512000000"

static void composed_quotas(void **state)
{
        (void)state;
        struct bytes whole = hex(QUOTAS), rest;
        uint8_t room[128];
        struct quota a = {.change_ft = 1, .used = 2, .threshold = 3, .limit = -1}, b = {.limit = 4};
        struct quota_list l = quota_list_into(room, sizeof room);
        assert_true(sid_of_text("S-1-1-0", &a.sid) && sid_of_text("S-1-5-18", &b.sid));
        assert_true(quota_list_append(&l, &a) && quota_list_append(&l, &b));
        assert_bytes_equal(quota_list_done(&l), whole);
        for (size_t n = 1; n <= whole.n; n++) {
                struct quota q;
                bool bad = false;
                rest = bytes_first(whole, n);
                while (quota_list_next(&rest, &q, &bad))
                        ;
                assert_int_equal(bad, n < whole.n);
                if (!bad)
                        assert_true(sid_eq(&q.sid, &b.sid) && q.limit == 4);
        }
}

static void quota_requests(void **state)
{
        (void)state;
        uint8_t room[64];
        struct sid s, back;
        bool bad = false;
        struct quota_list l = quota_list_into(room, sizeof room);
        assert_true(sid_of_text("S-1-1-0", &s));
        assert_true(quota_get_list_append(&l, &s) && quota_get_list_append(&l, &s));
        struct bytes rest = quota_list_done(&l);
        assert_bytes_equal(rest, hex("14000000 0c000000 010100000000000100000000"
                                     "00000000 0c000000 010100000000000100000000"));
        assert_true(quota_get_list_next(&rest, &back, &bad));
        assert_true(quota_get_list_next(&rest, &back, &bad) && sid_eq(&s, &back));
        assert_false(quota_get_list_next(&rest, &back, &bad) || bad);
        rest = hex("00000000 0d000000 010100000000000100000000 00"); /* longer than its SID */
        assert_false(quota_get_list_next(&rest, &back, &bad));
        assert_true(bad);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(captured_streams),
                cmocka_unit_test(composed_notices),
                cmocka_unit_test(composed_quotas),
                cmocka_unit_test(quota_requests),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
