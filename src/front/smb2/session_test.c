/* Sessions: what is signed, what is sealed, who may bind, sign in again, take over. */
#include "base/testing.h"

#include "front/smb2/testclient.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/echo.h"
#include "wire/smb2/session_setup.h"
#include "wire/smb2/transform.h"

static const struct testserver_options plain = {.encrypt = SMB2_ENCRYPT_OFFERED};

static void put_echo(struct tc *c)
{
        tc_begin(c, SMB2_ECHO);
        smb2_echo_req_encode(&c->w);
}

/* ---- signatures -------------------------------------------------------------------------------
 */

static struct tc *ready_with(struct testserver *t, uint16_t dialect, enum sign_alg alg)
{
        struct tc *c = tc_new(t, 0);
        c->want_dialect = dialect;
        c->want_signing = alg;
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
        assert_int_equal(tc_tree(c, "test"), STATUS_SUCCESS);
        return c;
}

/* Any element of a compound with a wrong signature is refused, alone, and the rest goes on: A21. */
static void a21_tampered_signatures_in_a_compound(void **state)
{
        static const struct {
                uint16_t dialect;
                enum sign_alg alg;
        } row[] = {{0x0210, SIGN_HMAC_SHA256},
                   {0x0302, SIGN_AES_CMAC},
                   {0x0311, SIGN_AES_CMAC},
                   {0x0311, SIGN_HMAC_SHA256},
                   {0x0311, SIGN_AES_GMAC}};
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct tc *c = ready_with(t, row[i].dialect, row[i].alg);
                for (unsigned bad = 0; bad < 3; bad++) {
                        for (unsigned j = 0; j < 3; j++)
                                put_echo(c);
                        struct bytes f = tc_finish(c);
                        c->w.p[c->at[bad] + SMB2_AT_SIGNATURE + 3] ^= 1;
                        tc_send_raw(c, f);
                        assert_true(tc_recv(c));
                        assert_int_equal(c->n_replies, 3);
                        for (unsigned j = 0; j < 3; j++)
                                assert_int_equal(c->reply[j].h.status,
                                                 j == bad ? STATUS_ACCESS_DENIED : STATUS_SUCCESS);
                }
                tc_free(c);
        }
        testserver_free(t);
}

/* Every byte of a signed request counts. */
static void every_byte_is_signed(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        for (size_t at = SMB2_AT_SIGNATURE; at < SMB2_HEADER_LEN + 4; at++) {
                put_echo(c);
                struct bytes f = tc_finish(c);
                c->w.p[at] ^= 0x80;
                tc_send_raw(c, f);
                assert_true(tc_recv(c));
                assert_int_equal(c->reply[0].h.status, STATUS_ACCESS_DENIED);
        }
        assert_int_equal(tc_simple(c, SMB2_ECHO), STATUS_SUCCESS);
        tc_free(c);
        testserver_free(t);
}

/* B6: where the server or the client asked for signing, nothing unsigned is done. B7: in 3.1.1 an
 * unprotected TREE_CONNECT ends the connection, whoever asked for what. */
static void unsigned_requests(void **state)
{
        static const struct {
                bool server, client;
                uint16_t dialect;
                uint32_t echo, tree; /* UINT32_MAX: the connection ends */
        } row[] = {
                {false, false, 0x0302, STATUS_SUCCESS, STATUS_SUCCESS},
                {false, false, 0x0311, STATUS_SUCCESS, UINT32_MAX},
                {true, false, 0x0302, STATUS_ACCESS_DENIED, STATUS_ACCESS_DENIED},
                {false, true, 0x0302, STATUS_ACCESS_DENIED, STATUS_ACCESS_DENIED},
                {true, true, 0x0210, STATUS_ACCESS_DENIED, STATUS_ACCESS_DENIED},
                {true, false, 0x0311, STATUS_ACCESS_DENIED, UINT32_MAX},
        };
        (void)state;
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct testserver_options o = {.signing_required = row[i].server};
                struct testserver *t = testserver_new(&o);
                struct tc *c = tc_new(t, 0);
                c->want_dialect = row[i].dialect;
                if (row[i].client)
                        c->security_mode |= SMB2_NEGOTIATE_SIGNING_REQUIRED;
                assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
                assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
                c->signs = false;
                assert_int_equal(tc_simple(c, SMB2_ECHO), row[i].echo);
                assert_int_equal(tc_tree(c, "test"), row[i].tree);
                tc_free(c);
                testserver_free(t);
        }
}

