/* Moving a connection between loops: both driven by the test's thread, so that every order of
 * events can be had on purpose. */
#include "net/conn_testing.h"
#include "net/echo_testing.h"

struct mover {
        struct rig r;
        struct net_loop *to;
        struct task then;
        unsigned ran;
        bool was_open;
        unsigned move_at; /* after this many frames */
        bool echo;
};

static struct mover m;

static void moved(struct task *t)
{
        assert_ptr_equal(t, &m.then);
        assert_ptr_equal(loop_current(), m.to);
        assert_ptr_equal(conn_loop(m.r.c), m.to);
        assert_int_equal(m.r.frames, m.move_at); /* none came meanwhile */
        assert_int_equal(m.r.closed, 0);
        m.ran++;
        m.was_open = conn_is_open(m.r.c);
}

static void mover_frame(struct rig *r, struct frame *f)
{
        assert_ptr_equal(loop_current(), m.ran ? m.to : r->loop);
        assert_true(f->data.n == r->frames);
        assert_true(frame_check(f->data, (uint8_t)r->frames));
        if (m.echo) {
                echo_frame(r->c, *f);
                f->owner = NULL;
        }
        if (r->frames == m.move_at)
                conn_move(r->c, m.to, &m.then);
}

static void run_both(void)
{
        bool did = true;
        while (did) {
                did = loop_step(m.r.loop, 0);
                did = loop_step(m.to, 0) || did;
        }
}

static void mover_init(unsigned move_at)
{
        m = (struct mover){0};
        rig_init(&m.r);
        m.r.on_frame = mover_frame;
        m.move_at = move_at;
        m.then.run = moved;
        struct loop_conf lc = {.bufs = m.r.bufs};
        m.to = loop_new(&lc);
        assert_non_null(m.to);
}

static void mover_fini(void)
{
        loop_free(m.to);
        rig_fini(&m.r);
}

/* Frames 1..n, of as many bytes as their number. */
static size_t stream_make(uint8_t *wire, unsigned n)
{
        size_t at = 0;
        for (unsigned i = 1; i <= n; i++) {
                frame_make(wire + at, i, (uint8_t)i);
                at += 4 + i;
        }
        return at;
}

static void no_byte_is_lost_wherever_the_cut(void **state)
{
        (void)state;
        uint8_t wire[1000], back[1000];
        size_t n = stream_make(wire, 12);
        for (size_t cut = 0; cut <= n; cut++) {
                mover_init(3);
                m.echo = true;
                rig_peer_send(&m.r, wire, cut);
                run_both();
                rig_peer_send(&m.r, wire + cut, n - cut);
                run_both();
                assert_int_equal(m.ran, 1);
                assert_true(m.was_open);
                assert_int_equal(m.r.frames, 12);
                assert_int_equal(rig_peer_recv(&m.r, back, sizeof back), n);
                assert_memory_equal(back, wire, n);
                assert_int_equal(loop_count(m.r.loop).conns, 0);
                assert_int_equal(loop_count(m.to).conns, 1);
                mover_fini();
        }
}

/* The rest comes while the connection is on no loop. */
static void bytes_that_come_in_between(void **state)
{
        (void)state;
        uint8_t wire[1000];
        size_t n = stream_make(wire, 6);
        mover_init(1);
        rig_peer_send(&m.r, wire, 5);
        while (loop_step(m.r.loop, 0)) /* it leaves */
                ;
        assert_int_equal(loop_count(m.r.loop).conns, 0);
        rig_peer_send(&m.r, wire + 5, n - 5);
        (void)loop_step(m.r.loop, 0);
        assert_int_equal(m.ran, 0);
        run_both();
        assert_int_equal(m.r.frames, 6);
        mover_fini();
}

static struct out slow_out;
static int slow_done;
static bool slow_sent;
static void slow_is_done(struct out *o, bool sent)
{
        assert_ptr_equal(o, &slow_out);
        assert_ptr_equal(loop_current(), m.r.loop); /* before the move */
        slow_done++;
        slow_sent = sent;
}

