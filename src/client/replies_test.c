/* Operations by path against servers that fail half-way, lose the connection, or lie. */
#include <errno.h>

#include "base/limits.h"
#include "base/testing.h"
#include "client/page.h"
#include "client/request_fake.h"
#include "wire/fscc/directory.h"
#include "wire/fscc/file.h"
#include "wire/smb2/close.h"
#include "wire/smb2/create.h"
#include "wire/smb2/error.h"
#include "wire/smb2/header.h"
#include "wire/smb2/output_buffer.h"
#include "wire/smb2/set_info.h"
#include "wire/smb2/status.h"
#include "wire/smb2/write.h"

static struct fake *fake;

static int set_up(void **state)
{
        (void)state;
        fake = fake_new();
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        fake_free(fake);
        return 0;
}

/* What the server does to each test's requests. */
static struct {
        uint32_t status[8]; /* of the i-th request of a frame */
        int err;            /* of all requests, in the first `lost_frames` frames */
        unsigned lost_frames;
        uint32_t written; /* WRITE's count */
        unsigned loose_closes;
        unsigned pages; /* of a listing, before "no more" */
        const char *name;
        bool is_same_page, is_empty_page;
} server;

static void answer_close(const struct client_req *q, struct writer *w)
{
        struct smb2_close_req c;
        assert_true(smb2_close_req_decode(fake_sent(q), &c));
        server.loose_closes += c.file_id.volatile_id == 8;
        smb2_close_rsp_encode(w, &(struct smb2_close_rsp){0});
}

static uint32_t answer_listing(struct fake *f, struct writer *w)
{
        static uint8_t listing[4096];
        struct dir_list l = dir_list_into(listing, sizeof listing, PAGE_CLASS);
        char name[] = "page 0000";
        (void)f;
        if (server.pages-- == 0) {
                server.pages = 0;
                smb2_error_rsp_encode(w, &(struct smb2_error_rsp){0});
                return STATUS_NO_MORE_FILES;
        }
        for (unsigned i = 0, n = server.is_same_page ? 7 : server.pages; i < 4; i++, n /= 10)
                name[8 - i] = (char)('0' + n % 10);
        if (!server.is_empty_page) {
                assert_true(dir_list_append(&l, &(struct dir_entry){.name = "first"}));
                if (server.name)
                        assert_true(dir_list_append(&l, &(struct dir_entry){.name = server.name}));
                assert_true(dir_list_append(&l, &(struct dir_entry){.name = name}));
        }
        smb2_output_buffer_encode(w, 0, dir_list_done(&l));
        return STATUS_SUCCESS;
}

static uint32_t answer_query(unsigned i, struct writer *w)
{
        uint8_t all[256];
        struct writer a = wr_into(all, sizeof all);
        if (i == 1)
                (void)file_all_encode(&a,
                                      &(struct file_all){.standard = {.links = 3}, .name = "n"});
        else
                file_attribute_tag_encode(&a, &(struct file_attribute_tag){0});
        smb2_output_buffer_encode(w, 0, wr_done(&a));
        return STATUS_SUCCESS;
}

static uint32_t answer(struct fake *f, struct client_req *q, unsigned i, struct writer *w)
{
        if (f->n_frames <= server.lost_frames) {
                q->err = server.err;
                return 0;
        }
        uint32_t status = server.status[i];
        if (status) {
                smb2_error_rsp_encode(w, &(struct smb2_error_rsp){0});
                return status;
        }
        switch (q->command) {
        case SMB2_CREATE:
                smb2_create_rsp_encode(w, 0, &(struct smb2_create_rsp){.file_id = {7, 8}});
                break;
        case SMB2_CLOSE:
                answer_close(q, w);
                break;
        case SMB2_WRITE:
                smb2_write_rsp_encode(w, &(struct smb2_write_rsp){.count = server.written});
                break;
        case SMB2_QUERY_INFO:
                return answer_query(i, w);
        case SMB2_QUERY_DIRECTORY:
                return answer_listing(f, w);
        default:
                smb2_set_info_rsp_encode(w);
        }
        return STATUS_SUCCESS;
}

static void serve(void)
{
        fake->answer = answer;
        memset(&server, 0, sizeof server);
}

/* ---- half-way ---------------------------------------------------------------------------------
 */

