/* Operations on open files against servers that lie, cut their replies or lose the connection; and
 * breaks that make no sense. */
#include <errno.h>

#include "base/limits.h"
#include "base/testing.h"
#include "client/file.h"
#include "client/request_fake.h"
#include "wire/fscc/fsctl.h"
#include "wire/fscc/notify.h"
#include "wire/smb2/change_notify.h"
#include "wire/smb2/close.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/fsctl.h"
#include "wire/smb2/ioctl.h"
#include "wire/smb2/oplock_break.h"
#include "wire/smb2/output_buffer.h"
#include "wire/smb2/read.h"
#include "wire/smb2/set_info.h"
#include "wire/smb2/status.h"
#include "wire/smb2/write.h"

static struct fake *fake;
static struct frevo_file *file;

/* What the server says next. */
static struct {
        uint32_t status;
        struct bytes out; /* of READ, QUERY_INFO, IOCTL, CHANGE_NOTIFY */
        uint32_t written;
        uint32_t copy_max; /* bytes of one COPYCHUNK; 0: out is the answer */
        unsigned lost;     /* so many requests end with err */
        int err;
        unsigned answers;
        struct bytes contexts; /* of CREATE */
        uint8_t oplock;
        unsigned good_notifies; /* CHANGE_NOTIFYs that are answered; the next is cancelled */
} server;

static uint32_t sum_of(const struct srv_copychunk_copy *c)
{
        uint32_t sum = 0;
        for (uint32_t i = 0; i < c->chunk_count; i++)
                sum += c->chunks[i].length;
        return sum;
}

static uint32_t answer_ioctl(const struct client_req *q, struct writer *w)
{
        static struct srv_copychunk_copy c;
        struct smb2_ioctl_req req;
        uint8_t out[32];
        uint32_t status = server.status;
        struct writer ow = wr_into(out, sizeof out);
        assert_true(smb2_ioctl_req_decode(fake_sent(q), &req));
        struct smb2_ioctl_rsp r = {.ctl_code = req.ctl_code, .output = server.out};
        if (req.ctl_code == FSCTL_SRV_REQUEST_RESUME_KEY) {
                srv_resume_key_encode(&ow, &(struct srv_resume_key){{1}});
                r.output = wr_done(&ow);
                status = STATUS_SUCCESS;
        } else if (server.copy_max) {
                assert_true(srv_copychunk_copy_decode(req.input, &c));
                bool ok = sum_of(&c) <= server.copy_max;
                struct srv_copychunk_response limits = {4, 65536, server.copy_max},
                                              done = {c.chunk_count, 0, sum_of(&c)};
                srv_copychunk_response_encode(&ow, ok ? &done : &limits);
                r.output = wr_done(&ow);
                status = ok ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
        }
        smb2_ioctl_rsp_encode(w, 0, &r);
        return status;
}

static uint32_t answer(struct fake *f, struct client_req *q, unsigned i, struct writer *w)
{
        (void)f;
        (void)i;
        server.answers++;
        if (server.lost) {
                server.lost--;
                q->err = server.err;
                return STATUS_INVALID;
        }
        switch (q->command) {
        case SMB2_CREATE:
                smb2_create_rsp_encode(w, 0,
                                       &(struct smb2_create_rsp){.file_id = {7, 8},
                                                                 .oplock_level = server.oplock,
                                                                 .contexts = server.contexts});
                return STATUS_SUCCESS;
        case SMB2_CLOSE:
                smb2_close_rsp_encode(w, &(struct smb2_close_rsp){0});
                return STATUS_SUCCESS;
        case SMB2_READ:
                smb2_read_rsp_encode(w, 0, &(struct smb2_read_rsp){.data = server.out});
                return server.status;
        case SMB2_WRITE:
                smb2_write_rsp_encode(w, &(struct smb2_write_rsp){.count = server.written});
                return server.status;
        case SMB2_IOCTL:
                return answer_ioctl(q, w);
        case SMB2_SET_INFO:
                smb2_set_info_rsp_encode(w);
                return server.status;
        case SMB2_CHANGE_NOTIFY:
                if (server.good_notifies == 0)
                        return STATUS_CANCELLED;
                server.good_notifies--;
                break;
        default:
                break;
        }
        smb2_output_buffer_encode(w, 0, server.out);
        return server.status;
}

