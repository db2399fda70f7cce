/* Requests that hang together, wait, or are overtaken by the end of what they need. */
#include "base/testing.h"

#include <sys/socket.h>
#include <unistd.h>

#include "front/smb2/testclient.h"
#include "wire/smb2/close.h"
#include "wire/smb2/echo.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/flush.h"
#include "wire/smb2/lock.h"
#include "wire/smb2/set_info.h"

static const struct testserver_options plain;
static const struct smb2_file_id none = {UINT64_MAX, UINT64_MAX};

#define RW (FILE_READ_DATA | FILE_WRITE_DATA)

static void put_simple(struct tc *c, uint16_t command)
{
        tc_begin(c, command);
        smb2_empty_body_encode(&c->w);
}

static void put_close(struct tc *c, struct smb2_file_id id)
{
        tc_begin(c, SMB2_CLOSE);
        smb2_close_req_encode(&c->w, &(struct smb2_close_req){.file_id = id});
}

static void put_related_close(struct tc *c)
{
        put_close(c, none);
        tc_related(c);
}

static void put_open(struct tc *c, const char *name, uint32_t disposition)
{
        tc_put_create(c, name, RW, disposition, 0, (struct bytes){0});
}

static void expect(struct tc *c, const uint32_t *status, unsigned n)
{
        assert_int_equal(c->n_replies, n);
        for (unsigned i = 0; i < n; i++)
                assert_int_equal(c->reply[i].h.status, status[i]);
}

#define EXPECT(c, ...)                                                                             \
        do {                                                                                       \
                const uint32_t s_[] = {__VA_ARGS__};                                               \
                expect(c, s_, sizeof s_ / sizeof *s_);                                             \
        } while (0)

/* ---- compounds --------------------------------------------------------------------------------
 */

static void related_requests_share_a_file(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        put_open(c, "f", FILE_OPEN_IF);
        tc_put_write(c, none, 0, bytes_str("hello"));
        tc_related(c);
        tc_put_read(c, none, 1, 3);
        tc_related(c);
        put_related_close(c);
        assert_int_equal(tc_call(c), STATUS_SUCCESS);
        EXPECT(c, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS);
        assert_memory_equal(c->reply[2].msg.p + 80, "ell", 3);
        for (unsigned i = 0; i < 4; i++)
                assert_true(c->reply[i].is_signed);
        tc_free(c);
        testserver_free(t);
}

/* What depends on a CREATE that failed fails like it; what does not, does not. */
static void failure_is_inherited(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        put_open(c, "missing", FILE_OPEN);
        tc_put_read(c, none, 0, 1);
        tc_related(c);
        put_related_close(c);
        put_simple(c, SMB2_ECHO);
        (void)tc_call(c);
        EXPECT(c, STATUS_OBJECT_NAME_NOT_FOUND, STATUS_OBJECT_NAME_NOT_FOUND,
               STATUS_OBJECT_NAME_NOT_FOUND, STATUS_SUCCESS);
        put_simple(c, SMB2_ECHO); /* no predecessor to be related to */
        tc_related(c);
        assert_int_equal(tc_call(c), STATUS_INVALID_PARAMETER);
        tc_free(c);
        testserver_free(t);
}

/* A5: what a TREE_DISCONNECT or a CLOSE took away is gone for the rest of the chain. */
static void a5_what_is_gone_is_gone(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        put_simple(c, SMB2_TREE_DISCONNECT);
        put_simple(c, SMB2_TREE_DISCONNECT);
        tc_related(c);
        put_open(c, "f", FILE_OPEN_IF);
        tc_related(c);
        (void)tc_call(c);
        EXPECT(c, STATUS_SUCCESS, STATUS_NETWORK_NAME_DELETED, STATUS_NETWORK_NAME_DELETED);
        assert_int_equal(tc_tree(c, "test"), STATUS_SUCCESS);
        put_open(c, "f", FILE_OPEN_IF);
        put_related_close(c);
        put_related_close(c);
        (void)tc_call(c);
        EXPECT(c, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_FILE_CLOSED);
        put_simple(c, SMB2_LOGOFF);
        put_open(c, "f", FILE_OPEN_IF);
        tc_related(c);
        put_simple(c, SMB2_ECHO);
        (void)tc_call(c);
        assert_int_equal(c->reply[0].h.status, STATUS_SUCCESS);
        assert_int_equal(c->reply[1].h.status, STATUS_USER_SESSION_DELETED);
        tc_free(c);
        testserver_free(t);
}