/* ---- seals ------------------------------------------------------------------------------------
 */

static void every_cipher_seals(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (uint16_t cipher = 1; cipher <= 4; cipher++) {
                struct tc *c = tc_new(t, 0);
                struct smb2_file_id id;
                c->want_cipher = cipher;
                assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
                assert_int_equal(c->cipher, cipher);
                assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
                c->seals = true;
                assert_int_equal(tc_tree(c, "sealed"), STATUS_SUCCESS);
                assert_true(c->reply[0].sealed);
                assert_int_equal(
                        tc_create(c, "f", FILE_READ_DATA | FILE_WRITE_DATA, FILE_OPEN_IF, 0, &id),
                        STATUS_SUCCESS);
                tc_put_write(c, id, 0, bytes_str("hello"));
                assert_int_equal(tc_call(c), STATUS_SUCCESS);
                tc_put_read(c, id, 0, 5);
                assert_int_equal(tc_call(c), STATUS_SUCCESS);
                assert_true(c->reply[0].sealed && !c->reply[0].is_signed);
                assert_memory_equal(c->reply[0].msg.p + c->reply[0].msg.n - 5, "hello", 5);
                c->seals = false; /* a share that demands it gets nothing in the clear */
                assert_int_equal(tc_close(c, id), STATUS_ACCESS_DENIED);
                tc_free(c);
        }
        testserver_free(t);
}

static void who_cannot_seal_stays_outside(void **state)
{
        (void)state;
        struct testserver_options o = {.encrypt = SMB2_ENCRYPT_REQUIRED};
        struct testserver *t = testserver_new(&o);
        struct tc *c = tc_new(t, 0);
        c->want_dialect = SMB2_DIALECT_210;
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_ACCESS_DENIED);
        tc_free(c);
        c = tc_new(t, 0);
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
        assert_int_equal(tc_simple(c, SMB2_LOGOFF), STATUS_ACCESS_DENIED);
        c->seals = true;
        assert_int_equal(tc_simple(c, SMB2_LOGOFF), STATUS_SUCCESS);
        tc_free(c);
        testserver_free(t);
}

/* A13, and every other way in which a sealed frame can be wrong: the connection ends. */
static void a13_broken_transform_headers(void **state)
{
        enum { CUT = 1, FLIP };
        static const struct {
                const char *name;
                int how;
                size_t at;
                uint8_t bits;
        } row[] = {
                {"protocol id only", CUT, 4, 0},
                {"a byte less than a header", CUT, 51, 0},
                {"nothing inside", CUT, 52, 0},
                {"a byte missing", CUT, SIZE_MAX, 0},
                {"signature", FLIP, SMB2_TRANSFORM_AT_SIGNATURE, 1},
                {"nonce", FLIP, SMB2_TRANSFORM_AT_NONCE, 1},
                {"unused nonce byte is authenticated", FLIP, SMB2_TRANSFORM_AT_NONCE + 15, 1},
                {"size", FLIP, SMB2_TRANSFORM_AT_ORIGINAL_MESSAGE_SIZE, 1},
                {"huge size", FLIP, SMB2_TRANSFORM_AT_ORIGINAL_MESSAGE_SIZE + 3, 0xff},
                {"flags", FLIP, SMB2_TRANSFORM_AT_FLAGS, 1},
                {"session", FLIP, SMB2_TRANSFORM_AT_SESSION_ID + 2, 1},
                {"payload", FLIP, 60, 1},
        };
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct tc *c = tc_ready(t, 0);
                c->seals = true;
                put_echo(c);
                struct bytes f = tc_finish(c);
                if (row[i].how == CUT)
                        f = bytes_first(f, row[i].at < f.n ? row[i].at : f.n - 1);
                else
                        c->w.p[row[i].at - SMB2_TRANSFORM_HEADER_LEN] ^= row[i].bits;
                tc_send_raw(c, f);
                if (!tc_is_closed(c))
                        fail_msg("%s", row[i].name);
                tc_free(c);
        }
        testserver_free(t);
}

