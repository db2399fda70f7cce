/* Open files whose connection is lost: found again by name where that does no harm, given up where
 * it might. The server is the real one; it keeps nothing for those who come back. */
#include <errno.h>

#include "base/testing.h"
#include "client/client_testing.h"
#include "client/file.h"
#include "client/session.h"

static struct client_world *world;

static int set_up(void **state)
{
        (void)state;
        world = client_world_new(NULL, &client_patient);
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        client_world_free(world);
        return 0;
}

struct outcome {
        unsigned calls;
        int err;
        size_t n;
};

static void note(void *arg, const struct frevo_result *r)
{
        struct outcome *o = arg;
        o->calls++;
        o->err = r->err;
        o->n = r->n;
}

static int finish(struct outcome *o, struct frevo_op *op)
{
        assert_non_null(op);
        while (o->calls == 0)
                frevo_wait(world->ctx, -1);
        return o->err;
}

#define RUN(o, start) (memset(&(o), 0, sizeof(o)), finish(&(o), (start)))

static struct frevo_file *open_as(const char *path, const struct frevo_open_how *how)
{
        struct frevo_file *f = NULL;
        assert_int_equal(frevo_open(world->share, path, how, &f), 0);
        return f;
}

static const struct frevo_open_how rw = {.access = FREVO_READ | FREVO_WRITE | FREVO_DELETE,
                                         .disposition = FREVO_CREATE_OR_TRUNCATE};

static void expect(struct frevo_file *f, const char *text)
{
        char buf[64];
        size_t n = 0;
        assert_int_equal(frevo_read(f, 0, buf, sizeof buf, &n), 0);
        assert_int_equal(n, strlen(text));
        assert_memory_equal(buf, text, n);
}

