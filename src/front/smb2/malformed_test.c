/* Every request, broken in every place, at every stage of a connection's life: cut at each byte of
 * its body, with another StructureSize, with 0 and all ones in each field of 2 and of 4 bytes. The
 * answer is an error, a success of what the broken request happens to mean, or the end of the
 * connection; and it comes. A bystander, who works all the time, is served rightly after each, and
 * what is his never appears in an answer to somebody else. That nothing stays behind is seen at the
 * end: testserver_free() counts.
 *
 * Requests are not signed here, so that what is broken is all that is wrong. */
#include "base/testing.h"

#include <poll.h>

#include "base/log.h"
#include "front/smb2/testrequests.h"
#include "front/smb2/testvariants.h"
#include "wire/fscc/fsctl.h"
#include "wire/smb2/close.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/fsctl.h"
#include "wire/smb2/ioctl.h"
#include "wire/smb2/read.h"
#include "wire/smb2/session_setup.h"

#define PATIENCE_MS 30000
#define ALL_ACCESS 0x001f01ffu

static const struct testserver_options plain;
static const uint8_t secret[] = "what only the bystander may read";

/* ---- what is broken ---------------------------------------------------------------------------
 */

/* One way to break a message of n bytes: cut to n, or `width` bytes at `at` set to value. */
struct fault {
        size_t n, at;
        unsigned width; /* 0: nothing but the cut */
        uint32_t value;
};

static const struct {
        unsigned width;
        uint32_t value;
} values[] = {{2, 0xffff}, {2, 0}, {4, 0xffffffff}, {4, 0x80000000}};
#define VALUES (sizeof values / sizeof *values)

/* The k-th fault of a message; false when there are no more. */
static bool fault_of(size_t whole, size_t k, struct fault *ret)
{
        size_t body = whole - SMB2_HEADER_LEN, fields = body / 2;
        *ret = (struct fault){.n = whole};
        if (k < body) {
                ret->n = SMB2_HEADER_LEN + k;
                return true;
        }
        k -= body;
        if (k < 2) { /* StructureSize, one more or less: 0 and 0xffff come below */
                ret->at = SMB2_HEADER_LEN;
                ret->width = 1;
                ret->value = k ? 0x7f : 0x03;
                return true;
        }
        k -= 2;
        if (k / VALUES >= fields)
                return false;
        ret->at = SMB2_HEADER_LEN + k / VALUES * 2;
        ret->width = values[k % VALUES].width;
        ret->value = values[k % VALUES].value;
        return true;
}

/* Does it to p; false when that changes nothing, or is not for that place. */
static bool fault_apply(const struct fault *f, uint8_t *p)
{
        uint8_t was[4] = {0};
        if (f->width == 0)
                return true;
        if (f->at + f->width > f->n || f->at % f->width)
                return false;
        memcpy(was, p + f->at, f->width);
        for (unsigned i = 0; i < f->width; i++)
                p[f->at + i] = (uint8_t)(f->value >> 8 * i);
        return memcmp(was, p + f->at, f->width) != 0;
}

/* ---- who is there -----------------------------------------------------------------------------
 */

/* Where a connection stands when the request comes. */
enum level { FRESH, NEGOTIATED, SIGNED_IN, IN_TREE, WITH_OPEN };

struct stage {
        enum level level;
        uint16_t dialect;
        const char *share;
        uint32_t options; /* of the open */
};

static struct testserver *server;
static struct tc *bystander;
static struct smb2_file_id bystanders_file;

static const struct stage *stage;
static struct tc *client;
static struct smb2_file_id file;
static struct srv_resume_key resume_key;
static unsigned n_names, n_sent;

static int setup(void **state)
{
        (void)state;
        log_set_level(LOG_LEVEL_ERROR);
        server = testserver_new(&plain);
        bystander = tc_ready(server, 0);
        assert_int_equal(tc_create(bystander, "his", ALL_ACCESS, FILE_CREATE, 0, &bystanders_file),
                         STATUS_SUCCESS);
        tc_put_write(bystander, bystanders_file, 0, bytes_of(secret, sizeof secret));
        assert_int_equal(tc_call(bystander), STATUS_SUCCESS);
        client = NULL;
        n_names = n_sent = 0;
        return 0;
}

static int teardown(void **state)
{
        (void)state;
        tc_free(client);
        tc_free(bystander);
        testserver_free(server);
        return 0;
}

static void bystander_ask(void)
{
        tc_begin(bystander, SMB2_ECHO);
        smb2_empty_body_encode(&bystander->w);
        tc_put_read(bystander, bystanders_file, 0, sizeof secret);
        tc_send(bystander);
}

