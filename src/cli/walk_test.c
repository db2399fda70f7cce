/* The walk, over a library that this file plays: folders are named by how many folders they hold.
 */
#include "cli/walk.h"

#include <errno.h>

#include "base/testing.h"
#include "cli/interrupt.h"

#define OPS_MAX 4096u

struct frevo_op {
        char path[4096];
        frevo_done done;
        void *arg;
        bool is_cancelled, is_stat;
};

static struct frevo_op ops[OPS_MAX];
static size_t n_ops, most_in_flight, calls_from_inside;
static bool inside_start;
static size_t fail_start_at = SIZE_MAX;
static size_t started;

bool interrupt_seen(void)
{
        return false;
}

void frevo_cancel(struct frevo_op *op)
{
        op->is_cancelled = true;
}

struct frevo_op *frevo_list_start(struct frevo_share *s, const char *path, const char *pattern,
                                  frevo_done done, void *arg)
{
        (void)s;
        (void)pattern;
        if (started++ == fail_start_at || n_ops == OPS_MAX)
                return NULL;
        /* slots stay where they are: they are handles */
        for (size_t i = 0; i < OPS_MAX; i++)
                if (!ops[i].done) {
                        (void)snprintf(ops[i].path, sizeof ops[i].path, "%s", path);
                        ops[i].done = done;
                        ops[i].arg = arg;
                        ops[i].is_cancelled = ops[i].is_stat = false;
                        n_ops++;
                        if (n_ops > most_in_flight)
                                most_in_flight = n_ops;
                        return &ops[i];
                }
        return NULL;
}

/* Every folder that is looked at itself: those named "1..." are links. */
struct frevo_op *frevo_stat_start(struct frevo_share *s, const char *path, frevo_done done,
                                  void *arg)
{
        struct frevo_op *op = frevo_list_start(s, path, NULL, done, arg);
        if (op)
                op->is_stat = true;
        return op;
}

/* A page with a file and a link, a page with one folder each of "n-1" for folders "n", and the end.
 * A folder named "x" cannot be listed. */
static void serve(struct frevo_op *op)
{
        const char *slash = strrchr(op->path, '/');
        const char *last = slash ? slash + 1 : op->path;
        unsigned n = (unsigned)strtoul(last, NULL, 10);
        char names[16][16];
        struct frevo_entry e[16] = {{.name = "file"}, {.name = "link"}};
        struct frevo_result r = {.entries = e, .n_entries = 2, .ntstatus = 0};
        e[1].stat.type = FREVO_SYMLINK;
        frevo_done done = op->done;
        void *arg = op->arg;
        if (op->is_stat) {
                r = (struct frevo_result){.err = op->is_cancelled ? ECANCELED : 0};
                r.stat.type = *last == '1' ? FREVO_SYMLINK : FREVO_DIRECTORY;
                n_ops--;
                op->done = NULL;
                done(arg, &r);
                return;
        }
        if (!op->is_cancelled && *last != 'x') {
                done(arg, &r);
                r.n_entries = n;
                for (unsigned i = 0; i < n; i++) {
                        (void)snprintf(names[i], sizeof names[i], "%u%c", n - 1, 'a' + (int)i);
                        e[i] = (struct frevo_entry){.name = names[i]};
                        e[i].stat.type = FREVO_DIRECTORY;
                }
                if (n)
                        done(arg, &r);
        }
        r = (struct frevo_result){.err = op->is_cancelled ? ECANCELED : *last == 'x' ? EACCES : 0};
        n_ops--;
        op->done = NULL;
        done(arg, &r);
}

void frevo_wait(struct frevo_ctx *c, int timeout_ms)
{
        (void)c;
        (void)timeout_ms;
        for (size_t i = 0; i < OPS_MAX; i++)
                if (ops[i].done) {
                        serve(&ops[i]);
                        return;
                }
        fail_msg("nothing to wait for");
}

struct seen {
        size_t files, folders, links, listed, failed, ends;
        unsigned stop_after; /* entries; 0 = never */
        bool stop_in_listed;
        struct walk *free_at_end;
        int last_err;
};

static enum walk_verdict on_entry(void *arg, const struct walk_folder *in,
                                  const struct frevo_entry *e, void **child_user)
{
        struct seen *s = arg;
        calls_from_inside += inside_start;
        *child_user = s;
        assert_true(in->depth == 0 || in->user == s);
        s->files += e->stat.type == FREVO_FILE;
        s->folders += e->stat.type == FREVO_DIRECTORY;
        s->links += e->stat.type == FREVO_SYMLINK;
        if (s->stop_after && s->files + s->folders + s->links >= s->stop_after)
                return WALK_STOP;
        return strcmp(e->name, "0b") == 0 ? WALK_SKIP : WALK_ON;
}

static struct walk *current;

static void on_listed(void *arg, const struct walk_folder *f, int err, uint32_t ntstatus)
{
        struct seen *s = arg;
        (void)f;
        (void)ntstatus;
        s->listed++;
        s->failed += err != 0;
        s->last_err = err ? err : s->last_err;
        if (s->stop_in_listed)
                walk_stop(current);
}

static void on_end(void *arg)
{
        struct seen *s = arg;
        s->ends++;
        walk_free(s->free_at_end);
}

static const struct walk_how all = {.entry = on_entry, .listed = on_listed, .end = on_end};

static int reset(void **state)
{
        (void)state;
        memset(ops, 0, sizeof ops);
        n_ops = most_in_flight = calls_from_inside = started = 0;
        fail_start_at = SIZE_MAX;
        return 0;
}

/* "4" holds 4 folders "3?", each 3 folders "2?", ...: 1 + 4 + 12 + 24 + 24 folders, less one
 * skipped below each "1?" that has a second child (none has). */
