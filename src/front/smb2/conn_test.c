/* What a connection may say before anybody has signed in, and in which order. */
#include "base/testing.h"

#include "front/smb2/testclient.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/echo.h"
#include "wire/smb2/tree_connect.h"

static const struct testserver_options plain;

static void every_dialect_signs_in(void **state)
{
        static const uint16_t dialects[] = {0x0202, 0x0210, 0x0300, 0x0302, 0x0311};
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < 5; i++) {
                struct tc *c = tc_new(t, 0);
                c->want_dialect = dialects[i];
                assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
                assert_int_equal(c->dialect, dialects[i]);
                assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
                assert_int_equal(tc_tree(c, "test"), STATUS_SUCCESS);
                assert_true(c->reply[0].is_signed);
                assert_int_equal(tc_simple(c, SMB2_ECHO), STATUS_SUCCESS);
                assert_int_equal(tc_simple(c, SMB2_TREE_DISCONNECT), STATUS_SUCCESS);
                assert_int_equal(tc_simple(c, SMB2_LOGOFF), STATUS_SUCCESS);
                tc_free(c);
        }
        testserver_free(t);
}

static void dialects_outside_the_range_are_refused(void **state)
{
        static const struct {
                uint16_t min, max, asks;
                uint32_t status;
        } row[] = {
                {0x0300, 0x0311, 0x0210, STATUS_NOT_SUPPORTED},
                {0x0202, 0x0302, 0x0311, STATUS_NOT_SUPPORTED},
                {0x0202, 0x0311, 0x0222, STATUS_NOT_SUPPORTED},
                {0x0210, 0x0210, 0x0210, STATUS_SUCCESS},
        };
        (void)state;
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct testserver_options o = {.dialect_min = row[i].min,
                                               .dialect_max = row[i].max};
                struct testserver *t = testserver_new(&o);
                struct tc *c = tc_new(t, 0);
                c->want_dialect = row[i].asks;
                assert_int_equal(tc_negotiate(c), row[i].status);
                tc_free(c);
                testserver_free(t);
        }
}

/* [MS-SMB2] 3.3.5.3: "SMB 2.???" is answered with the wildcard, then SMB 2 is spoken. */
static void multi_protocol(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_new(t, 0);
        struct smb2_negotiate_rsp r;
        struct bytes any = hex("ff534d42 72 00000000 18 53c8 0000 0000000000000000 0000 ffff fffe "
                               "0000 0000 00 0b00 02 534d4220322e3f3f3f 00");
        tc_send_raw(c, any);
        assert_true(tc_recv(c));
        assert_true(smb2_negotiate_rsp_decode(c->reply[0].msg, &r));
        assert_int_equal(r.dialect_revision, SMB2_DIALECT_WILDCARD);
        c->next_id = 1;
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
        tc_free(c);
        testserver_free(t);
}

/* A14: SMB 1's NEGOTIATE is the first word or none. After the wildcard, too, SMB 2 goes on. */
static void a14_smb1_after_smb2(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct bytes any = hex("ff534d42 72 00000000 18 53c8 0000 0000000000000000 0000 ffff fffe "
                               "0000 0000 00 0b00 02 534d4220322e3f3f3f 00");
        for (unsigned before = 0; before < 3; before++) {
                struct tc *c = tc_new(t, 0);
                if (before == 0) {
                        tc_send_raw(c, any);
                        assert_true(tc_recv(c));
                } else {
                        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
                }
                if (before == 2)
                        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
                tc_send_raw(c, any);
                assert_false(tc_recv(c));
                tc_free(c);
        }
        testserver_free(t);
}

static void put_tree_connect(struct tc *c)
{
        static const uint8_t path[] = "\\\0\\\0s\0\\\0t\0e\0s\0t";
        tc_begin(c, SMB2_TREE_CONNECT);
        smb2_tree_connect_req_encode(
                &c->w, 0, &(struct smb2_tree_connect_req){.path = bytes_of(path, sizeof path)});
}

static void put_setup(struct tc *c)
{
        tc_begin(c, SMB2_SESSION_SETUP);
        wr_bytes(&c->w, hex("1900 00 01 00000000 00000000 5800 0000 0000000000000000"));
}

static void put_empty(struct tc *c)
{
        tc_begin(c, SMB2_ECHO);
        smb2_echo_req_encode(&c->w);
}

static void put_negotiate(struct tc *c)
{
        tc_begin(c, SMB2_NEGOTIATE);
        wr_bytes(&c->w, hex("2400 0100 0100 0000 00000000 0102030405060708090a0b0c0d0e0f10 "
                            "0000000000000000 0202"));
}

static void put_no_dialects(struct tc *c)
{
        tc_begin(c, SMB2_NEGOTIATE);
        wr_bytes(&c->w, hex("2400 0000 0100 0000 00000000 0102030405060708090a0b0c0d0e0f10 "
                            "0000000000000000"));
}

