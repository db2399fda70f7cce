/* Leases and oplocks against the real server: granted, broken, acknowledged now or later. A second
 * client in the same thread comes in between. */
#include <errno.h>

#include "base/testing.h"
#include "client/client_testing.h"
#include "client/file.h"

#define ALL (FREVO_LEASE_READ | FREVO_LEASE_HANDLE | FREVO_LEASE_WRITE)

static struct client_world *world;
static struct frevo_ctx *other;
static struct frevo_share *others;

static void begin(uint16_t dialect)
{
        struct testserver_options o = {.dialect_max = dialect};
        int err;
        world = client_world_new(&o, NULL);
        struct frevo_ctx *ctx = world->ctx;
        other = world->ctx = frevo_new();
        assert_non_null(other);
        others = client_world_connect(world, "test", NULL, &err);
        assert_non_null(others);
        world->ctx = ctx;
}

static void end(void)
{
        frevo_share_release(others);
        frevo_free(other);
        client_world_free(world);
}

struct outcome {
        unsigned calls;
        int err;
        struct frevo_file *file;
};

static void note(void *arg, const struct frevo_result *r)
{
        struct outcome *o = arg;
        o->calls++;
        o->err = r->err;
        o->file = r->file;
}

/* Both clients go on until *calls is not 0. */
static void both(const unsigned *calls)
{
        while (!*calls) {
                frevo_wait(world->ctx, 1);
                frevo_wait(other, 1);
        }
}

struct told {
        unsigned calls, now;
        bool later; /* what to answer */
};

static int on_broken(void *arg, struct frevo_file *f, unsigned now)
{
        struct told *t = arg;
        t->calls++;
        t->now = now;
        (void)f;
        return t->later;
}

static struct frevo_file *open_leased(unsigned lease, const uint8_t *key, struct told *t)
{
        struct frevo_file *f = NULL;
        struct frevo_open_how how = {.access = FREVO_READ | FREVO_WRITE,
                                     .disposition = FREVO_OPEN_OR_CREATE,
                                     .lease = lease,
                                     .lease_key = key,
                                     .lease_broken = on_broken,
                                     .lease_arg = t};
        assert_int_equal(frevo_open(world->share, "f", &how, &f), 0);
        return f;
}

static const struct frevo_open_how second = {.access = FREVO_READ | FREVO_WRITE};

static void close_second(struct outcome *o)
{
        assert_int_equal(o->err, 0);
        assert_int_equal(frevo_close(o->file), 0);
}

static void broken_at_once(uint16_t dialect)
{
        struct told t = {0};
        struct outcome o = {0};
        begin(dialect);
        struct frevo_file *f = open_leased(ALL, NULL, &t);
        assert_int_equal(frevo_lease_held(f), ALL);
        assert_non_null(frevo_open_start(others, "f", &second, note, &o));
        both(&o.calls);
        assert_int_equal(t.calls, 1);
        assert_false(t.now & FREVO_LEASE_WRITE);
        assert_int_equal(frevo_lease_held(f), t.now);
        close_second(&o);
        assert_int_equal(frevo_close(f), 0);
        end();
}

static void test_lease_v2(void **state)
{
        broken_at_once(0);
        (void)state;
}

static void test_lease_v1(void **state)
{
        broken_at_once(0x0210);
        (void)state;
}

static void test_oplock(void **state)
{
        broken_at_once(0x0202);
        (void)state;
}

/* The second client waits until what was cached is written back. */
static void later(uint16_t dialect)
{
        struct told t = {.later = true};
        struct outcome o = {0};
        begin(dialect);
        struct frevo_file *f = open_leased(ALL, NULL, &t);
        assert_int_equal(frevo_lease_held(f), ALL);
        assert_non_null(frevo_open_start(others, "f", &second, note, &o));
        both(&t.calls);
        assert_int_equal(frevo_write(f, 0, "late", 4), 0);
        frevo_wait(other, 20);
        assert_int_equal(o.calls, 0);
        frevo_lease_ack(f);
        both(&o.calls);
        char buf[8];
        size_t n;
        assert_int_equal(o.err, 0);
        assert_int_equal(frevo_read(o.file, 0, buf, 8, &n), 0);
        assert_int_equal(n, 4);
        assert_int_equal(t.calls, 1);
        close_second(&o);
        assert_int_equal(frevo_close(f), 0);
        end();
}

static void test_later_lease(void **state)
{
        later(0);
        (void)state;
}

static void test_later_oplock(void **state)
{
        later(0x0202);
        (void)state;
}

/* Closing is an acknowledgement. */
static void test_closed_instead(void **state)
{
        struct told t = {.later = true};
        struct outcome o = {0};
        begin(0);
        struct frevo_file *f = open_leased(ALL, NULL, &t);
        assert_non_null(frevo_open_start(others, "f", &second, note, &o));
        both(&t.calls);
        assert_int_equal(frevo_close(f), 0);
        both(&o.calls);
        close_second(&o);
        end();
        (void)state;
}

/* Two opens with one key hold one lease; both are told, and both must be ready. */
static void test_shared_key(void **state)
{
        static const uint8_t key[16] = {1, 2, 3};
        struct told t = {.later = true}, u = {.later = true};
        struct outcome o = {0};
        begin(0);
        struct frevo_file *f = open_leased(ALL, key, &t);
        struct frevo_file *g = open_leased(ALL, key, &u);
        assert_int_equal(frevo_lease_held(f), ALL);
        assert_int_equal(frevo_lease_held(g), ALL);
        assert_int_equal(t.calls + u.calls, 0);
        assert_non_null(frevo_open_start(others, "f", &second, note, &o));
        both(&t.calls);
        both(&u.calls);
        frevo_lease_ack(f);
        frevo_wait(world->ctx, 20);
        frevo_wait(other, 20);
        assert_int_equal(o.calls, 0);
        assert_int_equal(frevo_close(g), 0); /* so that nobody owes anything */
        both(&o.calls);
        close_second(&o);
        assert_int_equal(frevo_close(f), 0);
        end();
        (void)state;
}

static void test_nothing_wanted(void **state)
{
        struct told t = {0};
        begin(0);
        struct frevo_file *f = open_leased(0, NULL, &t);
        assert_int_equal(frevo_lease_held(f), 0);
        frevo_lease_ack(f); /* harmless */
        assert_null(world->ctx->leases);
        assert_int_equal(frevo_close(f), 0);
        end();
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lease_v2),     cmocka_unit_test(test_lease_v1),
                cmocka_unit_test(test_oplock),       cmocka_unit_test(test_later_lease),
                cmocka_unit_test(test_later_oplock), cmocka_unit_test(test_closed_instead),
                cmocka_unit_test(test_shared_key),   cmocka_unit_test(test_nothing_wanted),
        };
        return cmocka_run_group_tests_name("client leases", tests, NULL, NULL);
}
