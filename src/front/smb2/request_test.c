/* Requests that break their form, after sign-in, in every command: each is refused, and the
 * connection goes on. Nothing is signed here, so that what is broken is all that is wrong. */
#include "base/testing.h"

#include "front/smb2/testrequests.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/lock.h"
#include "wire/smb2/read.h"
#include "wire/smb2/set_info.h"

static const struct testserver_options plain;

static struct testserver *server;
static struct tc *client;
static struct smb2_file_id file;

static int setup(void **state)
{
        (void)state;
        server = testserver_new(&plain);
        client = tc_new(server, 0);
        client->want_dialect = SMB2_DIALECT_302;
        assert_int_equal(tc_negotiate(client), STATUS_SUCCESS);
        assert_int_equal(tc_sign_in(client, "alice", "secret"), STATUS_SUCCESS);
        assert_int_equal(tc_tree(client, "test"), STATUS_SUCCESS);
        assert_int_equal(tc_create(client, "f", 0x001f01ff, FILE_OPEN_IF, 0, &file),
                         STATUS_SUCCESS);
        client->signs = false;
        return 0;
}

static int teardown(void **state)
{
        (void)state;
        tc_free(client);
        testserver_free(server);
        return 0;
}

static bool is_cancel(struct tc *c)
{
        return c->w.p[SMB2_AT_COMMAND] == SMB2_CANCEL;
}

/* Cut at every byte behind the header. What is cut within the header ends a connection. */
static void cut_at_every_byte(void **state)
{
        (void)state;
        for (unsigned i = 0; testrequest_name(i); i++) {
                testrequest_put(client, i, file);
                size_t whole = tc_finish(client).n;
                if (!is_cancel(client))
                        client->next_id--; /* not sent */
                for (size_t n = SMB2_HEADER_LEN; n < whole; n++) {
                        testrequest_put(client, i, file);
                        struct bytes f = tc_finish(client);
                        tc_send_raw(client, bytes_first(f, n));
                        if (is_cancel(client))
                                continue;
                        if (!tc_recv(client))
                                fail_msg("%s cut at %zu", testrequest_name(i), n);
                        assert_int_equal(client->n_replies, 1);
                        if (client->reply[0].h.status == STATUS_PENDING)
                                fail_msg("%s cut at %zu waits", testrequest_name(i), n);
                }
        }
        client->tree_id = 0;
        assert_int_equal(tc_simple(client, SMB2_ECHO), STATUS_SUCCESS);
}

static void cut_headers_end_the_connection(void **state)
{
        (void)state;
        for (size_t n = 0; n < SMB2_HEADER_LEN; n += 7) {
                struct tc *c = tc_ready(server, 0);
                tc_begin(c, SMB2_ECHO);
                tc_send_raw(c, bytes_first(tc_finish(c), n));
                assert_true(tc_is_closed(c));
                tc_free(c);
        }
}

/* A1: the payload of a WRITE lies inside its own element, behind the fixed part. */
static void a1_write_data_offset(void **state)
{
        static const struct {
                uint16_t offset;
                uint32_t length, status;
        } row[] = {
                {112, 4, STATUS_SUCCESS},
                {0, 0x1000, STATUS_INVALID_PARAMETER},
                {0, 4, STATUS_INVALID_PARAMETER},
                {64, 4, STATUS_INVALID_PARAMETER},
                {111, 4, STATUS_INVALID_PARAMETER},
                {113, 4, STATUS_INVALID_PARAMETER},
                {112, 5, STATUS_INVALID_PARAMETER},
                {0xffff, 4, STATUS_INVALID_PARAMETER},
                {112, 0xffffffff, STATUS_INVALID_PARAMETER},
        };
        (void)state;
        for (unsigned compound = 0; compound < 2; compound++) {
                for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                        tc_put_write(client, file, 0, bytes_str("abcd"));
                        struct writer at = wr_into(client->w.p + SMB2_HEADER_LEN + 2, 6);
                        wr_u16(&at, row[i].offset);
                        wr_u32(&at, row[i].length);
                        if (compound)
                                tc_put_write(client, file, 0, bytes_str("what follows"));
                        /* In a compound there is padding behind the data, and it counts. */
                        uint32_t want =
                                compound && (uint64_t)row[i].offset + row[i].length <= 120 &&
                                                row[i].offset >= 112
                                        ? STATUS_SUCCESS
                                        : row[i].status;
                        assert_int_equal(tc_call(client), want);
                }
        }
}

/* A7: create contexts whose parts lie outside of them. Unknown ones are passed over. */
static void a7_create_contexts(void **state)
{
        static const struct {
                const char *name, *list;
                uint32_t status;
        } row[] = {
                {"unknown", "00000000 1000 0400 0000 1800 04000000 51515151 00000000 01020304",
                 STATUS_SUCCESS},
                {"data at 0", "00000000 1000 0400 0000 0000 ffff0000 41416c53",
                 STATUS_INVALID_PARAMETER},
                {"data past the end",
                 "00000000 1000 0400 0000 1800 05000000 51515151 00000000 "
                 "01020304",
                 STATUS_INVALID_PARAMETER},
                {"name past the end", "00000000 1000 0500 0000 0000 00000000 51515151",
                 STATUS_INVALID_PARAMETER},
                {"cut", "00000000 1000 0400 0000", STATUS_INVALID_PARAMETER},
                {"next past the end", "18000000 1000 0400 0000 0000 00000000 51515151 00000000",
                 STATUS_INVALID_PARAMETER},
                {"next to itself", "04000000 1000 0400 0000 0000 00000000 51515151 00000000",
                 STATUS_INVALID_PARAMETER},
                {"next wraps", "f8ffffff 1000 0400 0000 0000 00000000 51515151 00000000",
                 STATUS_INVALID_PARAMETER},
        };
        (void)state;
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                tc_put_create(client, "f", FILE_READ_DATA, FILE_OPEN, 0, hex(row[i].list));
                uint32_t status = tc_call(client);
                if (status != row[i].status)
                        fail_msg("%s: %08x", row[i].name, status);
        }
}