/* A15 and A16: whatever comes before NEGOTIATE, or in its place, ends the connection. */
static void a15_a16_nothing_comes_before_negotiate(void **state)
{
        static void (*const put[])(struct tc * c) = {put_tree_connect, put_setup, put_empty};
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < 3; i++) {
                for (unsigned failed_first = 0; failed_first < 3; failed_first++) {
                        struct tc *c = tc_new(t, 0);
                        if (failed_first == 1) {
                                c->want_dialect = 0x0222;
                                assert_int_equal(tc_negotiate(c), STATUS_NOT_SUPPORTED);
                        } else if (failed_first == 2) {
                                put_no_dialects(c);
                                assert_int_equal(tc_call(c), STATUS_INVALID_PARAMETER);
                        }
                        put[i](c);
                        tc_send(c);
                        assert_true(tc_is_closed(c));
                        tc_free(c);
                }
        }
        testserver_free(t);
}

/* After NEGOTIATE: again is a breach; commands without a session are refused (A3, A16). */
static void a16_orders_after_negotiate(void **state)
{
        static const struct {
                const char *name;
                void (*put)(struct tc *c);
                uint32_t status; /* UINT32_MAX: the connection ends */
        } row[] = {
                {"NEGOTIATE", put_negotiate, UINT32_MAX},
                {"TREE_CONNECT", put_tree_connect, STATUS_USER_SESSION_DELETED},
                {"SESSION_SETUP without a token", put_setup, STATUS_INVALID_PARAMETER},
                {"ECHO", put_empty, STATUS_SUCCESS},
        };
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct tc *c = tc_new(t, 0);
                assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
                row[i].put(c);
                uint32_t status = tc_call(c);
                if (status != row[i].status)
                        fail_msg("%s: %08x", row[i].name, status);
                tc_free(c);
        }
        testserver_free(t);
}

/* [ECHO, CREATE] and [TREE_CONNECT, WRITE] without a session: A3. */
static void a3_compounds_without_a_session(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct smb2_file_id none = {UINT64_MAX, UINT64_MAX};
        struct tc *c = tc_new(t, 0);
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        put_empty(c);
        tc_put_create(c, "x", FILE_READ_DATA, FILE_OPEN_IF, 0, (struct bytes){0});
        assert_int_equal(tc_call(c), STATUS_SUCCESS);
        assert_int_equal(c->n_replies, 2);
        assert_int_equal(c->reply[1].h.status, STATUS_USER_SESSION_DELETED);
        put_tree_connect(c);
        tc_put_write(c, none, 0, bytes_str("abc"));
        assert_int_equal(tc_call(c), STATUS_USER_SESSION_DELETED);
        assert_int_equal(c->reply[1].h.status, STATUS_USER_SESSION_DELETED);
        tc_free(c);
        testserver_free(t);
}

static void wrong_passwords_and_nobody(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_new(t, 0);
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "wrong"), STATUS_LOGON_FAILURE);
        c->session_id = 0;
        assert_int_equal(tc_sign_in(c, "nobody", "secret"), STATUS_LOGON_FAILURE);
        c->session_id = 0;
        assert_int_equal(tc_sign_in(c, NULL, NULL), STATUS_ACCESS_DENIED);
        c->session_id = 0;
        assert_int_equal(tc_sign_in(c, "ALICE", "secret"), STATUS_SUCCESS);
        tc_free(c);
        testserver_free(t);
}

static void anonymous_reaches_pipes_only(void **state)
{
        (void)state;
        struct testserver_options o = {.anonymous = true};
        struct testserver *t = testserver_new(&o);
        struct tc *c = tc_new(t, 0);
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, NULL, NULL), STATUS_SUCCESS);
        assert_int_equal(tc_tree(c, "test"), STATUS_ACCESS_DENIED);
        assert_int_equal(tc_tree(c, "IPC$"), STATUS_SUCCESS);
        tc_free(c);
        testserver_free(t);
}

static void message_ids_are_used_once(void **state)
{
        (void)state;
        static const int64_t step[] = {-1, 100000};
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < 2; i++) {
                struct tc *c = tc_ready(t, 0);
                c->next_id += (uint64_t)step[i];
                assert_int_equal(tc_simple(c, SMB2_ECHO), UINT32_MAX);
                tc_free(c);
        }
        testserver_free(t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_dialect_signs_in),
                cmocka_unit_test(dialects_outside_the_range_are_refused),
                cmocka_unit_test(multi_protocol),
                cmocka_unit_test(a14_smb1_after_smb2),
                cmocka_unit_test(a15_a16_nothing_comes_before_negotiate),
                cmocka_unit_test(a16_orders_after_negotiate),
                cmocka_unit_test(a3_compounds_without_a_session),
                cmocka_unit_test(wrong_passwords_and_nobody),
                cmocka_unit_test(anonymous_reaches_pipes_only),
                cmocka_unit_test(message_ids_are_used_once),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
