/* Durable opens, against a server that gives them: FREVO_TEST_DURABLE is the smb:// URL of a
 * writable share of it, user and password included. Without one there is nothing to be seen here.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/testing.h"
#include "client/file.h"
#include "client/session.h"

#define ALL (FREVO_LEASE_READ | FREVO_LEASE_HANDLE | FREVO_LEASE_WRITE)
#define SKIPPED 77

/* One client: the user's, or somebody else's. */
struct side {
        struct frevo_ctx *ctx;
        struct frevo_share *share;
};

static void side_open(struct side *s, uint16_t dialect)
{
        struct frevo_url url;
        struct frevo_options how = {.max_dialect = dialect, .reconnect_ms = 20000};
        assert_int_equal(frevo_url_parse(getenv("FREVO_TEST_DURABLE"), &url, NULL), 0);
        s->ctx = frevo_new();
        assert_non_null(s->ctx);
        assert_int_equal(frevo_connect(s->ctx, &url, &how, &s->share), 0);
        frevo_url_free(&url);
}

static void side_close(struct side *s)
{
        frevo_share_release(s->share);
        frevo_free(s->ctx);
}

/* The line is cut, and stands again; the file was not used yet. */
static void cut(struct side *s)
{
        uint32_t epoch = share_epoch(s->share);
        struct frevo_stat st;
        list_each_safe (&s->share->session->conns, it, next)
                client_conn_fail(list_entry(it, struct client_conn, in_session), ECONNRESET,
                                 STATUS_INVALID);
        assert_int_equal(frevo_stat(s->share, "", &st), 0);
        assert_int_not_equal(share_epoch(s->share), epoch);
}

struct outcome {
        unsigned calls;
        int err;
};

static void note(void *arg, const struct frevo_result *r)
{
        struct outcome *o = arg;
        o->calls++;
        o->err = r->err;
}

static int lock(struct side *s, struct frevo_file *f, uint64_t off)
{
        struct outcome o = {0};
        assert_non_null(frevo_lock_start(f, off, 1, FREVO_LOCK_EXCLUSIVE, false, note, &o));
        while (!o.calls)
                frevo_wait(s->ctx, -1);
        return o.err;
}

static struct frevo_file *open_durable(struct side *s, const char *path, unsigned lease,
                                       uint32_t deny)
{
        struct frevo_file *f = NULL;
        struct frevo_open_how how = {.access = FREVO_READ | FREVO_WRITE,
                                     .disposition = FREVO_CREATE_OR_TRUNCATE,
                                     .durable = true,
                                     .deny = deny,
                                     .lease = lease};
        assert_int_equal(frevo_open(s->share, path, &how, &f), 0);
        return f;
}

static void expect(struct frevo_file *f, const char *text)
{
        char buf[64];
        size_t n = 0;
        assert_int_equal(frevo_read(f, 0, buf, sizeof buf, &n), 0);
        assert_int_equal(n, strlen(text));
        assert_memory_equal(buf, text, n);
}

/* Locks, denials and leases outlive the cut, several times over. */
static void kept(uint16_t dialect, enum file_durable kind)
{
        struct side me, they;
        struct frevo_file *f, *g;
        side_open(&me, dialect);
        side_open(&they, dialect);
        f = open_durable(&me, "kept", ALL, 2);
        assert_int_equal(f->durable, kind);
        assert_int_equal(frevo_lease_held(f), ALL);
        assert_int_equal(frevo_write(f, 0, "one", 3), 0);
        assert_int_equal(lock(&me, f, 100), 0);
        cut(&me);
        assert_int_equal(frevo_write(f, 3, "two", 3), 0);
        assert_int_equal(frevo_lease_held(f), ALL);
        cut(&me);
        expect(f, "onetwo");
        assert_int_equal(f->durable, kind);
        assert_int_equal(f->locks, 1);
        assert_int_equal(lock(&me, f, 100), EAGAIN); /* the server knows of it still */
        assert_int_equal(frevo_close(f), 0);
        assert_int_equal(frevo_open(they.share, "kept",
                                    &(struct frevo_open_how){.access = FREVO_WRITE, .deny = 7}, &g),
                         0);
        assert_int_equal(frevo_close(g), 0);
        side_close(&they);
        side_close(&me);
}

static void test_v2(void **state)
{
        kept(0, FILE_DURABLE_V2);
        (void)state;
}

static void test_v1(void **state)
{
        kept(0x0210, FILE_DURABLE_V1);
        (void)state;
}

static void test_batch_oplock(void **state)
{
        kept(0x0202, FILE_DURABLE_V1);
        (void)state;
}

/* Without a wish for a lease: durable all the same, and nothing is said to be held. */
static void test_no_lease_wanted(void **state)
{
        struct side me;
        side_open(&me, 0);
        struct frevo_file *f = open_durable(&me, "plain", 0, 0);
        assert_int_equal(f->durable, FILE_DURABLE_V2);
        assert_int_equal(frevo_lease_held(f), 0);
        assert_int_equal(lock(&me, f, 1), 0);
        cut(&me);
        assert_int_equal(frevo_write(f, 0, "x", 1), 0);
        assert_int_equal(frevo_close(f), 0);
        side_close(&me);
        (void)state;
}

/* Somebody came in between: the server let go of the open, and its locks are nobody's. */
static void test_lost_to_another(void **state)
{
        struct side me, they;
        struct frevo_file *f, *g;
        side_open(&me, 0);
        side_open(&they, 0);
        f = open_durable(&me, "lost", ALL, 0);
        assert_int_equal(lock(&me, f, 1), 0);
        cut(&me);
        assert_int_equal(frevo_open(they.share, "lost",
                                    &(struct frevo_open_how){.access = FREVO_READ | FREVO_WRITE},
                                    &g),
                         0);
        assert_int_equal(frevo_write(g, 0, "theirs", 6), 0);
        assert_int_equal(frevo_write(f, 0, "mine", 4), ESTALE);
        assert_int_equal(frevo_lease_held(f), 0);
        assert_int_equal(frevo_close(f), 0);
        expect(g, "theirs");
        assert_int_equal(frevo_close(g), 0);
        side_close(&they);
        side_close(&me);
        (void)state;
}

/* Closing after the cut closes at the server, which would wait for us otherwise. */
static void test_closed_after_cut(void **state)
{
        struct side me, they;
        struct frevo_file *f, *g;
        side_open(&me, 0);
        side_open(&they, 0);
        f = open_durable(&me, "closed", 0, 7);
        cut(&me);
        assert_int_equal(frevo_close(f), 0);
        assert_int_equal(frevo_open(they.share, "closed",
                                    &(struct frevo_open_how){.access = FREVO_WRITE, .deny = 7}, &g),
                         0);
        assert_int_equal(frevo_close(g), 0);
        side_close(&they);
        side_close(&me);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_v2),
                cmocka_unit_test(test_v1),
                cmocka_unit_test(test_batch_oplock),
                cmocka_unit_test(test_no_lease_wanted),
                cmocka_unit_test(test_lost_to_another),
                cmocka_unit_test(test_closed_after_cut),
        };
        if (!getenv("FREVO_TEST_DURABLE"))
                return SKIPPED;
        return cmocka_run_group_tests_name("client durable opens", tests, NULL, NULL);
}
