/* Leases: what opens with one key share, what others' doings leave of it, who waits for whom. */
#include "fs/testing.h"

#define R ((unsigned)FS_GRANT_READ)
#define RW_G ((unsigned)(FS_GRANT_READ | FS_GRANT_WRITE))
#define RH ((unsigned)(FS_GRANT_READ | FS_GRANT_HANDLE))
#define RWH ((unsigned)(FS_GRANT_READ | FS_GRANT_WRITE | FS_GRANT_HANDLE))
#define EPOCH 7u

struct heard {
        unsigned n;
        struct fs_lease *lease;
        struct fs_break last;
};

static void hear_oplock(void *ctx, struct fs_open *o, unsigned keep)
{
        struct heard *h = ctx;
        h->n++;
        (void)o;
        h->last.keep = keep;
}

static void hear(void *ctx, struct fs_lease *l, const struct fs_break *b)
{
        struct heard *h = ctx;
        h->n++;
        h->lease = l;
        h->last = *b;
}

static const struct fs_client_ops ops = {.grant_break = hear_oplock, .lease_break = hear};

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
        struct heard heard[2];
        struct fs_client *client[2];
        struct waiting waiter;
};

static void scene_init(struct scene *s)
{
        *s = (struct scene){.w = world_new(), .waiter = {.w = {.wake = wake}}};
        for (size_t i = 0; i < 2; i++) {
                s->client[i] = fs_client_new(&ops, &s->heard[i]);
                assert_non_null(s->client[i]);
        }
        make_file(&s->w, "f");
}

static void scene_end(struct scene *s)
{
        fs_client_unref(s->client[0]);
        fs_client_unref(s->client[1]);
        world_end(&s->w);
}

/* By client `who`; key 0: no lease. */
static enum fs_err open_by(struct scene *s, unsigned who, struct fs_open_req q, uint8_t key,
                           unsigned want, struct fs_open **ret)
{
        struct fs_grant_key k = {{key}};
        struct fs_opened o = {0};
        q.want_grant = want;
        q.grant_epoch = EPOCH;
        q.grant_key = key ? &k : NULL;
        enum fs_err e = fs_open(s->w.vol, s->client[who], s->w.alice, &q, 0, &s->waiter.w, &o);
        *ret = o.open;
        return e;
}

static struct fs_open *leased(struct scene *s, unsigned who, uint8_t key, unsigned want,
                              unsigned given)
{
        struct fs_open *o;
        assert_int_equal(open_by(s, who, req("f", RW, FS_OPEN), key, want, &o), FS_OK);
        assert_non_null(fs_open_lease(o));
        assert_int_equal(fs_grant_held(o, NULL, NULL), given);
        return o;
}

static struct fs_lease_state state_of(const struct fs_open *o)
{
        struct fs_lease_state st;
        fs_lease_state(fs_open_lease(o), &st);
        return st;
}

/* ---- giving ---- */

static void what_is_given_beside_others(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                uint32_t access; /* of the other; 0: there is none */
                uint8_t key;
                unsigned held, want, given;
        } row[] = {
                {"alone", 0, 0, 0, RWH, RWH},
                {"alone, writer", 0, 0, 0, RW_G, RW_G},
                {"nothing asked", 0, 0, 0, 0, 0},
                {"without reading", 0, 0, 0, FS_GRANT_HANDLE | FS_GRANT_WRITE, 0},
                {"open without", RW, 0, 0, RWH, RH},
                {"open without, writer", RW, 0, 0, RW_G, R},
                {"who only looks", FS_READ_ATTR, 0, 0, RWH, RWH},
                {"who looks at rights", FS_READ_ATTR | FS_READ_SD, 0, 0, RWH, RWH},
                {"lease R", RW, 2, R, RWH, RH},
                {"lease RH", RW, 2, RH, RWH, RH},
                {"oplock", RW, 0, R, RWH, R},
                {"looker beside a writer", FS_READ_ATTR, 2, RWH, R, 0},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct scene s;
                struct fs_open *x = NULL, *o;
                scene_init(&s);
                if (row[i].access)
                        assert_int_equal(open_by(&s, 1, req("f", row[i].access, FS_OPEN),
                                                 row[i].key, row[i].held, &x),
                                         FS_OK);
                /* beside a writer only who looks gets in without a break */
                uint32_t access = row[i].held & FS_GRANT_WRITE ? FS_READ_ATTR : RW;
                assert_int_equal(open_by(&s, 0, req("f", access, FS_OPEN), 1, row[i].want, &o),
                                 FS_OK);
                if (fs_grant_held(o, NULL, NULL) != row[i].given)
                        fail_msg("%s: %u", row[i].name, fs_grant_held(o, NULL, NULL));
                assert_int_equal(state_of(o).epoch, EPOCH + (row[i].given != 0));
                assert_int_equal(s.heard[0].n + s.heard[1].n, 0);
                assert_int_equal(finish(o), FS_OK);
                if (x)
                        assert_int_equal(finish(x), FS_OK);
                scene_end(&s);
        }
}