/* A sealed frame carries only its own session's requests ([MS-SMB2] 3.3.5.2.1.1). */
static void a_seal_vouches_for_one_session(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        c->seals = true;
        put_echo(c);
        smb2_header_set_session_id(c->w.p, c->session_id ^ 0x10000);
        tc_send(c);
        assert_true(tc_is_closed(c));
        tc_free(c);
        testserver_free(t);
}

/* ---- binding ----------------------------------------------------------------------------------
 */

static struct tc *second(struct testserver *t, const struct tc *first)
{
        struct tc *c = tc_new(t, 0);
        c->guid = first->guid;
        c->want_signing = first->sign_alg;
        c->want_dialect = first->dialect;
        c->want_cipher = first->cipher;
        return c;
}

static void a_channel_shares_the_session(void **state)
{
        static const uint16_t dialects[] = {0x0300, 0x0302, 0x0311};
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < 3; i++) {
                struct tc *a = ready_with(t, dialects[i], SIGN_AES_CMAC), *b = second(t, a);
                struct smb2_file_id id;
                assert_int_equal(tc_create(a, "f", FILE_READ_DATA, FILE_OPEN_IF, 0, &id),
                                 STATUS_SUCCESS);
                assert_int_equal(tc_negotiate(b), STATUS_SUCCESS);
                assert_int_equal(tc_bind(b, a, "alice", "secret"), STATUS_SUCCESS);
                assert_int_equal(tc_close(b, id), STATUS_SUCCESS);
                tc_free(a); /* the session stands on the other channel */
                assert_int_equal(tc_create(b, "f", FILE_READ_DATA, FILE_OPEN, 0, &id),
                                 STATUS_SUCCESS);
                tc_free(b);
        }
        testserver_free(t);
}

/* A6: both channels take the same tree away, at once: one does, one is told that it is gone. */
static void a6_two_tree_disconnects_at_once(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *a = tc_ready(t, 0), *b = second(t, a), *both[2] = {a, b};
        assert_int_equal(tc_negotiate(b), STATUS_SUCCESS);
        assert_int_equal(tc_bind(b, a, "alice", "secret"), STATUS_SUCCESS);
        for (unsigned round = 0; round < 10000; round++) {
                unsigned gone = 0;
                assert_int_equal(tc_tree(a, "test"), STATUS_SUCCESS);
                b->tree_id = a->tree_id;
                for (unsigned i = 0; i < 2; i++) {
                        struct tc *c = both[(round + i) % 2];
                        tc_begin(c, SMB2_TREE_DISCONNECT);
                        smb2_empty_body_encode(&c->w);
                        tc_send(c);
                }
                for (unsigned i = 0; i < 2; i++) {
                        assert_true(tc_recv(both[i]));
                        uint32_t status = both[i]->reply[0].h.status;
                        gone += status == STATUS_NETWORK_NAME_DELETED;
                        assert_true(status == STATUS_SUCCESS ||
                                    status == STATUS_NETWORK_NAME_DELETED);
                }
                assert_int_equal(gone, 1);
        }
        tc_free(b);
        tc_free(a);
        testserver_free(t);
}

