/* Sending: order, files, closing with a queue, peers that do not read. */
#include <sys/mman.h>

#include "net/conn_testing.h"

/* An out of the test's, and what became of it. */
struct sent_out {
        struct out o;
        int done; /* how often */
        bool sent;
        unsigned turn;     /* when */
        struct rig *again; /* done sends it once more */
};

static unsigned turns;

static void sent_done(struct out *o, bool sent)
{
        struct sent_out *s = container_of(o, struct sent_out, o);
        s->done++;
        s->sent = sent;
        s->turn = ++turns;
        if (s->again) {
                struct rig *r = s->again;
                s->again = NULL;
                conn_send(r->c, &s->o);
        }
}

static void replies_of_one_iteration_go_out_together(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        static struct sent_out s[40];
        memset(s, 0, sizeof s);
        turns = 0;
        for (unsigned i = 0; i < 40; i++) {
                out_init(&s[i].o, sent_done);
                assert_true(out_add_mem(&s[i].o, "abcdef", i % 7));
                conn_send(r.c, &s[i].o);
                assert_int_equal(s[i].done, 0);
        }
        rig_run(&r);
        assert_int_equal(loop_count(r.loop).sendmsgs, 1);
        for (unsigned i = 0; i < 40; i++) {
                assert_int_equal(s[i].done, 1);
                assert_true(s[i].sent);
                assert_int_equal(s[i].turn, i + 1);
                uint8_t got[16];
                rig_peer_recv_all(&r, got, 4 + i % 7);
                assert_int_equal(got[3], i % 7);
                assert_memory_equal(got + 4, "abcdef", i % 7);
        }
        assert_int_equal(conn_queued_bytes(r.c), 0);
        rig_fini(&r);
}

static int file_of(const void *p, size_t n)
{
        int fd = memfd_create("frevo-test", MFD_CLOEXEC);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, p, n), n);
        return fd;
}

static void files_and_memory_mix(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        AUTO_CLOSE int fd = file_of("0123456789", 10);
        struct sent_out a = {0}, b = {0};
        out_init(&a.o, sent_done);
        assert_true(out_add_mem(&a.o, "<", 1));
        assert_true(out_add_file(&a.o, fd, 2, 5));
        assert_true(out_add_mem(&a.o, "|", 1));
        assert_true(out_add_file(&a.o, fd, 0, 10));
        assert_false(out_add_mem(&a.o, ">", 1)); /* no segment left */
        out_init(&b.o, sent_done);
        assert_true(out_add_zeros(&b.o, 3));
        conn_send(r.c, &a.o);
        conn_send(r.c, &b.o);
        char got[4 + 17 + 4 + 3];
        rig_peer_recv_all(&r, got, sizeof got);
        assert_memory_equal(got, "\0\0\0\x11<23456|0123456789\0\0\0\3\0\0\0", sizeof got);
        assert_int_equal(a.done + b.done, 2);
        assert_int_equal(loop_count(r.loop).short_files, 0);
        rig_fini(&r);
}

static void a_short_file_becomes_zeros(void **state)
{
        (void)state;
        static const struct {
                size_t have, off, promised;
        } row[] = {{10, 0, 20}, {10, 10, 5}, {10, 500, 5}, {10, 3, 200000}, {0, 0, 1}};
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct rig r;
                rig_init(&r);
                AUTO_CLOSE int fd = file_of("0123456789", row[i].have);
                struct sent_out s = {0};
                out_init(&s.o, sent_done);
                assert_true(out_add_file(&s.o, fd, row[i].off, row[i].promised));
                assert_true(out_add_mem(&s.o, "end", 3));
                conn_send(r.c, &s.o);
                size_t n = 4 + row[i].promised + 3;
                AUTO_FREE uint8_t *got = malloc(n);
                rig_peer_recv_all(&r, got, n);
                size_t real = row[i].have > row[i].off ? row[i].have - row[i].off : 0;
                assert_memory_equal(got + 4, &"0123456789"[row[i].off % 10], real);
                for (size_t k = real; k < row[i].promised; k++)
                        assert_int_equal(got[4 + k], 0);
                assert_memory_equal(got + n - 3, "end", 3);
                assert_true(s.sent);
                assert_int_equal(loop_count(r.loop).short_files, 1);
                rig_fini(&r);
        }
}

static void a_bad_file_closes(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        int fd = file_of("x", 1);
        assert_int_equal(close(fd), 0); /* a descriptor that is none: EBADF */
        struct sent_out s = {0};
        out_init(&s.o, sent_done);
        assert_true(out_add_file(&s.o, fd, 0, 1));
        conn_send(r.c, &s.o);
        rig_run(&r);
        assert_int_equal(s.done, 1);
        assert_false(s.sent);
        assert_int_equal(r.closed, 1);
        rig_fini(&r);
}