static void test_left_open(void **state)
{
        serve();
        server.status[1] = STATUS_DIRECTORY_NOT_EMPTY; /* the CLOSE runs: nothing to be done */
        assert_int_equal(frevo_remove(&fake->share, "a", true), ENOTEMPTY);
        fake_run(fake);
        assert_int_equal(fake->n_frames, 1);
        server.status[2] = STATUS_DIRECTORY_NOT_EMPTY; /* it fails with the one before */
        assert_int_equal(frevo_remove(&fake->share, "a", true), ENOTEMPTY);
        memset(server.status, 0, sizeof server.status);
        fake_run(fake);
        assert_int_equal(server.loose_closes, 1);
        server.status[0] = server.status[1] = server.status[2] =
                STATUS_ACCESS_DENIED; /* never open */
        assert_int_equal(frevo_remove(&fake->share, "a", true), EACCES);
        fake_run(fake);
        assert_int_equal(server.loose_closes, 1);
        (void)state;
}

static void test_optional(void **state)
{
        struct frevo_stat st = {0};
        serve();
        server.status[2] = STATUS_INVALID_INFO_CLASS; /* a server without reparse points */
        assert_int_equal(frevo_stat(&fake->share, "a", &st), 0);
        assert_int_equal(st.links, 3);
        server.status[1] = STATUS_INVALID_INFO_CLASS;
        assert_int_equal(frevo_stat(&fake->share, "a", &st), ENOTSUP);
        (void)state;
}

static void test_write_counts(void **state)
{
        serve();
        server.written = 5;
        assert_int_equal(frevo_put(&fake->share, "a", "hello", 5, NULL), 0);
        server.written = 4;
        assert_int_equal(frevo_put(&fake->share, "a", "hello", 5, NULL), EIO);
        server.written = 6;
        assert_int_equal(frevo_put(&fake->share, "a", "hello", 5, NULL), EPROTO);
        (void)state;
}

/* Replies cut at every byte: never a success that was none, never read past the end. */
static void test_cut_replies(void **state)
{
        struct frevo_stat st;
        struct frevo_space space;
        struct frevo_entry *e = NULL;
        size_t n = 0;
        serve();
        for (fake->cut = SMB2_HEADER_LEN; fake->cut < SMB2_HEADER_LEN + 88; fake->cut++) {
                assert_int_equal(frevo_stat(&fake->share, "a", &st), EPROTO);
                assert_int_equal(frevo_mkdir(&fake->share, "a"), EPROTO);
                assert_int_equal(frevo_space(&fake->share, &space), EPROTO);
                server.pages = 1;
                assert_int_equal(frevo_list(&fake->share, "a", NULL, &e, &n), EPROTO);
                fake_run(fake);
        }
        (void)state;
}

static void test_no_memory(void **state)
{
        struct frevo_entry *e = NULL;
        size_t n = 0;
        serve();
        fake->no_memory = true;
        assert_int_equal(frevo_mkdir(&fake->share, "a"), ENOMEM);
        assert_int_equal(frevo_put(&fake->share, "a", "x", 1, NULL), ENOMEM);
        assert_int_equal(frevo_list(&fake->share, "a", NULL, &e, &n), ENOMEM);
        (void)state;
}

/* ---- lost connections -------------------------------------------------------------------------
 */

enum op_kind { STAT, PUT, PUT_NEW, MKDIR, REMOVE, RENAME, CHANGE, LIST };

static int run(enum op_kind kind)
{
        static const struct frevo_change nothing = {.write_ns = 100};
        static const struct frevo_put_how fresh = {.exclusive = true};
        struct frevo_share *s = &fake->share;
        struct frevo_stat st;
        struct frevo_entry *e = NULL;
        size_t n = 0;
        int err;
        switch (kind) {
        case STAT:
                return frevo_stat(s, "a", &st);
        case PUT:
                return frevo_put(s, "a", "hello", 5, NULL);
        case PUT_NEW:
                return frevo_put(s, "a", "hello", 5, &fresh);
        case MKDIR:
                return frevo_mkdir(s, "a");
        case REMOVE:
                return frevo_remove(s, "a", false);
        case RENAME:
                return frevo_rename(s, "a", "b", true);
        case CHANGE:
                return frevo_change(s, "a", &nothing);
        default:
                err = frevo_list(s, "a", NULL, &e, &n);
                free(err ? NULL : e);
                fake_run(fake); /* its CLOSE */
                return err;
        }
}

static void test_resent(void **state)
{
        static const struct {
                enum op_kind kind;
                bool is_idempotent;
        } t[] = {{STAT, true},    {PUT, true},     {PUT_NEW, false}, {MKDIR, false},
                 {REMOVE, false}, {RENAME, false}, {CHANGE, true},   {LIST, true}};
        serve();
        server.written = 5;
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
                fake->is_retrying = true;
                server.err = ENOTCONN; /* never sent: anything may be sent again */
                server.lost_frames = fake->n_frames + 2;
                assert_int_equal(run(t[i].kind), 0);
                server.err = ECONNRESET; /* who knows */
                server.lost_frames = fake->n_frames + 2;
                assert_int_equal(run(t[i].kind), t[i].is_idempotent ? 0 : ECONNRESET);
                fake->is_retrying = false;
                server.lost_frames = fake->n_frames + 2;
                assert_int_equal(run(t[i].kind), ECONNRESET);
                fake->is_retrying = true;
                server.lost_frames = UINT32_MAX; /* each time again */
                unsigned before = fake->n_frames;
                assert_int_equal(run(t[i].kind), ECONNRESET);
                assert_int_equal(fake->n_frames - before,
                                 t[i].is_idempotent ? 1 + LIMIT_RESENDS : 1);
        }
        (void)state;
}

