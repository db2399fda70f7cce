/* Files and folders by path, against the real server over a real socket: what happens, in how many
 * round trips, and that nothing stays open. */
#include <errno.h>
#include <stdio.h>

#include "base/testing.h"
#include "client/client_testing.h"
#include "fs/fs.h"
#include "wire/fscc/attributes.h"
#include "wire/smb2/status.h"

static struct client_world *world;

static int set_up(void **state)
{
        (void)state;
        world = client_world_new(NULL, NULL);
        return 0;
}

/* The server's own count: nothing that these operations opened is left, though the session stands.
 * A listing's CLOSE may still be on its way. */
static void expect_all_closed(void)
{
        struct fs_stats s = {0};
        struct frevo_stat st;
        for (unsigned i = 0; i < 1000; i++) {
                fs_stats(world->server->fs, &s);
                if (s.opens == 0)
                        break;
                (void)frevo_stat(world->share, "", &st);
        }
        assert_int_equal(s.opens, 0);
}

static int set_up_sealing(void **state)
{
        (void)state;
        world = client_world_new(&(struct testserver_options){.encrypt = SMB2_ENCRYPT_OFFERED,
                                                              .signing_required = true},
                                 NULL);
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        expect_all_closed();
        client_world_free(world);
        return 0;
}

/* How many round trips x takes; x must be an expression that is 0. */
#define ROUND_TRIPS(n, x)                                                                          \
        do {                                                                                       \
                uint64_t before_ = frevo_count(world->ctx).round_trips;                            \
                assert_int_equal((x), 0);                                                          \
                assert_int_equal(frevo_count(world->ctx).round_trips - before_, (n));              \
        } while (0)

static void put(const char *path, const char *text)
{
        assert_int_equal(frevo_put(world->share, path, text, strlen(text), NULL), 0);
}

static void expect(const char *path, const char *text)
{
        void *data = NULL;
        size_t n = 0;
        assert_int_equal(frevo_get(world->share, path, 1024, &data, &n), 0);
        assert_string_equal(data, text);
        assert_int_equal(n, strlen(text));
        free(data);
}

/* ---- one by one -------------------------------------------------------------------------------
 */

static void test_put_get(void **state)
{
        void *data = NULL;
        size_t n = 1;
        ROUND_TRIPS(1, frevo_put(world->share, "f", "hello", 5, NULL));
        ROUND_TRIPS(1, frevo_get(world->share, "f", 100, &data, &n));
        assert_int_equal(n, 5);
        assert_string_equal(data, "hello");
        free(data);
        ROUND_TRIPS(1, frevo_put(world->share, "f", NULL, 0, NULL)); /* replaced by nothing */
        ROUND_TRIPS(1, frevo_get(world->share, "f", 100, &data, &n));
        assert_int_equal(n, 0);
        free(data);
        assert_int_equal(frevo_get(world->share, "none", 100, &data, &n), ENOENT);
        assert_int_equal(frevo_get(world->share, "no/ne", 100, &data, &n), ENOENT);
        assert_int_equal(frevo_get(world->share, "", 100, &data, &n), EISDIR);
        put("f", "0123456789");
        assert_int_equal(frevo_get(world->share, "f", 9, &data, &n), EFBIG);
        ROUND_TRIPS(1, frevo_get(world->share, "f", 10, &data, &n));
        free(data);
        (void)state;
}

static void test_put_how(void **state)
{
        struct frevo_stat st;
        struct frevo_put_how how = {.exclusive = true,
                                    .durable = true,
                                    .attributes = FILE_ATTRIBUTE_HIDDEN,
                                    .create_ns = INT64_C(1000000000000000000),
                                    .access_ns = FREVO_TIME_KEEP,
                                    .write_ns = INT64_C(1100000000123456700)};
        ROUND_TRIPS(1, frevo_put(world->share, "how", "x", 1, &how));
        ROUND_TRIPS(1, frevo_stat(world->share, "how", &st));
        assert_int_equal(st.type, FREVO_FILE);
        assert_int_equal(st.size, 1);
        assert_int_equal(st.links, 1);
        assert_int_not_equal(st.id, 0);
        assert_true(st.attributes & FILE_ATTRIBUTE_HIDDEN);
        assert_true(st.create_ns == how.create_ns);
        assert_true(st.write_ns == how.write_ns);
        assert_int_equal(frevo_put(world->share, "how", "y", 1, &how), EEXIST);
        expect("how", "x");
        (void)state;
}

