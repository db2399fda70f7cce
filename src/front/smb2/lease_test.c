/* Leases on the wire: what a client is granted and told, what it may answer, what others wait for.
 */
#include "base/testing.h"
#include "base/utf16.h"

#include "front/smb2/testclient.h"
#include "wire/smb2/create_context.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/oplock_break.h"

#define R ((uint32_t)SMB2_LEASE_READ_CACHING)
#define RH ((uint32_t)(SMB2_LEASE_READ_CACHING | SMB2_LEASE_HANDLE_CACHING))
#define RWH (RH | (uint32_t)SMB2_LEASE_WRITE_CACHING)
#define RW_DATA (FILE_READ_DATA | FILE_WRITE_DATA)

static const struct testserver_options plain = {.encrypt = SMB2_ENCRYPT_OFFERED};

static struct tc *client(struct testserver *t, unsigned loop, uint8_t guid, uint16_t dialect)
{
        struct tc *c = tc_new(t, loop);
        memset(c->guid.b, guid, sizeof c->guid.b);
        c->want_dialect = dialect;
        assert_int_equal(tc_negotiate(c), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(c, "alice", "secret"), STATUS_SUCCESS);
        return c;
}

/* l NULL: with a batch oplock. */
static void put_open(struct tc *c, const char *name, const struct smb2_create_lease *l)
{
        uint8_t wide[64], list[128];
        struct writer w = wr_into(wide, sizeof wide), lw = wr_into(list, sizeof list);
        struct smb2_create_context_writer cw;
        wr_utf16(&w, name);
        smb2_create_context_begin(&cw, &lw);
        if (l) {
                smb2_create_context_open(&cw, SMB2_CREATE_TAG_LEASE);
                smb2_create_lease_encode(&lw, l);
                smb2_create_context_close(&cw);
        }
        (void)smb2_create_context_end(&cw);
        struct smb2_create_req q = {
                .requested_oplock_level = l ? SMB2_OPLOCK_LEVEL_LEASE : SMB2_OPLOCK_LEVEL_BATCH,
                .impersonation_level = SMB2_IMPERSONATION_IMPERSONATION,
                .desired_access = RW_DATA,
                .share_access = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                .create_disposition = FILE_OPEN_IF,
                .create_options = FILE_WRITE_THROUGH, /* so a worker does it */
                .name = wr_done(&w),
                .contexts = wr_done(&lw),
        };
        tc_begin(c, SMB2_CREATE);
        smb2_create_req_encode(&c->w, c->at[c->n - 1], &q);
}

/* What the reply in c says of the lease; false: nothing. */
static bool answer(const struct tc *c, struct smb2_file_id *id, struct smb2_create_lease *ret)
{
        struct smb2_create_rsp r;
        struct smb2_create_context_list list;
        assert_true(smb2_create_rsp_decode(c->reply[0].msg, &r));
        assert_true(smb2_create_context_list_decode(r.contexts, &list));
        *id = r.file_id;
        const struct smb2_create_context *x =
                smb2_create_context_find(&list, SMB2_CREATE_TAG_LEASE);
        assert_int_equal(r.oplock_level, x ? SMB2_OPLOCK_LEVEL_LEASE : SMB2_OPLOCK_LEVEL_NONE);
        return x && smb2_create_lease_decode(x->data, ret);
}

static struct smb2_create_lease asked(unsigned version, uint8_t key, uint32_t state)
{
        return (struct smb2_create_lease){
                .version = version, .lease_key = {{key}}, .lease_state = state, .epoch = 0x10};
}

static struct smb2_file_id granted(struct tc *c, const char *name, struct smb2_create_lease l,
                                   uint32_t state, uint32_t flags)
{
        struct smb2_file_id id;
        struct smb2_create_lease got;
        put_open(c, name, &l);
        assert_int_equal(tc_call(c), STATUS_SUCCESS);
        assert_true(answer(c, &id, &got));
        assert_int_equal(got.version, l.version);
        assert_true(smb2_guid_eq(got.lease_key, l.lease_key));
        assert_int_equal(got.lease_state, state);
        assert_int_equal(got.flags, flags);
        return id;
}

static uint32_t acknowledge(struct tc *c, uint8_t key, uint32_t state)
{
        struct smb2_lease_break b = {.lease_key = {{key}}, .lease_state = state};
        tc_begin(c, SMB2_OPLOCK_BREAK);
        smb2_lease_break_encode(&c->w, &b);
        uint32_t status = tc_call(c);
        if (status == STATUS_SUCCESS) {
                assert_true(smb2_lease_break_decode(c->reply[0].msg, &b));
                assert_int_equal(b.lease_key.b[0], key);
                assert_int_equal(b.lease_state, state);
        }
        return status;
}