static void opens_of_a_key_share_and_only_grow(void **state)
{
        (void)state;
        static const struct {
                unsigned first, second, both;
                bool beside; /* another lease for reading */
        } row[] = {
                {R, RWH, RWH, false}, {RWH, R, RWH, false}, {RH, RW_G, RH, false},
                {0, RH, RH, false},   {R, RWH, R, true},    {R, RH, RH, true},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct scene s;
                struct fs_open *x = NULL;
                scene_init(&s);
                if (row[i].beside)
                        x = leased(&s, 1, 9, R, R);
                struct fs_open *a = leased(&s, 0, 1, row[i].first, row[i].first);
                struct fs_open *b = leased(&s, 0, 1, row[i].second, row[i].both);
                assert_ptr_equal(fs_open_lease(a), fs_open_lease(b));
                assert_int_equal(fs_grant_held(a, NULL, NULL), row[i].both);
                assert_int_equal(s.heard[0].n, 0);
                assert_int_equal(finish(a), FS_OK); /* the last one ends it */
                assert_int_equal(fs_grant_held(b, NULL, NULL), row[i].both);
                assert_int_equal(fs_write(b, "x", 1, 0, false, 0), FS_OK);
                assert_int_equal(fs_grant_held(b, NULL, NULL), row[i].both);
                assert_int_equal(finish(b), FS_OK);
                b = leased(&s, 0, 1, R, R);
                assert_int_equal(state_of(b).epoch, EPOCH + 1);
                assert_int_equal(finish(b), FS_OK);
                if (x)
                        assert_int_equal(finish(x), FS_OK);
                scene_end(&s);
        }
}

static void a_key_is_one_file_s(void **state)
{
        (void)state;
        struct scene s;
        struct fs_open *o;
        scene_init(&s);
        make_file(&s.w, "g");
        struct fs_open *a = leased(&s, 0, 1, RWH, RWH);
        assert_int_equal(open_by(&s, 0, req("g", RW, FS_OPEN), 1, RH, &o), FS_INVALID);
        assert_int_equal(open_by(&s, 0, req("new", RW, FS_CREATE), 1, RH, &o), FS_INVALID);
        assert_int_equal(probe(&s.w, "new"), FS_NOT_FOUND); /* nothing was made */
        assert_int_equal(open_by(&s, 1, req("g", RW, FS_OPEN), 1, RH, &o), FS_OK);
        assert_int_equal(finish(o), FS_OK); /* another client's keys are its own */
        struct fs_open *d = leased(&s, 0, 1, RWH, RWH);
        assert_int_equal(finish(d), FS_OK);
        /* A file that is going to vanish lets go of its key; two files don't share one. */
        struct fs_open_req q = req("f", FS_DELETE, FS_OPEN);
        assert_int_equal(open_by(&s, 0, q, 1, R, &d), FS_OK);
        assert_int_equal(fs_set_delete(d, true), FS_OK);
        assert_int_equal(open_by(&s, 0, req("new", RW, FS_CREATE), 1, RH, &o), FS_OK);
        assert_null(fs_open_lease(o));
        assert_int_equal(fs_grant_held(o, NULL, NULL), 0);
        assert_int_equal(finish(o) | finish(d) | finish(a), FS_OK);
        scene_end(&s);
}

