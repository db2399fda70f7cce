/* For tests: the real server in this process, behind a real socket, and a client connected to it.
 */
#ifndef FREVO_CLIENT_CLIENT_TESTING_H
#define FREVO_CLIENT_CLIENT_TESTING_H

#include "frevo/frevo.h"

#include "front/smb2/testserver.h"
#include "net/listener.h"

struct client_world {
        struct testserver *server;
        struct listener *listener;
        struct frevo_ctx *ctx;
        struct frevo_share *share; /* "test", as alice */
};

/* how: NULL = alice's password and defaults. */
struct client_world *client_world_new(const struct testserver_options *o,
                                      const struct frevo_options *how);
/* The server checks then that nothing was left open. */
void client_world_free(struct client_world *w);
/* Another share or user; NULL: *ret_err. */
struct frevo_share *client_world_connect(struct client_world *w, const char *share,
                                         const struct frevo_options *how, int *ret_err);

/* As alice, who waits for a lost server. */
extern const struct frevo_options client_patient;
/* All connections of s end, as if the line had been cut. */
void client_world_cut(struct frevo_share *s);

#endif
