/* What the line of progress says, and when it is printed. */
#include "cli/progress.h"

#include "base/clock.h"
#include "base/testing.h"
#include "cli/printable.h"

#define MB 1000000u

static void test_line(void **state)
{
        static const struct {
                struct progress_state s;
                unsigned columns;
                const char *want;
        } rows[] = {
                {{.files = 12,
                  .files_total = 340,
                  .bytes = 35 * MB,
                  .bytes_total = 100 * MB,
                  .total_is_known = true,
                  .rate = 5 * MB,
                  .name = "a/b.txt"},
                 100,
                 "12/340 files  35 MB/100 MB  35%  5.0 MB/s  0:13 left  a/b.txt"},
                {{.files_total = 1, .bytes_total = 7, .elapsed_ms = 61000},
                 80,
                 "0/1+ files  0 B/7 B+  0 B/s  1:01"},
                {{.files = 1,
                  .files_total = 1,
                  .bytes = 9,
                  .bytes_total = 9,
                  .rate = 9,
                  .total_is_known = true,
                  .name = "a-very-long-name-that-does-not-fit.tar"},
                 64,
                 "1/1 files  9 B/9 B  100%  9 B/s  0:00 left  a-very-lo\u2026ot-fit.tar"},
                {{.files = 1, .files_total = 1}, 5, "1/1+ "},
        };
        (void)state;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char out[256];
                progress_line(out, sizeof out, &rows[i].s, rows[i].columns);
                assert_string_equal(out, rows[i].want);
                assert_true(printable_width(out) <= rows[i].columns);
        }
}

static void test_line_never_overruns(void **state)
{
        char name[600];
        (void)state;
        for (size_t i = 0; i + 3 < sizeof name; i += 3)
                memcpy(name + i, "\xe6\x97\xa5", 4);
        struct progress_state s = {.files = 5, .files_total = 6, .name = name};
        for (unsigned columns = 0; columns < 200; columns++)
                for (size_t cap = 60; cap < 70; cap++) {
                        char out[256];
                        memset(out, '#', sizeof out);
                        progress_line(out, cap, &s, columns);
                        assert_true(strlen(out) < cap);
                        assert_true(out[cap] == '#');
                        assert_true(columns > 40 || printable_width(out) <= columns);
                }
}

static void test_left(void **state)
{
        struct progress_state s = {.bytes = 10, .bytes_total = 31, .rate = 10};
        (void)state;
        assert_true(progress_left(&s) == UINT64_MAX);
        s.total_is_known = true;
        assert_int_equal(progress_left(&s), 3);
        s.rate = 0;
        assert_true(progress_left(&s) == UINT64_MAX);
        s.rate = 1;
        s.bytes = 40; /* the file grew meanwhile */
        assert_true(progress_left(&s) == UINT64_MAX);
}

/* A thousand files in a second: ten lines, not a thousand. */
static void test_pace(void **state)
{
        char *text = NULL;
        size_t n = 0;
        unsigned lines = 0;
        (void)state;
        FILE *to = open_memstream(&text, &n);
        clock_fake_ms = 1000;
        struct progress *p = progress_new(PROGRESS_LINE, to);
        progress_expect(p, 1000, 1000 * MB);
        progress_expect_no_more(p);
        for (unsigned i = 0; i < 1000; i++) {
                progress_name(p, "x\n");
                progress_done(p, 1, MB);
                clock_fake_ms++;
                assert_true(progress_wait_ms(p) <= (int)PROGRESS_LINE_MS);
                progress_tick(p);
        }
        progress_end(p, 0);
        progress_free(p);
        assert_int_equal(fclose(to), 0);
        for (const char *s = text; (s = strstr(s, "left")) != NULL; s++)
                lines++;
        assert_int_equal(lines, 10);
        assert_non_null(strstr(text, "x\\n"));
        assert_non_null(strstr(text, "1000 files, 1.0 GB in 0:01 (1.0 GB/s)\n"));
        free(text);
        clock_fake_ms = 0;
}

static void test_json(void **state)
{
        char *text = NULL;
        size_t n = 0;
        (void)state;
        FILE *to = open_memstream(&text, &n);
        clock_fake_ms = 1000;
        struct progress *p = progress_new(PROGRESS_JSON, to);
        progress_expect(p, 2, 20);
        progress_done(p, 1, 10);
        progress_event(p, "copied", "a\"\n\xff");
        clock_fake_ms = 2000;
        progress_tick(p);
        progress_tick(p);
        progress_end(p, 3);
        progress_free(p);
        assert_int_equal(fclose(to), 0);
        assert_non_null(strstr(text, "{\"event\":\"copied\",\"name\":\"a\\\"\\n\xef\xbf\xbd\"}\n"));
        assert_non_null(strstr(text, "\"event\":\"progress\",\"files\":1,\"bytes\":10,"));
        assert_non_null(strstr(text, "\"failures\":3}\n"));
        unsigned lines = 0;
        for (const char *s = text; *s; s++)
                lines += *s == '\n';
        assert_int_equal(lines, 3);
        free(text);
        clock_fake_ms = 0;
}

static void test_none(void **state)
{
        char *text = NULL;
        size_t n = 0;
        (void)state;
        FILE *to = open_memstream(&text, &n);
        struct progress *p = progress_new(PROGRESS_NONE, to);
        progress_done(p, 1, 1);
        progress_event(p, "copied", "a");
        assert_int_equal(progress_wait_ms(p), -1);
        progress_tick(p);
        progress_end(p, 1);
        progress_free(p);
        assert_int_equal(fclose(to), 0);
        assert_int_equal(n, 0);
        free(text);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_line), cmocka_unit_test(test_line_never_overruns),
                cmocka_unit_test(test_left), cmocka_unit_test(test_pace),
                cmocka_unit_test(test_json), cmocka_unit_test(test_none),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