static void flush_before_close(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        struct smb2_file_id id;
        assert_int_equal(tc_create(c, "f", RW, FILE_OPEN_IF, 0, &id), STATUS_SUCCESS);
        for (unsigned i = 0; i < 2; i++) { /* D1 */
                tc_begin(c, SMB2_FLUSH);
                smb2_flush_req_encode(&c->w, &(struct smb2_flush_req){.file_id = id});
        }
        put_close(c, id);
        (void)tc_call(c);
        EXPECT(c, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS);
        tc_free(c);
        testserver_free(t);
}

/* A2 and its kin: a chain that leaves the frame ends the connection. */
static void a2_broken_chains(void **state)
{
        static const uint32_t next[] = {4, 8, 63, 65, 72, 136, 144, 0xfffffff8, 0x80000000};
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < sizeof next / sizeof *next; i++) {
                struct tc *c = tc_ready(t, 0);
                put_simple(c, SMB2_ECHO);
                put_simple(c, SMB2_ECHO);
                c->signs = false;
                smb2_header_set_next_command(c->w.p, next[i]);
                tc_send(c);
                if (next[i] != 72)
                        assert_true(tc_is_closed(c));
                tc_free(c);
        }
        testserver_free(t);
}

static void unknown_commands(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        put_simple(c, SMB2_ECHO);
        put_simple(c, 0xff);
        put_simple(c, SMB2_ECHO);
        (void)tc_call(c);
        EXPECT(c, STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_SUCCESS);
        assert_int_equal(tc_simple(c, 0x14), UINT32_MAX);
        tc_free(c);
        testserver_free(t);
}

/* ---- waiting ----------------------------------------------------------------------------------
 */

struct contest {
        struct testserver *t;
        struct tc *a, *b; /* a holds a lock that b waits for */
        struct smb2_file_id fa, fb;
        uint64_t async_id, message_id;
};

static struct contest contest_new(void)
{
        struct contest k = {.t = testserver_new(&plain)};
        k.a = tc_ready(k.t, 0);
        k.b = tc_ready(k.t, 0);
        assert_int_equal(tc_create(k.a, "f", RW, FILE_OPEN_IF, 0, &k.fa), STATUS_SUCCESS);
        assert_int_equal(tc_create(k.b, "f", RW, FILE_OPEN_IF, 0, &k.fb), STATUS_SUCCESS);
        tc_put_lock(k.a, k.fa, 0, 10, SMB2_LOCKFLAG_EXCLUSIVE_LOCK);
        assert_int_equal(tc_call(k.a), STATUS_SUCCESS);
        k.message_id = k.b->next_id;
        tc_put_lock(k.b, k.fb, 0, 10, SMB2_LOCKFLAG_EXCLUSIVE_LOCK);
        tc_send(k.b);
        assert_true(tc_recv(k.b));
        assert_int_equal(k.b->reply[0].h.status, STATUS_PENDING);
        assert_true(smb2_header_is_async(&k.b->reply[0].h));
        k.async_id = k.b->reply[0].h.async_id;
        return k;
}

static void contest_end(struct contest *k)
{
        tc_free(k->a);
        tc_free(k->b);
        testserver_free(k->t);
}

static void expect_late(struct contest *k, uint32_t status)
{
        assert_true(tc_recv(k->b));
        assert_int_equal(k->b->reply[0].h.command, SMB2_LOCK);
        assert_int_equal(k->b->reply[0].h.status, status);
        assert_int_equal(k->b->reply[0].h.async_id, k->async_id);
        assert_int_equal(k->b->reply[0].h.message_id, k->message_id);
        assert_true(k->b->reply[0].is_signed);
}

static void a_lock_is_granted_later(void **state)
{
        (void)state;
        struct contest k = contest_new();
        tc_put_lock(k.a, k.fa, 0, 10, SMB2_LOCKFLAG_UNLOCK);
        assert_int_equal(tc_call(k.a), STATUS_SUCCESS);
        expect_late(&k, STATUS_SUCCESS);
        contest_end(&k);
}