static void expect_break(struct tc *c, const struct smb2_lease_break_notify *want)
{
        struct smb2_lease_break_notify n;
        assert_true(tc_recv(c));
        assert_int_equal(c->reply[0].h.message_id, SMB2_MESSAGE_ID_UNSOLICITED);
        assert_int_equal(c->reply[0].h.session_id, 0);
        assert_int_equal(c->reply[0].h.tree_id, 0);
        assert_true(smb2_lease_break_notify_decode(c->reply[0].msg, &n));
        assert_int_equal(n.flags, want->flags);
        assert_int_equal(n.new_epoch, want->new_epoch);
        assert_int_equal(n.current_lease_state, want->current_lease_state);
        assert_int_equal(n.new_lease_state, want->new_lease_state);
        assert_true(smb2_guid_eq(n.lease_key, want->lease_key));
}

/* One holds RWH, another opens: it waits until the first, told on its own loop, has answered. */
static void a_contender_waits_for_the_answer(void **state)
{
        static const struct {
                unsigned version;
                uint16_t dialect, new_epoch;
                const char *share; /* "sealed": the notice is, too */
        } row[] = {{1, SMB2_DIALECT_210, 0, "test"},
                   {1, SMB2_DIALECT_311, 0, "test"},
                   {2, SMB2_DIALECT_300, 0x12, "test"},
                   {2, SMB2_DIALECT_311, 0x12, "sealed"}};
        (void)state;
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct testserver_options two = {.loops = 2, .encrypt = SMB2_ENCRYPT_OFFERED};
                struct testserver *t = testserver_new(&two);
                struct tc *a = client(t, 0, 0xaa, row[i].dialect);
                struct tc *b = client(t, 1, 0xbb, row[i].dialect);
                bool sealed = strcmp(row[i].share, "sealed") == 0;
                a->seals = b->seals = sealed;
                assert_int_equal(tc_tree(a, row[i].share), STATUS_SUCCESS);
                assert_int_equal(tc_tree(b, row[i].share), STATUS_SUCCESS);
                granted(a, "f", asked(row[i].version, 1, RWH), RWH, 0);
                struct smb2_create_lease l = asked(row[i].version, 2, RWH);
                put_open(b, "f", &l);
                tc_send(b);
                struct smb2_lease_break_notify n = {
                        .new_epoch = row[i].new_epoch,
                        .flags = SMB2_NOTIFY_BREAK_LEASE_FLAG_ACK_REQUIRED,
                        .lease_key = {{1}},
                        .current_lease_state = RWH,
                        .new_lease_state = RH,
                };
                expect_break(a, &n);
                assert_int_equal(a->reply[0].sealed, sealed);
                assert_true(tc_recv(b));
                assert_int_equal(b->reply[0].h.status, STATUS_PENDING);
                granted(a, "f", asked(row[i].version, 1, RWH), RWH,
                        SMB2_LEASE_FLAG_BREAK_IN_PROGRESS);
                assert_int_equal(acknowledge(a, 9, RH), STATUS_OBJECT_NAME_NOT_FOUND);
                assert_int_equal(acknowledge(a, 1, RWH), STATUS_REQUEST_NOT_ACCEPTED);
                assert_int_equal(acknowledge(a, 1, RH), STATUS_SUCCESS);
                assert_int_equal(acknowledge(a, 1, RH), STATUS_UNSUCCESSFUL);
                assert_true(tc_recv(b));
                assert_int_equal(b->reply[0].h.status, STATUS_SUCCESS);
                struct smb2_file_id id;
                struct smb2_create_lease got;
                assert_true(answer(b, &id, &got));
                assert_int_equal(got.lease_state, RH);
                /* Writing takes the copies, and needs no answer first. */
                tc_put_write(b, id, 0, bytes_str("x"));
                assert_int_equal(tc_call(b), STATUS_SUCCESS);
                n.current_lease_state = RH;
                n.new_lease_state = 0;
                n.new_epoch = row[i].new_epoch ? (uint16_t)(row[i].new_epoch + 1) : 0;
                expect_break(a, &n);
                tc_free(a);
                tc_free(b);
                testserver_free(t);
        }
}

static void put_acknowledgment(struct tc *c, bool lease, struct smb2_file_id id)
{
        struct smb2_lease_break l = {.lease_key = {{1}}, .lease_state = R};
        struct smb2_oplock_break o = {.oplock_level = SMB2_OPLOCK_LEVEL_II, .file_id = id};
        tc_begin(c, SMB2_OPLOCK_BREAK);
        if (lease)
                smb2_lease_break_encode(&c->w, &l);
        else
                smb2_oplock_break_encode(&c->w, &o);
}

/* A client sends its acknowledgment right behind what it held back, and does not wait for WRITE's
 * reply: the contender sees the data all the same, also when a worker is still at it. */