static void note(void *arg, const struct frevo_result *r)
{
        *(int *)arg = r->err;
}

static void test_cancelled_is_not_resent(void **state)
{
        int err = -1;
        serve();
        fake->is_retrying = true;
        server.err = ECONNRESET;
        server.lost_frames = 1;
        struct frevo_op *op = frevo_stat_start(&fake->share, "a", note, &err);
        frevo_cancel(op);
        frevo_cancel(op);
        fake_run(fake);
        assert_int_equal(err, ECONNRESET);
        assert_int_equal(fake->n_frames, 1);
        (void)state;
}

/* ---- listings ---------------------------------------------------------------------------------
 */

struct seen {
        unsigned entries, ends;
        int err;
};

static void page_seen(void *arg, const struct frevo_result *r)
{
        struct seen *s = arg;
        for (size_t i = 0; i < r->n_entries; i++)
                assert_null(strpbrk(r->entries[i].name, "/\\"));
        s->entries += (unsigned)r->n_entries;
        if (r->n_entries == 0) {
                s->ends++;
                s->err = r->err;
        }
}

static struct seen list(void)
{
        struct seen s = {0};
        unsigned closes = server.loose_closes;
        assert_non_null(frevo_list_start(&fake->share, "a", NULL, page_seen, &s));
        fake_run(fake);
        assert_int_equal(s.ends, 1);
        assert_int_equal(server.loose_closes - closes, 1); /* it was open in all these tests */
        return s;
}

static void test_list_pages(void **state)
{
        serve();
        for (unsigned pages = 0; pages < 6; pages++) {
                server.pages = pages;
                struct seen s = list();
                assert_int_equal(s.err, 0);
                assert_int_equal(s.entries, 2 * pages);
        }
        /* A small folder takes one frame, and the CLOSE. */
        fake->n_frames = 0;
        server.pages = 1;
        assert_int_equal(list().err, 0);
        assert_int_equal(fake->n_frames, 2);
        (void)state;
}

static void test_list_lies(void **state)
{
        serve();
        server.pages = UINT32_MAX;
        server.is_same_page = true;
        assert_int_equal(list().err, EPROTO);
        assert_true(fake->n_frames < 5);
        server.pages = UINT32_MAX;
        server.is_same_page = false;
        server.is_empty_page = true;
        assert_int_equal(list().err, EPROTO);
        assert_true(fake->n_frames < 10);
        server.is_empty_page = false;
        server.pages = 3;
        server.name = "../../.bashrc";
        struct seen s = list();
        assert_int_equal(s.err, EPROTO);
        assert_int_equal(s.entries, 6); /* the good ones, all of them */
        (void)state;
}

static void test_list_backwards(void **state)
{
        serve();
        fake->is_backwards = true;
        server.pages = 5;
        struct seen s = list();
        assert_int_equal(s.err, 0);
        assert_int_equal(s.entries, 10);
        (void)state;
}

static uint32_t answer_then_lose(struct fake *f, struct client_req *q, unsigned i, struct writer *w)
{
        if (f->n_frames == 1)
                return answer(f, q, i, w);
        q->err = ECONNRESET;
        return 0;
}

/* Once entries were handed out there is no second beginning. */
static void test_list_lost_later(void **state)
{
        struct seen s = {0};
        serve();
        fake->answer = answer_then_lose;
        fake->is_retrying = true;
        server.pages = 100;
        assert_non_null(frevo_list_start(&fake->share, "a", NULL, page_seen, &s));
        fake_run(fake);
        assert_int_equal(s.ends, 1);
        assert_int_equal(s.err, ECONNRESET);
        assert_int_equal(s.entries, 4);
        assert_int_equal(fake->n_frames, 1 + 2 + 1); /* two more questions, the CLOSE */
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
                T(test_left_open),
                T(test_optional),
                T(test_write_counts),
                T(test_cut_replies),
                T(test_no_memory),
                T(test_resent),
                T(test_cancelled_is_not_resent),
                T(test_list_pages),
                T(test_list_lies),
                T(test_list_backwards),
                T(test_list_lost_later),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