static void directories_and_streams(void **state)
{
        (void)state;
        struct scene s;
        struct fs_open *d, *o;
        scene_init(&s);
        make_dir(&s.w, "d");
        assert_int_equal(open_by(&s, 0, req("d", FS_READ_DATA, FS_OPEN), 1, RH, &d), FS_OK);
        assert_null(fs_open_lease(d));
        struct fs_open_req q = req("f", RW, FS_OPEN_IF);
        q.stream = "s";
        assert_int_equal(open_by(&s, 0, q, 2, RWH, &o), FS_OK);
        assert_int_equal(fs_grant_held(o, NULL, NULL), RWH);
        struct fs_open *f = leased(&s, 1, 3, RWH, RWH); /* the data beside it is another's */
        assert_int_equal(s.heard[0].n, 0);
        assert_int_equal(finish(o) | finish(f) | finish(d), FS_OK);
        scene_end(&s);
}

/* ---- taking ---- */

enum deed {
        OPENS,
        OPENS_FOR_NOTHING, /* that disturbs */
        OVERWRITES,
        EXCLUDES, /* shares with nobody */
        WRITES,
        LOCKS,
        RESIZES,
        ALLOCATES,
        SECURES, /* sets a descriptor */
        RENAMES,
        DELETES,
        UNLINKS, /* deletes on close */
};

static enum fs_err set_sd_again(struct fs_open *o, struct fs_waiter *w)
{
        uint8_t sd[512];
        size_t n;
        enum fs_err e = fs_get_sd(o, SECINFO_DACL, sd, sizeof sd, &n);
        return e ? e : fs_set_sd(o, SECINFO_DACL, bytes_of(sd, n), w);
}

/* By another client, who has had it open where he needs it. */
static enum fs_err commit(struct scene *s, enum deed what, struct fs_open *x)
{
        struct fs_lock l = {0, 1, FS_LOCK_EXCLUSIVE};
        struct fs_open_req q = req("f", what == OPENS_FOR_NOTHING ? FS_READ_ATTR | FS_READ_SD : RW,
                                   what == OVERWRITES ? FS_OVERWRITE : FS_OPEN);
        struct fs_open *o = NULL;
        enum fs_err e;
        switch (what) {
        case WRITES:
                return fs_write(x, "x", 1, 0, false, 0);
        case LOCKS:
                return fs_lock(x, &l, 1, NULL);
        case RESIZES:
                return fs_set_size(x, 100);
        case ALLOCATES:
                return fs_set_alloc(x, 4096);
        case SECURES:
                return set_sd_again(x, &s->waiter.w);
        case RENAMES:
                return fs_recall_handles(x, "g", &s->waiter.w);
        case DELETES:
                return fs_recall_handles(x, NULL, &s->waiter.w);
        case UNLINKS:
                q = req("f", FS_DELETE, FS_OPEN);
                q.options = FS_OPT_DELETE_ON_CLOSE;
                break;
        case EXCLUDES:
                q.share = 0;
                break;
        default:
                break;
        }
        e = open_by(s, 1, q, 0, 0, &o);
        return e ? e : finish(o);
}

