/* Operations by path whose connection is lost under way: against the real server, with a line that
 * is cut before they are sent, after that, or in the middle of many. */
#include <errno.h>
#include <stdio.h>

#include "base/testing.h"
#include "client/client_testing.h"
#include "client/conn.h"
#include "client/session.h"
#include "client/share.h"

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
        unsigned calls, ends;
        int err;
};

static void note(void *arg, const struct frevo_result *r)
{
        struct outcome *o = arg;
        o->calls++;
        o->ends += r->n_entries == 0;
        o->err = r->err;
}

static void wait_for(const struct outcome *o)
{
        while (o->ends == 0)
                frevo_wait(world->ctx, -1);
        assert_int_equal(o->ends, 1);
}

/* While there is no connection everything waits for the next one, whatever it is. */
static void test_before(void **state)
{
        struct outcome made = {0}, listed = {0}, looked = {0};
        client_world_cut(world->share);
        assert_non_null(frevo_mkdir_start(world->share, "d", note, &made));
        assert_non_null(frevo_stat_start(world->share, "", note, &looked));
        assert_non_null(frevo_list_start(world->share, "", NULL, note, &listed));
        wait_for(&made);
        wait_for(&looked);
        wait_for(&listed);
        assert_int_equal(made.err, 0);
        assert_int_equal(looked.err, 0);
        assert_int_equal(listed.err, 0);
        (void)state;
}

/* The line is cut with the requests on it. */
static void test_under_way(void **state)
{
        struct frevo_stat st;
        struct outcome put = {0}, made = {0}, looked = {0};
        assert_non_null(frevo_put_start(world->share, "f", "text", 4, NULL, note, &put));
        assert_non_null(frevo_stat_start(world->share, "", note, &looked));
        assert_non_null(frevo_mkdir_start(world->share, "d", note, &made));
        client_world_cut(world->share);
        wait_for(&put);
        wait_for(&looked);
        wait_for(&made);
        assert_int_equal(put.err, 0);
        assert_int_equal(looked.err, 0);
        /* Nobody knows whether the server has made it: that is for the caller to find out. */
        assert_true(made.err == ECONNRESET || made.err == 0);
        assert_int_equal(frevo_stat(world->share, "f", &st), 0);
        assert_int_equal(st.size, 4);
        (void)state;
}

#define MANY 300u

static void test_many(void **state)
{
        struct outcome o[MANY] = {0};
        struct frevo_entry *e = NULL;
        size_t n = 0;
        assert_int_equal(frevo_mkdir(world->share, "d"), 0);
        for (unsigned i = 0; i < MANY; i++) {
                char path[32];
                (void)snprintf(path, sizeof path, "d/%u", i);
                assert_non_null(frevo_put_start(world->share, path, "x", 1, NULL, note, &o[i]));
                if (i % 50 == 0) {
                        frevo_wait(world->ctx, 0);
                        client_world_cut(world->share);
                }
        }
        for (unsigned i = 0; i < MANY; i++) {
                wait_for(&o[i]);
                assert_int_equal(o[i].err, 0);
                assert_int_equal(o[i].calls, 1);
        }
        assert_int_equal(frevo_list(world->share, "d", NULL, &e, &n), 0);
        assert_int_equal(n, MANY);
        free(e);
        (void)state;
}

/* What waits for a connection need not wait for it once nobody wants it any more. */
static void test_cancelled(void **state)
{
        struct outcome made = {0}, listed = {0};
        struct frevo_stat st;
        client_world_cut(world->share);
        struct frevo_op *op = frevo_mkdir_start(world->share, "d", note, &made);
        struct frevo_op *list = frevo_list_start(world->share, "", NULL, note, &listed);
        uint64_t connects = frevo_count(world->ctx).connects;
        frevo_cancel(op);
        frevo_cancel(list);
        assert_int_equal(made.calls + listed.calls, 0);
        wait_for(&made);
        wait_for(&listed);
        assert_int_equal(frevo_count(world->ctx).connects, connects);
        assert_int_equal(made.err, ECANCELED);
        assert_int_equal(listed.err, ECANCELED);
        assert_int_equal(frevo_stat(world->share, "d", &st), ENOENT); /* it never went out */
        (void)state;
}

/* Everything in flight ends with the context. */
static void test_freed_under_way(void **state)
{
        struct outcome o[20] = {0};
        for (unsigned i = 0; i < 20; i++)
                assert_non_null(frevo_stat_start(world->share, "", note, &o[i]));
        frevo_share_release(world->share);
        frevo_free(world->ctx);
        for (unsigned i = 0; i < 20; i++)
                assert_int_equal(o[i].calls, 1);
        int err;
        world->ctx = frevo_new();
        world->share = client_world_connect(world, "test", NULL, &err);
        assert_non_null(world->share);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
                T(test_before),    T(test_under_way),       T(test_many),
                T(test_cancelled), T(test_freed_under_way),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