/* By AsyncId, whatever the MessageId is, or by MessageId: D17. */
static void a_waiting_lock_is_cancelled(void **state)
{
        (void)state;
        for (unsigned how = 0; how < 3; how++) {
                struct contest k = contest_new();
                struct smb2_header h = {.command = SMB2_CANCEL,
                                        .session_id = k.b->session_id,
                                        .flags = how ? SMB2_FLAGS_ASYNC_COMMAND : 0,
                                        .async_id = how ? k.async_id : 0,
                                        .message_id = how == 1 ? 0 : k.message_id};
                put_simple(k.b, SMB2_CANCEL);
                struct writer at = wr_into(k.b->w.p, SMB2_HEADER_LEN);
                smb2_header_encode(&at, &h);
                tc_send(k.b);
                expect_late(&k, STATUS_CANCELLED);
                assert_int_equal(tc_simple(k.b, SMB2_ECHO), STATUS_SUCCESS);
                contest_end(&k);
        }
}

static void a_foreign_cancel_does_nothing(void **state)
{
        (void)state;
        struct contest k = contest_new();
        struct smb2_header h = {.command = SMB2_CANCEL,
                                .session_id = k.a->session_id,
                                .flags = SMB2_FLAGS_ASYNC_COMMAND,
                                .async_id = k.async_id};
        put_simple(k.a, SMB2_CANCEL);
        struct writer at = wr_into(k.a->w.p, SMB2_HEADER_LEN);
        smb2_header_encode(&at, &h);
        tc_send(k.a);
        assert_int_equal(tc_simple(k.a, SMB2_ECHO), STATUS_SUCCESS);
        assert_int_equal(tc_close(k.a, k.fa), STATUS_SUCCESS);
        expect_late(&k, STATUS_SUCCESS);
        contest_end(&k);
}

/* CLOSE, TREE_DISCONNECT, LOGOFF: what waited is answered, and so are they; in any order. */
static void the_end_of_a_file_ends_its_waiters(void **state)
{
        (void)state;
        static const uint16_t command[] = {SMB2_CLOSE, SMB2_TREE_DISCONNECT, SMB2_LOGOFF};
        for (unsigned i = 0; i < 3; i++) {
                struct contest k = contest_new();
                if (command[i] == SMB2_CLOSE)
                        put_close(k.b, k.fb);
                else
                        put_simple(k.b, command[i]);
                tc_send(k.b);
                unsigned locks = 0, others = 0;
                for (unsigned j = 0; j < 2; j++) {
                        assert_true(tc_recv(k.b));
                        const struct tc_reply *r = &k.b->reply[0];
                        bool is_lock = r->h.command == SMB2_LOCK;
                        assert_true(r->is_signed);
                        assert_true(is_lock ? r->h.status != STATUS_SUCCESS
                                            : r->h.status == STATUS_SUCCESS);
                        locks += is_lock;
                        others += r->h.command == command[i];
                }
                assert_true(locks == 1 && others == 1);
                contest_end(&k);
        }
}

/* Either side vanishes while a lock waits; testserver_free() finds what stays behind. */
static void disconnect_in_flight(void **state)
{
        (void)state;
        for (unsigned who = 0; who < 3; who++) {
                struct contest k = contest_new();
                if (who == 0) {
                        tc_free(k.a);
                        k.a = NULL;
                        expect_late(&k, STATUS_SUCCESS);
                } else if (who == 1) {
                        tc_free(k.b);
                        k.b = NULL;
                        assert_int_equal(tc_close(k.a, k.fa), STATUS_SUCCESS);
                }
                contest_end(&k);
        }
}

/* Hung up behind a burst of requests, some of them half sent. */
static void hang_up_behind_a_burst(void **state)
{
        (void)state;
        struct testserver_options o = {.loops = 2};
        struct testserver *t = testserver_new(&o);
        for (unsigned i = 0; i < 40; i++) {
                struct tc *c = tc_ready(t, i % 2);
                for (unsigned j = 0; j < 20; j++) {
                        put_open(c, "f", FILE_OPEN_IF);
                        tc_put_write(c, none, 0, bytes_str("data"));
                        tc_related(c);
                        if (j % 2)
                                put_related_close(c);
                        tc_send(c);
                }
                put_simple(c, SMB2_ECHO);
                struct bytes f = tc_finish(c);
                f.n -= i % f.n;
                (void)!write(c->fd, f.p, f.n); /* garbage, or less than a frame */
                tc_free(c);
        }
        testserver_free(t);
}

static void put_set_size(struct tc *c, struct smb2_file_id id, uint8_t size)
{
        uint8_t buffer[8] = {size};
        struct smb2_set_info_req q = {.info_type = 1,
                                      .file_info_class = 20,
                                      .file_id = id,
                                      .buffer = bytes_of(buffer, sizeof buffer)};
        tc_begin(c, SMB2_SET_INFO);
        smb2_set_info_req_encode(&c->w, c->at[c->n - 1], &q);
}