static void what_is_left_to_the_holder(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                enum deed what;
                unsigned held;
                bool has_open; /* the other one, before the lease came */
                unsigned keep;
                enum fs_err says;
        } row[] = {
                {"open RWH", OPENS, RWH, false, RH, FS_PARKED},
                {"open RW", OPENS, RW_G, false, R, FS_PARKED},
                {"open RH", OPENS, RH, false, RH, FS_OK},
                {"open R", OPENS, R, false, R, FS_OK},
                {"look", OPENS_FOR_NOTHING, RWH, false, RWH, FS_OK},
                {"overwrite RWH", OVERWRITES, RWH, false, 0, FS_PARKED},
                {"overwrite RW", OVERWRITES, RW_G, false, 0, FS_PARKED},
                {"overwrite RH", OVERWRITES, RH, false, 0, FS_OK},
                {"overwrite R", OVERWRITES, R, false, 0, FS_OK},
                {"share RWH", EXCLUDES, RWH, false, RW_G, FS_PARKED},
                {"share RH", EXCLUDES, RH, false, R, FS_PARKED},
                {"share RW", EXCLUDES, RW_G, false, RW_G, FS_SHARING},
                {"share R", EXCLUDES, R, false, R, FS_SHARING},
                {"write RH", WRITES, RH, true, 0, FS_OK},
                {"write R", WRITES, R, true, 0, FS_OK},
                {"lock RH", LOCKS, RH, true, 0, FS_OK},
                {"resize R", RESIZES, R, true, 0, FS_OK},
                {"allocate RH", ALLOCATES, RH, true, 0, FS_OK},
                {"secure RH", SECURES, RH, true, R, FS_PARKED},
                {"secure R", SECURES, R, true, R, FS_OK},
                {"rename RH", RENAMES, RH, true, R, FS_PARKED},
                {"rename R", RENAMES, R, true, R, FS_OK},
                {"delete RH", DELETES, RH, true, R, FS_PARKED},
                {"unlink RH", UNLINKS, RH, false, R, FS_OK},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct scene s;
                struct fs_open *x = NULL;
                scene_init(&s);
                if (row[i].has_open)
                        assert_int_equal(open_by(&s, 1, req("f", FS_ALL_ACCESS, FS_OPEN), 0, 0, &x),
                                         FS_OK);
                struct fs_open *a = leased(&s, 0, 1, row[i].held, row[i].held);
                enum fs_err e = commit(&s, row[i].what, x);
                if (e != row[i].says)
                        fail_msg("%s: %d", row[i].name, (int)e);
                const struct heard *h = &s.heard[0];
                bool breaks = row[i].keep != row[i].held;
                assert_int_equal(h->n, breaks);
                if (breaks) {
                        assert_int_equal(h->last.from, row[i].held);
                        assert_int_equal(h->last.keep, row[i].keep);
                        assert_int_equal(h->last.ack, row[i].held != R);
                        assert_int_equal(h->last.epoch, EPOCH + 2);
                        assert_int_equal(state_of(a).epoch, EPOCH + 2);
                }
                assert_int_equal(state_of(a).breaking, breaks && row[i].held != R);
                if (state_of(a).breaking) {
                        assert_int_equal(fs_lease_ack(h->lease, RWH), FS_INVALID);
                        assert_int_equal(s.waiter.woken, 0);
                        assert_int_equal(fs_lease_ack(h->lease, row[i].keep), FS_OK);
                        assert_int_equal(s.waiter.woken, e == FS_PARKED);
                        assert_int_equal(fs_lease_ack(h->lease, 0), FS_INVALID);
                }
                assert_int_equal(fs_grant_held(a, NULL, NULL), row[i].keep);
                assert_int_equal(finish(a), FS_OK);
                if (x)
                        assert_int_equal(finish(x), FS_OK);
                scene_end(&s);
        }
}

/* Two come while the holder is giving up for the first: one thing after the other, and both wait
 * until all of it is over. */
static void further_wishes_come_after_the_first(void **state)
{
        (void)state;
        struct scene s;
        struct fs_open *o, *same;
        struct waiting second = {.w = {.wake = wake}};
        scene_init(&s);
        struct fs_open *a = leased(&s, 0, 1, RWH, RWH);
        struct fs_lease *l = fs_open_lease(a);
        assert_int_equal(open_by(&s, 1, req("f", RW, FS_OPEN), 0, 0, &o), FS_PARKED);
        same = leased(&s, 0, 1, RWH, RWH); /* its own opens go on */
        assert_true(state_of(same).breaking);
        struct fs_opened ret;
        struct fs_open_req q = req("f", RW, FS_OVERWRITE);
        assert_int_equal(fs_open(s.w.vol, s.client[1], s.w.alice, &q, 0, &second.w, &ret),
                         FS_PARKED);
        assert_int_equal(s.heard[0].n, 1);
        static const struct {
                unsigned ack, from, keep, epoch;
        } step[] = {{RH, RH, R, EPOCH + 2}, {R, R, 0, EPOCH + 2}};
        for (size_t i = 0; i < 2; i++) {
                assert_int_equal(fs_lease_ack(l, step[i].ack), FS_OK);
                assert_int_equal(s.heard[0].n, i + 2);
                assert_int_equal(s.heard[0].last.from, step[i].from);
                assert_int_equal(s.heard[0].last.keep, step[i].keep);
                assert_int_equal(s.heard[0].last.epoch, step[i].epoch);
                assert_int_equal(s.heard[0].last.ack, i == 0);
                assert_int_equal(s.waiter.woken, i);
                assert_int_equal(second.woken, i);
        }
        assert_int_equal(finish(same) | finish(a), FS_OK);
        scene_end(&s);
}