#define BIG (3u * 1024 * 1024)

static void a_full_socket_waits_and_goes_on(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        AUTO_FREE uint8_t *big = malloc(BIG), *got = malloc(BIG + 4);
        for (uint32_t i = 0; i < BIG; i++)
                big[i] = (uint8_t)(i * 7 + i / 251);
        AUTO_CLOSE int fd = file_of(big, BIG);
        struct sent_out s[3] = {0};
        for (int i = 0; i < 3; i++) {
                out_init(&s[i].o, sent_done);
                assert_true(i == 1 ? out_add_file(&s[i].o, fd, 0, BIG)
                                   : out_add_mem(&s[i].o, big, BIG));
                conn_send(r.c, &s[i].o);
        }
        rig_run(&r);
        assert_int_equal(s[0].done, 0);
        for (int i = 0; i < 3; i++) {
                rig_peer_recv_all(&r, got, BIG + 4);
                assert_memory_equal(got + 4, big, BIG);
        }
        rig_run(&r);
        assert_int_equal(s[0].sent + s[1].sent + s[2].sent, 3);
        rig_fini(&r);
}

static void close_lets_the_queue_out_or_not(void **state)
{
        (void)state;
        for (int how = CONN_NOW; how <= CONN_FLUSH; how++) {
                struct rig r;
                rig_init(&r);
                AUTO_FREE uint8_t *big = calloc(1, BIG);
                struct sent_out s[2] = {0}, late = {0};
                for (int i = 0; i < 2; i++) {
                        out_init(&s[i].o, sent_done);
                        assert_true(out_add_mem(&s[i].o, big, BIG));
                        conn_send(r.c, &s[i].o);
                }
                conn_close(r.c, (enum conn_close_how)how, "done");
                assert_false(conn_is_open(r.c));
                out_init(&late.o, sent_done);
                conn_send(r.c, &late.o);
                assert_int_equal(late.done, 0);
                rig_run(&r);
                assert_int_equal(late.done, 1);
                assert_false(late.sent);
                assert_int_equal(r.closed, how == CONN_NOW);
                if (how == CONN_FLUSH) {
                        AUTO_FREE uint8_t *got = malloc(2 * (BIG + 4));
                        rig_peer_recv_all(&r, got, 2 * (BIG + 4));
                        rig_run(&r);
                        assert_int_equal(rig_peer_recv(&r, got, 1), -1);
                        assert_int_equal(r.closed, 0); /* the peer may close first */
                        assert_int_equal(close(r.peer), 0);
                        r.peer = -1;
                        rig_run(&r);
                        assert_int_equal(r.closed, 1);
                }
                for (int i = 0; i < 2; i++) {
                        assert_int_equal(s[i].done, 1);
                        assert_int_equal(s[i].sent, how == CONN_FLUSH);
                }
                assert_string_equal(r.why, "done");
                conn_send(r.c, &late.o); /* a closed connection only fails it */
                rig_run(&r);
                assert_int_equal(late.done, 2);
                rig_fini(&r);
        }
}

static void lingering_is_short(void **state)
{
        (void)state;
        clock_fake_ms = 5000;
        struct rig r;
        rig_init(&r);
        conn_close(r.c, CONN_FLUSH, "done");
        rig_run(&r);
        rig_peer_send(&r, "unread", 6);
        rig_run(&r);
        assert_int_equal(r.closed, 0);
        clock_fake_ms += LIMIT_CONN_LINGER_MS + 1;
        rig_run(&r);
        assert_int_equal(r.closed, 1);
        rig_fini(&r);
        clock_fake_ms = 0;
}

static void half_closed_peers_get_their_replies(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        r.keep_open_at_eof = true;
        uint8_t wire[5];
        frame_make(wire, 1, 1);
        rig_peer_send(&r, wire, 5);
        assert_int_equal(shutdown(r.peer, SHUT_WR), 0);
        rig_run(&r);
        assert_int_equal(r.frames, 1);
        assert_int_equal(r.eofs, 1);
        assert_int_equal(r.closed, 0);
        struct sent_out s = {0};
        out_init(&s.o, sent_done);
        assert_true(out_add_mem(&s.o, "late reply", 10));
        conn_send(r.c, &s.o);
        conn_close(r.c, CONN_FLUSH, "the peer closed");
        char got[14];
        rig_peer_recv_all(&r, got, sizeof got);
        assert_memory_equal(got + 4, "late reply", 10);
        rig_run(&r);
        assert_int_equal(r.closed, 1);
        assert_true(s.sent);
        rig_fini(&r);
}

