/* See hostile_ops.h. */
#include "client/hostile_ops.h"

#include "base/testing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define PATIENCE_MS 1500u
#define BYTES 3000u

static const char text[BYTES] = "the bytes of a file";

/* ---- the victim -------------------------------------------------------------------------------
 */

struct victim *victim_new(struct hostile *h, const char *share, const struct frevo_options *how)
{
        static const struct frevo_options alice = {.auth = FREVO_AUTH_NTLM,
                                                   .user = "alice",
                                                   .password = "secret",
                                                   .channels = 1,
                                                   .timeout_ms = 1000};
        struct victim *v = calloc(1, sizeof *v);
        assert_non_null(v);
        *v = (struct victim){.h = h, .ctx = frevo_new(), .how = how ? *how : alice, .name = share};
        assert_non_null(v->ctx);
        return v;
}

void victim_release(struct victim *v)
{
        frevo_share_release(v->share);
        v->share = NULL;
}

void victim_free(struct victim *v)
{
        victim_release(v);
        frevo_free(v->ctx);
        free(v);
}

static void look_at(struct victim *v, const struct frevo_result *r)
{
        const uint8_t *p = r->data;
        for (size_t i = 0; i < r->n_entries; i++) {
                const char *name = r->entries[i].name;
                assert_true(!strchr(name, '/') && !strchr(name, '\\'));
                assert_true(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
                v->sum += strlen(name) + (size_t)r->entries[i].stat.size;
        }
        for (size_t i = 0; p && !r->n_entries && i < r->n; i++)
                v->sum += p[i];
}

void victim_done(void *arg, const struct frevo_result *r)
{
        struct victim *v = arg;
        assert_false(v->over); /* once */
        look_at(v, r);
        v->pages++;
        v->data_n = r->data ? r->n : 0;
        v->over = true;
        v->err = r->err;
        v->share = r->share ? r->share : v->share;
        v->file = r->file;
}

/* For operations that report until they end. */
static void page_done(void *arg, const struct frevo_result *r)
{
        struct victim *v = arg;
        assert_false(v->over);
        look_at(v, r);
        v->pages++;
        if (r->n_entries || r->n)
                return;
        v->over = true;
        v->err = r->err;
}

static void wait_until(struct victim *v, uint64_t until_ms)
{
        while (!v->over && clock_ms() < until_ms)
                frevo_wait(v->ctx, 100);
}

int victim_wait(struct victim *v, struct frevo_op *op)
{
        v->file = NULL;
        assert_non_null(op);
        wait_until(v, clock_ms() + PATIENCE_MS);
        if (!v->over) { /* a server may take its time: then it is the caller's to end it */
                frevo_cancel(op);
                wait_until(v, clock_ms() + 500);
        }
        if (!v->over) {
                hostile_hang_up(v->h);
                wait_until(v, clock_ms() + PATIENCE_MS);
        }
        assert_true(v->over);
        v->over = false;
        assert_true(v->err >= 0);
        return v->err;
}

int victim_connect(struct victim *v)
{
        struct frevo_url url;
        char address[64];
        if (v->share)
                return 0;
        (void)snprintf(address, sizeof address, "smb://127.0.0.1:%u/%s", v->h->port, v->name);
        assert_int_equal(frevo_url_parse(address, &url, NULL), 0);
        int err = victim_wait(v, frevo_connect_start(v->ctx, &url, &v->how, victim_done, v));
        frevo_url_free(&url);
        assert_int_equal(err == 0, v->share != NULL);
        return err;
}

/* ---- conversations by path --------------------------------------------------------------------
 */

static void put(struct victim *v, const char *path)
{
        (void)victim_wait(v, frevo_put_start(v->share, path, text, BYTES, NULL, victim_done, v));
}

static void stat_run(struct victim *v)
{
        (void)victim_wait(v, frevo_stat_start(v->share, "a", victim_done, v));
}

static void get_run(struct victim *v)
{
        if (victim_wait(v, frevo_get_start(v->share, "a", 4096, victim_done, v)) == 0)
                assert_true(v->data_n <= 4096);
}

static void put_run(struct victim *v)
{
        struct frevo_put_how how = {.durable = true,
                                    .create_ns = FREVO_TIME_KEEP,
                                    .access_ns = FREVO_TIME_KEEP,
                                    .write_ns = 1000000000};
        (void)victim_wait(v, frevo_put_start(v->share, "p", text, BYTES, &how, victim_done, v));
}

static void list_run(struct victim *v)
{
        (void)victim_wait(v, frevo_list_start(v->share, "dir", NULL, page_done, v));
}

static void folders_run(struct victim *v)
{
        (void)victim_wait(v, frevo_mkdir_start(v->share, "new", victim_done, v));
        (void)victim_wait(v, frevo_rename_start(v->share, "new", "newer", false, victim_done, v));
        (void)victim_wait(v, frevo_remove_start(v->share, "newer", true, victim_done, v));
}

static void link_run(struct victim *v)
{
        (void)victim_wait(v, frevo_link_start(v->share, "a", "l", true, victim_done, v));
}

static void change_run(struct victim *v)
{
        struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                  .access_ns = FREVO_TIME_KEEP,
                                  .write_ns = 1000000000,
                                  .change_ns = FREVO_TIME_KEEP,
                                  .has_size = true,
                                  .size = BYTES};
        (void)victim_wait(v, frevo_change_start(v->share, "a", &ch, victim_done, v));
}

