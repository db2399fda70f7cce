/* Clients whose connections begin on different loops and end up on one, under traffic: for
 * ThreadSanitizer as much as for what is asserted. Each client is a thread. */
#include "base/testing.h"

#include <pthread.h>

#include "front/smb2/testclient.h"
#include "wire/smb2/close.h"
#include "wire/smb2/lock.h"

#define CLIENTS 6
#define ROUNDS 8
#define RW (FILE_READ_DATA | FILE_WRITE_DATA)

struct client {
        pthread_t thread;
        struct testserver *t;
        unsigned number;
        bool ok;
};

#define CHECK(x)                                                                                   \
        do {                                                                                       \
                if (!(x)) {                                                                        \
                        (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);              \
                        return false;                                                              \
                }                                                                                  \
        } while (0)

/* One file that all clients open, write and lock: the nodes are what loops share. */
static bool traffic(struct tc *c)
{
        static const struct smb2_file_id none = {UINT64_MAX, UINT64_MAX};
        for (unsigned i = 0; i < 5; i++) {
                tc_put_create(c, "shared", RW, FILE_OPEN_IF, 0, (struct bytes){0});
                tc_put_write(c, none, i, bytes_str("x"));
                tc_related(c);
                tc_begin(c, SMB2_CLOSE);
                smb2_close_req_encode(&c->w, &(struct smb2_close_req){.file_id = none});
                tc_related(c);
                CHECK(tc_call(c) == STATUS_SUCCESS);
                CHECK(c->reply[2].h.status == STATUS_SUCCESS);
        }
        return true;
}

/* A lock that others want, too: granted now or later, on whichever loop. */
static bool take_turns(struct tc *c)
{
        struct smb2_file_id id;
        CHECK(tc_create(c, "turns", RW, FILE_OPEN_IF, 0, &id) == STATUS_SUCCESS);
        tc_put_lock(c, id, 0, 1, SMB2_LOCKFLAG_EXCLUSIVE_LOCK);
        CHECK(tc_call(c) == STATUS_SUCCESS);
        tc_put_lock(c, id, 0, 1, SMB2_LOCKFLAG_UNLOCK);
        CHECK(tc_call(c) == STATUS_SUCCESS);
        CHECK(tc_close(c, id) == STATUS_SUCCESS);
        return true;
}

/* Two connections of one client, begun on both loops, the second bound to the first's session. */
static bool two_channels(struct client *k, unsigned round)
{
        struct tc *a = tc_ready(k->t, k->number % 2), *b = tc_new(k->t, 1 - k->number % 2);
        b->guid = a->guid;
        CHECK(tc_negotiate(b) == STATUS_SUCCESS);
        CHECK(tc_bind(b, a, "alice", "secret") == STATUS_SUCCESS);
        CHECK(traffic(a) && traffic(b) && take_turns(b));
        if (round % 3 == 0)
                CHECK(tc_simple(b, SMB2_LOGOFF) == STATUS_SUCCESS);
        tc_free(round % 2 ? a : b);
        if (round % 3)
                CHECK(traffic(round % 2 ? b : a));
        tc_free(round % 2 ? b : a);
        return true;
}

/* A new connection ends the old session wherever that lives. */
static bool take_over(struct client *k)
{
        struct tc *a = tc_ready(k->t, 0), *b = tc_new(k->t, 1);
        CHECK(tc_negotiate(b) == STATUS_SUCCESS);
        CHECK(tc_sign_in_with(b, "alice", "secret", 0, a->session_id) == STATUS_SUCCESS);
        CHECK(tc_tree(b, "test") == STATUS_SUCCESS);
        CHECK(traffic(b));
        CHECK(tc_simple(a, SMB2_TREE_DISCONNECT) == STATUS_USER_SESSION_DELETED);
        tc_free(a);
        tc_free(b);
        return true;
}

static void *client_run(void *arg)
{
        struct client *k = arg;
        for (unsigned i = 0; i < ROUNDS; i++)
                if (!two_channels(k, i) || !take_over(k))
                        return NULL;
        k->ok = true;
        return NULL;
}

static void many_clients_on_two_loops(void **state)
{
        (void)state;
        struct testserver_options o = {.loops = 2, .encrypt = SMB2_ENCRYPT_OFFERED};
        struct client k[CLIENTS];
        struct testserver *t = testserver_new(&o);
        for (unsigned i = 0; i < CLIENTS; i++) {
                k[i] = (struct client){.t = t, .number = i};
                assert_int_equal(pthread_create(&k[i].thread, NULL, client_run, &k[i]), 0);
        }
        for (unsigned i = 0; i < CLIENTS; i++) {
                assert_int_equal(pthread_join(k[i].thread, NULL), 0);
                assert_true(k[i].ok);
        }
        testserver_free(t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(many_clients_on_two_loops)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
