/* Getting a socket: name resolution and connect(2), on a worker, since both block. */
#ifndef FREVO_CLIENT_CONNECT_H
#define FREVO_CLIENT_CONNECT_H

#include "client/session.h"

/* Ends by client_session_connected(), later. False without memory. */
bool connect_start(struct client_session *s, bool bound);

#endif
