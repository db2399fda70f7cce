/* Caching grants: who given what, who is told, who waits. */
#include "fs/testing.h"

#define R FS_GRANT_READ
#define RWG (FS_GRANT_READ | FS_GRANT_WRITE)
#define RWH (FS_GRANT_READ | FS_GRANT_WRITE | FS_GRANT_HANDLE)

struct heard {
        unsigned n, keep;
        struct fs_open *o;
};

static void hear(void *ctx, struct fs_open *o, unsigned keep)
{
        struct heard *h = ctx;
        h->n++;
        h->o = o;
        h->keep = keep;
}

static const struct fs_client_ops ops = {.grant_break = hear};

struct waiting {
        struct fs_waiter w;
        unsigned woken;
};

static void wake(struct fs_waiter *w)
{
        container_of(w, struct waiting, w)->woken++;
}

struct scene {
        struct world w;
        struct heard heard;
        struct fs_client *client;
};

static void scene_init(struct scene *s)
{
        s->w = world_new();
        s->heard = (struct heard){0};
        s->client = fs_client_new(&ops, &s->heard);
        assert_non_null(s->client);
        make_file(&s->w, "f");
}

static void scene_end(struct scene *s)
{
        fs_client_unref(s->client);
        world_end(&s->w);
}

static enum fs_err open_for(struct scene *s, struct fs_open_req q, unsigned want,
                            struct fs_waiter *w, struct fs_opened *ret)
{
        q.want_grant = want;
        *ret = (struct fs_opened){0};
        return fs_open(s->w.vol, s->client, s->w.alice, &q, 0, w, ret);
}

static struct fs_open *held_by(struct scene *s, unsigned want, unsigned given)
{
        struct fs_opened o;
        assert_int_equal(open_for(s, req("f", RW, FS_OPEN), want, NULL, &o), FS_OK);
        assert_int_equal(fs_grant_held(o.open, NULL, NULL), given);
        assert_int_equal(fs_grant_held(o.open, NULL, NULL), given);
        return o.open;
}

static void alone_gets_all_others_read(void **state)
{
        (void)state;
        struct scene s;
        scene_init(&s);
        struct fs_open *a = held_by(&s, R, R), *b = held_by(&s, RWH, R), *c = held_by(&s, 0, 0);
        assert_int_equal(s.heard.n, 0);
        assert_int_equal(finish(a) | finish(b) | finish(c), FS_OK);
        a = held_by(&s, RWH, RWH);
        assert_int_equal(finish(a), FS_OK);
        scene_end(&s);
}

/* What an overwriter changes comes before what it is given. */
static void overwriter_keeps_its_own(void **state)
{
        (void)state;
        struct scene s;
        struct fs_opened o;
        scene_init(&s);
        struct fs_open *a = held_by(&s, R, R);
        assert_int_equal(open_for(&s, req("f", RW, FS_OVERWRITE), RWH, NULL, &o), FS_OK);
        assert_int_equal(s.heard.n, 1);
        assert_ptr_equal(s.heard.o, a);
        assert_int_equal(s.heard.keep, 0);
        assert_int_equal(fs_grant_held(a, NULL, NULL), 0);
        assert_int_equal(fs_grant_held(o.open, NULL, NULL), R);
        assert_int_equal(finish(o.open) | finish(a), FS_OK);
        scene_end(&s);
}

static void newcomer_waits_until_acknowledged(void **state)
{
        (void)state;
        static const struct {
                enum fs_disposition disposition;
                unsigned keep;
        } row[] = {{FS_OPEN, R}, {FS_OVERWRITE, 0}};
        for (size_t i = 0; i < 2; i++) {
                struct scene s;
                struct fs_opened o;
                struct waiting w = {.w = {.wake = wake}};
                scene_init(&s);
                struct fs_open *a = held_by(&s, RWH, RWH);
                struct fs_open_req q = req("f", RW, row[i].disposition);
                assert_int_equal(open_for(&s, q, 0, &w.w, &o), FS_PARKED);
                assert_int_equal(s.heard.n, 1);
                assert_ptr_equal(s.heard.o, a);
                assert_int_equal(s.heard.keep, row[i].keep);
                if (row[i].keep == 0)
                        assert_int_equal(fs_grant_ack(a, R), FS_INVALID);
                assert_int_equal(w.woken, 0);
                assert_int_equal(fs_grant_ack(a, row[i].keep), FS_OK);
                assert_int_equal(w.woken, 1);
                assert_int_equal(fs_grant_ack(a, 0), FS_INVALID); /* once only */
                assert_int_equal(open_for(&s, q, 0, &w.w, &o), FS_OK);
                assert_int_equal(finish(o.open) | finish(a), FS_OK);
                scene_end(&s);
        }
}

