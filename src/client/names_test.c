/* Names in both directions, and what is refused in each. */
#include "client/names.h"

#include <errno.h>

#include "base/testing.h"
#include "base/utf16.h"

/* Wire text written as UTF-8, for the eye. */
static struct bytes wire(const char *utf8)
{
        static uint8_t pool[4][4096];
        static unsigned turn;
        struct writer w = wr_into(pool[turn++ % 4], sizeof pool[0]);
        wr_utf16(&w, utf8);
        assert_true(wr_ok(&w));
        return wr_done(&w);
}

static struct bytes put(const char *path)
{
        static uint8_t out[4096];
        struct writer w = wr_into(out, sizeof out);
        assert_int_equal(name_path_put(&w, path), 0);
        return wr_done(&w);
}

static void test_paths_out(void **state)
{
        static const struct {
                const char *path, *wire;
        } t[] = {
                {"", ""},
                {"/", ""},
                {"a", "a"},
                {"a/b", "a\\b"},
                {"/a//b/", "a\\b"},
                {"ä/漢/😀", "ä\\漢\\😀"},
                {"a:b", "a\uf022b"},
                {"\"*:<>?|", "\uf020\uf021\uf022\uf023\uf024\uf025\uf027"},
                {"a\nb\x1f"
                 "\x01",
                 "a\uf00ab\uf01f\uf001"},
                {"a ", "a\uf028"},
                {"a. ", "a.\uf028"},
                {"a .", "a \uf029"},
                {"...", "..\uf029"},
                {"a./b /c", "a\uf029\\b\uf028\\c"},
                {" a", " a"},
                {".a", ".a"},
                {"\x7f", "\x7f"},
        };
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
                assert_bytes_equal(put(t[i].path), wire(t[i].wire));
        /* By hand: U+1F600 is a pair of surrogates. */
        assert_bytes_equal(put("x/😀"), hex("7800 5c00 3dd8 00de"));
        (void)state;
}

static void test_paths_refused(void **state)
{
        static const struct {
                const char *path;
                int err;
        } t[] = {
                {"\\", EINVAL},   {"a\\b", EINVAL},       {".", EINVAL},
                {"..", EINVAL},   {"a/../b", EINVAL},     {"a/.", EINVAL},
                {"\xff", EILSEQ}, {"a/\xc0\x80", EILSEQ}, {"\xe2\x82", EILSEQ},
        };
        struct bytes got;
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
                assert_int_equal(name_path_new(t[i].path, &got), t[i].err);
        (void)state;
}

static void test_lengths(void **state)
{
        struct bytes got;
        char part[LIMIT_NAME_UTF16 + 2] = "";
        memset(part, 'x', LIMIT_NAME_UTF16);
        assert_int_equal(name_path_new(part, &got), 0);
        assert_int_equal(got.n, 2 * LIMIT_NAME_UTF16);
        free((void *)(uintptr_t)got.p);
        part[LIMIT_NAME_UTF16] = 'x';
        assert_int_equal(name_path_new(part, &got), ENAMETOOLONG);

        char *path = malloc(LIMIT_PATH_UTF16 + 3);
        assert_non_null(path);
        for (size_t i = 0; i < LIMIT_PATH_UTF16 + 2; i++)
                path[i] = i % 2 ? '/' : 'a';
        path[LIMIT_PATH_UTF16] = 0; /* ends in '/', which goes */
        assert_int_equal(name_path_new(path, &got), 0);
        free((void *)(uintptr_t)got.p);
        path[LIMIT_PATH_UTF16] = 'a';
        path[LIMIT_PATH_UTF16 + 1] = 0;
        assert_int_equal(name_path_new(path, &got), ENAMETOOLONG);
        free(path);
        (void)state;
}

static void test_patterns(void **state)
{
        uint8_t out[64];
        struct writer w = wr_into(out, sizeof out);
        assert_int_equal(name_pattern_put(&w, "*.t?t:<."), 0);
        assert_bytes_equal(wr_done(&w), wire("*.t?t\uf022\uf023."));
        w = wr_into(out, sizeof out);
        assert_int_equal(name_pattern_put(&w, "a/*"), EINVAL);
        assert_int_equal(name_pattern_put(&w, ""), EINVAL);
        assert_int_equal(name_pattern_put(&w, "a\\*"), EINVAL);
        assert_int_equal(name_stream_put(&w, ""), EINVAL);
        assert_int_equal(name_stream_put(&w, "a/b"), EINVAL);
        assert_int_equal(name_stream_put(&w, "s:x"), 0);
        (void)state;
}

