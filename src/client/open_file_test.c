/* Operations on open files, against the real server over a real socket. */
#include <errno.h>

#include "base/testing.h"
#include "base/utf16.h"
#include "client/client_testing.h"
#include "client/file.h"
#include "wire/fscc/attributes.h"
#include "wire/smb2/status.h"

static struct client_world *world;

static int set_up(void **state)
{
        (void)state;
        world = client_world_new(NULL, NULL);
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        client_world_free(world);
        return 0;
}

/* What an operation came to: numbers, and copies of data and names. */
struct outcome {
        unsigned calls;
        int err;
        size_t n, n_entries;
        uint8_t data[4096];
        char names[16][64];
        uint64_t sizes[16];
        struct frevo_stat stat;
};

static void note(void *arg, const struct frevo_result *r)
{
        struct outcome *o = arg;
        o->calls++;
        o->err = r->err;
        o->n = r->n;
        o->stat = r->stat;
        o->n_entries = r->n_entries;
        if (r->data && r->n)
                memcpy(o->data, r->data, r->n < sizeof o->data ? r->n : sizeof o->data);
        for (size_t i = 0; i < r->n_entries && i < 16; i++) {
                (void)snprintf(o->names[i], sizeof o->names[i], "%s", r->entries[i].name);
                o->sizes[i] = r->entries[i].stat.size;
        }
}

static int finish(struct outcome *o, struct frevo_op *op)
{
        assert_non_null(op);
        while (o->calls == 0)
                frevo_wait(world->ctx, -1);
        return o->err;
}

#define RUN(o, start) (memset(&(o), 0, sizeof(o)), finish(&(o), (start)))

static struct frevo_file *open_new(const char *path)
{
        struct frevo_file *f = NULL;
        struct frevo_open_how how = {.access = FREVO_READ | FREVO_WRITE | FREVO_DELETE,
                                     .disposition = FREVO_CREATE_OR_TRUNCATE};
        assert_int_equal(frevo_open(world->share, path, &how, &f), 0);
        return f;
}

static void fill(uint8_t *p, size_t n, unsigned seed)
{
        for (size_t i = 0; i < n; i++)
                p[i] = (uint8_t)((i + seed) * 2654435761u >> 13);
}

/* ---- open, close ------------------------------------------------------------------------------
 */