static void space_run(struct victim *v)
{
        (void)victim_wait(v, frevo_space_start(v->share, victim_done, v));
}

static void acl_run(struct victim *v)
{
        (void)victim_wait(v, frevo_get_acl_start(v->share, "a", 7, victim_done, v));
}

static void readlink_run(struct victim *v)
{
        (void)victim_wait(v, frevo_readlink_start(v->share, "a", victim_done, v));
}

/* ---- of open files ----------------------------------------------------------------------------
 */

static struct frevo_file *open_of(struct victim *v, const char *path,
                                  const struct frevo_open_how *how)
{
        (void)victim_wait(v, frevo_open_start(v->share, path, how, victim_done, v));
        struct frevo_file *f = v->file;
        v->file = NULL;
        return f;
}

static void close_of(struct victim *v, struct frevo_file *f)
{
        (void)victim_wait(v, frevo_close_start(f, victim_done, v));
}

static const struct frevo_open_how to_write = {.access = FREVO_READ | FREVO_WRITE};

static void read_run(struct victim *v)
{
        struct frevo_file *f = open_of(v, "a", NULL);
        if (!f)
                return;
        if (victim_wait(v, frevo_read_start(f, 0, 1000, victim_done, v)) == 0)
                assert_true(v->data_n <= 1000);
        close_of(v, f);
}

static void write_run(struct victim *v)
{
        struct frevo_file *f = open_of(v, "b", &to_write);
        if (!f)
                return;
        (void)victim_wait(v, frevo_write_start(f, 0, text, 1000, victim_done, v));
        (void)victim_wait(v, frevo_flush_start(f, victim_done, v));
        close_of(v, f);
}

static void info_run(struct victim *v)
{
        struct frevo_file *f = open_of(v, "b", &to_write);
        if (!f)
                return;
        (void)victim_wait(v, frevo_fstat_start(f, victim_done, v));
        (void)victim_wait(v,
                          frevo_lock_start(f, 0, 10, FREVO_LOCK_EXCLUSIVE, false, victim_done, v));
        (void)victim_wait(v, frevo_lock_start(f, 0, 10, FREVO_UNLOCK, false, victim_done, v));
        close_of(v, f);
}

static void sparse_run(struct victim *v)
{
        struct frevo_file *f = open_of(v, "b", &to_write);
        if (!f)
                return;
        (void)victim_wait(v, frevo_sparse_start(f, true, victim_done, v));
        (void)victim_wait(v, frevo_zero_start(f, 0, 100, victim_done, v));
        (void)victim_wait(v, frevo_ranges_start(f, 0, 1u << 20, victim_done, v));
        close_of(v, f);
}

