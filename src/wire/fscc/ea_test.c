#include "wire/fscc/ea.h"

#include "base/limits.h"
#include "base/testing.h"

/* One attribute EA1=value, as smbd 4.17 answered FileFullEaInformation; two of them by hand. */
#define ONE "00000000 00 03 0500 45413100 76616c7565"
#define TWO                                                                                        \
        "14000000 80 03 0500 45413100 76616c7565 000000"                                           \
        "00000000 00 01 0000 7a00"

static void captured_and_composed(void **state)
{
        (void)state;
        uint8_t room[64];
        struct ea e;
        struct ea_list l = ea_list_into(room, sizeof room);
        struct bytes rest = hex(ONE);
        assert_int_equal(ea_list_check(rest, NULL), EA_OK);
        assert_true(ea_list_next(&rest, &e));
        assert_bytes_equal(e.name, bytes_str("EA1"));
        assert_bytes_equal(e.value, bytes_str("value"));
        assert_int_equal(ea_len(&e), hex(ONE).n);
        assert_false(ea_list_next(&rest, &e));
        assert_true(ea_list_append(&l, &e));
        assert_bytes_equal(ea_list_done(&l), hex(ONE));
        l = ea_list_into(room, sizeof room);
        e.flags = FILE_NEED_EA;
        struct ea gone = {.name = bytes_str("z")};
        assert_true(ea_list_append(&l, &e) && ea_list_append(&l, &gone));
        assert_bytes_equal(ea_list_done(&l), hex(TWO));
        assert_int_equal(ea_list_check(ea_list_done(&l), NULL), EA_OK);
}

static void lists_are_judged_whole(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
                enum ea_verdict verdict;
                size_t at;
        } row[] = {
                {"nothing", "", EA_OK, 0},
                {"next runs past the value's end", "07000000 00 03 0500 45413100 76616c7565",
                 EA_BAD_LIST, 0},
                {"next one short of the end", "10000000 00 03 0500 45413100 76616c7565",
                 EA_BAD_LIST, 0},
                {"next not aligned", "11000000 00 03 0500 45413100 76616c7565 00000000 00 00 0000",
                 EA_BAD_LIST, 0},
                {"next cuts the value", "0c000000 00 03 0500 45413100 76616c75 00000000 00 00 0000",
                 EA_BAD_LIST, 0},
                {"next leaves half a header", "14000000 00 03 0500 45413100 76616c7565 000000 0000",
                 EA_BAD_LIST, 0},
                {"name longer than the list", "00000000 00 ff 0000 45413100", EA_BAD_LIST, 0},
                {"value longer than the list", "00000000 00 03 ffff 45413100 76", EA_BAD_LIST, 0},
                {"no NUL behind the name", "00000000 00 03 0000 45413141", EA_BAD_LIST, 0},
                {"empty name", "00000000 00 00 0000 00", EA_BAD_NAME, 0},
                {"illegal character", "00000000 00 01 0000 2a00", EA_BAD_NAME, 0},
                {"control character", "00000000 00 01 0000 1f00", EA_BAD_NAME, 0},
                {"unknown flag", "00000000 01 01 0000 7a00", EA_BAD_NAME, 0},
                {"second entry bad", "0c000000 00 01 0000 7a00 0000 00000000 00 02 0000 7a00",
                 EA_BAD_LIST, 12},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                size_t at = 0;
                if (ea_list_check(hex(row[i].in), &at) != row[i].verdict || at != row[i].at)
                        fail_msg("%s (at %zu)", row[i].name, at);
        }
        for (size_t n = 1; n < hex(TWO).n; n++)
                assert_int_equal(ea_list_check(bytes_first(hex(TWO), n), NULL), EA_BAD_LIST);
}

static void limit_of_the_whole(void **state)
{
        (void)state;
        static uint8_t big[LIMIT_EA_BYTES + 8];
        struct ea e = {.name = bytes_str("n"), .value = bytes_of(big, UINT16_MAX)};
        uint8_t *room = malloc(2 * LIMIT_EA_BYTES);
        assert_non_null(room);
        struct ea_list l = ea_list_into(room, 2 * LIMIT_EA_BYTES);
        assert_true(ea_list_append(&l, &e));
        assert_int_equal(ea_list_check(ea_list_done(&l), NULL), EA_BAD_LIST);
        e.value.n = LIMIT_EA_BYTES - 10;
        l = ea_list_into(room, 2 * LIMIT_EA_BYTES);
        assert_true(ea_list_append(&l, &e));
        assert_int_equal(ea_list_check(ea_list_done(&l), NULL), EA_OK);
        e.value.n = UINT16_MAX + 1;
        assert_false(ea_list_append(&l, &e));
        free(room);
}

static void entries_fit_or_change_nothing(void **state)
{
        (void)state;
        struct ea e = {.name = bytes_str("EA1"), .value = bytes_str("value")};
        uint8_t room[64];
        for (size_t max = 0; max < 64; max++) {
                struct ea_list l = ea_list_into(room, max);
                size_t n = 0;
                while (ea_list_append(&l, &e))
                        n++;
                assert_int_equal(n, max < 17 ? 0 : (max - 17) / 20 + 1);
                assert_int_equal(ea_list_check(ea_list_done(&l), NULL), EA_OK);
        }
}

static void names_asked_for(void **state)
{
        (void)state;
        uint8_t room[32];
        struct bytes name, rest;
        struct ea_list l = ea_list_into(room, sizeof room);
        assert_true(ea_get_list_append(&l, bytes_str("EA1")));
        assert_true(ea_get_list_append(&l, bytes_str("z")));
        assert_bytes_equal(ea_list_done(&l), hex("0c000000 03 45413100 000000 00000000 01 7a00"));
        rest = ea_list_done(&l);
        for (size_t n = 1; n < rest.n; n++)
                assert_int_equal(ea_get_list_check(bytes_first(rest, n), NULL), EA_BAD_LIST);
        assert_int_equal(ea_get_list_check(rest, NULL), EA_OK);
        assert_true(ea_get_list_next(&rest, &name) && ea_get_list_next(&rest, &name));
        assert_bytes_equal(name, bytes_str("z"));
        assert_false(ea_get_list_next(&rest, &name));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(captured_and_composed),
                cmocka_unit_test(lists_are_judged_whole),
                cmocka_unit_test(limit_of_the_whole),
                cmocka_unit_test(entries_fit_or_change_nothing),
                cmocka_unit_test(names_asked_for),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