static void closing_or_silence_ends_the_wait(void **state)
{
        (void)state;
        for (int silent = 0; silent < 3; silent++) {
                struct scene s;
                struct fs_open *o;
                scene_init(&s);
                struct fs_open *a = leased(&s, 0, 1, RWH, RWH);
                if (silent == 2)
                        fs_client_gone(s.client[0]);
                assert_int_equal(open_by(&s, 1, req("f", RW, FS_OPEN), 0, 0, &o), FS_PARKED);
                if (silent == 1)
                        fs_lease_revoke(fs_open_lease(a));
                if (silent == 0)
                        assert_int_equal(fs_close(a, 0), FS_OK);
                assert_int_equal(s.waiter.woken, 1);
                assert_int_equal(fs_grant_held(a, NULL, NULL), 0);
                assert_int_equal(open_by(&s, 1, req("f", RW, FS_OPEN), 0, 0, &o), FS_OK);
                if (silent) /* the open itself is none the worse */
                        assert_int_equal(fs_write(a, "x", 1, 0, false, 0), FS_OK);
                if (silent)
                        assert_int_equal(fs_close(a, 0), FS_OK);
                fs_open_unref(a);
                assert_int_equal(finish(o), FS_OK);
                scene_end(&s);
        }
}

/* Nothing that is only kept for later stands in the way of renaming a directory, or of replacing a
 * file. */
static void kept_handles_let_names_go(void **state)
{
        (void)state;
        struct scene s;
        struct fs_open *in, *victim, *d, *f;
        scene_init(&s);
        make_dir(&s.w, "d");
        make_file(&s.w, "d/x");
        make_file(&s.w, "v");
        assert_int_equal(open_by(&s, 0, req("d/x", RW, FS_OPEN), 1, RWH, &in), FS_OK);
        assert_int_equal(open_by(&s, 0, req("v", RW, FS_OPEN), 2, RH, &victim), FS_OK);
        assert_int_equal(open_by(&s, 1, req("d", FS_DELETE, FS_OPEN), 0, 0, &d), FS_OK);
        assert_int_equal(open_by(&s, 1, req("f", FS_DELETE, FS_OPEN), 0, 0, &f), FS_OK);
        assert_int_equal(fs_recall_handles(d, "e", NULL), FS_OK); /* who cannot wait */
        assert_int_equal(s.heard[0].last.keep, RW_G);
        assert_int_equal(fs_recall_handles(d, "e", &s.waiter.w), FS_PARKED);
        assert_int_equal(s.heard[0].n, 1);
        assert_int_equal(fs_rename(d, "e", false), FS_DENIED); /* it is open, after all */
        assert_int_equal(finish(in), FS_OK);
        assert_int_equal(s.waiter.woken, 1);
        assert_int_equal(fs_recall_handles(d, "e", &s.waiter.w), FS_OK);
        assert_int_equal(fs_rename(d, "e", false), FS_OK);
        assert_int_equal(fs_recall_handles(f, "v", &s.waiter.w), FS_PARKED);
        assert_int_equal(s.heard[0].last.keep, R);
        assert_int_equal(finish(victim), FS_OK);
        assert_int_equal(fs_recall_handles(f, "v", &s.waiter.w), FS_OK);
        assert_int_equal(fs_rename(f, "v", true), FS_OK);
        assert_int_equal(finish(d) | finish(f), FS_OK);
        scene_end(&s);
}

