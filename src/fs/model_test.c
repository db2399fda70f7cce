/* Random opens, closes, locks and deletions of several clients, compared with a model so simple
 * that it can be seen to be right: one file a name, a list of who holds it how. */
#include "fs/testing.h"

enum { NAMES = 3, HELD = 12, STEPS = 4000 };

struct held {
        struct fs_open *o;
        int name;
        uint32_t access, share;
        bool locked; /* byte 0, exclusively */
};

struct model {
        bool exists[NAMES], pending[NAMES];
        struct held held[HELD];
};

static const char *const names[NAMES] = {"a", "b", "c"};
static const uint32_t accesses[] = {FS_READ_DATA, FS_WRITE_DATA, FS_DELETE, FS_READ_ATTR,
                                    FS_READ_DATA | FS_WRITE_DATA | FS_DELETE};

static bool oversteps(uint32_t a, uint32_t s)
{
        return ((a & FS_READ_DATA) && !(s & 1)) || ((a & FS_WRITE_DATA) && !(s & 2)) ||
               ((a & FS_DELETE) && !(s & 4));
}

static enum fs_err expect_open(const struct model *m, int n, uint32_t access, uint32_t share)
{
        if (m->pending[n])
                return FS_DELETE_PENDING;
        for (int i = 0; i < HELD; i++) {
                const struct held *h = &m->held[i];
                uint32_t part = FS_READ_DATA | FS_WRITE_DATA | FS_DELETE;
                if (h->o && h->name == n && (h->access & part) && (access & part) &&
                    (oversteps(access, h->share) || oversteps(h->access, share)))
                        return FS_SHARING;
        }
        return FS_OK;
}

static void step_open(struct world *w, struct model *m, struct held *h, unsigned *seed)
{
        int n = rand_r(seed) % NAMES;
        struct fs_open_req q = req(names[n], accesses[rand_r(seed) % 5], FS_OPEN_IF);
        q.share = (uint32_t)rand_r(seed) % 8;
        enum fs_err e = expect_open(m, n, q.access, q.share);
        struct fs_open *o;
        assert_int_equal(try_open(w, w->alice, &q, &o), e);
        if (!e) {
                *h = (struct held){.o = o, .name = n, .access = q.access, .share = q.share};
                m->exists[n] = true;
        }
}

static void step_close(struct model *m, struct held *h)
{
        int n = h->name;
        bool last = true;
        assert_int_equal(finish(h->o), FS_OK);
        h->o = NULL;
        h->locked = false;
        for (int i = 0; i < HELD; i++)
                last &= !m->held[i].o || m->held[i].name != n;
        if (last && m->pending[n])
                m->pending[n] = m->exists[n] = false;
}

static void step_lock(struct model *m, struct held *h)
{
        struct fs_lock l = {0, 1, h->locked ? FS_LOCK_UNLOCK : FS_LOCK_EXCLUSIVE};
        enum fs_err e = h->access & (FS_READ_DATA | FS_WRITE_DATA) ? FS_OK : FS_DENIED;
        for (int i = 0; i < HELD && !h->locked; i++) {
                struct held *x = &m->held[i];
                if (!e && x->o && x->locked && x->name == h->name)
                        e = FS_LOCK_DENIED;
        }
        assert_int_equal(fs_lock(h->o, &l, 1, NULL), e);
        if (!e)
                h->locked = !h->locked;
}

static void step_delete(struct model *m, struct held *h, bool del)
{
        enum fs_err e = h->access & FS_DELETE ? FS_OK : FS_DENIED;
        assert_int_equal(fs_set_delete(h->o, del), e);
        if (!e)
                m->pending[h->name] = del;
}

static void run(unsigned seed)
{
        struct world w = world_new();
        struct model m = {0};
        for (int i = 0; i < STEPS; i++) {
                struct held *h = &m.held[rand_r(&seed) % HELD];
                int what = rand_r(&seed) % 8;
                if (!h->o)
                        step_open(&w, &m, h, &seed);
                else if (what < 4)
                        step_close(&m, h);
                else if (what < 6)
                        step_lock(&m, h);
                else
                        step_delete(&m, h, what == 6);
        }
        for (int i = 0; i < HELD; i++) {
                if (m.held[i].o)
                        step_close(&m, &m.held[i]);
        }
        for (int n = 0; n < NAMES; n++)
                assert_int_equal(probe(&w, names[n]), m.exists[n] ? FS_OK : FS_NOT_FOUND);
        world_end(&w);
}

static void test_random(void **state)
{
        for (unsigned seed = 1; seed <= 10; seed++) {
                print_message("seed %u\n", seed);
                run(seed);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