static void writes_come_before_acknowledgments(void **state)
{
        (void)state;
        struct testserver_options two = {.loops = 2, .encrypt = SMB2_ENCRYPT_OFFERED};
        struct testserver *t = testserver_new(&two);
        struct tc *a = client(t, 0, 0xaa, SMB2_DIALECT_311);
        struct tc *b = client(t, 1, 0xbb, SMB2_DIALECT_311);
        static const uint8_t data[60000];
        assert_int_equal(tc_tree(a, "test"), STATUS_SUCCESS);
        assert_int_equal(tc_tree(b, "test"), STATUS_SUCCESS);
        for (unsigned i = 0; i < 26; i++) {
                bool lease = i % 2 == 0;
                char name[] = {'f', (char)('A' + i), 0};
                struct smb2_create_lease l = asked(2, 1, R | SMB2_LEASE_WRITE_CACHING);
                struct smb2_create_rsp r;
                put_open(a, name, lease ? &l : NULL);
                assert_int_equal(tc_call(a), STATUS_SUCCESS);
                assert_true(smb2_create_rsp_decode(a->reply[0].msg, &r));
                struct smb2_file_id id = r.file_id;
                put_open(b, name, NULL);
                tc_send(b);
                assert_true(tc_recv(a)); /* the notice */
                assert_int_equal(a->reply[0].h.command, SMB2_OPLOCK_BREAK);
                tc_put_write(a, id, 0, bytes_of(data, sizeof data));
                tc_send(a);
                put_acknowledgment(a, lease, id);
                tc_send(a);
                do
                        assert_true(tc_recv(b));
                while (b->reply[0].h.status == STATUS_PENDING);
                assert_int_equal(b->reply[0].h.status, STATUS_SUCCESS);
                assert_true(smb2_create_rsp_decode(b->reply[0].msg, &r));
                assert_int_equal(r.end_of_file, sizeof data);
                for (int n = 0; n < 2; n++) {
                        assert_true(tc_recv(a));
                        assert_int_equal(a->reply[0].h.status, STATUS_SUCCESS);
                }
                assert_int_equal(tc_close(a, id), STATUS_SUCCESS);
        }
        tc_free(a);
        tc_free(b);
        testserver_free(t);
}

static void one_key_one_file(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = client(t, 0, 0xaa, SMB2_DIALECT_311);
        assert_int_equal(tc_tree(c, "test"), STATUS_SUCCESS);
        struct smb2_file_id a = granted(c, "f", asked(2, 1, RH), RH, 0);
        struct smb2_create_lease l = asked(2, 1, RH);
        put_open(c, "g", &l);
        assert_int_equal(tc_call(c), STATUS_INVALID_PARAMETER);
        assert_int_equal(tc_create(c, "g", RW_DATA, FILE_OPEN, 0, &a),
                         STATUS_OBJECT_NAME_NOT_FOUND);
        tc_free(c);
        testserver_free(t);
}

static void parents_keys_come_back(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = client(t, 0, 0xaa, SMB2_DIALECT_311);
        struct smb2_create_lease l = asked(2, 1, RWH), got;
        struct smb2_file_id id;
        l.flags = SMB2_LEASE_FLAG_PARENT_LEASE_KEY_SET;
        l.parent_lease_key.b[3] = 7;
        assert_int_equal(tc_tree(c, "test"), STATUS_SUCCESS);
        put_open(c, "f", &l);
        assert_int_equal(tc_call(c), STATUS_SUCCESS);
        assert_true(answer(c, &id, &got));
        assert_int_equal(got.flags, SMB2_LEASE_FLAG_PARENT_LEASE_KEY_SET);
        assert_true(smb2_guid_eq(got.parent_lease_key, l.parent_lease_key));
        assert_int_equal(got.epoch, 0x11);
        tc_free(c);
        testserver_free(t);
}

/* A second version on a dialect before 3.0 is no lease at all. */
static void versions_belong_to_dialects(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *c = client(t, 0, 0xaa, SMB2_DIALECT_210);
        struct smb2_create_lease l = asked(2, 1, RWH), got;
        struct smb2_file_id id;
        assert_int_equal(tc_tree(c, "test"), STATUS_SUCCESS);
        put_open(c, "f", &l);
        assert_int_equal(tc_call(c), STATUS_SUCCESS);
        assert_false(answer(c, &id, &got));
        tc_free(c);
        testserver_free(t);
}

/* The holder goes away without an answer: nobody waits for it. */
static void a_lost_connection_answers(void **state)
{
        (void)state;
        struct testserver *t = testserver_new(&plain);
        struct tc *a = client(t, 0, 0xaa, SMB2_DIALECT_311);
        struct tc *b = client(t, 0, 0xbb, SMB2_DIALECT_311);
        assert_int_equal(tc_tree(a, "test"), STATUS_SUCCESS);
        assert_int_equal(tc_tree(b, "test"), STATUS_SUCCESS);
        granted(a, "f", asked(2, 1, RWH), RWH, 0);
        struct smb2_create_lease l = asked(2, 1, RWH);
        put_open(b, "f", &l);
        tc_send(b);
        assert_true(tc_recv(a)); /* the notice */
        tc_free(a);
        do
                assert_true(tc_recv(b));
        while (b->reply[0].h.status == STATUS_PENDING);
        assert_int_equal(b->reply[0].h.status, STATUS_SUCCESS);
        tc_free(b);
        testserver_free(t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_contender_waits_for_the_answer),
                cmocka_unit_test(writes_come_before_acknowledgments),
                cmocka_unit_test(one_key_one_file),
                cmocka_unit_test(parents_keys_come_back),
                cmocka_unit_test(versions_belong_to_dialects),
                cmocka_unit_test(a_lost_connection_answers),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
