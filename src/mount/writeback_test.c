/* The buffer against a plain copy of the file: random writes, sends, arrivals and cuts. */
#include "base/testing.h"
#include "mount/writeback.h"

#define FILE_BYTES 4096u
#define EXTENT 256u

struct model {
        struct writeback w;
        uint8_t server[FILE_BYTES], want[FILE_BYTES];
        uint64_t seed;
};

static size_t pick(struct model *m, size_t below)
{
        m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
        return (size_t)(m->seed >> 33) % below;
}

static void do_write(struct model *m)
{
        uint8_t data[700];
        size_t off = pick(m, FILE_BYTES - sizeof data), n = 1 + pick(m, sizeof data);
        for (size_t i = 0; i < n; i++)
                data[i] = (uint8_t)pick(m, 256);
        assert_true(wb_write(&m->w, off, data, n));
        memcpy(m->want + off, data, n);
}

static void arrive(struct model *m)
{
        if (list_empty(&m->w.sending))
                return;
        struct list *it = pick(m, 2) ? m->w.sending.next : m->w.sending.prev;
        struct extent *e = list_entry(it, struct extent, link);
        memcpy(m->server + e->off, e->data, e->n);
        wb_sent(&m->w, e);
}

static void check(struct model *m)
{
        uint8_t seen[FILE_BYTES];
        memcpy(seen, m->server, sizeof seen);
        wb_read(&m->w, 0, seen, sizeof seen);
        assert_memory_equal(seen, m->want, sizeof seen);
}

static void test_like_a_file(void **state)
{
        static struct model m;
        (void)state;
        m.seed = 1;
        wb_init(&m.w, EXTENT, &m);
        for (unsigned i = 0; i < 20000; i++) {
                size_t what = pick(&m, 10);
                struct extent *e = NULL;
                if (what < 5)
                        do_write(&m);
                else if (what < 8)
                        e = wb_send(&m.w, what == 7);
                else
                        arrive(&m);
                if (e) {
                        assert_true(e->n <= EXTENT && e->sending);
                        assert_ptr_equal(e->owner, &m);
                }
                check(&m);
        }
        while (!wb_is_empty(&m.w)) {
                (void)wb_send(&m.w, true);
                arrive(&m);
        }
        assert_memory_equal(m.server, m.want, FILE_BYTES);
        assert_int_equal(m.w.bytes, 0);
        wb_fini(&m.w);
}

static void test_in_order_makes_full_extents(void **state)
{
        struct writeback w;
        uint8_t data[100] = {0};
        unsigned sent = 0;
        (void)state;
        wb_init(&w, EXTENT, NULL);
        for (uint64_t off = 0; off < 2560; off += sizeof data) {
                assert_true(wb_write(&w, off, data, sizeof data));
                for (struct extent *e; (e = wb_send(&w, false)) != NULL; sent++)
                        assert_int_equal(e->n, EXTENT);
        }
        assert_int_equal(sent, 10);
        wb_fini(&w);
}

static void test_what_is_sent_stays(void **state)
{
        struct writeback w;
        (void)state;
        wb_init(&w, EXTENT, NULL);
        assert_true(wb_write(&w, 10, "old", 3));
        struct extent *e = wb_send(&w, true);
        assert_non_null(e);
        assert_true(wb_write(&w, 11, "X", 1));
        assert_memory_equal(e->data, "old", 3);
        assert_null(wb_send(&w, true)); /* it waits for the older one */
        char seen[3];
        assert_true(wb_covers(&w, 10, 3));
        assert_false(wb_covers(&w, 9, 3));
        assert_true(wb_touches(&w, 12, 5));
        assert_false(wb_touches(&w, 13, 5));
        wb_read(&w, 10, seen, 3);
        assert_memory_equal(seen, "oXd", 3);
        wb_sent(&w, e);
        assert_non_null(wb_send(&w, true));
        wb_fini(&w);
}

static void test_cut(void **state)
{
        struct writeback w;
        (void)state;
        wb_init(&w, EXTENT, NULL);
        assert_true(wb_write(&w, 0, "abcdef", 6));
        assert_true(wb_write(&w, 100, "gh", 2));
        wb_cut(&w, 4);
        assert_int_equal(w.bytes, 4);
        assert_false(wb_touches(&w, 4, 200));
        assert_true(wb_write(&w, 4, "XY", 2));
        char seen[6];
        wb_read(&w, 0, seen, 6);
        assert_memory_equal(seen, "abcdXY", 6);
        wb_fini(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_like_a_file),
                cmocka_unit_test(test_in_order_makes_full_extents),
                cmocka_unit_test(test_what_is_sent_stays),
                cmocka_unit_test(test_cut),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
