/* Frames from a server into a client's connection. First byte: bit 0 signs in first, as nobody, so
 * that nothing is signed, and puts some operations in flight: their requests have the MessageIds 1,
 * 2, 3 and so on. Then frames, each behind its length (16 bits). Every operation ends once, and all
 * that is left can be freed. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cursor.h"
#include "client/conn.h"
#include "client/session.h"
#include "client/share.h"
#include "wire/smb2/dialect.h"

#define FRAMES 16u
#define OPERATIONS 4u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned n_ended;

static void ended(void *arg, const struct frevo_result *r)
{
        (void)arg;
        n_ended += r->n_entries == 0;
}

static struct client_conn *conn_of(struct client_session *s)
{
        return list_empty(&s->conns) ? NULL
                                     : list_entry(s->conns.next, struct client_conn, in_session);
}

/* As if the sign-in had been: without keys. */
static void make_ready(struct client_session *s, struct client_conn *c)
{
        list_remove(&c->echo.link); /* NEGOTIATE */
        c->n_in_flight--;
        c->echo.err = ECANCELED;
        frame_complete(&c->echo);
        s->terms = (struct client_terms){.dialect = SMB2_DIALECT_302,
                                         .max_read = 1u << 20,
                                         .max_write = 1u << 20,
                                         .max_transact = 1u << 20};
        s->state = SESSION_UP;
        s->epoch = c->epoch = 1;
        s->is_null = true;
        c->state = CONN_READY;
        c->credits = 64;
}

static struct frevo_share *make_share(struct frevo_ctx *ctx, struct client_session *s)
{
        struct frevo_share *sh = calloc(1, sizeof *sh);
        if (!sh)
                abort();
        *sh = (struct frevo_share){.ctx = ctx,
                                   .session = client_session_ref(s),
                                   .refs = 1,
                                   .state = SHARE_UP,
                                   .epoch = 1,
                                   .name = strdup("share")};
        list_init(&sh->waiting);
        list_add_last(&s->shares, &sh->in_session);
        return sh;
}

static void start_operations(struct frevo_share *sh)
{
        n_ended = 0;
        if (!frevo_stat_start(sh, "a", ended, NULL) ||
            !frevo_get_start(sh, "b", 1000, ended, NULL) ||
            !frevo_list_start(sh, "c", NULL, ended, NULL) ||
            !frevo_open_start(sh, "d", &(struct frevo_open_how){.lease = 7}, ended, NULL))
                abort();
}

static void feed(int fd, struct cursor *in, struct frevo_ctx *ctx)
{
        for (unsigned i = 0; i < FRAMES && cur_left(in) > 2; i++) {
                size_t n = cur_u16(in);
                struct bytes f = cur_bytes(in, n < cur_left(in) ? n : cur_left(in));
                uint8_t len[4] = {0, 0, (uint8_t)(f.n >> 8), (uint8_t)f.n};
                if (send(fd, len, 4, MSG_NOSIGNAL) != 4 ||
                    (f.n && send(fd, f.p, f.n, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)f.n))
                        return; /* it has hung up */
                frevo_service(ctx);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor in = cur_of(bytes_of(data, size));
        bool signed_in = cur_u8(&in) & 1;
        struct client_target to = {.host = (char *)(uintptr_t) "server",
                                   .auth = FREVO_AUTH_ANONYMOUS,
                                   .min_dialect = SMB2_DIALECT_202,
                                   .max_dialect = SMB2_DIALECT_311,
                                   .timeout_ms = 200};
        struct frevo_ctx *ctx = frevo_new();
        int fd[2];
        if (!ctx || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0)
                abort();
        struct client_session *s = client_session_get(ctx, &to);
        s->state = SESSION_CONNECTING;
        struct client_conn *c = client_conn_new(s, fd[0], false);
        while (c && c->n_in_flight == 0)
                frevo_wait(ctx, 100);
        struct frevo_share *sh = NULL;
        if (c && signed_in) {
                make_ready(s, c);
                sh = make_share(ctx, s);
                start_operations(sh);
        }
        feed(fd[1], &in, ctx);
        (void)close(fd[1]); /* the server's part is over */
        while (conn_of(s))
                frevo_wait(ctx, 10);
        while (sh && n_ended < OPERATIONS)
                frevo_wait(ctx, 10);
        frevo_share_release(sh);
        client_session_end(s);
        client_session_unref(s);
        frevo_free(ctx);
        return 0;
}