static void test_goes_on(void **state)
{
        struct frevo_file *f = open_as("f", &rw);
        uint64_t before = frevo_count(world->ctx).connects;
        struct outcome o;
        assert_int_equal(frevo_write(f, 0, "one", 3), 0);
        client_world_cut(world->share);
        expect(f, "one"); /* and not emptied by being opened again */
        client_world_cut(world->share);
        assert_int_equal(frevo_write(f, 3, "two", 3), 0);
        client_world_cut(world->share);
        assert_int_equal(frevo_flush(f), 0);
        client_world_cut(world->share);
        assert_int_equal(RUN(o, frevo_fstat_start(f, note, &o)), 0);
        expect(f, "onetwo");
        assert_int_equal(frevo_count(world->ctx).connects - before, 4);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

/* Many pieces in flight, and the line goes away under them, again and again. */
static void test_cut_under_way(void **state)
{
        size_t n = 24u << 20, got;
        uint8_t *in = malloc(n), *out = malloc(n);
        struct frevo_file *f = open_as("large", &rw);
        struct outcome o = {0};
        assert_non_null(in);
        assert_non_null(out);
        for (size_t i = 0; i < n; i++)
                in[i] = (uint8_t)(i * 2654435761u >> 11);
        assert_non_null(frevo_write_start(f, 0, in, (uint32_t)n, note, &o));
        for (unsigned i = 0; i < 4; i++) {
                uint64_t sent = frevo_count(world->ctx).bytes_out;
                while (!o.calls && frevo_count(world->ctx).bytes_out < sent + (2u << 20))
                        frevo_wait(world->ctx, -1);
                client_world_cut(world->share);
        }
        while (!o.calls)
                frevo_wait(world->ctx, -1);
        assert_int_equal(o.err, 0);
        assert_int_equal(o.n, n);
        assert_int_equal(frevo_read(f, 0, out, n, &got), 0);
        assert_int_equal(got, n);
        assert_memory_equal(in, out, n);
        assert_int_equal(frevo_close(f), 0);
        free(in);
        free(out);
        (void)state;
}

static void test_close(void **state)
{
        struct frevo_file *f = open_as("closed", &rw);
        client_world_cut(world->share);
        uint64_t before = frevo_count(world->ctx).requests;
        assert_int_equal(frevo_close(f), 0);
        assert_true(frevo_count(world->ctx).requests - before <= 4); /* no CREATE to close */
        (void)state;
}

static void test_renamed(void **state)
{
        struct frevo_file *f = open_as("before", &rw);
        struct outcome o;
        assert_int_equal(frevo_write(f, 0, "x", 1), 0);
        assert_int_equal(RUN(o, frevo_frename_start(f, "after", true, note, &o)), 0);
        client_world_cut(world->share);
        expect(f, "x");
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

/* ---- given up ---------------------------------------------------------------------------------
 */

static void gives_up(struct frevo_file *f)
{
        char buf[8];
        size_t n;
        assert_int_equal(frevo_read(f, 0, buf, sizeof buf, &n), ESTALE);
        assert_int_equal(frevo_write(f, 0, "new", 3), ESTALE); /* for good */
        assert_int_equal(frevo_close(f), 0);
}

static void test_another_file(void **state)
{
        struct frevo_file *f = open_as("swapped", &rw);
        assert_int_equal(frevo_write(f, 0, "mine", 4), 0);
        client_world_cut(world->share);
        assert_int_equal(frevo_remove(world->share, "swapped", false), 0);
        assert_int_equal(frevo_put(world->share, "swapped", "other", 5, NULL), 0);
        gives_up(f);
        void *data;
        size_t n;
        assert_int_equal(frevo_get(world->share, "swapped", 64, &data, &n), 0);
        assert_string_equal(data, "other");
        free(data);
        assert_int_equal(frevo_remove(world->share, "swapped", false), 0); /* nobody holds it */
        (void)state;
}

static void test_gone(void **state)
{
        struct frevo_file *f = open_as("gone", &rw);
        client_world_cut(world->share);
        assert_int_equal(frevo_remove(world->share, "gone", false), 0);
        gives_up(f);
        (void)state;
}

static void test_locked(void **state)
{
        struct frevo_file *f = open_as("locked", &rw);
        struct outcome o;
        assert_int_equal(RUN(o, frevo_lock_start(f, 0, 1, FREVO_LOCK_EXCLUSIVE, false, note, &o)),
                         0);
        client_world_cut(world->share);
        gives_up(f);
        (void)state;
}

static void test_denied_others(void **state)
{
        struct frevo_open_how how = rw;
        how.deny = 2;
        struct frevo_file *f = open_as("denied", &how);
        client_world_cut(world->share);
        gives_up(f);
        (void)state;
}

/* A reader that kept writers out reads on: what it reads is what is there. */
static void test_reader(void **state)
{
        assert_int_equal(frevo_put(world->share, "read", "text", 4, NULL), 0);
        struct frevo_file *f = open_as("read", &(struct frevo_open_how){.deny = 2});
        client_world_cut(world->share);
        expect(f, "text");
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

static void test_goes_when_closed(void **state)
{
        struct frevo_open_how how = rw;
        how.options = 0x1000; /* FILE_DELETE_ON_CLOSE */
        struct frevo_file *f = open_as("temporary", &how);
        client_world_cut(world->share);
        gives_up(f);
        (void)state;
}

static void test_impatient(void **state)
{
        int err;
        struct frevo_options how = client_patient;
        how.reconnect_ms = 0;
        how.user = "bob";
        how.password = "secret2";
        struct frevo_share *s = client_world_connect(world, "test", &how, &err);
        struct frevo_file *f;
        char buf[8];
        size_t n;
        assert_non_null(s);
        assert_int_equal(frevo_open(s, "bobs", &rw, &f), 0);
        client_world_cut(s);
        assert_int_not_equal(frevo_read(f, 0, buf, 8, &n), 0);
        (void)frevo_close(f);
        frevo_share_release(s);
        (void)state;
}

/* ---- news -------------------------------------------------------------------------------------
 */

struct news {
        unsigned overflows, added, ends;
};

static void hear(void *arg, const struct frevo_result *r)
{
        struct news *w = arg;
        const struct frevo_event *e = r->data;
        w->ends += r->n == 0;
        for (size_t i = 0; i < r->n / sizeof *e; i++) {
                w->overflows += e[i].kind == FREVO_OVERFLOW;
                w->added += e[i].kind == FREVO_ADDED;
        }
}

static void test_watch(void **state)
{
        struct news w = {0};
        assert_int_equal(frevo_mkdir(world->share, "d"), 0);
        struct frevo_file *dir = open_as("d", &(struct frevo_open_how){.options = 1});
        struct frevo_op *op = frevo_watch_start(dir, false, 0, hear, &w);
        assert_non_null(op);
        assert_int_equal(frevo_put(world->share, "d/a", "", 0, NULL), 0);
        while (!w.added)
                frevo_wait(world->ctx, -1);
        for (unsigned i = 0; i < 12; i++) { /* more often than any request is sent again */
                w = (struct news){0};
                client_world_cut(world->share);
                while (!w.overflows)
                        frevo_wait(world->ctx, -1);
                assert_int_equal(frevo_put(world->share, (char[]){'d', '/', (char)('b' + i), 0}, "",
                                           0, NULL),
                                 0);
                while (!w.added && !w.ends)
                        frevo_wait(world->ctx, -1);
                assert_int_equal(w.ends, 0);
        }
        frevo_cancel(op);
        while (!w.ends)
                frevo_wait(world->ctx, -1);
        assert_int_equal(frevo_close(dir), 0);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_goes_on),      cmocka_unit_test(test_cut_under_way),
                cmocka_unit_test(test_close),        cmocka_unit_test(test_renamed),
                cmocka_unit_test(test_another_file), cmocka_unit_test(test_gone),
                cmocka_unit_test(test_locked),       cmocka_unit_test(test_denied_others),
                cmocka_unit_test(test_reader),       cmocka_unit_test(test_goes_when_closed),
                cmocka_unit_test(test_impatient),    cmocka_unit_test(test_watch),
        };
        return cmocka_run_group_tests_name("client reopen", tests, set_up, tear_down);
}