static void stalled_peers_are_closed(void **state)
{
        (void)state;
        clock_fake_ms = 1000;
        struct rig r;
        rig_init(&r);
        clock_fake_ms += 10 * LIMIT_CONN_STALL_MS;
        rig_run(&r);
        assert_int_equal(r.closed, 0); /* nothing queued: an idle peer may live */
        AUTO_FREE uint8_t *big = calloc(1, BIG);
        struct sent_out s = {0};
        out_init(&s.o, sent_done);
        assert_true(out_add_mem(&s.o, big, BIG));
        conn_send(r.c, &s.o);
        rig_run(&r);
        clock_fake_ms += LIMIT_CONN_STALL_MS - 10;
        assert_true(rig_peer_recv(&r, big, 200000) > 0); /* progress counts */
        rig_run(&r);
        clock_fake_ms += LIMIT_CONN_STALL_MS - 10;
        rig_run(&r);
        assert_int_equal(r.closed, 0);
        clock_fake_ms += 30;
        rig_run(&r);
        assert_int_equal(r.closed, 1);
        assert_string_equal(r.why, "the peer does not read");
        assert_int_equal(s.done, 1);
        assert_false(s.sent);
        rig_fini(&r);
        clock_fake_ms = 0;
}

static void a_vanished_peer_fails_the_queue(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        AUTO_FREE uint8_t *big = calloc(1, BIG);
        AUTO_CLOSE int fd = file_of(big, BIG);
        struct sent_out s[2] = {0};
        for (int i = 0; i < 2; i++) {
                out_init(&s[i].o, sent_done);
                assert_true(out_add_file(&s[i].o, fd, 0, BIG));
                conn_send(r.c, &s[i].o);
        }
        conn_pause(r.c);
        rig_run(&r);
        assert_int_equal(close(r.peer), 0);
        r.peer = -1;
        rig_run(&r);
        assert_int_equal(r.closed, 1);
        assert_int_equal(s[0].done + s[1].done, 2);
        assert_false(s[0].sent || s[1].sent);
        rig_fini(&r);
}

/* While too much is queued nothing is read; when it drains reading goes on by itself. */
static void a_long_queue_pauses_reading(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        enum { N = LIMIT_CONN_QUEUED_BYTES / BIG + 1 };
        AUTO_FREE uint8_t *big = calloc(1, BIG + 4);
        static struct sent_out s[N];
        memset(s, 0, sizeof s);
        for (int i = 0; i < N; i++) {
                out_init(&s[i].o, sent_done);
                assert_true(out_add_mem(&s[i].o, big, BIG));
                conn_send(r.c, &s[i].o);
        }
        assert_true(conn_queued_bytes(r.c) > LIMIT_CONN_QUEUED_BYTES);
        rig_peer_send(&r, "\0\0\0\1x", 5);
        rig_run(&r);
        assert_int_equal(r.frames, 0);
        for (int i = 0; i < N; i++)
                rig_peer_recv_all(&r, big, BIG + 4);
        rig_run(&r);
        assert_int_equal(r.frames, 1);
        rig_fini(&r);
}

static void done_may_send_again(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        struct sent_out s = {.again = &r};
        out_init(&s.o, sent_done);
        assert_true(out_add_mem(&s.o, "twice", 5));
        conn_send(r.c, &s.o);
        conn_flush(r.c);
        char got[18];
        rig_peer_recv_all(&r, got, sizeof got);
        assert_int_equal(s.done, 2);
        rig_fini(&r);
}

static void outs_have_limits(void **state)
{
        (void)state;
        struct out o;
        out_init(&o, NULL);
        uint8_t byte = 0;
        assert_true(out_add_zeros(&o, OUT_MAX_BYTES - 1));
        assert_false(out_add_file(&o, 0, 0, 2));
        assert_false(out_add_file(&o, 0, 0, SIZE_MAX));
        assert_true(out_add_mem(&o, &byte, 0));
        assert_int_equal(o.n_segs, 1);
        assert_true(out_add_mem(&o, &byte, 1));
        assert_int_equal(o.total, OUT_MAX_BYTES);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(replies_of_one_iteration_go_out_together),
                cmocka_unit_test(files_and_memory_mix),
                cmocka_unit_test(a_short_file_becomes_zeros),
                cmocka_unit_test(a_bad_file_closes),
                cmocka_unit_test(a_full_socket_waits_and_goes_on),
                cmocka_unit_test(close_lets_the_queue_out_or_not),
                cmocka_unit_test(lingering_is_short),
                cmocka_unit_test(half_closed_peers_get_their_replies),
                cmocka_unit_test(stalled_peers_are_closed),
                cmocka_unit_test(a_vanished_peer_fails_the_queue),
                cmocka_unit_test(a_long_queue_pauses_reading),
                cmocka_unit_test(done_may_send_again),
                cmocka_unit_test(outs_have_limits),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
