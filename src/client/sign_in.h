/* SESSION_SETUP, a client's way ([MS-SMB2] 3.2.4.2.3, 3.2.5.3): a new session, or a further channel
 * of one. The tokens come from auth/initiator.h, which may block, so it is asked on a worker. */
#ifndef FREVO_CLIENT_SIGN_IN_H
#define FREVO_CLIENT_SIGN_IN_H

#include "client/conn.h"

struct sign_in;

/* hint: the token of NEGOTIATE's reply; copied. Ends by client_session_conn_ready(), or by
 * client_conn_fail() with EACCES (or what fits better) and the server's status. */
void sign_in_start(struct client_conn *c, struct bytes hint);
void sign_in_free(struct sign_in *x);

/* The pre-authentication hash of a connection that is being set up: over each request as it goes
 * out (f, ready), and each reply. */
void sign_in_hash_request(struct client_conn *c, const struct client_frame *f);
void sign_in_hash_reply(struct client_conn *c, struct bytes msg, const struct smb2_header *h);

#endif