static void test_put_large(void **state)
{
        struct frevo_share_info info = frevo_share_info(world->share);
        size_t n = info.max_write;
        uint8_t *bytes = malloc(n + 1);
        void *data = NULL;
        size_t got = 0;
        assert_non_null(bytes);
        for (size_t i = 0; i <= n; i++)
                bytes[i] = (uint8_t)(i * 31 >> 5);
        assert_int_equal(frevo_put(world->share, "large", bytes, n, NULL), 0);
        assert_int_equal(frevo_put(world->share, "large", bytes, n + 1, NULL), EINVAL);
        assert_int_equal(frevo_get(world->share, "large", n, &data, &got), 0);
        assert_int_equal(got, n);
        assert_memory_equal(data, bytes, n);
        free(data);
        free(bytes);
        (void)state;
}

/* More than one request holds: opened, and read in parts. */
static void test_get_long(void **state)
{
        static const struct frevo_open_how how = {.access = FREVO_WRITE,
                                                  .disposition = FREVO_CREATE_NEW};
        size_t n = frevo_share_info(world->share).max_read + 100000u, got = 0;
        uint8_t *bytes = malloc(n);
        void *data = NULL;
        struct frevo_file *f = NULL;
        assert_non_null(bytes);
        for (size_t i = 0; i < n; i++)
                bytes[i] = (uint8_t)(i * 17 >> 6);
        assert_int_equal(frevo_open(world->share, "long", &how, &f), 0);
        assert_int_equal(frevo_write(f, 0, bytes, n), 0);
        assert_int_equal(frevo_close(f), 0);
        assert_int_equal(frevo_get(world->share, "long", n - 1, &data, &got), EFBIG);
        assert_int_equal(frevo_get(world->share, "long", SIZE_MAX, &data, &got), 0);
        assert_int_equal(got, n);
        assert_memory_equal(data, bytes, n);
        free(data);
        free(bytes);
        (void)state;
}

static void test_stat(void **state)
{
        struct frevo_stat st;
        ROUND_TRIPS(1, frevo_stat(world->share, "", &st));
        assert_int_equal(st.type, FREVO_DIRECTORY);
        assert_int_equal(frevo_stat(world->share, "none", &st), ENOENT);
        assert_int_equal(frevo_stat(world->share, "a/../b", &st), EINVAL);
        assert_int_equal(frevo_stat(world->share, "\xff", &st), EILSEQ);
        (void)state;
}

static void test_mkdir_remove(void **state)
{
        struct frevo_stat st;
        ROUND_TRIPS(1, frevo_mkdir(world->share, "d"));
        assert_int_equal(frevo_mkdir(world->share, "d"), EEXIST);
        assert_int_equal(frevo_mkdir(world->share, ""), EEXIST);
        assert_int_equal(frevo_mkdir(world->share, "x/y"), ENOENT);
        put("d/f", "x");
        assert_int_equal(frevo_remove(world->share, "d", true), ENOTEMPTY);
        assert_int_equal(frevo_remove(world->share, "d", false), EISDIR);
        assert_int_equal(frevo_remove(world->share, "d/f", true), ENOTDIR);
        ROUND_TRIPS(1, frevo_remove(world->share, "d/f", false));
        ROUND_TRIPS(1, frevo_remove(world->share, "d", true));
        assert_int_equal(frevo_stat(world->share, "d", &st), ENOENT);
        /* Never the share itself, however it is written. */
        static const char *const roots[] = {"", "/", "//", ".", "\\", ".."};
        for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
                assert_int_equal(frevo_remove(world->share, roots[i], true), EINVAL);
                assert_int_equal(frevo_remove(world->share, roots[i], false), EINVAL);
        }
        (void)state;
}