static void test_everything_once(void **state)
{
        struct seen s = {0};
        struct frevo_share *share = NULL;
        (void)state;
        assert_int_equal(walk_run(NULL, share, "4", &all, &s), 0);
        assert_int_equal(s.folders, 4 + 12 + 24 + 24);
        assert_int_equal(s.listed, 65);
        assert_int_equal(s.files, 65);
        assert_int_equal(s.links, 65);
        assert_int_equal(s.ends, 1);
        assert_int_equal(s.failed, 0);
        assert_true(most_in_flight > 3);
}

static void test_bound(void **state)
{
        struct walk_how how = all;
        (void)state;
        for (unsigned bound = 1; bound < 6; bound++) {
                struct seen s = {0};
                reset(NULL);
                how.in_flight = bound;
                assert_int_equal(walk_run(NULL, NULL, "4", &how, &s), 0);
                assert_int_equal(s.listed, 65);
                assert_int_equal(most_in_flight, bound);
        }
}

static void test_depth(void **state)
{
        struct walk_how how = all;
        struct seen s = {0};
        (void)state;
        how.max_depth = 1;
        assert_int_equal(walk_run(NULL, NULL, "4", &how, &s), 0);
        assert_int_equal(s.listed, 1);
        assert_int_equal(s.folders, 4);
        how.max_depth = 2;
        assert_int_equal(walk_run(NULL, NULL, "4", &how, &s), 0);
        assert_int_equal(s.listed, 1 + 5);
}

static void test_links_are_not_entered(void **state)
{
        struct walk_how how = all;
        struct seen s = {0};
        (void)state;
        how.checks_links = true;
        assert_int_equal(walk_run(NULL, NULL, "4", &how, &s), 0);
        assert_int_equal(s.folders, 4 + 12 + 24);
        assert_int_equal(s.failed, 24);
        assert_int_equal(s.last_err, ELOOP);
        assert_int_equal(s.listed, 1 + 4 + 12 + 24);
        for (unsigned n = 1; n < 100; n++) {
                struct seen stopped = {.stop_after = n};
                reset(NULL);
                (void)walk_run(NULL, NULL, "4", &how, &stopped);
                assert_int_equal(stopped.ends, 1);
                assert_int_equal(n_ops, 0);
        }
}

static void test_stop_anywhere(void **state)
{
        (void)state;
        for (unsigned n = 1; n < 200; n++) {
                struct seen s = {.stop_after = n};
                reset(NULL);
                (void)walk_run(NULL, NULL, "4", &all, &s);
                assert_int_equal(s.ends, 1);
                assert_true(s.files + s.folders + s.links <= n);
                assert_int_equal(n_ops, 0);
        }
}

static void test_stop_in_listed_and_free_in_end(void **state)
{
        struct seen s = {.stop_in_listed = true};
        (void)state;
        current = walk_start(NULL, "0", &all, &s);
        s.free_at_end = current;
        while (!s.ends)
                frevo_wait(NULL, -1);
        assert_int_equal(s.listed, 1);
}

static void test_errors_are_reported(void **state)
{
        struct seen s = {0};
        (void)state;
        assert_int_equal(walk_run(NULL, NULL, "x", &all, &s), 0);
        assert_int_equal(s.failed, 1);
        assert_int_equal(s.last_err, EACCES);
        fail_start_at = 1 + started;
        assert_int_equal(walk_run(NULL, NULL, "2", &all, &s), 0);
        assert_int_equal(s.failed, 2);
        assert_int_equal(s.last_err, ENOMEM);
        reset(NULL);
        fail_start_at = 0;
        assert_int_equal(walk_run(NULL, NULL, "2", &all, &s), ENOMEM);
        assert_int_equal(s.ends, 2);
}

static void test_pause(void **state)
{
        struct seen s = {0};
        (void)state;
        current = walk_start(NULL, "4", &all, &s);
        walk_pause(current);
        frevo_wait(NULL, -1);
        assert_int_equal(n_ops, 0); /* its folders wait */
        assert_false(walk_is_done(current));
        walk_resume(current);
        while (!walk_is_done(current))
                frevo_wait(NULL, -1);
        assert_int_equal(s.listed, 65);
        walk_free(current);
}

static void test_stop_while_paused(void **state)
{
        struct seen s = {0};
        (void)state;
        current = walk_start(NULL, "4", &all, &s);
        walk_pause(current);
        frevo_wait(NULL, -1);
        walk_stop(current);
        assert_true(walk_is_done(current));
        assert_int_equal(s.ends, 1);
        walk_free(current);
}

static void test_endless_path(void **state)
{
        static char path[WALK_PATH_MAX];
        struct seen s = {0};
        (void)state;
        memset(path, 'p', sizeof path - 1);
        memcpy(path + sizeof path - 4, "/1", 3);
        current = walk_start(NULL, path, &all, &s);
        (void)snprintf(ops[0].path, sizeof ops[0].path, "1"); /* the table's paths are shorter */
        while (!walk_is_done(current))
                frevo_wait(NULL, -1);
        walk_free(current);
        assert_int_equal(s.last_err, ENAMETOOLONG);
        assert_int_equal(s.listed, 2);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(test_everything_once, reset),
                cmocka_unit_test_setup(test_bound, reset),
                cmocka_unit_test_setup(test_depth, reset),
                cmocka_unit_test_setup(test_links_are_not_entered, reset),
                cmocka_unit_test_setup(test_stop_anywhere, reset),
                cmocka_unit_test_setup(test_stop_in_listed_and_free_in_end, reset),
                cmocka_unit_test_setup(test_errors_are_reported, reset),
                cmocka_unit_test_setup(test_pause, reset),
                cmocka_unit_test_setup(test_stop_while_paused, reset),
                cmocka_unit_test_setup(test_endless_path, reset),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