static int set_up(void **state)
{
        (void)state;
        memset(&server, 0, sizeof server);
        fake = fake_new();
        fake->answer = answer;
        fake->session.epoch = 1;
        fake->session.terms.dialect = SMB2_DIALECT_311;
        fake->session.terms.capabilities = SMB2_GLOBAL_CAP_LEASING;
        assert_int_equal(frevo_open(&fake->share, "f", NULL, &file), 0);
        server.answers = 0;
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        server.lost = 0;
        fake->cut = 0;
        assert_int_equal(frevo_close(file), 0);
        fake_free(fake);
        return 0;
}

struct outcome {
        unsigned calls, ends, overflows, events;
        int err;
        size_t n, n_entries;
        struct frevo_range ranges[8];
        bool is_watch;
};

static void note(void *arg, const struct frevo_result *r)
{
        struct outcome *o = arg;
        o->calls++;
        o->err = r->err;
        o->n = r->n;
        o->n_entries = r->n_entries;
        const struct frevo_event *e = r->data;
        if (!o->is_watch && r->data && r->n <= sizeof o->ranges)
                memcpy(o->ranges, r->data, r->n);
        o->ends += r->n == 0;
        for (size_t i = 0; o->is_watch && i < r->n / sizeof *e; i++)
                if (e[i].kind == FREVO_OVERFLOW)
                        o->overflows++;
                else
                        o->events++;
}

static int finish(struct outcome *o, struct frevo_op *op)
{
        assert_non_null(op);
        while (!o->calls)
                fake_run(fake);
        return o->err;
}
#define RUN(o, start) (memset(&(o), 0, sizeof(o)), finish(&(o), (start)))

/* ---- data -------------------------------------------------------------------------------------
 */

static void test_read(void **state)
{
        struct outcome o;
        uint8_t bytes[11] = {0};
        server.out = bytes_of(bytes, 11);
        assert_int_equal(RUN(o, frevo_read_start(file, 0, 10, note, &o)), EPROTO);
        server.out = bytes_of(bytes, 10);
        assert_int_equal(RUN(o, frevo_read_start(file, 0, 10, note, &o)), 0);
        assert_int_equal(o.n, 10);
        for (fake->cut = SMB2_HEADER_LEN; fake->cut < SMB2_HEADER_LEN + 16 + 10; fake->cut++)
                assert_int_equal(RUN(o, frevo_read_start(file, 0, 10, note, &o)), EPROTO);
        fake->cut = 0;
        server.status = STATUS_END_OF_FILE;
        assert_int_equal(RUN(o, frevo_read_start(file, 0, 10, note, &o)), 0);
        assert_int_equal(o.n, 0);
        server.status = STATUS_PENDING; /* success of a kind, but no data */
        assert_int_equal(RUN(o, frevo_read_start(file, 0, 10, note, &o)), EPROTO);
        /* Split, and one piece is short: the end is there, whatever lies behind. */
        server.status = STATUS_SUCCESS;
        fake->max_read = 10;
        server.out = bytes_of(bytes, 4);
        assert_int_equal(RUN(o, frevo_read_start(file, 0, 35, note, &o)), 0);
        assert_int_equal(o.n, 4);
        (void)state;
}

static void test_write(void **state)
{
        struct outcome o;
        server.written = 11;
        assert_int_equal(RUN(o, frevo_write_start(file, 0, "0123456789", 10, note, &o)), EPROTO);
        server.written = 0;
        assert_int_equal(RUN(o, frevo_write_start(file, 0, "0123456789", 10, note, &o)), EIO);
        server.written = 5; /* half of it, twice */
        server.answers = 0;
        assert_int_equal(RUN(o, frevo_write_start(file, 0, "0123456789", 10, note, &o)), 0);
        assert_int_equal(o.n, 10);
        assert_int_equal(server.answers, 2);
        (void)state;
}