/* A8: NextEntryOffset of an EA list one short, zero-length, past the end. */
static void a8_ea_lists(void **state)
{
        static const struct {
                const char *name, *list;
                uint32_t status;
        } row[] = {
                {"two", "0c000000 00 01 0100 61 00 31 00 00000000 00 01 0100 62 00 32",
                 STATUS_SUCCESS},
                {"next one short", "0b000000 00 01 0100 61 00 31 00 00000000 00 01 0100 62 00 32",
                 STATUS_EA_LIST_INCONSISTENT},
                {"next past the end", "40000000 00 01 0100 61 00 31 00",
                 STATUS_EA_LIST_INCONSISTENT},
                {"name past the end", "00000000 00 ff 0000 61 00", STATUS_EA_LIST_INCONSISTENT},
                {"value past the end", "00000000 00 01 ffff 61 00", STATUS_EA_LIST_INCONSISTENT},
                {"half a header", "00000000 00", STATUS_EA_LIST_INCONSISTENT},
        };
        (void)state;
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct smb2_set_info_req q = {.info_type = 1,
                                              .file_info_class = 15,
                                              .file_id = file,
                                              .buffer = hex(row[i].list)};
                tc_begin(client, SMB2_SET_INFO);
                smb2_set_info_req_encode(&client->w, 0, &q);
                uint32_t status = tc_call(client);
                if (status != row[i].status)
                        fail_msg("%s: %08x", row[i].name, status);
        }
}

/* C8: lists of locks, some of length 0; counts that are not there. */
static void lock_lists(void **state)
{
        enum { X = SMB2_LOCKFLAG_EXCLUSIVE_LOCK, U = SMB2_LOCKFLAG_UNLOCK };
        enum { NOW = SMB2_LOCKFLAG_FAIL_IMMEDIATELY };
        static const struct {
                const char *name;
                struct smb2_lock_element e[2];
                unsigned n;
                uint32_t status;
        } row[] = {
                {"two, one empty", {{0, 10, X | NOW}, {20, 0, X | NOW}}, 2, STATUS_SUCCESS},
                {"unlock both", {{0, 10, U}, {20, 0, U}}, 2, STATUS_SUCCESS},
                {"unlock again", {{0, 10, U}}, 1, STATUS_RANGE_NOT_LOCKED},
                {"two that wait", {{0, 10, X}, {20, 1, X}}, 2, STATUS_INVALID_PARAMETER},
                {"lock and unlock", {{0, 10, X | NOW}, {0, 10, U}}, 2, STATUS_INVALID_PARAMETER},
                {"no kind", {{0, 10, 0}}, 1, STATUS_INVALID_PARAMETER},
                {"two kinds", {{0, 10, X | U}}, 1, STATUS_INVALID_PARAMETER},
                {"wraps", {{UINT64_MAX, 10, X | NOW}}, 1, STATUS_INVALID_LOCK_RANGE},
        };
        (void)state;
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                struct smb2_lock_req q = {.file_id = file, .lock_count = row[i].n};
                memcpy(q.locks, row[i].e, sizeof row[i].e);
                tc_begin(client, SMB2_LOCK);
                smb2_lock_req_encode(&client->w, &q);
                uint32_t status = tc_call(client);
                if (status != row[i].status)
                        fail_msg("%s: %08x", row[i].name, status);
        }
        static const uint16_t counts[] = {0, 2, 0xffff};
        for (unsigned i = 0; i < 3; i++) {
                tc_put_lock(client, file, 0, 1, X | NOW);
                struct writer at = wr_into(client->w.p + SMB2_HEADER_LEN + 2, 2);
                wr_u16(&at, counts[i]);
                assert_int_equal(tc_call(client), STATUS_INVALID_PARAMETER);
        }
}

/* [MS-SMB2] 3.3.5.2.5: a credit pays for 64 KiB. */
static void payload_and_credits(void **state)
{
        static const struct {
                uint32_t length;
                uint16_t charge;
                uint32_t status;
        } row[] = {
                {65536, 1, STATUS_END_OF_FILE},
                {65537, 1, STATUS_INVALID_PARAMETER},
                {65537, 2, STATUS_END_OF_FILE},
                {1048576, 16, STATUS_END_OF_FILE},
                {1048576, 15, STATUS_INVALID_PARAMETER},
                {1048577, 17, STATUS_INVALID_PARAMETER},
                {0xffffffff, 1, STATUS_INVALID_PARAMETER},
        };
        (void)state;
        for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
                client->charge = row[i].charge;
                tc_put_read(client, file, 1000000, row[i].length);
                assert_int_equal(tc_call(client), row[i].status);
        }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        const struct CMUnitTest tests[] = {
                T(cut_at_every_byte),    T(cut_headers_end_the_connection),
                T(a1_write_data_offset), T(a7_create_contexts),
                T(a8_ea_lists),          T(lock_lists),
                T(payload_and_credits),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