static void test_open(void **state)
{
        struct frevo_file *f, *g;
        struct outcome o;
        assert_int_equal(frevo_open(world->share, "none", NULL, &f), ENOENT);
        assert_int_equal(frevo_open(world->share, "..", NULL, &f), EINVAL);
        assert_int_equal(
                frevo_open(world->share, "a", &(struct frevo_open_how){.disposition = 77}, &f),
                EINVAL);
        f = open_new("a");
        assert_int_equal(frevo_open(world->share, "a",
                                    &(struct frevo_open_how){.disposition = FREVO_CREATE_NEW}, &g),
                         EEXIST);
        assert_int_equal(frevo_open(world->share, "a",
                                    &(struct frevo_open_how){.deny = FILE_SHARE_WRITE}, &g),
                         EBUSY);
        assert_int_equal(frevo_write(f, 0, "12345", 5), 0);
        assert_int_equal(RUN(o, frevo_close_start(f, note, &o)), 0);
        assert_int_equal(o.stat.size, 5);
        assert_int_equal(frevo_open(world->share, "a", NULL, &f), 0);
        assert_int_equal(frevo_write(f, 0, "x", 1), EACCES);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

static void test_costs(void **state)
{
        struct frevo_file *f = open_new("costs");
        uint64_t before = frevo_count(world->ctx).round_trips;
        char buf[8];
        size_t n;
        assert_int_equal(frevo_write(f, 0, "1234", 4), 0);
        assert_int_equal(frevo_count(world->ctx).round_trips - before, 1);
        assert_int_equal(frevo_read(f, 0, buf, 8, &n), 0);
        assert_int_equal(frevo_count(world->ctx).round_trips - before, 2);
        assert_int_equal(frevo_close(f), 0);
        assert_int_equal(frevo_count(world->ctx).round_trips - before, 3);
        (void)state;
}

static void test_stream_of_file(void **state)
{
        struct frevo_file *f = open_new("s");
        struct frevo_file *g;
        struct outcome o;
        struct frevo_open_how how = {.access = FREVO_READ | FREVO_WRITE,
                                     .disposition = FREVO_OPEN_OR_CREATE,
                                     .stream = "notes"};
        assert_int_equal(frevo_write(f, 0, "main", 4), 0);
        assert_int_equal(frevo_open(world->share, "s", &how, &g), 0);
        assert_int_equal(frevo_write(g, 0, "side", 4), 0);
        assert_int_equal(frevo_close(g), 0);
        assert_int_equal(RUN(o, frevo_streams_start(f, note, &o)), 0);
        assert_int_equal(o.n_entries, 2);
        assert_string_equal(o.names[0], "");
        assert_string_equal(o.names[1], "notes");
        assert_int_equal(o.sizes[0], 4);
        assert_int_equal(o.sizes[1], 4);
        how.stream = "a/b";
        assert_int_equal(frevo_open(world->share, "s", &how, &g), EINVAL);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

/* ---- data -------------------------------------------------------------------------------------
 */

static void test_data_of_all_lengths(void **state)
{
        struct frevo_file *f = open_new("data");
        size_t max = frevo_share_info(world->share).max_write;
        size_t lengths[] = {1, 4095, max - 1, max, max + 1, 3 * max + 17};
        uint8_t *in = malloc(4 * max), *out = malloc(4 * max);
        assert_non_null(in);
        assert_non_null(out);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                size_t n = lengths[i], got = 0;
                fill(in, n, (unsigned)i);
                memset(out, 0xee, n + 1);
                assert_int_equal(frevo_write(f, 3, in, n), 0);
                assert_int_equal(frevo_read(f, 3, out, n, &got), 0);
                assert_int_equal(got, n);
                assert_memory_equal(in, out, n);
                assert_int_equal(out[n], 0xee);
        }
        free(in);
        free(out);
        assert_int_equal(frevo_flush(f), 0);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

static void test_end_of_file(void **state)
{
        struct frevo_file *f = open_new("end");
        size_t max = frevo_share_info(world->share).max_read, n = 77;
        uint8_t *buf = malloc(5 * max);
        assert_non_null(buf);
        assert_int_equal(frevo_read(f, 0, buf, 10, &n), 0);
        assert_int_equal(n, 0);
        fill(buf, max + 5, 1);
        assert_int_equal(frevo_write(f, 0, buf, max + 5), 0);
        assert_int_equal(frevo_read(f, 0, buf, 5 * max, &n), 0); /* several pieces lie behind */
        assert_int_equal(n, max + 5);
        assert_int_equal(frevo_read(f, max + 5, buf, 10, &n), 0);
        assert_int_equal(n, 0);
        assert_int_equal(frevo_read(f, max, buf, 10, &n), 0);
        assert_int_equal(n, 5);
        assert_int_equal(frevo_read(f, 0, buf, 0, &n), 0);
        assert_int_equal(n, 0);
        assert_int_equal(frevo_read(f, UINT64_MAX - 1, buf, 10, &n), EINVAL);
        free(buf);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

struct kept {
        unsigned calls;
        struct frevo_data *d;
        const uint8_t *p;
        size_t n;
};

static void keep(void *arg, const struct frevo_result *r)
{
        struct kept *k = arg;
        k->calls++;
        assert_int_equal(r->err, 0);
        k->p = r->data;
        k->n = r->n;
        k->d = frevo_data_keep(r);
}

/* Bytes of one piece and of several may be kept beyond the file. */
static void test_keep(void **state)
{
        struct frevo_file *f = open_new("keep");
        uint32_t max = frevo_share_info(world->share).max_read;
        uint8_t *in = malloc(2 * (size_t)max);
        struct kept one = {0}, two = {0};
        assert_non_null(in);
        fill(in, 2 * (size_t)max, 9);
        assert_int_equal(frevo_write(f, 0, in, 2 * (size_t)max), 0);
        assert_non_null(frevo_read_start(f, 5, 1000, keep, &one));
        assert_non_null(frevo_read_start(f, 0, 2 * max, keep, &two));
        while (!one.calls || !two.calls)
                frevo_wait(world->ctx, -1);
        assert_int_equal(frevo_close(f), 0);
        assert_int_equal(one.n, 1000);
        assert_memory_equal(one.p, in + 5, 1000);
        assert_int_equal(two.n, 2 * (size_t)max);
        assert_memory_equal(two.p, in, two.n);
        frevo_data_free(one.d);
        frevo_data_free(two.d);
        free(in);
        (void)state;
}

static void test_cancel(void **state)
{
        struct frevo_file *f = open_new("cancel");
        struct outcome o = {0};
        uint8_t *in = calloc(1, 8 << 20);
        assert_non_null(in);
        struct frevo_op *op = frevo_write_start(f, 0, in, 8 << 20, note, &o);
        frevo_cancel(op);
        assert_true(o.calls == 0); /* not from in there */
        (void)finish(&o, op);
        assert_true(o.err == 0 || o.err == ECANCELED);
        assert_int_equal(o.calls, 1);
        free(in);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

/* ---- what it is -------------------------------------------------------------------------------
 */

static void test_fstat_fchange(void **state)
{
        struct frevo_file *f = open_new("info");
        struct outcome o;
        struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                  .access_ns = FREVO_TIME_KEEP,
                                  .write_ns = INT64_C(1100000000123456700),
                                  .change_ns = FREVO_TIME_KEEP,
                                  .attributes = FILE_ATTRIBUTE_HIDDEN,
                                  .has_size = true,
                                  .size = 12345};
        assert_int_equal(RUN(o, frevo_fchange_start(f, &ch, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_fstat_start(f, note, &o)), 0);
        assert_int_equal(o.stat.size, 12345);
        assert_true(o.stat.write_ns == ch.write_ns);
        assert_int_equal(o.stat.links, 1);
        assert_int_equal(o.stat.type, FREVO_FILE);
        assert_true(o.stat.attributes & FILE_ATTRIBUTE_HIDDEN);
        assert_true(o.stat.id != 0 && o.stat.id == f->disk_id);
        ch.size = UINT64_MAX;
        assert_int_equal(RUN(o, frevo_fchange_start(f, &ch, note, &o)), EFBIG);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

static void test_frename_fremove(void **state)
{
        struct frevo_file *f = open_new("old");
        struct frevo_file *g = open_new("there");
        struct frevo_stat st;
        struct outcome o;
        assert_int_equal(frevo_close(g), 0);
        assert_int_equal(RUN(o, frevo_frename_start(f, "there", false, note, &o)), EEXIST);
        assert_int_equal(RUN(o, frevo_frename_start(f, "a\\b", false, note, &o)), EINVAL);
        assert_int_equal(RUN(o, frevo_frename_start(f, "there", true, note, &o)), 0);
        assert_int_equal(frevo_stat(world->share, "old", &st), ENOENT);
        assert_int_equal(frevo_stat(world->share, "there", &st), 0);
        assert_int_equal(RUN(o, frevo_fremove_start(f, true, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_fremove_start(f, false, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_fremove_start(f, true, note, &o)), 0);
        assert_int_equal(frevo_close(f), 0);
        assert_int_equal(frevo_stat(world->share, "there", &st), ENOENT);
        (void)state;
}

static void test_eas(void **state)
{
        struct frevo_file *f = open_new("eas");
        struct outcome o;
        assert_int_equal(RUN(o, frevo_list_eas_start(f, note, &o)), 0);
        assert_int_equal(o.n_entries, 0);
        assert_int_equal(RUN(o, frevo_set_ea_start(f, "ONE", "first", 5, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_set_ea_start(f, "TWO", "2", 1, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_list_eas_start(f, note, &o)), 0);
        assert_int_equal(o.n_entries, 2);
        assert_int_equal(RUN(o, frevo_get_ea_start(f, "ONE", note, &o)), 0);
        assert_int_equal(o.n, 5);
        assert_memory_equal(o.data, "first", 5);
        assert_int_equal(RUN(o, frevo_get_ea_start(f, "THREE", note, &o)), ENODATA);
        assert_int_equal(RUN(o, frevo_set_ea_start(f, "ONE", NULL, 0, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_get_ea_start(f, "ONE", note, &o)), ENODATA);
        assert_int_equal(RUN(o, frevo_set_ea_start(f, "", "x", 1, note, &o)), EINVAL);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

/* ---- locks ------------------------------------------------------------------------------------
 */

static void test_locks(void **state)
{
        struct frevo_file *f = open_new("locks");
        struct frevo_file *g;
        struct outcome o, waiting = {0};
        assert_int_equal(frevo_open(world->share, "locks",
                                    &(struct frevo_open_how){.access = FREVO_READ | FREVO_WRITE},
                                    &g),
                         0);
        assert_int_equal(RUN(o, frevo_lock_start(f, 0, 10, FREVO_LOCK_EXCLUSIVE, false, note, &o)),
                         0);
        assert_int_equal(RUN(o, frevo_lock_start(g, 5, 10, FREVO_LOCK_EXCLUSIVE, false, note, &o)),
                         EAGAIN);
        assert_int_equal(f->locks, 1);
        assert_int_equal(g->locks, 0);
        /* One that waits, and is called back. */
        struct frevo_op *op =
                frevo_lock_start(g, 5, 10, FREVO_LOCK_EXCLUSIVE, true, note, &waiting);
        assert_int_equal(RUN(o, frevo_fstat_start(g, note, &o)), 0);
        assert_int_equal(waiting.calls, 0);
        frevo_cancel(op);
        assert_int_equal(finish(&waiting, op), ECANCELED);
        /* One that waits until the range is free. */
        waiting = (struct outcome){0};
        op = frevo_lock_start(g, 5, 10, FREVO_LOCK_SHARED, true, note, &waiting);
        assert_int_equal(RUN(o, frevo_lock_start(f, 0, 10, FREVO_UNLOCK, false, note, &o)), 0);
        assert_int_equal(finish(&waiting, op), 0);
        assert_int_equal(f->locks, 0);
        assert_int_equal(g->locks, 1);
        assert_int_equal(frevo_write(f, 6, "x", 1), EAGAIN);
        assert_int_equal(RUN(o, frevo_lock_start(f, 0, 10, 7, false, note, &o)), EINVAL);
        assert_int_equal(frevo_close(g), 0);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

/* ---- the server's own work --------------------------------------------------------------------
 */

static void test_copy_range(void **state)
{
        struct frevo_file *f = open_new("from");
        struct frevo_file *g = open_new("to");
        struct outcome o;
        size_t n = (35u << 20) + 3, got; /* more than two requests' worth */
        uint8_t *in = malloc(n), *out = malloc(n);
        assert_non_null(in);
        assert_non_null(out);
        fill(in, n, 3);
        assert_int_equal(frevo_write(f, 0, in, n), 0);
        assert_int_equal(RUN(o, frevo_copy_range_start(f, 1, g, 2, n - 1, note, &o)), 0);
        assert_int_equal(o.n, n - 1);
        assert_int_equal(frevo_read(g, 2, out, n, &got), 0);
        assert_int_equal(got, n - 1);
        assert_memory_equal(out, in + 1, n - 1);
        assert_int_equal(RUN(o, frevo_copy_range_start(f, 0, f, 1, 5, note, &o)), EINVAL);
        assert_int_equal(RUN(o, frevo_copy_range_start(f, 0, f, 5, 5, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_copy_range_start(f, 0, g, 0, 0, note, &o)), 0);
        assert_int_not_equal(RUN(o, frevo_copy_range_start(f, n, g, 0, 10, note, &o)), 0);
        free(in);
        free(out);
        assert_int_equal(frevo_close(g), 0);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

static struct frevo_range range_at(const struct outcome *o, size_t i)
{
        struct frevo_range r;
        memcpy(&r, o->data + i * sizeof r, sizeof r);
        return r;
}

static void test_holes(void **state)
{
        struct frevo_file *f = open_new("holes");
        struct outcome o;
        uint8_t block[65536];
        fill(block, sizeof block, 1);
        for (unsigned i = 0; i < 4; i++)
                assert_int_equal(frevo_write(f, i * sizeof block, block, sizeof block), 0);
        assert_int_equal(RUN(o, frevo_sparse_start(f, true, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_zero_start(f, 65536, 65536, note, &o)), 0);
        assert_int_equal(RUN(o, frevo_ranges_start(f, 0, 4 * 65536, note, &o)), 0);
        assert_int_equal(o.n, 2 * sizeof(struct frevo_range));
        assert_int_equal(range_at(&o, 0).off, 0);
        assert_int_equal(range_at(&o, 0).n, 65536);
        assert_int_equal(range_at(&o, 1).off, 131072);
        assert_int_equal(range_at(&o, 1).n, 131072);
        assert_int_equal(RUN(o, frevo_ranges_start(f, 65536, 65536, note, &o)), 0);
        assert_int_equal(o.n, 0);
        assert_int_equal(RUN(o, frevo_ranges_start(f, INT64_MAX, 65536, note, &o)), EINVAL);
        assert_int_equal(RUN(o, frevo_zero_start(f, INT64_MAX, 65536, note, &o)), EINVAL);
        assert_int_equal(frevo_close(f), 0);
        (void)state;
}

/* ---- news -------------------------------------------------------------------------------------
 */

struct news {
        unsigned n, ends, overflows;
        int err;
        enum frevo_event_kind kind[64];
        char name[64][64];
};

static void hear(void *arg, const struct frevo_result *r)
{
        struct news *w = arg;
        const struct frevo_event *e = r->data;
        if (r->n == 0) {
                w->ends++;
                w->err = r->err;
        }
        for (size_t i = 0; i < r->n / sizeof *e; i++) {
                if (e[i].kind == FREVO_OVERFLOW)
                        w->overflows++;
                else if (w->n < 64) {
                        w->kind[w->n] = e[i].kind;
                        (void)snprintf(w->name[w->n++], 64, "%s", e[i].name);
                }
        }
}

static bool heard(const struct news *w, enum frevo_event_kind kind, const char *name)
{
        for (unsigned i = 0; i < w->n; i++)
                if (w->kind[i] == kind && strcmp(w->name[i], name) == 0)
                        return true;
        return false;
}

#define HEAR(w, kind, name)                                                                        \
        do {                                                                                       \
                while (!heard(&(w), (kind), (name)))                                               \
                        frevo_wait(world->ctx, -1);                                                \
        } while (0)

static void test_watch(void **state)
{
        struct news w = {0};
        struct frevo_file *dir;
        assert_int_equal(frevo_mkdir(world->share, "d"), 0);
        assert_int_equal(frevo_mkdir(world->share, "d/sub"), 0);
        assert_int_equal(
                frevo_open(world->share, "d", &(struct frevo_open_how){.options = 1}, &dir), 0);
        struct frevo_op *op = frevo_watch_start(dir, true, 0, hear, &w);
        assert_non_null(op);
        assert_int_equal(frevo_put(world->share, "d/a", "x", 1, NULL), 0);
        assert_int_equal(frevo_put(world->share, "d/sub/b", "x", 1, NULL), 0);
        assert_int_equal(frevo_rename(world->share, "d/a", "d/c", false), 0);
        assert_int_equal(frevo_remove(world->share, "d/c", false), 0);
        HEAR(w, FREVO_ADDED, "a");
        HEAR(w, FREVO_ADDED, "sub/b");
        HEAR(w, FREVO_RENAMED_OLD, "a");
        HEAR(w, FREVO_RENAMED_NEW, "c");
        HEAR(w, FREVO_REMOVED, "c");
        /* Many, one after the other, with nothing between: each is told. */
        for (int i = 0; i < 26; i++)
                assert_int_equal(frevo_mkdir(world->share, (char[]){'d', '/', (char)('A' + i), 0}),
                                 0);
        w.n = 0;
        assert_int_equal(frevo_mkdir(world->share, "d/last"), 0);
        HEAR(w, FREVO_ADDED, "last");
        frevo_cancel(op);
        while (!w.ends)
                frevo_wait(world->ctx, -1);
        assert_int_equal(w.err, ECANCELED);
        assert_int_equal(w.ends, 1);
        assert_int_equal(frevo_close(dir), 0);
        (void)state;
}

static void test_watch_closed(void **state)
{
        struct news w = {0};
        struct frevo_file *dir;
        assert_int_equal(frevo_open(world->share, "", &(struct frevo_open_how){.options = 1}, &dir),
                         0);
        assert_non_null(frevo_watch_start(dir, false, 0, hear, &w));
        assert_int_equal(frevo_close(dir), 0);
        while (!w.ends)
                frevo_wait(world->ctx, -1);
        assert_int_equal(w.err, ECANCELED);
        (void)state;
}

/* ---- shares -----------------------------------------------------------------------------------
 */

static void test_list_shares(void **state)
{
        struct frevo_options how = {.auth = FREVO_AUTH_NTLM, .user = "alice", .password = "secret"};
        char host[] = "127.0.0.1";
        struct frevo_url url = {.host = host, .port = listener_port(world->listener)};
        struct frevo_share_entry *e = NULL;
        size_t n = 0;
        bool test = false, ipc = false;
        assert_int_equal(frevo_list_shares(world->ctx, &url, &how, &e, &n), 0);
        for (size_t i = 0; i < n; i++) {
                test = test || (strcmp(e[i].name, "test") == 0 && e[i].type == 0);
                ipc = ipc || (strcmp(e[i].name, "IPC$") == 0 && (e[i].type & 3) == 3);
        }
        assert_true(test);
        assert_true(ipc);
        free(e);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_open),
                cmocka_unit_test(test_costs),
                cmocka_unit_test(test_stream_of_file),
                cmocka_unit_test(test_data_of_all_lengths),
                cmocka_unit_test(test_end_of_file),
                cmocka_unit_test(test_keep),
                cmocka_unit_test(test_cancel),
                cmocka_unit_test(test_fstat_fchange),
                cmocka_unit_test(test_frename_fremove),
                cmocka_unit_test(test_eas),
                cmocka_unit_test(test_locks),
                cmocka_unit_test(test_copy_range),
                cmocka_unit_test(test_holes),
                cmocka_unit_test(test_watch),
                cmocka_unit_test(test_watch_closed),
                cmocka_unit_test(test_list_shares),
        };
        return cmocka_run_group_tests_name("client open files", tests, set_up, tear_down);
}