static void test_names_in(void **state)
{
        static const struct {
                const char *wire, *name; /* NULL: refused */
        } t[] = {
                {"a", "a"},
                {"ä漢😀", "ä漢😀"},
                {"a\uf022b", "a:b"},
                {"\uf020\uf021\uf022\uf023\uf024\uf025\uf027", "\"*:<>?|"},
                {"\uf00a", "\n"},
                {"a\uf028", "a "},
                {"a\uf029", "a."},
                {"\uf028a", "\uf028a"}, /* not at the end: itself */
                {"\uf026", "\uf026"},   /* would be '\\' */
                {"\uf000", "\uf000"},   /* would be NUL */
                {"", NULL},
                {".", NULL},
                {"..", NULL},
                {"\uf029", NULL}, /* "." in the other spelling */
                {".\uf029", NULL},
                {"a/b", NULL},
                {"/", NULL},
                {"..\\x", NULL},
                {"../../.bashrc", NULL},
        };
        char out[NAME_UTF8_MAX];
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
                bool ok = name_get(wire(t[i].wire), out);
                assert_int_equal(ok, t[i].name != NULL);
                if (ok)
                        assert_string_equal(out, t[i].name);
        }
        assert_false(name_get(hex("6100 0000"), out)); /* NUL inside */
        assert_false(name_get(hex("6100 62"), out));   /* half a unit */
        assert_true(name_get(hex("00d8"), out));       /* half a pair: kept */
        (void)state;
}

/* Whatever a caller may name comes back as it was. */
static void test_round_trip(void **state)
{
        static const char *const names[] = {"a:b",   "a?",   "con", "x.",  "x ", "tab\there",
                                            "\"q\"", "<>|*", "😀.",  "...", " ",  "a\uf028b"};
        char out[NAME_UTF8_MAX];
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                assert_true(name_get(put(names[i]), out));
                assert_string_equal(out, names[i]);
        }
        for (char c = 1; c > 0; c++) { /* every ASCII character, at the end and not */
                char name[] = {c, 'x', c, 0};
                if (c == '/' || c == '\\')
                        continue;
                assert_true(name_get(put(name), out));
                assert_string_equal(out, name);
        }
        (void)state;
}

static void test_longest_name_in(void **state)
{
        uint8_t utf16[2 * LIMIT_NAME_UTF16 + 2];
        char out[NAME_UTF8_MAX];
        for (size_t i = 0; i < sizeof utf16; i += 2) {
                utf16[i] = 0x22; /* U+6F22: three bytes */
                utf16[i + 1] = 0x6f;
        }
        assert_true(name_get(bytes_of(utf16, 2 * LIMIT_NAME_UTF16), out));
        assert_int_equal(strlen(out), 3 * LIMIT_NAME_UTF16);
        assert_false(name_get(bytes_of(utf16, sizeof utf16), out));
        (void)state;
}

static void test_paths_in(void **state)
{
        static const struct {
                const char *wire, *path;
        } t[] = {
                {"a", "a"},       {"a\\b\\c", "a/b/c"}, {"a\uf022\\b", "a:/b"}, {"", NULL},
                {"a\\", NULL},    {"\\a", NULL},        {"a\\\\b", NULL},       {"a\\..\\b", NULL},
                {"a/b\\c", NULL}, {"..", NULL},
        };
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
                char *got = name_path_get_new(wire(t[i].wire));
                assert_int_equal(got != NULL, t[i].path != NULL);
                if (got)
                        assert_string_equal(got, t[i].path);
                free(got);
        }
        assert_null(name_path_get_new(hex("6100 5c")));
        (void)state;
}

static void test_targets(void **state)
{
        char *got = name_target_get_new(wire("..\\a\uf022\\\\b/c"));
        assert_string_equal(got, "../a://b/c");
        free(got);
        assert_null(name_target_get_new(hex("6100 0000")));
        (void)state;
}

static void test_dots(void **state)
{
        assert_true(name_is_dots(wire(".")));
        assert_true(name_is_dots(wire("..")));
        assert_false(name_is_dots(wire("...")));
        assert_false(name_is_dots(wire("")));
        assert_false(name_is_dots(wire(".a")));
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_paths_out),       cmocka_unit_test(test_paths_refused),
                cmocka_unit_test(test_lengths),         cmocka_unit_test(test_patterns),
                cmocka_unit_test(test_names_in),        cmocka_unit_test(test_round_trip),
                cmocka_unit_test(test_longest_name_in), cmocka_unit_test(test_paths_in),
                cmocka_unit_test(test_targets),         cmocka_unit_test(test_dots),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