/* More holders than are told in one round. */
static void many_holders(void **state)
{
        (void)state;
        enum { MANY = 50 };
        struct scene s;
        struct fs_open *o[MANY], *x;
        scene_init(&s);
        assert_int_equal(open_by(&s, 1, req("f", RW | FS_DELETE, FS_OPEN), 0, 0, &x), FS_OK);
        for (unsigned i = 0; i < MANY; i++)
                o[i] = leased(&s, 0, (uint8_t)(i + 1), RH, RH);
        assert_int_equal(fs_recall_handles(x, "g", &s.waiter.w), FS_PARKED);
        assert_int_equal(s.heard[0].n, MANY);
        for (size_t i = 0; i < MANY; i++)
                assert_int_equal(fs_lease_ack(fs_open_lease(o[i]), R), FS_OK);
        assert_int_equal(fs_write(x, "x", 1, 0, false, 0), FS_OK);
        assert_int_equal(s.heard[0].n, 2 * MANY);
        for (size_t i = 0; i < MANY; i++)
                assert_int_equal(finish(o[i]), FS_OK);
        assert_int_equal(finish(x), FS_OK);
        scene_end(&s);
}

static void there_is_an_end_to_them(void **state)
{
        (void)state;
        struct scene s;
        scene_init(&s);
        struct fs_open **o = calloc(LIMIT_LEASES_PER_CLIENT + 1, sizeof(struct fs_open *));
        assert_non_null(o);
        for (unsigned i = 0; i <= LIMIT_LEASES_PER_CLIENT; i++) {
                char name[16];
                struct fs_grant_key key = {{(uint8_t)i, (uint8_t)(i >> 8)}};
                struct fs_opened ret;
                (void)snprintf(name, sizeof name, "x%u", i);
                struct fs_open_req q = req(name, RW, FS_CREATE);
                q.want_grant = RWH;
                q.grant_key = &key;
                assert_int_equal(fs_open(s.w.vol, s.client[0], s.w.alice, &q, 0, NULL, &ret),
                                 FS_OK);
                o[i] = ret.open;
                assert_int_equal(fs_open_lease(ret.open) != NULL, i < LIMIT_LEASES_PER_CLIENT);
        }
        for (unsigned i = 0; i <= LIMIT_LEASES_PER_CLIENT; i++)
                assert_int_equal(finish(o[i]), FS_OK);
        free(o);
        scene_end(&s);
}

/* ---- all at once ---- */

/* Answers each break from a thread of its own, as a client's loop would. */
struct answerer {
        struct fs_client *client;
        pthread_mutex_t mutex;
        struct fs_lease *lease[64];
        unsigned keep[64], n;
        _Atomic bool stop;
};

static void queue_break(void *ctx, struct fs_lease *l, const struct fs_break *b)
{
        struct answerer *a = ctx;
        if (!b->ack)
                return;
        pthread_mutex_lock(&a->mutex);
        assert_true(a->n < 64);
        a->lease[a->n] = fs_lease_ref(l);
        a->keep[a->n++] = b->keep;
        pthread_mutex_unlock(&a->mutex);
}

static const struct fs_client_ops queue_ops = {.lease_break = queue_break};

static void *answer(void *arg)
{
        struct answerer *a = arg;
        while (!atomic_load(&a->stop)) {
                struct fs_lease *l = NULL;
                unsigned keep = 0;
                pthread_mutex_lock(&a->mutex);
                if (a->n) {
                        l = a->lease[--a->n];
                        keep = a->keep[a->n];
                }
                pthread_mutex_unlock(&a->mutex);
                if (l && fs_lease_ack(l, keep) != FS_OK)
                        fs_lease_revoke(l); /* closed meanwhile */
                fs_lease_unref(l);
                sched_yield();
        }
        return NULL;
}

struct sleeper {
        struct fs_waiter w;
        pthread_mutex_t mutex;
        pthread_cond_t cond;
        bool woken;
};

static void wake_sleeper(struct fs_waiter *w)
{
        struct sleeper *s = container_of(w, struct sleeper, w);
        pthread_mutex_lock(&s->mutex);
        s->woken = true;
        pthread_cond_signal(&s->cond);
        pthread_mutex_unlock(&s->mutex);
}

