/* Receiving: framing, fairness, pausing, limits. */
#include "net/conn_testing.h"

static void every_split_gives_the_same_frames(void **state)
{
        (void)state;
        uint8_t wire[3 * 4 + 5 + 0 + 40];
        frame_make(wire, 5, 10);
        frame_make(wire + 9, 0, 0);
        frame_make(wire + 13, 40, 30);
        for (size_t cut = 0; cut <= sizeof wire; cut++) {
                struct rig r;
                rig_init(&r);
                rig_peer_send(&r, wire, cut);
                rig_run(&r);
                assert_int_equal(r.frames, (cut >= 9) + (cut >= 13) + (cut >= 57));
                rig_peer_send(&r, wire + cut, sizeof wire - cut);
                rig_run(&r);
                assert_int_equal(r.frames, 3);
                assert_int_equal(r.frame_bytes, 45);
                assert_int_equal(r.last_n, 40);
                assert_true(frame_check(bytes_of(r.last, 40), 30));
                rig_fini(&r);
        }
}

static void one_byte_at_a_time(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        uint8_t wire[4 + 100];
        frame_make(wire, 100, 7);
        for (int round = 0; round < 3; round++)
                for (size_t i = 0; i < sizeof wire; i++) {
                        rig_peer_send(&r, wire + i, 1);
                        rig_run(&r);
                }
        assert_int_equal(r.frames, 3);
        assert_true(frame_check(bytes_of(r.last, 100), 7));
        rig_fini(&r);
}

static void many_frames_in_one_recv(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        uint8_t wire[50 * 104];
        for (int i = 0; i < 50; i++)
                frame_make(wire + i * 104, 100, (uint8_t)i);
        uint64_t before = loop_count(r.loop).recvs;
        rig_peer_send(&r, wire, sizeof wire);
        rig_run(&r);
        assert_int_equal(r.frames, 50);
        assert_int_equal(loop_count(r.loop).recvs - before, 1);
        assert_true(frame_check(bytes_of(r.last, 100), 49));
        rig_fini(&r);
}

static struct buf *kept[200];
static struct bytes kept_data[200];
static unsigned n_kept;

static void keep_frame(struct rig *r, struct frame *f)
{
        (void)r;
        kept_data[n_kept] = f->data;
        kept[n_kept++] = f->owner;
        f->owner = NULL;
}

/* Frames that are kept stay untouched by what is received after them. */
static void kept_frames_stay_valid(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        r.on_frame = keep_frame;
        n_kept = 0;
        uint8_t wire[4 + 900];
        for (unsigned i = 0; i < 200; i++) {
                frame_make(wire, 900, (uint8_t)i);
                rig_peer_send(&r, wire, sizeof wire);
                rig_run(&r);
        }
        assert_int_equal(n_kept, 200);
        for (unsigned i = 0; i < 200; i++) {
                assert_true(frame_check(kept_data[i], (uint8_t)i));
                buf_unref(kept[i]);
        }
        rig_fini(&r);
}

static struct frame settled;
static void settle_frame(struct rig *r, struct frame *f)
{
        (void)r;
        assert_true(frame_settle(f));
        settled = *f;
        f->owner = NULL;
}

/* Afterwards the loop is idle for some seconds: nothing is left but what the waiting request needs.
 */
static void waiting_and_idle_cost_little(void **state)
{
        (void)state;
        clock_fake_ms = 1000;
        struct rig r;
        rig_init(&r);
        r.on_frame = settle_frame;
        uint8_t wire[4 + 200];
        frame_make(wire, 200, 9);
        rig_peer_send(&r, wire, sizeof wire);
        rig_run(&r);
        for (int i = 0; i < 5; i++) {
                clock_fake_ms += BUF_TRIM_MS + 1;
                rig_run(&r);
        }
        assert_int_equal(buf_pool_bytes(r.bufs), 4096);
        assert_true(frame_check(settled.data, 9));
        uint64_t timers = loop_count(r.loop).timers;
        clock_fake_ms += 100000;
        rig_run(&r);
        assert_int_equal(loop_count(r.loop).timers, timers); /* no more ticking */
        *frame_mutable(&settled) = 1;
        assert_int_equal(settled.data.p[0], 1);
        frame_done(&settled);
        assert_int_equal(buf_pool_used_bytes(r.bufs), 0);
        rig_fini(&r);
        clock_fake_ms = 0;
}

