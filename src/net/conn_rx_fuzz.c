/* Any stream, cut anywhere, gives the frames that a plain reading of it gives, and the same end.
 * First byte: how the rest is cut. */
#include <assert.h>
#include <sys/socket.h>

#include "base/cursor.h"
#include "net/conn.h"

#define FUZZ_MAX_FRAME 3000u
#define FUZZ_MAX_STREAM 60000u /* less than a socket holds */

struct seen {
        uint64_t hash;
        unsigned frames, closed;
        bool refused;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void seen_add(struct seen *s, uint8_t type, struct bytes b)
{
        s->frames++;
        s->hash = s->hash * 31 + type + 7 * b.n;
        for (size_t i = 0; i < b.n; i++)
                s->hash = s->hash * 31 + b.p[i];
}

static void fuzz_frame(struct conn *c, struct frame f)
{
        seen_add(conn_ctx(c), f.type, f.data);
        frame_done(&f);
}

static void fuzz_closed(struct conn *c, const char *why)
{
        struct seen *s = conn_ctx(c);
        s->closed++;
        s->refused = strcmp(why, "a frame too long") == 0;
}

static const struct conn_ops ops = {
        .frame = fuzz_frame, .control = fuzz_frame, .closed = fuzz_closed};

/* The plain reading. */
static struct seen expect(struct bytes in)
{
        struct seen s = {0};
        struct cursor c = cur_of(in);
        while (cur_left(&c) >= 4) {
                uint8_t type = cur_u8(&c);
                uint32_t n = cur_u24be(&c);
                s.refused = n > FUZZ_MAX_FRAME || (type == 0x85 && n != 0);
                if (s.refused || cur_left(&c) < n)
                        break;
                if (type != 0x85)
                        seen_add(&s, type, cur_bytes(&c, n));
        }
        return s;
}

static struct seen play(struct bytes in, size_t chunk)
{
        struct seen s = {0};
        struct buf_pool *bufs = buf_pool_new(1u << 20);
        struct loop_conf lc = {.bufs = bufs};
        struct net_loop *l = loop_new(&lc);
        int fd[2];
        struct conn_conf cc = {.ops = &ops, .ctx = &s, .max_frame = FUZZ_MAX_FRAME};
        if (!l || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd) != 0 ||
            !conn_adopt(l, fd[0], &cc))
                abort();
        while (in.n && !s.closed) {
                struct bytes part = bytes_first(in, chunk);
                ssize_t n = send(fd[1], part.p, part.n, MSG_NOSIGNAL);
                assert(n > 0 || s.closed);
                in = bytes_from(in, (size_t)n);
                while (loop_step(l, 0))
                        ;
        }
        (void)close(fd[1]); /* the end of the stream */
        while (loop_step(l, 0))
                ;
        assert(s.closed == 1);
        loop_free(l);
        assert(buf_pool_used_bytes(bufs) == 0);
        buf_pool_free(bufs);
        return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (size < 1 || size > FUZZ_MAX_STREAM)
                return 0;
        struct bytes in = bytes_of(data + 1, size - 1);
        size_t chunk = data[0] == 255 ? size : (size_t)data[0] + 1;
        struct seen want = expect(in), got = play(in, chunk);
        assert(got.frames == want.frames && got.hash == want.hash);
        assert(got.refused == want.refused);
        return 0;
}