static void sleep_until_woken(struct sleeper *s)
{
        pthread_mutex_lock(&s->mutex);
        while (!s->woken)
                pthread_cond_wait(&s->cond, &s->mutex);
        s->woken = false;
        pthread_mutex_unlock(&s->mutex);
}

struct racer {
        struct world *w;
        struct fs_client *client;
        unsigned seed;
};

static enum fs_err open_waiting(struct racer *r, const struct fs_open_req *q, struct sleeper *s,
                                struct fs_opened *ret)
{
        enum fs_err e;
        s->w.ticket = 0;
        while ((e = fs_open(r->w->vol, r->client, r->w->alice, q, 0, &s->w, ret)) == FS_PARKED)
                sleep_until_woken(s);
        return e;
}

static void *race(void *arg)
{
        struct racer *r = arg;
        struct sleeper s = {.w = {.wake = wake_sleeper}};
        pthread_mutex_init(&s.mutex, NULL);
        pthread_cond_init(&s.cond, NULL);
        for (int i = 0; i < 300; i++) {
                unsigned dice = (unsigned)rand_r(&r->seed);
                struct fs_grant_key key = {{(uint8_t)(1 + dice % 2)}};
                struct fs_open_req q =
                        req("f", RW | FS_DELETE, dice & 16 ? FS_OVERWRITE_IF : FS_OPEN_IF);
                struct fs_opened o;
                q.grant_key = dice & 32 ? &key : NULL;
                q.want_grant = q.grant_key ? (dice & 64 ? RWH : RH) : 0; /* no oplocks here */
                if (open_waiting(r, &q, &s, &o) != FS_OK)
                        continue;
                if (dice & 128)
                        (void)(fs_write(o.open, "x", 1, 0, false, 0) == FS_OK);
                while (dice & 256 && fs_recall_handles(o.open, "g", &s.w) == FS_PARKED)
                        sleep_until_woken(&s);
                assert_int_equal(finish(o.open), FS_OK);
        }
        pthread_cond_destroy(&s.cond);
        pthread_mutex_destroy(&s.mutex);
        return NULL;
}

static void everybody_at_once(void **state)
{
        (void)state;
        struct world w = world_new();
        struct answerer a[2];
        struct racer r[4];
        pthread_t t[6];
        for (unsigned i = 0; i < 2; i++) {
                a[i] = (struct answerer){.n = 0};
                pthread_mutex_init(&a[i].mutex, NULL);
                a[i].client = fs_client_new(&queue_ops, &a[i]);
                assert_non_null(a[i].client);
        }
        for (unsigned i = 0; i < 4; i++) {
                r[i] = (struct racer){.w = &w, .client = a[i % 2].client, .seed = i};
                assert_int_equal(pthread_create(&t[i], NULL, race, &r[i]), 0);
        }
        for (unsigned i = 0; i < 2; i++)
                assert_int_equal(pthread_create(&t[4 + i], NULL, answer, &a[i]), 0);
        for (unsigned i = 0; i < 4; i++)
                assert_int_equal(pthread_join(t[i], NULL), 0);
        for (unsigned i = 0; i < 2; i++) {
                atomic_store(&a[i].stop, true);
                assert_int_equal(pthread_join(t[4 + i], NULL), 0);
                while (a[i].n)
                        fs_lease_unref(a[i].lease[--a[i].n]);
                fs_client_unref(a[i].client);
                pthread_mutex_destroy(&a[i].mutex);
        }
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_given_beside_others),
                cmocka_unit_test(opens_of_a_key_share_and_only_grow),
                cmocka_unit_test(a_key_is_one_file_s),
                cmocka_unit_test(directories_and_streams),
                cmocka_unit_test(what_is_left_to_the_holder),
                cmocka_unit_test(further_wishes_come_after_the_first),
                cmocka_unit_test(closing_or_silence_ends_the_wait),
                cmocka_unit_test(kept_handles_let_names_go),
                cmocka_unit_test(many_holders),
                cmocka_unit_test(there_is_an_end_to_them),
                cmocka_unit_test(everybody_at_once),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