static void bystander_check(void)
{
        struct smb2_read_rsp r;
        assert_true(tc_recv(bystander));
        assert_int_equal(bystander->n_replies, 2);
        assert_int_equal(bystander->reply[0].h.status, STATUS_SUCCESS);
        assert_int_equal(bystander->reply[1].h.status, STATUS_SUCCESS);
        assert_true(smb2_read_rsp_decode(bystander->reply[1].msg, &r));
        assert_bytes_equal(r.data, bytes_of(secret, sizeof secret));
}

/* Behind it a copy can begin: [MS-SMB2] 2.2.32.3. */
static void take_resume_key(void)
{
        struct smb2_ioctl_rsp r;
        struct smb2_ioctl_req q = {.ctl_code = FSCTL_SRV_REQUEST_RESUME_KEY,
                                   .file_id = file,
                                   .max_output_response = 64,
                                   .flags = SMB2_0_IOCTL_IS_FSCTL};
        tc_begin(client, SMB2_IOCTL);
        smb2_ioctl_req_encode(&client->w, 0, &q);
        assert_int_equal(tc_call(client), STATUS_SUCCESS);
        assert_true(smb2_ioctl_rsp_decode(client->reply[0].msg, &r));
        assert_true(srv_resume_key_decode(r.output, &resume_key));
}

/* A file, directory or pipe that no fault has touched yet. */
static void reopen(void)
{
        char name[32] = "srvsvc";
        bool pipe = strcmp(stage->share, "IPC$") == 0;
        if (!pipe)
                (void)snprintf(name, sizeof name, "own%u", n_names++);
        assert_int_equal(tc_create(client, name, pipe ? 0x0012019f : ALL_ACCESS,
                                   pipe ? FILE_OPEN : FILE_OPEN_IF, stage->options, &file),
                         STATUS_SUCCESS);
        if (pipe || stage->options & FILE_DIRECTORY_FILE)
                return;
        tc_put_write(client, file, 0, bytes_str("what everybody may read, and a bit more of it"));
        assert_int_equal(tc_call(client), STATUS_SUCCESS);
        take_resume_key();
}

static void reconnect(void)
{
        tc_free(client);
        client = tc_new(server, 0);
        file = (struct smb2_file_id){1, 1};
        client->want_dialect = stage->dialect;
        if (stage->level >= NEGOTIATED)
                assert_int_equal(tc_negotiate(client), STATUS_SUCCESS);
        if (stage->level >= SIGNED_IN)
                assert_int_equal(tc_sign_in(client, "alice", "secret"), STATUS_SUCCESS);
        client->signs = false;
        if (stage->level >= IN_TREE)
                assert_int_equal(tc_tree(client, stage->share), STATUS_SUCCESS);
        if (stage->level >= WITH_OPEN)
                reopen();
}

/* ---- throwing ---------------------------------------------------------------------------------
 */

struct request {
        const char *name;
        void (*put)(struct tc *c, unsigned i, struct smb2_file_id id);
        unsigned i;
};

static void no_secrets(const struct request *q, const struct fault *f)
{
        for (unsigned i = 0; i < client->n_replies; i++)
                if (memmem(client->reply[i].msg.p, client->reply[i].msg.n, secret, sizeof secret))
                        fail_msg("%s, %zu bytes, at %zu: another's data", q->name, f->n, f->at);
}

/* The answer to that MessageId; NULL when the connection ended instead. */
static const struct tc_reply *await(uint64_t id, const struct request *q, const struct fault *f)
{
        for (;;) {
                struct pollfd p = {.fd = client->fd, .events = POLLIN};
                if (poll(&p, 1, PATIENCE_MS) != 1)
                        fail_msg("%s, %zu bytes, at %zu := %x: no answer", q->name, f->n, f->at,
                                 f->value);
                if (!tc_recv(client))
                        return NULL;
                no_secrets(q, f);
                for (unsigned i = 0; i < client->n_replies; i++)
                        if (client->reply[i].h.message_id == id)
                                return &client->reply[i];
        }
}

static bool is_success(const struct tc_reply *r, uint16_t command)
{
        return r->h.status == STATUS_SUCCESS && r->h.command == command;
}

/* Undoes what an answer says has been done, so that the next fault meets what this one met. */
static void restore(const struct tc_reply *r)
{
        struct smb2_create_rsp made;
        /* A sign-in that fails takes the session along; one that goes on is in the way. */
        bool again = r && (r->h.status == STATUS_PENDING ||
                           r->h.status == STATUS_MORE_PROCESSING_REQUIRED ||
                           (r->h.command == SMB2_SESSION_SETUP && stage->level >= SIGNED_IN));
        if (!r || again || is_success(r, SMB2_LOGOFF) || is_success(r, SMB2_TREE_DISCONNECT) ||
            is_success(r, SMB2_LOCK) || is_success(r, SMB2_NEGOTIATE)) {
                reconnect();
        } else if (is_success(r, SMB2_CLOSE)) {
                reopen();
        } else if (is_success(r, SMB2_SET_INFO)) {
                (void)tc_close(client, file); /* a disposition may have left nothing to close */
                reopen();
        } else if (is_success(r, SMB2_CREATE) && smb2_create_rsp_decode(r->msg, &made)) {
                assert_int_equal(tc_close(client, made.file_id), STATUS_SUCCESS);
        }
}

