/* See client_testing.h. */
#include "client/client_testing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/conn.h"
#include "client/session.h"
#include "client/share.h"

#define MUST(x)                                                                                    \
        do {                                                                                       \
                if (!(x)) {                                                                        \
                        (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);              \
                        abort();                                                                   \
                }                                                                                  \
        } while (0)

struct frevo_share *client_world_connect(struct client_world *w, const char *share,
                                         const struct frevo_options *how, int *ret_err)
{
        static const struct frevo_options alice = {
                .auth = FREVO_AUTH_NTLM, .user = "alice", .password = "secret"};
        struct frevo_url url;
        struct frevo_share *s = NULL;
        char text[64];
        (void)snprintf(text, sizeof text, "smb://127.0.0.1:%u/%s", listener_port(w->listener),
                       share);
        MUST(frevo_url_parse(text, &url, NULL) == 0);
        *ret_err = frevo_connect(w->ctx, &url, how ? how : &alice, &s);
        frevo_url_free(&url);
        return *ret_err ? NULL : s;
}

struct client_world *client_world_new(const struct testserver_options *o,
                                      const struct frevo_options *how)
{
        static const struct testserver_options plain;
        struct client_world *w = calloc(1, sizeof *w);
        char error[LISTENER_ERROR_TEXT];
        int err;
        MUST(w);
        w->server = testserver_new(o ? o : &plain);
        w->listener = listener_open(
                w->server->pool,
                &(struct listener_conf){.address = "127.0.0.1",
                                        .conn = smb2_front_conn_conf(w->server->front)},
                error);
        MUST(w->listener);
        w->ctx = frevo_new();
        MUST(w->ctx);
        w->share = client_world_connect(w, "test", how, &err);
        if (!w->share)
                (void)fprintf(stderr, "connect: %s\n", frevo_error_text(err, 0xffffffffu));
        MUST(w->share);
        return w;
}

void client_world_free(struct client_world *w)
{
        frevo_share_release(w->share);
        frevo_free(w->ctx);
        listener_close(w->listener);
        testserver_free(w->server);
        free(w);
}

const struct frevo_options client_patient = {
        .auth = FREVO_AUTH_NTLM, .user = "alice", .password = "secret", .reconnect_ms = 20000};

void client_world_cut(struct frevo_share *s)
{
        list_each_safe (&s->session->conns, it, next)
                client_conn_fail(list_entry(it, struct client_conn, in_session), ECONNRESET,
                                 STATUS_INVALID);
}