static void test_rename(void **state)
{
        put("from", "1");
        assert_int_equal(frevo_mkdir(world->share, "sub"), 0);
        ROUND_TRIPS(1, frevo_rename(world->share, "from", "sub/x", false)); /* one character */
        expect("sub/x", "1");
        put("other", "2");
        assert_int_equal(frevo_rename(world->share, "other", "sub/x", false), EEXIST);
        ROUND_TRIPS(1, frevo_rename(world->share, "other", "sub/x", true));
        expect("sub/x", "2");
        assert_int_equal(frevo_rename(world->share, "none", "a", false), ENOENT);
        assert_int_equal(frevo_rename(world->share, "sub/x", "", false), EINVAL);
        assert_int_equal(frevo_rename(world->share, "", "a", false), EINVAL);
        assert_int_equal(frevo_rename(world->share, "sub/x", "a\\b", false), EINVAL);
        ROUND_TRIPS(1, frevo_rename(world->share, "sub", "b:a?d. ", false));
        expect("b:a?d. /x", "2");
        (void)state;
}

static void test_link(void **state)
{
        struct frevo_stat st;
        int err;
        put("orig", "x");
        err = frevo_link(world->share, "orig", "hard", false);
        assert_int_equal(err, 0);
        assert_int_equal(frevo_stat(world->share, "orig", &st), 0);
        assert_int_equal(st.links, 2);
        expect("hard", "x");
        assert_int_equal(frevo_link(world->share, "orig", "hard", false), EEXIST);
        (void)state;
}

static void test_change(void **state)
{
        struct frevo_stat st;
        put("c", "0123456789");
        struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                  .access_ns = FREVO_TIME_KEEP,
                                  .write_ns = INT64_C(1200000000000000000),
                                  .change_ns = FREVO_TIME_KEEP,
                                  .attributes = FILE_ATTRIBUTE_SYSTEM,
                                  .has_size = true,
                                  .size = 4};
        ROUND_TRIPS(1, frevo_change(world->share, "c", &ch));
        assert_int_equal(frevo_stat(world->share, "c", &st), 0);
        assert_int_equal(st.size, 4);
        assert_true(st.write_ns == ch.write_ns);
        assert_true(st.attributes & FILE_ATTRIBUTE_SYSTEM);
        assert_int_equal(frevo_change(world->share, "none", &ch), ENOENT);
        ch.size = UINT64_MAX;
        assert_int_equal(frevo_change(world->share, "c", &ch), EFBIG);
        ch = (struct frevo_change){.create_ns = FREVO_TIME_KEEP,
                                   .access_ns = FREVO_TIME_KEEP,
                                   .write_ns = FREVO_TIME_KEEP,
                                   .change_ns = FREVO_TIME_KEEP};
        ROUND_TRIPS(1,
                    frevo_change(world->share, "c", &ch)); /* nothing: only whether it is there */
        (void)state;
}

static void test_space(void **state)
{
        struct frevo_space sp = {0};
        ROUND_TRIPS(1, frevo_space(world->share, &sp));
        assert_true(sp.total_bytes > 0 && sp.free_bytes <= sp.total_bytes);
        assert_int_equal(sp.name_max, 255);
        (void)state;
}

static void test_acl(void **state)
{
        void *sd = NULL, *again = NULL;
        size_t n = 0, m = 0;
        put("acl", "x");
        ROUND_TRIPS(1, frevo_get_acl(world->share, "acl", 7, &sd, &n));
        assert_true(n >= 20);
        ROUND_TRIPS(1, frevo_set_acl(world->share, "acl", 4, sd, n));
        assert_int_equal(frevo_get_acl(world->share, "acl", 7, &again, &m), 0);
        assert_int_equal(frevo_set_acl(world->share, "acl", 0, sd, n), EINVAL);
        assert_int_equal(frevo_set_acl(world->share, "acl", 4, sd, 0), EINVAL);
        assert_int_equal(frevo_set_acl(world->share, "acl", 4, sd, 70000), EINVAL);
        assert_int_not_equal(frevo_set_acl(world->share, "acl", 4, "nonsense", 8), 0);
        free(sd);
        free(again);
        (void)state;
}