#define SLOW (3u * 1024 * 1024)

static void the_queue_goes_out_first(void **state)
{
        (void)state;
        for (int peer_dies = 0; peer_dies <= 1; peer_dies++) {
                mover_init(1);
                uint8_t wire[20];
                AUTO_FREE uint8_t *big = calloc(1, SLOW + 4);
                slow_done = 0;
                out_init(&slow_out, slow_is_done);
                assert_true(out_add_mem(&slow_out, big, SLOW));
                conn_send(m.r.c, &slow_out);
                rig_peer_send(&m.r, wire, stream_make(wire, 2));
                run_both();
                assert_int_equal(m.ran, 0);
                assert_int_equal(m.r.frames, 1);
                if (peer_dies) {
                        assert_int_equal(close(m.r.peer), 0);
                        m.r.peer = -1;
                } else {
                        rig_peer_recv_all(&m.r, big, SLOW + 4);
                }
                run_both();
                assert_int_equal(m.ran, 1);
                assert_int_equal(slow_done, 1);
                assert_int_equal(slow_sent, !peer_dies);
                assert_int_equal(m.was_open, !peer_dies);
                assert_int_equal(m.r.frames, peer_dies ? 1 : 2);
                assert_int_equal(m.r.closed, peer_dies);
                mover_fini();
        }
}

static void a_close_in_the_same_iteration(void **state)
{
        (void)state;
        for (int how = CONN_NOW; how <= CONN_FLUSH; how++) {
                mover_init(0);
                conn_move(m.r.c, m.to, &m.then);
                conn_close(m.r.c, (enum conn_close_how)how, "changed my mind");
                run_both();
                assert_int_equal(m.ran, 1);
                assert_false(m.was_open);
                assert_int_equal(close(m.r.peer), 0);
                m.r.peer = -1;
                run_both();
                assert_int_equal(m.r.closed, 1);
                mover_fini();
        }
}

static void the_deadline_moves_along(void **state)
{
        (void)state;
        clock_fake_ms = 1000;
        mover_init(0);
        conn_set_deadline(m.r.c, 500);
        conn_move(m.r.c, m.to, &m.then);
        run_both();
        assert_int_equal(m.ran, 1);
        clock_fake_ms = 1490;
        run_both();
        assert_int_equal(m.r.closed, 0);
        clock_fake_ms = 1510;
        run_both();
        assert_int_equal(m.r.closed, 1);
        mover_fini();
        clock_fake_ms = 0;
}

static void the_own_loop_will_do_too(void **state)
{
        (void)state;
        mover_init(1);
        struct net_loop *other = m.to;
        m.to = m.r.loop;
        uint8_t wire[100];
        rig_peer_send(&m.r, wire, stream_make(wire, 4));
        rig_run(&m.r);
        assert_int_equal(m.ran, 1);
        assert_int_equal(m.r.frames, 4);
        m.to = other;
        mover_fini();
}

static void a_loop_that_ends_closes_what_comes(void **state)
{
        (void)state;
        mover_init(0);
        conn_move(m.r.c, m.to, &m.then);
        while (loop_step(m.r.loop, 0)) /* it leaves */
                ;
        loop_free(m.to);
        assert_int_equal(m.ran, 1);
        assert_int_equal(m.r.closed, 1);
        rig_fini(&m.r);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(no_byte_is_lost_wherever_the_cut),
                cmocka_unit_test(bytes_that_come_in_between),
                cmocka_unit_test(the_queue_goes_out_first),
                cmocka_unit_test(a_close_in_the_same_iteration),
                cmocka_unit_test(the_deadline_moves_along),
                cmocka_unit_test(the_own_loop_will_do_too),
                cmocka_unit_test(a_loop_that_ends_closes_what_comes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