/* Refusals, in the order in which they are looked for. The victim goes on (B2). */
static void binding_is_refused(void **state)
{
        static const struct {
                const char *name;
                uint16_t dialect, cipher;
                enum sign_alg alg;
                bool other_guid;
                const char *user, *password;
                uint32_t status;
        } row[] = {
                {"signing", 0x311, 2, SIGN_AES_CMAC, false, "alice", "secret",
                 STATUS_REQUEST_OUT_OF_SEQUENCE},
                {"signing first", 0x210, 2, SIGN_AES_CMAC, true, "alice", "secret",
                 STATUS_REQUEST_OUT_OF_SEQUENCE},
                {"cipher", 0x311, 1, SIGN_AES_GMAC, false, "alice", "secret",
                 STATUS_INVALID_PARAMETER},
                {"client", 0x311, 2, SIGN_AES_GMAC, true, "alice", "secret",
                 STATUS_USER_SESSION_DELETED},
                {"password", 0x311, 2, SIGN_AES_GMAC, false, "alice", "wrong",
                 STATUS_LOGON_FAILURE},
                {"user", 0x311, 2, SIGN_AES_GMAC, false, "bob", "secret2", STATUS_ACCESS_DENIED},
        };
        (void)state;
        struct testserver *t = testserver_new(&plain);
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct tc *a = tc_ready(t, 0), *b = second(t, a);
                b->want_signing = row[i].alg;
                b->want_dialect = row[i].dialect;
                b->want_cipher = row[i].cipher;
                if (row[i].other_guid)
                        b->guid.b[0] ^= 1;
                assert_int_equal(tc_negotiate(b), STATUS_SUCCESS);
                uint32_t status = tc_bind(b, a, row[i].user, row[i].password);
                if (status != row[i].status)
                        fail_msg("%s: %08x", row[i].name, status);
                assert_true(b->reply[0].is_signed);
                assert_int_equal(tc_simple(b, SMB2_LOGOFF), STATUS_USER_SESSION_DELETED);
                assert_true(b->reply[0].is_signed);
                assert_int_equal(tc_simple(a, SMB2_ECHO), STATUS_SUCCESS);
                tc_free(b);
                tc_free(a);
        }
        testserver_free(t);
}

/* A GMAC connection can't join a session that signs otherwise. */
static void gmac_does_not_join(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *a = ready_with(t, 0x311, SIGN_AES_CMAC), *b = second(t, a);
        b->want_signing = SIGN_AES_GMAC;
        assert_int_equal(tc_negotiate(b), STATUS_SUCCESS);
        assert_int_equal(tc_bind(b, a, "alice", "secret"), STATUS_NOT_SUPPORTED);
        tc_free(b);
        b = second(t, a);
        b->want_signing = SIGN_HMAC_SHA256; /* but these two go together */
        assert_int_equal(tc_negotiate(b), STATUS_SUCCESS);
        assert_int_equal(tc_bind(b, a, "alice", "secret"), STATUS_SUCCESS);
        assert_int_equal(tc_simple(b, SMB2_ECHO), STATUS_SUCCESS);
        tc_free(b);
        tc_free(a);
        testserver_free(t);
}

static void binding_must_be_signed_and_known(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *a = tc_ready(t, 0), *b = second(t, a);
        assert_int_equal(tc_negotiate(b), STATUS_SUCCESS);
        b->session_id = a->session_id;
        assert_int_equal(tc_sign_in_with(b, "alice", "secret", SMB2_SESSION_FLAG_BINDING, 0),
                         STATUS_INVALID_PARAMETER); /* unsigned */
        b->session_id = 0x12345;
        assert_int_equal(tc_sign_in_with(b, "alice", "secret", SMB2_SESSION_FLAG_BINDING, 0),
                         STATUS_INVALID_PARAMETER);
        assert_true(signer_init(&b->signer, a->sign_alg, bytes_of(a->signing_key, 16)));
        b->session_id = a->session_id;
        b->signs = true;
        tc_begin(b, SMB2_SESSION_SETUP);
        wr_bytes(&b->w, hex("1900 01 01 00000000 00000000 5800 0000 0000000000000000"));
        struct bytes f = tc_finish(b);
        b->w.p[SMB2_AT_SIGNATURE] ^= 1;
        tc_send_raw(b, f);
        assert_true(tc_recv(b));
        assert_int_equal(b->reply[0].h.status, STATUS_ACCESS_DENIED);
        assert_int_equal(tc_simple(a, SMB2_ECHO), STATUS_SUCCESS);
        tc_free(b);
        tc_free(a);
        testserver_free(t);
}

/* ---- again, late, instead ---------------------------------------------------------------------
 */

static void signing_in_again(void **state)
{
        (void)state;
        struct testserver_options o = {.anonymous = true};
        struct testserver *t = testserver_new(&o);
        struct tc *c = tc_ready(t, 0);
        struct smb2_file_id id;
        assert_int_equal(tc_create(c, "f", FILE_READ_DATA, FILE_OPEN_IF, 0, &id), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, NULL, NULL), STATUS_SUCCESS); /* changes nothing */
        assert_int_equal(tc_close(c, id), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "wrong"), STATUS_LOGON_FAILURE);
        assert_int_equal(tc_simple(c, SMB2_TREE_DISCONNECT), STATUS_USER_SESSION_DELETED);
        assert_true(c->reply[0].is_signed);
        tc_free(c);
        testserver_free(t);
}