static void throw_one(const struct request *q, const struct fault *f)
{
        q->put(client, q->i, file);
        bool silent = client->w.p[SMB2_AT_COMMAND] == SMB2_CANCEL;
        uint64_t id = silent ? client->next_id : client->next_id - 1;
        struct bytes m = tc_finish(client);
        if (!fault_apply(f, client->w.p)) {
                client->next_id = id; /* not sent */
                return;
        }
        n_sent++;
        tc_send_raw(client, bytes_first(m, f->n));
        if (silent) { /* by the answer to what follows one sees that it is done with */
                tc_begin(client, SMB2_ECHO);
                smb2_empty_body_encode(&client->w);
                tc_send(client);
        }
        bystander_ask();
        const struct tc_reply *r = await(id, q, f);
        bystander_check();
        restore(r);
}

/* The faults met a connection that stood where the stage says, to the last. */
static void check_stage(const struct request *q)
{
        struct smb2_file_id id;
        uint32_t status = STATUS_SUCCESS;
        if (stage->level == SIGNED_IN) {
                status = tc_tree(client, stage->share);
                client->tree_id = 0;
        } else if (stage->level == IN_TREE) {
                status = tc_create(client, "stands", FILE_READ_DATA, FILE_OPEN_IF, 0, &id);
        } else if (stage->level == WITH_OPEN) {
                status = tc_close(client, file);
                reopen();
        }
        if (status != STATUS_SUCCESS)
                fail_msg("after %s: %08x", q->name, status);
}

static void throw_all(const struct request *q)
{
        struct fault f;
        q->put(client, q->i, file);
        uint16_t charge = client->w.p[SMB2_AT_COMMAND] == SMB2_CANCEL ? 0 : 1;
        size_t whole = tc_finish(client).n;
        client->next_id -= charge; /* only measured */
        for (size_t k = 0; fault_of(whole, k, &f); k++)
                throw_one(q, &f);
        check_stage(q);
}

static void throw_commands(const struct stage *s)
{
        stage = s;
        reconnect();
        for (unsigned i = 0; testrequest_name(i); i++)
                throw_all(&(struct request){testrequest_name(i), testrequest_put, i});
}

/* What needs something of the connection's own in it. */
static void put_first_token(struct tc *c, unsigned i, struct smb2_file_id id)
{
        (void)i;
        (void)id;
        struct smb2_session_setup_req q = {
                .security_mode = 1,
                .security_buffer = hex("4e544c4d53535000 01000000 97820862 0000000000000000 "
                                       "0000000000000000 0600720a0000000f")};
        tc_begin(c, SMB2_SESSION_SETUP);
        smb2_session_setup_req_encode(&c->w, 0, &q);
}

static void put_copychunk(struct tc *c, unsigned i, struct smb2_file_id id)
{
        uint8_t input[64];
        struct writer w = wr_into(input, sizeof input);
        static struct srv_copychunk_copy copy = {
                .chunk_count = 1,
                .chunks = {{.source_offset = 0, .target_offset = 20, .length = 9}}};
        memcpy(copy.source_key, resume_key.b, sizeof copy.source_key);
        srv_copychunk_copy_encode(&w, &copy);
        struct smb2_ioctl_req q = {.ctl_code = FSCTL_SRV_COPYCHUNK,
                                   .file_id = id,
                                   .input = wr_done(&w),
                                   .max_output_response = 12,
                                   .flags = SMB2_0_IOCTL_IS_FSCTL};
        (void)i;
        tc_begin(c, SMB2_IOCTL);
        smb2_ioctl_req_encode(&c->w, 0, &q);
}

static void throw_variants(const struct stage *s)
{
        stage = s;
        reconnect();
        for (unsigned i = 0; testvariant_name(i); i++)
                throw_all(&(struct request){testvariant_name(i), testvariant_put, i});
}

/* ---- the first word ---------------------------------------------------------------------------
 */

static void put_negotiate(struct tc *c, unsigned i, struct smb2_file_id id)
{
        (void)id;
        struct smb2_negotiate_req q = {
                .security_mode = 1, .dialect_count = 2, .dialects = {0x0302, 0x0311}};
        q.has_contexts = i == 1;
        q.contexts.preauth = smb2_algorithms_one(SMB2_HASH_SHA512);
        q.contexts.preauth_salt = bytes_str("salt");
        q.contexts.encryption = smb2_algorithms_one(SMB2_CIPHER_AES128_GCM);
        q.contexts.signing = smb2_algorithms_one(SMB2_SIGNING_AES_GMAC);
        if (!q.has_contexts)
                q.dialect_count = 1;
        tc_begin(c, SMB2_NEGOTIATE);
        smb2_negotiate_req_encode(&c->w, 0, &q);
}