/* ---- listings ---------------------------------------------------------------------------------
 */

static void test_list(void **state)
{
        struct frevo_entry *e = NULL;
        size_t n = 9;
        assert_int_equal(frevo_mkdir(world->share, "l"), 0);
        ROUND_TRIPS(2, frevo_list(world->share, "l", NULL, &e, &n)); /* and the CLOSE */
        assert_int_equal(n, 0);
        free(e);
        put("l/a:b", "123");
        put("l/c.txt", "1");
        assert_int_equal(frevo_mkdir(world->share, "l/d"), 0);
        ROUND_TRIPS(2, frevo_list(world->share, "l", NULL, &e, &n));
        assert_int_equal(n, 3);
        unsigned seen = 0;
        for (size_t i = 0; i < n; i++) {
                if (strcmp(e[i].name, "a:b") == 0 && e[i].stat.size == 3)
                        seen |= 1;
                if (strcmp(e[i].name, "c.txt") == 0 && e[i].stat.type == FREVO_FILE)
                        seen |= 2;
                if (strcmp(e[i].name, "d") == 0 && e[i].stat.type == FREVO_DIRECTORY)
                        seen |= 4;
        }
        assert_int_equal(seen, 7);
        free(e);
        assert_int_equal(frevo_list(world->share, "l", "*.txt", &e, &n), 0);
        assert_int_equal(n, 1);
        free(e);
        assert_int_equal(frevo_list(world->share, "l", "*.none", &e, &n), 0);
        assert_int_equal(n, 0);
        free(e);
        assert_int_equal(frevo_list(world->share, "none", NULL, &e, &n), ENOENT);
        assert_int_equal(frevo_list(world->share, "l/c.txt", NULL, &e, &n), ENOTDIR);
        assert_int_equal(frevo_list(world->share, "l", "a/b", &e, &n), EINVAL);
        (void)state;
}

#define MANY 9000u

static void count_done(void *arg, const struct frevo_result *r)
{
        unsigned *left = arg;
        assert_int_equal(r->err, 0);
        --*left;
}

static void make_many(void)
{
        unsigned left = MANY;
        assert_int_equal(frevo_mkdir(world->share, "many"), 0);
        for (unsigned i = 0; i < MANY; i++) {
                char path[64];
                (void)snprintf(path, sizeof path, "many/file with a longer name %06u", i);
                assert_non_null(
                        frevo_put_start(world->share, path, NULL, 0, NULL, count_done, &left));
        }
        while (left)
                frevo_wait(world->ctx, -1);
}

struct pages {
        unsigned calls, entries, ends;
        int err;
        struct frevo_op *op;
        unsigned cancel_after;
};

static void page_done(void *arg, const struct frevo_result *r)
{
        struct pages *p = arg;
        p->calls++;
        p->entries += (unsigned)r->n_entries;
        if (r->n_entries == 0) {
                p->ends++;
                p->err = r->err;
        } else if (p->cancel_after && p->calls == p->cancel_after) {
                frevo_cancel(p->op);
        }
}

static void list_pages(struct pages *p)
{
        p->op = frevo_list_start(world->share, "many", NULL, page_done, p);
        assert_non_null(p->op);
        while (!p->ends)
                frevo_wait(world->ctx, -1);
        assert_int_equal(p->ends, 1);
}

