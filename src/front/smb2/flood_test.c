/* Many who begin and do not go on, before anybody has signed in: what that costs is bounded, ends
 * by itself, and holds nobody up. */
#include "base/testing.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "front/smb2/testclient.h"
#include "wire/smb2/session_setup.h"

static const struct testserver_options plain;

static struct testserver *server;

static int setup(void **state)
{
        struct rlimit n;
        (void)state;
        log_set_level(LOG_LEVEL_ERROR);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &n), 0);
        n.rlim_cur = n.rlim_max;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &n), 0);
        server = testserver_new(&plain);
        return 0;
}

static int teardown(void **state)
{
        (void)state;
        clock_fake_ms = 0;
        testserver_free(server);
        return 0;
}

static void advance(void *ms)
{
        clock_fake_ms = clock_ms() + *(uint64_t *)ms;
}

static void look(void *nothing)
{
        (void)nothing;
}

/* The clock of the loop jumps, and timers run. */
static void let_pass(uint64_t ms)
{
        testserver_on_loop(server, 0, advance, &ms);
        testserver_on_loop(server, 0, look, NULL); /* the iteration in between has run them */
}

/* Somebody else: comes, signs in, and is served. */
static void serves_a_newcomer(void)
{
        struct tc *c = tc_ready(server, 0);
        assert_int_equal(tc_simple(c, SMB2_ECHO), STATUS_SUCCESS);
        tc_free(c);
}

static uint32_t first_token(struct tc *c)
{
        struct smb2_session_setup_req q = {
                .security_mode = 1,
                .security_buffer = hex("4e544c4d53535000 01000000 97820862 0000000000000000 "
                                       "0000000000000000 0600720a0000000f")};
        tc_begin(c, SMB2_SESSION_SETUP);
        smb2_session_setup_req_encode(&c->w, 0, &q);
        return tc_call(c);
}

/* A23: half a length, and silence, on 500 connections. */
static void a23_half_a_length_on_500_connections(void **state)
{
        static const uint8_t half[] = {0x00, 0x00, 0xff};
        int fd[500];
        (void)state;
        for (unsigned i = 0; i < 500; i++) {
                fd[i] = testserver_connect(server, 0);
                assert_int_equal(send(fd[i], half, sizeof half, MSG_NOSIGNAL), sizeof half);
        }
        for (unsigned i = 0; i < 20; i++)
                serves_a_newcomer();
        assert_true(smb2_front_counts(server->front).connections >= 500);
        let_pass(LIMIT_UNAUTH_MS - 5000);
        uint8_t byte;
        assert_int_equal(recv(fd[0], &byte, 1, MSG_DONTWAIT), -1); /* still there */
        assert_int_equal(errno, EAGAIN);
        let_pass(5001);
        for (unsigned i = 0; i < 500; i++) {
                assert_int_equal(recv(fd[i], &byte, 1, 0), 0);
                assert_int_equal(close(fd[i]), 0);
        }
        serves_a_newcomer();
}

/* A24: 100,000 sign-ins begun on one connection: so many are under way, the others are refused. */
static void a24_first_tokens_on_one_connection(void **state)
{
        (void)state;
        struct tc *c = tc_new(server, 0);
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        for (unsigned i = 0; i < 100000; i++) {
                uint32_t status = first_token(c);
                assert_int_equal(status, i < LIMIT_HALF_OPEN_PER_CONN
                                                 ? STATUS_MORE_PROCESSING_REQUIRED
                                                 : STATUS_REQUEST_NOT_ACCEPTED);
        }
        assert_int_equal(smb2_front_counts(server->front).sessions, LIMIT_HALF_OPEN_PER_CONN);
        serves_a_newcomer();
        let_pass(LIMIT_UNAUTH_MS + 1); /* begun and not gone on with: over, with the connection */
        assert_true(tc_is_closed(c));
        assert_int_equal(smb2_front_counts(server->front).sessions, 0);
        tc_free(c);
}

/* A24, from many connections: the oldest give way, and whoever is in time signs in. */
static void a24_first_tokens_on_many_connections(void **state)
{
        enum { CONNS = LIMIT_HALF_OPEN_PER_LOOP / LIMIT_HALF_OPEN_PER_CONN + 20 };
        static struct tc *c[CONNS];
        (void)state;
        for (unsigned i = 0; i < CONNS; i++) {
                c[i] = tc_new(server, 0);
                assert_int_equal(tc_negotiate(c[i]), STATUS_SUCCESS);
                for (unsigned j = 0; j < LIMIT_HALF_OPEN_PER_CONN; j++)
                        assert_int_equal(first_token(c[i]), STATUS_MORE_PROCESSING_REQUIRED);
                assert_true(smb2_front_counts(server->front).sessions <= LIMIT_HALF_OPEN_PER_LOOP);
        }
        assert_int_equal(smb2_front_counts(server->front).sessions, LIMIT_HALF_OPEN_PER_LOOP);
        serves_a_newcomer();
        /* Who lost his place is told so, and may begin again. */
        assert_int_equal(first_token(c[0]), STATUS_MORE_PROCESSING_REQUIRED);
        let_pass(LIMIT_UNAUTH_MS + 1);
        for (unsigned i = 0; i < CONNS; i++) {
                assert_true(tc_is_closed(c[i]));
                tc_free(c[i]);
        }
        assert_int_equal(smb2_front_counts(server->front).sessions, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        const struct CMUnitTest tests[] = {
                T(a23_half_a_length_on_500_connections),
                T(a24_first_tokens_on_one_connection),
                T(a24_first_tokens_on_many_connections),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
