/* Command lines into structs. */
#include "cli/options.h"

#include "base/testing.h"
#include "cli/command.h"

struct own {
        bool recursive, follow;
        const char *name;
        unsigned depth;
        uint64_t size;
        unsigned wait_ms;
        unsigned calls;
};

static bool count_call(void *into, const char *value, char why[CLI_WHY_MAX])
{
        struct own *o = into;
        o->calls++;
        (void)snprintf(why, CLI_WHY_MAX, "no");
        return strcmp(value, "bad") != 0;
}

#define AT(field) offsetof(struct own, field)
static const struct cli_option options[] = {
        {"recursive", 'r', CLI_FLAG, AT(recursive), NULL, "t", NULL},
        {"no-follow", 0, CLI_NO_FLAG, AT(follow), NULL, "t", NULL},
        {"name", 'n', CLI_TEXT, AT(name), "NAME", "t", NULL},
        {"depth", 'v', CLI_NUMBER, AT(depth), "N", "t", NULL}, /* a letter that is shared too */
        {"size", 0, CLI_BYTES, AT(size), "BYTES", "t", NULL},
        {"wait", 0, CLI_SECONDS, AT(wait_ms), "SECONDS", "t", NULL},
        {"call", 'c', CLI_CALL, 0, "X", "t", count_call},
        {0},
};
static const struct cli_spec spec = {"test", "URL...", "t", NULL, options, CLI_CONNECTS | CLI_JSON,
                                     1,      2};

static struct own own;
static struct cli_options shared;
static int first;

static int parse(const char *const *words)
{
        char *argv[20] = {0};
        static char copy[20][64];
        int argc = 0;
        for (; words[argc]; argc++) {
                (void)snprintf(copy[argc], sizeof copy[argc], "%s", words[argc]);
                argv[argc] = copy[argc];
        }
        own = (struct own){.follow = true};
        return cli_parse(&spec, argc, argv, &shared, &own, &first);
}
#define PARSE(...) parse((const char *const[]){"test", __VA_ARGS__, NULL})

static void test_all_kinds(void **state)
{
        (void)state;
        assert_int_equal(PARSE("-r", "--no-follow", "--name=x", "-v", "7", "--size", "2.5K",
                               "--wait", "1.5", "-c", "a", "u"),
                         CLI_GO_ON);
        assert_true(own.recursive);
        assert_false(own.follow);
        assert_string_equal(own.name, "x");
        assert_int_equal(own.depth, 7);
        assert_int_equal(own.size, 2560);
        assert_int_equal(own.wait_ms, 1500);
        assert_int_equal(own.calls, 1);
        assert_false(shared.verbose);
        assert_int_equal(first, 12);
}

static void test_shared(void **state)
{
        (void)state;
        assert_int_equal(PARSE("u", "--user", "anna", "--json", "--verbose", "--dialect",
                               "2.1-3.0.2", "--encrypt", "--timeout=3"),
                         CLI_GO_ON);
        assert_string_equal(shared.user, "anna");
        assert_true(shared.json && shared.verbose && shared.encrypt);
        assert_int_equal(shared.min_dialect, 0x0210);
        assert_int_equal(shared.max_dialect, 0x0302);
        assert_int_equal(shared.timeout_ms, 3000);
        assert_string_equal(shared.command, "test");
        assert_int_equal(PARSE("--dialect=3.1.1", "u"), CLI_GO_ON);
        assert_int_equal(shared.min_dialect, 0x0311);
        assert_int_equal(shared.max_dialect, 0x0311);
}

static void test_wrong(void **state)
{
        (void)state;
        assert_int_equal(PARSE("--nothing", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("-Z", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("u", "--name"), EXIT_USAGE);
        assert_int_equal(PARSE("--depth", "-1", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--depth", "1.5", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--depth", "99999999999", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--size", "1X", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--size", "inf", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--call", "bad", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--dialect", "4", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--dialect", "3.1.1-2.1", "u"), EXIT_USAGE);
        assert_int_equal(PARSE("--quiet", "u"), EXIT_USAGE); /* not of this command's groups */
        assert_int_equal(parse((const char *const[]){"test", NULL}), EXIT_USAGE);
        assert_int_equal(PARSE("a", "b", "c"), EXIT_USAGE);
}

static void test_help_and_dashes(void **state)
{
        (void)state;
        assert_int_equal(PARSE("--help"), EXIT_DONE);
        assert_int_equal(PARSE("--", "-r"), CLI_GO_ON);
        assert_false(own.recursive);
}

static void test_bytes(void **state)
{
        uint64_t n = 0;
        (void)state;
        assert_true(cli_bytes_parse("1", &n) && n == 1);
        assert_true(cli_bytes_parse("3k", &n) && n == 3072);
        assert_true(cli_bytes_parse("2T", &n) && n == 2ull << 40);
        assert_false(cli_bytes_parse("", &n));
        assert_false(cli_bytes_parse("-1", &n));
        assert_false(cli_bytes_parse("1KB", &n));
        assert_false(cli_bytes_parse("9999999999T", &n));
        assert_false(cli_bytes_parse("0x10", &n));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_all_kinds), cmocka_unit_test(test_shared),
                cmocka_unit_test(test_wrong),     cmocka_unit_test(test_help_and_dashes),
                cmocka_unit_test(test_bytes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