/* [MS-CIFS] 2.2.4.52.1, padded to begin its body where SMB 2's does. */
static void put_smb1_negotiate(struct tc *c, unsigned i, struct smb2_file_id id)
{
        (void)i;
        (void)id;
        tc_begin(c, SMB2_NEGOTIATE);
        c->w.at = 0;
        wr_bytes(&c->w, hex("ff534d42 72 00000000 18 53c8 0000 0000000000000000 0000 ffff fffe "
                            "0000 0000 00 2200 02 4e54204c4d20302e313200 02 534d4220322e30303200 "
                            "02 534d4220322e3f3f3f00"));
}

static const struct stage fresh = {FRESH, SMB2_DIALECT_302, "test", 0};

static void malformed_negotiate(void **state)
{
        (void)state;
        stage = &fresh;
        reconnect();
        throw_all(&(struct request){"negotiate", put_negotiate, 0});
        throw_all(&(struct request){"negotiate_contexts", put_negotiate, 1});
}

/* Cut and changed from its first byte on. */
static void malformed_smb1_negotiate(void **state)
{
        (void)state;
        stage = &fresh;
        const struct request q = {"smb1_negotiate", put_smb1_negotiate, 0};
        for (size_t n = 0; n < 75; n++) {
                reconnect();
                throw_one(&q, &(struct fault){.n = n});
                throw_one(&q, &(struct fault){.n = 75, .at = n, .width = 1, .value = 0xff});
        }
}

/* Everything but NEGOTIATE, as the first word: the connection ends. */
static void malformed_before_negotiate(void **state)
{
        (void)state;
        stage = &fresh;
        for (unsigned i = 0; testrequest_name(i); i++) {
                for (size_t n = 0; n < 130; n += 13) {
                        reconnect();
                        testrequest_put(client, i, file);
                        tc_send_raw(client, bytes_first(tc_finish(client), n));
                        bystander_ask();
                        assert_true(tc_is_closed(client));
                        bystander_check();
                }
        }
}

/* ---- later ------------------------------------------------------------------------------------
 */

static void malformed_without_a_session(void **state)
{
        static const struct stage s = {NEGOTIATED, SMB2_DIALECT_302, "test", 0};
        (void)state;
        throw_commands(&s);
        throw_all(&(struct request){"first_token", put_first_token, 0});
        throw_all(&(struct request){"negotiate_again", put_negotiate, 1});
}

static void malformed_without_a_tree(void **state)
{
        static const struct stage s = {SIGNED_IN, SMB2_DIALECT_302, "test", 0};
        (void)state;
        throw_commands(&s);
        throw_all(&(struct request){"first_token", put_first_token, 0});
}

static void malformed_without_an_open(void **state)
{
        static const struct stage s = {IN_TREE, SMB2_DIALECT_302, "test", 0};
        (void)state;
        throw_commands(&s);
}

static void malformed_on_a_file(void **state)
{
        static const struct stage s = {WITH_OPEN, SMB2_DIALECT_302, "test", 0};
        (void)state;
        throw_commands(&s);
        throw_variants(&s);
        throw_all(&(struct request){"copychunk", put_copychunk, 0});
}

/* 2.0.2 knows no credits for payload: lengths reach the commands themselves. */
static void malformed_on_a_file_202(void **state)
{
        static const struct stage s = {WITH_OPEN, SMB2_DIALECT_202, "test", 0};
        (void)state;
        throw_commands(&s);
        throw_variants(&s);
        throw_all(&(struct request){"copychunk", put_copychunk, 0});
}

static void malformed_on_a_directory(void **state)
{
        static const struct stage s = {WITH_OPEN, SMB2_DIALECT_302, "test", FILE_DIRECTORY_FILE};
        (void)state;
        throw_commands(&s);
        throw_variants(&s);
}

static void malformed_on_a_pipe(void **state)
{
        static const struct stage s = {WITH_OPEN, SMB2_DIALECT_302, "IPC$", 0};
        (void)state;
        throw_commands(&s);
        throw_variants(&s);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        const struct CMUnitTest tests[] = {
                T(malformed_negotiate),        T(malformed_smb1_negotiate),
                T(malformed_before_negotiate), T(malformed_without_a_session),
                T(malformed_without_a_tree),   T(malformed_without_an_open),
                T(malformed_on_a_file),        T(malformed_on_a_file_202),
                T(malformed_on_a_directory),   T(malformed_on_a_pipe),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