static void streams_run(struct victim *v)
{
        struct frevo_file *f = open_of(v, "b", &to_write);
        if (!f)
                return;
        (void)victim_wait(v, frevo_streams_start(f, victim_done, v));
        (void)victim_wait(v, frevo_set_ea_start(f, "E", "value", 5, victim_done, v));
        (void)victim_wait(v, frevo_list_eas_start(f, victim_done, v));
        (void)victim_wait(v, frevo_get_ea_start(f, "E", victim_done, v));
        close_of(v, f);
}

static void copy_run(struct victim *v)
{
        struct frevo_file *from = open_of(v, "a", &to_write);
        struct frevo_file *to = from ? open_of(v, "b", &to_write) : NULL;
        if (to)
                (void)victim_wait(v, frevo_copy_range_start(from, 0, to, 0, 1000, victim_done, v));
        if (to)
                close_of(v, to);
        if (from)
                close_of(v, from);
}

static void watch_run(struct victim *v)
{
        const struct frevo_open_how how = {.options = 1};
        struct frevo_file *d = open_of(v, "dir", &how);
        if (!d)
                return;
        struct victim watcher = {.h = v->h, .ctx = v->ctx};
        struct frevo_op *op = frevo_watch_start(d, true, 0, page_done, &watcher);
        put(v, "dir/news");
        put(v, "dir/news");
        for (unsigned i = 0; i < 2 && watcher.pages == 0; i++)
                frevo_wait(v->ctx, 10);
        if (!watcher.over)
                frevo_cancel(op);
        (void)victim_wait(&watcher, op);
        close_of(v, d);
}

static int lease_broken(void *arg, struct frevo_file *f, unsigned now)
{
        struct victim *v = arg;
        (void)f;
        v->told_breaks++;
        v->sum += now;
        return 0;
}

static void lease_run(struct victim *v)
{
        const struct frevo_open_how how = {.access = FREVO_READ | FREVO_WRITE,
                                           .lease = 7,
                                           .lease_broken = lease_broken,
                                           .lease_arg = v};
        struct frevo_file *f = open_of(v, "a", &how);
        if (!f)
                return;
        struct victim other = {.h = v->h, .ctx = v->ctx};
        struct frevo_op *op =
                frevo_put_start(v->share, "a", text, BYTES, NULL, victim_done, &other);
        uint64_t until = clock_ms() + 20; /* a break that nobody understands stays unanswered */
        while (!other.over && clock_ms() < until)
                frevo_wait(v->ctx, 5);
        close_of(v, f);
        (void)victim_wait(&other, op);
}

const struct conversation conversations[] = {
        {"stat", stat_run},         {"get", get_run},         {"put", put_run},
        {"list", list_run},         {"folders", folders_run}, {"link", link_run},
        {"change", change_run},     {"space", space_run},     {"acl", acl_run},
        {"readlink", readlink_run}, {"read", read_run},       {"write", write_run},
        {"info", info_run},         {"sparse", sparse_run},   {"streams", streams_run},
        {"copy", copy_run},         {"watch", watch_run},     {"lease", lease_run},
};
const unsigned n_conversations = sizeof conversations / sizeof conversations[0];

void victim_prepare(struct victim *v)
{
        assert_int_equal(victim_connect(v), 0);
        /* What conversations that broke off left behind. */
        (void)victim_wait(v, frevo_remove_start(v->share, "new", true, victim_done, v));
        (void)victim_wait(v, frevo_remove_start(v->share, "newer", true, victim_done, v));
        put(v, "a");
        put(v, "b");
        (void)victim_wait(v, frevo_mkdir_start(v->share, "dir", victim_done, v));
        put(v, "dir/one");
        put(v, "dir/two");
        assert_int_equal(v->err, 0);
}