static void test_ranges(void **state)
{
        static const struct {
                const char *name, *out; /* offset and length, 8 bytes each */
                uint32_t status;
                int err;
                size_t n;
        } row[] = {
                {"none", "", 0, 0, 0},
                {"one", "0000000000000000 1000000000000000", 0, 0, 1},
                {"joined", "0000000000000000 1000000000000000 1000000000000000 1000000000000000", 0,
                 0, 1},
                {"behind the question", "0000010000000000 1000000000000000", 0, 0, 0},
                {"falling", "2000000000000000 1000000000000000 0000000000000000 1000000000000000",
                 0, EPROTO, 0},
                {"overlapping",
                 "0000000000000000 2000000000000000 1000000000000000 2000000000000000", 0, EPROTO,
                 0},
                {"negative", "0000000000000080 1000000000000000", 0, EPROTO, 0},
                {"cut", "0000000000000000 10000000", 0, EPROTO, 0},
                {"more, but nothing new", "", STATUS_BUFFER_OVERFLOW, EPROTO, 0},
                {"the same for ever", "0000000000000000 1000000000000000", STATUS_BUFFER_OVERFLOW,
                 EPROTO, 0},
        };
        struct outcome o;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                server.out = hex(row[i].out);
                server.status = row[i].status;
                if (RUN(o, frevo_ranges_start(file, 0, 256, note, &o)) != row[i].err ||
                    o.n != row[i].n * sizeof(struct frevo_range))
                        fail_msg("%s: %d, %zu", row[i].name, o.err, o.n);
        }
        (void)state;
}

/* ---- lists ------------------------------------------------------------------------------------
 */

static void test_streams(void **state)
{
        struct outcome o;
        /* ":a:$DATA", of size 5; then with a '/' for the a; then without its colon. */
        const char *fixed = "00000000 10000000 0500000000000000 0800000000000000 ";
        const char *name[] = {"3a00 6100 3a00 2400 4400 4100 5400 4100",
                              "3a00 2f00 3a00 2400 4400 4100 5400 4100",
                              "6100 6100 3a00 2400 4400 4100 5400 4100",
                              "3a00 6100 3a00 2400 4400 4100 5400 4200"}; /* no data: left out */
        int err[] = {0, EPROTO, EPROTO, 0};
        size_t n[] = {1, 0, 0, 0};
        for (size_t i = 0; i < 4; i++) {
                char text[256];
                (void)snprintf(text, sizeof text, "%s%s", fixed, name[i]);
                server.out = hex(text);
                assert_int_equal(RUN(o, frevo_streams_start(file, note, &o)), err[i]);
                assert_int_equal(o.n_entries, n[i]);
        }
        server.out = hex("00000000 ff000000 0500000000000000 0800000000000000 3a00");
        assert_int_equal(RUN(o, frevo_streams_start(file, note, &o)), EPROTO);
        server.status = STATUS_BUFFER_OVERFLOW; /* whatever room it is given */
        assert_int_equal(RUN(o, frevo_streams_start(file, note, &o)), EOVERFLOW);
        (void)state;
}

static void test_eas(void **state)
{
        struct outcome o;
        server.out = hex("00000000 00 01 0300 41 00 787978"); /* A = "xyx" */
        assert_int_equal(RUN(o, frevo_list_eas_start(file, note, &o)), 0);
        assert_int_equal(o.n_entries, 1);
        assert_int_equal(RUN(o, frevo_get_ea_start(file, "A", note, &o)), 0);
        assert_int_equal(o.n, 3);
        server.out = hex("00000000 00 01 ffff 41 00 787978");
        assert_int_equal(RUN(o, frevo_list_eas_start(file, note, &o)), EPROTO);
        assert_int_equal(RUN(o, frevo_get_ea_start(file, "A", note, &o)), EPROTO);
        server.out = bytes_of(NULL, 0);
        assert_int_equal(RUN(o, frevo_get_ea_start(file, "A", note, &o)), ENODATA);
        server.status = STATUS_NO_EAS_ON_FILE;
        assert_int_equal(RUN(o, frevo_list_eas_start(file, note, &o)), 0);
        (void)state;
}

/* ---- copies -----------------------------------------------------------------------------------
 */