/* A client that has sent all it had to, and says so, is answered: also what takes a worker. */
static void who_half_closes_is_answered(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned round = 0; round < 50; round++) {
                struct tc *c = tc_ready(t, 0);
                struct smb2_file_id id;
                bool seen[30] = {false};
                assert_int_equal(tc_create(c, "f", RW, FILE_OPEN_IF, 0, &id), STATUS_SUCCESS);
                uint64_t first = c->next_id;
                for (unsigned i = 0; i < 30; i++) {
                        put_set_size(c, id, (uint8_t)i);
                        tc_send(c);
                }
                assert_int_equal(shutdown(c->fd, SHUT_WR), 0);
                for (unsigned i = 0; i < 30; i++) {
                        assert_true(tc_recv(c));
                        assert_int_equal(c->reply[0].h.status, STATUS_SUCCESS);
                        seen[c->reply[0].h.message_id - first] = true;
                }
                for (unsigned i = 0; i < 30; i++)
                        assert_true(seen[i]);
                assert_false(tc_recv(c));
                tc_free(c);
        }
        testserver_free(t);
}

/* But it does not wait for others, as it could not cancel that. */
static void who_half_closes_waits_for_nobody(void **state)
{
        (void)state;
        for (unsigned later = 0; later < 2; later++) {
                struct contest k = contest_new();
                if (later) { /* the wait begins when the end is known already, or nearly so */
                        tc_put_lock(k.b, k.fb, 5, 1, SMB2_LOCKFLAG_EXCLUSIVE_LOCK);
                        tc_send(k.b);
                }
                assert_int_equal(shutdown(k.b->fd, SHUT_WR), 0);
                unsigned cancelled = 0;
                while (tc_recv(k.b))
                        cancelled += k.b->reply[0].h.status == STATUS_CANCELLED;
                assert_int_equal(cancelled, 1 + later);
                assert_int_equal(tc_close(k.a, k.fa), STATUS_SUCCESS);
                contest_end(&k);
        }
}

/* ---- credits ----------------------------------------------------------------------------------
 */

static void credits_are_granted_and_bounded(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        uint64_t window = 0;
        c->credits = 0xffff;
        for (unsigned i = 0; i < 4; i++) {
                assert_int_equal(tc_simple(c, SMB2_ECHO), STATUS_SUCCESS);
                window += c->reply[0].h.credits;
        }
        assert_true(window > 64 && window <= LIMIT_CREDITS);
        c->credits = 0; /* asks for none: one comes back all the same, none gets lost */
        for (unsigned i = 0; i < 300; i++) {
                assert_int_equal(tc_simple(c, SMB2_ECHO), STATUS_SUCCESS);
                assert_int_equal(c->reply[0].h.credits, 1);
        }
        tc_free(c);
        testserver_free(t);
}

/* Ids may come in any order inside the window. */
static void message_ids_in_any_order(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        uint64_t base = c->next_id;
        for (unsigned i = 0; i < 16; i++) {
                c->next_id = base + (i * 7) % 16;
                assert_int_equal(tc_simple(c, SMB2_ECHO), STATUS_SUCCESS);
                assert_int_equal(c->reply[0].h.message_id, base + (i * 7) % 16);
        }
        tc_free(c);
        testserver_free(t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(related_requests_share_a_file),
                cmocka_unit_test(failure_is_inherited),
                cmocka_unit_test(a5_what_is_gone_is_gone),
                cmocka_unit_test(flush_before_close),
                cmocka_unit_test(a2_broken_chains),
                cmocka_unit_test(unknown_commands),
                cmocka_unit_test(a_lock_is_granted_later),
                cmocka_unit_test(a_waiting_lock_is_cancelled),
                cmocka_unit_test(a_foreign_cancel_does_nothing),
                cmocka_unit_test(the_end_of_a_file_ends_its_waiters),
                cmocka_unit_test(disconnect_in_flight),
                cmocka_unit_test(hang_up_behind_a_burst),
                cmocka_unit_test(who_half_closes_is_answered),
                cmocka_unit_test(who_half_closes_waits_for_nobody),
                cmocka_unit_test(credits_are_granted_and_bounded),
                cmocka_unit_test(message_ids_in_any_order),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