/* [MS-SMB2] 3.3.5.2.9: an expired session closes and signs in again, and does nothing else. */
static void expiry(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = tc_ready(t, 0);
        struct smb2_file_id a, b;
        assert_int_equal(tc_create(c, "a", FILE_READ_DATA, FILE_OPEN_IF, 0, &a), STATUS_SUCCESS);
        assert_int_equal(tc_create(c, "b", FILE_READ_DATA, FILE_OPEN_IF, 0, &b), STATUS_SUCCESS);
        testserver_expire(t, c->session_id);
        tc_put_read(c, a, 0, 1);
        assert_int_equal(tc_call(c), STATUS_NETWORK_SESSION_EXPIRED);
        tc_put_create(c, "a", FILE_READ_DATA, FILE_OPEN, 0, (struct bytes){0}); /* D2 */
        tc_put_read(c, a, 0, 1);
        tc_related(c);
        assert_int_equal(tc_call(c), STATUS_NETWORK_SESSION_EXPIRED);
        assert_int_equal(c->reply[1].h.status, STATUS_NETWORK_SESSION_EXPIRED);
        assert_int_equal(tc_close(c, a), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "bob", "secret2"), STATUS_ACCESS_DENIED);
        tc_free(c);
        c = tc_ready(t, 0);
        assert_int_equal(tc_create(c, "b", FILE_READ_DATA, FILE_OPEN_IF, 0, &b), STATUS_SUCCESS);
        testserver_expire(t, c->session_id);
        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
        assert_int_equal(tc_close(c, b), STATUS_SUCCESS);
        testserver_expire(t, c->session_id);
        assert_int_equal(tc_simple(c, SMB2_LOGOFF), STATUS_SUCCESS);
        tc_free(c);
        testserver_free(t);
}

/* B4: only the same user, once signed in, ends the old session; on whichever loop it lives. */
static void previous_session(void **state)
{
        (void)state;
        struct testserver_options o = {.loops = 2};
        struct testserver *t = testserver_new(&o);
        for (unsigned loop = 0; loop < 2; loop++) {
                struct tc *old = tc_ready(t, 0), *c = tc_new(t, loop);
                struct smb2_file_id id;
                assert_int_equal(tc_create(old, "f", FILE_READ_DATA, FILE_OPEN_IF, 0, &id),
                                 STATUS_SUCCESS);
                assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
                assert_int_equal(tc_sign_in_with(c, "alice", "wrong", 0, old->session_id),
                                 STATUS_LOGON_FAILURE);
                c->session_id = 0;
                assert_int_equal(tc_sign_in_with(c, "bob", "secret2", 0, old->session_id),
                                 STATUS_SUCCESS);
                assert_int_equal(tc_simple(old, SMB2_ECHO), STATUS_SUCCESS);
                tc_free(c);
                c = tc_new(t, loop);
                assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
                assert_int_equal(tc_sign_in_with(c, "alice", "secret", 0, old->session_id),
                                 STATUS_SUCCESS);
                assert_int_equal(tc_close(old, id), STATUS_USER_SESSION_DELETED);
                assert_true(old->reply[0].is_signed);
                tc_free(old);
                tc_free(c);
        }
        testserver_free(t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a21_tampered_signatures_in_a_compound),
                cmocka_unit_test(every_byte_is_signed),
                cmocka_unit_test(unsigned_requests),
                cmocka_unit_test(every_cipher_seals),
                cmocka_unit_test(who_cannot_seal_stays_outside),
                cmocka_unit_test(a13_broken_transform_headers),
                cmocka_unit_test(a_seal_vouches_for_one_session),
                cmocka_unit_test(a_channel_shares_the_session),
                cmocka_unit_test(a6_two_tree_disconnects_at_once),
                cmocka_unit_test(binding_is_refused),
                cmocka_unit_test(gmac_does_not_join),
                cmocka_unit_test(binding_must_be_signed_and_known),
                cmocka_unit_test(signing_in_again),
                cmocka_unit_test(expiry),
                cmocka_unit_test(previous_session),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