static void test_copy(void **state)
{
        static const struct {
                const char *name;
                uint32_t status, chunks, chunk_bytes, total;
                int err;
        } row[] = {
                {"all", 0, 1, 0, 1000, 0},
                {"more than asked", 0, 1, 0, 1001, EPROTO},
                {"nothing", 0, 0, 0, 0, EIO},
                {"limits as they were", STATUS_INVALID_PARAMETER, 256, 1 << 20, 16 << 20, EINVAL},
                {"limits of nothing", STATUS_INVALID_PARAMETER, 0, 0, 0, EINVAL},
                {"limits that stay", STATUS_INVALID_PARAMETER, 4, 65536, 65536, EINVAL},
        };
        struct outcome o;
        uint8_t out[16];
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct writer w = wr_into(out, sizeof out);
                srv_copychunk_response_encode(
                        &w, &(struct srv_copychunk_response){row[i].chunks, row[i].chunk_bytes,
                                                             row[i].total});
                server.out = wr_done(&w);
                server.status = row[i].status;
                if (RUN(o, frevo_copy_range_start(file, 0, file, 1 << 20, 1000, note, &o)) !=
                    row[i].err)
                        fail_msg("%s: %d", row[i].name, o.err);
        }
        /* Limits that were not known: all is copied, in pieces that are small enough. */
        server.copy_max = 100000;
        server.answers = 0;
        assert_int_equal(RUN(o, frevo_copy_range_start(file, 0, file, 1 << 30, 1u << 20, note, &o)),
                         0);
        assert_int_equal(o.n, 1u << 20);
        assert_int_equal(server.answers, 1 + 1 + 11);
        server.copy_max = 0;
        (void)state;
}

/* ---- news -------------------------------------------------------------------------------------
 */

static void watch(struct outcome *o, const char *list, uint32_t status)
{
        *o = (struct outcome){.is_watch = true};
        server.out = hex(list);
        server.status = status;
        server.good_notifies = 3;
        assert_non_null(frevo_watch_start(file, true, 0, note, o));
        while (!o->ends)
                fake_run(fake);
        assert_int_equal(o->ends, 1);
}

static void test_watch(void **state)
{
        struct outcome o;
        watch(&o, "00000000 01000000 02000000 6100", 0); /* "a" was added, three times */
        assert_int_equal(o.events, 3);
        assert_int_equal(o.err, ECANCELED);
        watch(&o, "00000000 63000000 02000000 6100", 0); /* some other news */
        assert_int_equal(o.events + o.overflows, 0);
        watch(&o, "", 0);
        assert_int_equal(o.overflows, 3);
        watch(&o, "", STATUS_NOTIFY_ENUM_DIR);
        assert_int_equal(o.overflows, 3);
        watch(&o, "00000000 01000000 04000000 2e002e00", 0); /* ".." */
        assert_int_equal(o.overflows, 3);
        assert_int_equal(o.events, 0);
        watch(&o, "00000000 01000000 ff000000 6100", 0);
        assert_int_equal(o.err, EPROTO);
        assert_int_equal(o.events, 0);
        watch(&o, "", STATUS_ACCESS_DENIED);
        assert_int_equal(o.err, EACCES);
        (void)state;
}

/* ---- lost -------------------------------------------------------------------------------------
 */

static void test_lost(void **state)
{
        static const struct {
                int err;
                unsigned lost;
                bool retrying, rename;
                int expect;
                unsigned sent;
        } row[] = {
                {ECONNRESET, 3, true, false, 0, 4},
                {ECONNRESET, 3, false, false, ECONNRESET, 1},
                {ECONNRESET, 1, true, true, ECONNRESET, 1}, /* it may have been done */
                {ENOTCONN, 1, true, true, 0, 2},            /* it was not */
                {EPROTO, 1, true, false, EPROTO, 1},
                {ECONNRESET, 99, true, false, ECONNRESET, LIMIT_RESENDS + 1},
        };
        struct outcome o;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                server.err = row[i].err;
                server.lost = row[i].lost;
                server.answers = 0;
                server.written = 1;
                fake->is_retrying = row[i].retrying;
                struct frevo_op *op = row[i].rename
                                              ? frevo_frename_start(file, "g", true, note,
                                                                    (memset(&o, 0, sizeof o), &o))
                                              : frevo_write_start(file, 0, "x", 1, note,
                                                                  (memset(&o, 0, sizeof o), &o));
                if (finish(&o, op) != row[i].expect || server.answers != row[i].sent)
                        fail_msg("%zu: %d, %u", i, o.err, server.answers);
        }
        server.lost = 0;
        (void)state;
}