static void closing_lets_the_newcomer_in(void **state)
{
        (void)state;
        struct scene s;
        struct fs_opened o;
        struct waiting w = {.w = {.wake = wake}};
        scene_init(&s);
        struct fs_open *a = held_by(&s, RWH, RWH);
        struct fs_open_req q = req("f", RW, FS_OPEN);
        assert_int_equal(open_for(&s, q, RWH, &w.w, &o), FS_PARKED);
        assert_int_equal(finish(a), FS_OK);
        assert_int_equal(w.woken, 1);
        assert_int_equal(open_for(&s, q, RWH, &w.w, &o), FS_OK);
        assert_int_equal(fs_grant_held(o.open, NULL, NULL), RWH);
        assert_int_equal(finish(o.open), FS_OK);
        scene_end(&s);
}

/* A handle kept for later must not shut others out; without it a conflict is one at once. */
static void handle_is_given_up_before_the_share_check(void **state)
{
        (void)state;
        static const struct {
                unsigned grant;
                enum fs_err says;
        } row[] = {{RWH, FS_PARKED}, {RWG, FS_SHARING}};
        for (size_t i = 0; i < 2; i++) {
                struct scene s;
                struct fs_opened o;
                struct waiting w = {.w = {.wake = wake}};
                scene_init(&s);
                struct fs_open_req alone = req("f", RW, FS_OPEN);
                alone.share = 0;
                assert_int_equal(open_for(&s, alone, row[i].grant, NULL, &o), FS_OK);
                struct fs_open *a = o.open;
                assert_int_equal(open_for(&s, req("f", RW, FS_OPEN), 0, &w.w, &o), row[i].says);
                assert_int_equal(s.heard.n, row[i].says == FS_PARKED);
                if (row[i].says == FS_PARKED)
                        assert_true(fs_waiter_cancel(&w.w));
                assert_int_equal(finish(a), FS_OK);
                scene_end(&s);
        }
}

static void looking_disturbs_nobody(void **state)
{
        (void)state;
        struct scene s;
        struct fs_opened o;
        scene_init(&s);
        struct fs_open *a = held_by(&s, RWH, RWH);
        uint32_t quiet = FS_READ_ATTR | FS_SYNCHRONIZE;
        assert_int_equal(open_for(&s, req("f", quiet, FS_OPEN), 0, NULL, &o), FS_OK);
        assert_int_equal(s.heard.n, 0);
        assert_int_equal(finish(o.open) | finish(a), FS_OK);
        scene_end(&s);
}

static void readers_lose_theirs_by_changes(void **state)
{
        (void)state;
        struct scene s;
        scene_init(&s);
        struct fs_open *a = held_by(&s, R, R), *b = held_by(&s, R, R);
        assert_int_equal(fs_write(b, "x", 1, 0, false, 0), FS_OK);
        assert_int_equal(s.heard.n, 2); /* its own, too, [MS-FSA] 2.1.4.12 */
        assert_int_equal(fs_grant_held(a, NULL, NULL), 0);
        assert_int_equal(fs_grant_held(b, NULL, NULL), 0);
        struct fs_open *c = held_by(&s, R, R);
        struct fs_lock l = {0, 1, FS_LOCK_EXCLUSIVE};
        assert_int_equal(fs_lock(a, &l, 1, NULL), FS_OK);
        assert_int_equal(fs_grant_held(c, NULL, NULL), 0);
        assert_int_equal(finish(c), FS_OK);
        assert_int_equal(finish(a) | finish(b), FS_OK);
        scene_end(&s);
}

/* More readers than are told in one round. */
static void many_readers_lose_theirs(void **state)
{
        (void)state;
        struct scene s;
        struct fs_open *o[20];
        scene_init(&s);
        for (size_t i = 0; i < 20; i++)
                o[i] = held_by(&s, R, R);
        assert_int_equal(fs_set_size(o[0], 0), FS_OK);
        assert_int_equal(s.heard.n, 20);
        for (size_t i = 0; i < 20; i++)
                assert_int_equal(finish(o[i]), FS_OK);
        scene_end(&s);
}

static void nobody_waits_for_a_client_that_is_gone(void **state)
{
        (void)state;
        struct scene s;
        struct fs_opened o;
        struct waiting w = {.w = {.wake = wake}};
        scene_init(&s);
        struct fs_open *a = held_by(&s, RWH, RWH);
        fs_client_gone(s.client);
        struct fs_open_req q = req("f", RW, FS_OPEN);
        assert_int_equal(open_for(&s, q, 0, &w.w, &o), FS_PARKED);
        assert_int_equal(w.woken, 1); /* revoked at once */
        assert_int_equal(open_for(&s, q, 0, &w.w, &o), FS_OK);
        assert_int_equal(s.heard.n, 0);
        assert_int_equal(finish(o.open) | finish(a), FS_OK);
        scene_end(&s);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(alone_gets_all_others_read),
                cmocka_unit_test(overwriter_keeps_its_own),
                cmocka_unit_test(newcomer_waits_until_acknowledged),
                cmocka_unit_test(closing_lets_the_newcomer_in),
                cmocka_unit_test(handle_is_given_up_before_the_share_check),
                cmocka_unit_test(looking_disturbs_nobody),
                cmocka_unit_test(readers_lose_theirs_by_changes),
                cmocka_unit_test(many_readers_lose_theirs),
                cmocka_unit_test(nobody_waits_for_a_client_that_is_gone),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
