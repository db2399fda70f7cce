/* NEGOTIATE, a client's way ([MS-SMB2] 3.2.4.2.2, 3.2.5.2), and its validation below 3.1.1. */
#ifndef FREVO_CLIENT_NEGOTIATE_H
#define FREVO_CLIENT_NEGOTIATE_H

#include "client/conn.h"
#include "wire/smb2/fsctl.h"

/* Sends NEGOTIATE on a fresh connection; goes on with sign_in_start(). */
void negotiate_start(struct client_conn *c);

/* What was asked, for FSCTL_VALIDATE_NEGOTIATE_INFO. */
void negotiate_asked(const struct client_session *s, struct validate_negotiate_info_req *out);
/* Whether the server, in words that are signed, says that it heard that and answered what we got.
 */
bool negotiate_was_honest(const struct client_session *s,
                          const struct validate_negotiate_info_rsp *r);

#endif