/* ---- leases -----------------------------------------------------------------------------------
 */

static unsigned told_now, told;
static int on_broken(void *arg, struct frevo_file *f, unsigned now)
{
        (void)arg;
        (void)f;
        told++;
        told_now = now;
        return 0;
}

static struct bytes lease_context(uint8_t *room, size_t max, const uint8_t key[16], uint32_t state)
{
        struct writer w = wr_into(room, max);
        struct smb2_create_context_writer cw;
        struct smb2_create_lease l = {.version = 2, .lease_state = state, .epoch = 5};
        memcpy(l.lease_key.b, key, 16);
        smb2_create_context_begin(&cw, &w);
        smb2_create_context_open(&cw, SMB2_CREATE_TAG_LEASE);
        smb2_create_lease_encode(&w, &l);
        smb2_create_context_close(&cw);
        (void)smb2_create_context_end(&cw);
        return wr_done(&w);
}

static void send_break(const uint8_t key[16], uint16_t epoch, uint32_t now, size_t cut)
{
        uint8_t msg[128];
        struct writer w = wr_into(msg, sizeof msg);
        struct smb2_lease_break_notify n = {
                .new_epoch = epoch, .flags = 1, .current_lease_state = 7, .new_lease_state = now};
        memcpy(n.lease_key.b, key, 16);
        smb2_header_encode(&w, &(struct smb2_header){.command = SMB2_OPLOCK_BREAK});
        smb2_lease_break_notify_encode(&w, &n);
        fake->ctx.on_break(&fake->session, bytes_first(wr_done(&w), w.at - cut));
        fake_run(fake);
}

static void test_lease(void **state)
{
        static const uint8_t key[16] = "sixteen bytes k", alien[16] = "another one's k";
        uint8_t room[128];
        struct frevo_file *f;
        struct frevo_open_how how = {.lease = 7, .lease_key = key, .lease_broken = on_broken};
        told = 0;
        server.oplock = SMB2_OPLOCK_LEVEL_LEASE;
        server.contexts = lease_context(room, sizeof room, alien, 7);
        assert_int_equal(frevo_open(&fake->share, "l", &how, &f), EPROTO);
        server.contexts = bytes_of(NULL, 0);
        assert_int_equal(frevo_open(&fake->share, "l", &how, &f), EPROTO);
        server.contexts = lease_context(room, sizeof room, key, 0xffffffff);
        assert_int_equal(frevo_open(&fake->share, "l", &how, &f), 0);
        assert_int_equal(frevo_lease_held(f), 7);
        server.answers = 0;
        send_break(alien, 6, 0, 0); /* nobody's */
        for (size_t cut = 1; cut <= 44; cut++)
                send_break(key, 6, 0, cut);
        assert_int_equal(told + server.answers, 0);
        send_break(key, 6, 3, 0);
        assert_int_equal(told, 1);
        assert_int_equal(told_now, 3);
        assert_int_equal(server.answers, 1); /* acknowledged; refused: fake's answer is no reply */
        send_break(key, 7, 7, 0);            /* a break gives nothing back */
        assert_true(frevo_lease_held(f) <= 3);
        unsigned before = told;
        send_break(key, 6, 0, 0); /* old news */
        assert_int_equal(told, before);
        assert_int_equal(frevo_close(f), 0);
        assert_null(fake->ctx.leases);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
                T(test_read), T(test_write), T(test_ranges), T(test_streams), T(test_eas),
                T(test_copy), T(test_watch), T(test_lost),   T(test_lease),
#undef T
        };
        return cmocka_run_group_tests_name("client file replies", tests, NULL, NULL);
}