static void test_list_many(void **state)
{
        struct frevo_entry *e = NULL;
        size_t n = 0;
        make_many();
        uint64_t before = frevo_count(world->ctx).round_trips;
        assert_int_equal(frevo_list(world->share, "many", NULL, &e, &n), 0);
        uint64_t trips = frevo_count(world->ctx).round_trips - before;
        assert_int_equal(n, MANY);
        /* 9000 entries of about 170 bytes: two pages of 256 KiB, two of 1 MiB, one or two that say
         * "no more", and the CLOSE. */
        assert_true(trips <= 7);
        bool *seen = calloc(MANY, sizeof *seen);
        assert_non_null(seen);
        for (size_t i = 0; i < n; i++) {
                unsigned long k = strtoul(e[i].name + strlen("file with a longer name "), NULL, 10);
                assert_true(k < MANY && !seen[k]);
                seen[k] = true;
        }
        free(seen);
        free(e);

        struct pages p = {0};
        list_pages(&p);
        assert_int_equal(p.entries, MANY);
        assert_int_equal(p.err, 0);
        struct pages cut = {.cancel_after = 1};
        list_pages(&cut);
        assert_int_equal(cut.err, ECANCELED);
        assert_true(cut.entries < MANY);
        (void)state;
}

/* ---- many at once -----------------------------------------------------------------------------
 */

struct kept {
        bool over;
        struct frevo_data *data;
        const void *p;
        size_t n;
};

static void keep_done(void *arg, const struct frevo_result *r)
{
        struct kept *k = arg;
        assert_int_equal(r->err, 0);
        k->over = true;
        k->p = r->data;
        k->n = r->n;
        k->data = frevo_data_keep(r);
        assert_non_null(k->data);
}

static void test_kept_data(void **state)
{
        struct kept k[2] = {0};
        put("keep", "to be kept");
        assert_non_null(frevo_get_start(world->share, "keep", 100, keep_done, &k[0]));
        assert_non_null(frevo_space_start(world->share, keep_done, &k[1]));
        while (!k[0].over || !k[1].over)
                frevo_wait(world->ctx, -1);
        put("keep", "something else");
        expect("keep", "something else");
        assert_int_equal(k[0].n, 10);
        assert_memory_equal(k[0].p, "to be kept", 10);
        assert_int_equal(k[1].n, sizeof(struct frevo_space));
        frevo_data_free(k[0].data);
        frevo_data_free(k[1].data);
        frevo_data_free(NULL);
        (void)state;
}

static void wrong_done(void *arg, const struct frevo_result *r)
{
        struct frevo_result *out = arg;
        *out = *r;
}

/* The server's word comes along; a path that is none is told later, not from inside the start. */
static void test_words(void **state)
{
        struct frevo_result r = {.err = -1};
        assert_non_null(frevo_stat_start(world->share, "none", wrong_done, &r));
        assert_int_equal(r.err, -1);
        while (r.err == -1)
                frevo_wait(world->ctx, -1);
        assert_int_equal(r.err, ENOENT);
        assert_int_equal(r.ntstatus, STATUS_OBJECT_NAME_NOT_FOUND);
        r.err = -1;
        assert_non_null(frevo_stat_start(world->share, "..", wrong_done, &r));
        assert_int_equal(r.err, -1);
        while (r.err == -1)
                frevo_wait(world->ctx, -1);
        assert_int_equal(r.err, EINVAL);
        assert_int_equal(r.ntstatus, 0xffffffffu);
        (void)state;
}

/* A share that demands encryption: the payload of a put is never changed. */
static void test_sealed(void **state)
{
        int err;
        static const char text[] = "not to be touched";
        struct frevo_share *s = client_world_connect(world, "sealed", NULL, &err);
        void *data = NULL;
        size_t n = 0;
        assert_int_equal(err, 0);
        assert_int_equal(frevo_put(s, "f", text, sizeof text, NULL), 0);
        assert_string_equal(text, "not to be touched");
        assert_int_equal(frevo_get(s, "f", 100, &data, &n), 0);
        assert_int_equal(n, sizeof text);
        assert_memory_equal(data, text, n);
        free(data);
        assert_true(frevo_share_info(s).encrypted);
        frevo_share_release(s);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
                T(test_put_get),
                T(test_put_how),
                T(test_put_large),
                T(test_get_long),
                T(test_stat),
                T(test_mkdir_remove),
                T(test_rename),
                T(test_link),
                T(test_change),
                T(test_space),
                T(test_acl),
                T(test_list),
                T(test_list_many),
                T(test_kept_data),
                T(test_words),
                cmocka_unit_test_setup_teardown(test_sealed, set_up_sealing, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