/* Sends all of wire, running the loop whenever the socket is full. */
static void peer_send_all(struct rig *r, const uint8_t *wire, size_t n)
{
        for (size_t at = 0; at < n;) {
                ssize_t sent = send(r->peer, wire + at, n - at, MSG_NOSIGNAL);
                if (sent > 0)
                        at += (size_t)sent;
                rig_run(r);
        }
}

static uint8_t large_seed;
static void check_large(struct rig *r, struct frame *f)
{
        (void)r;
        assert_true(frame_check(f->data, large_seed));
}

static void large_frames_are_hardly_copied(void **state)
{
        (void)state;
        static const uint32_t sizes[] = {
                4096, 4097, 65535, 65536, 65536 + 112, 1024 * 1024, LIMIT_FRAME_BYTES};
        uint8_t *wire = malloc(LIMIT_FRAME_BYTES + 4);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct rig r;
                rig_init(&r);
                r.on_frame = check_large;
                for (int i = 0; i < 6; i++) {
                        large_seed = (uint8_t)(s + (size_t)i);
                        frame_make(wire, sizes[s], large_seed);
                        peer_send_all(&r, wire, sizes[s] + 4);
                }
                assert_int_equal(r.frames, 6);
                assert_int_equal(r.frame_bytes, 6 * (size_t)sizes[s]);
                /* Only the first may come with much of its payload. */
                if (sizes[s] >= 65536)
                        assert_true(loop_count(r.loop).bytes_copied < 65536 + 5 * 512);
                rig_fini(&r);
        }
        free(wire);
}

static void payload_lands_on_a_page(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        int fd[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
        struct rig other = {.on_frame = keep_frame, .loop = r.loop, .peer = fd[1]};
        struct conn_conf cc = {
                .ops = &rig_ops, .ctx = &other, .max_frame = LIMIT_FRAME_BYTES, .payload_at = 112};
        assert_non_null(conn_adopt(r.loop, fd[0], &cc));
        n_kept = 0;
        uint8_t *wire = malloc(100 * 1024 + 4);
        frame_make(wire, 100 * 1024, 1);
        peer_send_all(&other, wire, 100 * 1024 + 4);
        assert_int_equal(n_kept, 1);
        assert_int_equal((uintptr_t)(kept_data[0].p + 112) % 4096, 0);
        buf_unref(kept[0]);
        free(wire);
        assert_int_equal(close(fd[1]), 0);
        rig_run(&r);
        assert_int_equal(other.closed, 1);
        rig_fini(&r);
}

static void bad_headers_close(void **state)
{
        (void)state;
        static const struct {
                const char *name, *wire;
                unsigned frames, controls, closed;
        } row[] = {
                {"keep-alive between frames", "85000000 00000001 aa 85000000", 1, 0, 0},
                {"keep-alive with a length", "85000001 aa", 0, 0, 1},
                {"as long as allowed", "00000010 00112233445566778899aabbccddeeff", 1, 0, 0},
                {"a byte longer", "00000011", 0, 0, 1},
                {"as long as can be", "00ffffff", 0, 0, 1},
                {"session request", "81000002 4142 00000001 aa", 1, 1, 0},
                {"session request too long", "81000011", 0, 0, 1},
                {"four zero bytes", "00000000", 1, 0, 0},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct rig r;
                rig_init(&r);
                conn_set_max_frame(r.c, 16);
                struct bytes b = hex(row[i].wire);
                rig_peer_send(&r, b.p, b.n);
                rig_run(&r);
                if (r.frames != row[i].frames || r.controls != row[i].controls ||
                    r.closed != row[i].closed)
                        fail_msg("%s", row[i].name);
                rig_fini(&r);
        }
}

static void pause_in_frame(struct rig *r, struct frame *f)
{
        (void)f;
        conn_pause(r->c);
}

static void paused_means_no_frame(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        r.on_frame = pause_in_frame;
        uint8_t wire[5 * 14];
        for (int i = 0; i < 5; i++)
                frame_make(wire + i * 14, 10, (uint8_t)i);
        rig_peer_send(&r, wire, sizeof wire);
        for (unsigned i = 1; i <= 5; i++) {
                rig_run(&r);
                assert_int_equal(r.frames, i);
                conn_pause(r.c);
                conn_resume(r.c);
                rig_run(&r);
                assert_int_equal(r.frames, i); /* one pause is left */
                conn_resume(r.c);
        }
        rig_run(&r);
        rig_peer_send(&r, wire, 14); /* nothing was held back: events come again */
        rig_run(&r);
        assert_int_equal(r.frames, 6);
        conn_pause(r.c);
        assert_int_equal(shutdown(r.peer, SHUT_WR), 0);
        conn_resume(r.c);
        rig_run(&r);
        assert_int_equal(r.eofs, 0); /* still paused by the sixth frame */
        conn_resume(r.c);
        rig_run(&r);
        assert_int_equal(r.eofs, 1);
        rig_fini(&r);
}

/* A flood on one connection does not hold up another for more than an iteration. */
static void a_flood_leaves_turns_to_others(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        int fd[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
        struct rig other = {.loop = r.loop};
        struct conn_conf cc = {.ops = &rig_ops, .ctx = &other};
        assert_non_null(conn_adopt(r.loop, fd[0], &cc));
        rig_run(&r);
        uint8_t wire[2000 * 5];
        for (int i = 0; i < 2000; i++)
                frame_make(wire + i * 5, 1, 1);
        rig_peer_send(&r, wire, sizeof wire);
        assert_int_equal(send(fd[1], wire, 5, 0), 5);
        assert_true(loop_step(r.loop, 0));
        assert_int_equal(other.frames, 1);
        assert_in_range(r.frames, 1, 200);
        rig_run(&r);
        assert_int_equal(r.frames, 2000);
        assert_int_equal(close(fd[1]), 0);
        rig_run(&r);
        rig_fini(&r);
}

static void a_half_sent_frame_ends_with_the_deadline(void **state)
{
        (void)state;
        clock_fake_ms = 1000;
        struct rig r;
        rig_init(&r);
        conn_set_deadline(r.c, 500);
        rig_peer_send(&r, "\0\0\xff", 3);
        rig_run(&r);
        assert_int_equal(buf_pool_used_bytes(r.bufs), 64 * 1024); /* the loop's, none of its own */
        clock_fake_ms = 1490;
        rig_run(&r);
        assert_int_equal(r.closed, 0);
        clock_fake_ms = 1502;
        rig_run(&r);
        assert_int_equal(r.closed, 1);
        assert_string_equal(r.why, "the time allowed is over");
        rig_fini(&r);
        clock_fake_ms = 0;
}

static void eof_comes_after_the_last_frame(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        uint8_t wire[14 + 3];
        frame_make(wire, 10, 1);
        memcpy(wire + 14, "\0\0\1", 3); /* a header that is never completed */
        rig_peer_send(&r, wire, sizeof wire);
        assert_int_equal(shutdown(r.peer, SHUT_WR), 0);
        rig_run(&r);
        assert_int_equal(r.frames, 1);
        assert_int_equal(r.eofs, 1);
        assert_int_equal(r.closed, 1);
        rig_fini(&r);
}

static void close_in_frame(struct rig *r, struct frame *f)
{
        (void)f;
        conn_close(r->c, CONN_NOW, "enough");
}

static void nothing_comes_after_close(void **state)
{
        (void)state;
        struct rig r;
        rig_init(&r);
        r.on_frame = close_in_frame;
        uint8_t wire[28];
        frame_make(wire, 10, 1);
        frame_make(wire + 14, 10, 1);
        rig_peer_send(&r, wire, sizeof wire);
        rig_run(&r);
        assert_int_equal(r.frames, 1);
        assert_int_equal(r.closed, 1);
        assert_string_equal(r.why, "enough");
        rig_fini(&r);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_split_gives_the_same_frames),
                cmocka_unit_test(one_byte_at_a_time),
                cmocka_unit_test(many_frames_in_one_recv),
                cmocka_unit_test(kept_frames_stay_valid),
                cmocka_unit_test(waiting_and_idle_cost_little),
                cmocka_unit_test(large_frames_are_hardly_copied),
                cmocka_unit_test(payload_lands_on_a_page),
                cmocka_unit_test(bad_headers_close),
                cmocka_unit_test(paused_means_no_frame),
                cmocka_unit_test(a_flood_leaves_turns_to_others),
                cmocka_unit_test(a_half_sent_frame_ends_with_the_deadline),
                cmocka_unit_test(eof_comes_after_the_last_frame),
                cmocka_unit_test(nothing_comes_after_close),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
