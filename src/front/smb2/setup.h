/* A sign-in under way on one connection: for a new session, for one more channel of a session that
 * stands elsewhere (binding), or again for a session that stands here ([MS-SMB2] 3.3.5.5).
 *
 * Loop only; while `busy`, a worker has the acceptor. Reference counted: the connection's list
 * holds one, each call in it one.
 */
#ifndef FREVO_FRONT_SMB2_SETUP_H
#define FREVO_FRONT_SMB2_SETUP_H

#include "front/smb2/session.h"

enum smb2_setup_kind { SMB2_SETUP_NEW, SMB2_SETUP_BINDING, SMB2_SETUP_AGAIN };

struct smb2_setup {
        struct list conn_link, local_link;
        unsigned refs;
        struct smb2_conn *conn; /* borrowed; NULL once it ended */
        enum smb2_setup_kind kind;
        struct smb2_session *session; /* one reference */
        struct acceptor *acceptor;    /* owned */
        struct preauth preauth;
        bool busy;
        struct timer timer; /* half-open sign-ins expire */

        /* The step on the worker: */
        struct bytes token, answer;
        enum auth_verdict verdict;

        /* Looking for the session that PreviousSessionId names, maybe on another loop: */
        struct smb2_call *call; /* the one that waits */
        uint64_t previous_id;
        struct smb2_local *previous_home;
        struct task there, ended, back;
};

/* The one of that session on that connection; borrowed; NULL. */
struct smb2_setup *smb2_setup_lookup(const struct smb2_conn *c, uint64_t session_id);
/* NULL without memory. Takes a reference on s. The loop's oldest one ends when there are too many:
 * whoever begins sign-ins and leaves them, on however many connections, costs no more memory than
 * that, and shuts nobody out who needs less time than the flood needs for as many. */
struct smb2_setup *smb2_setup_new(struct smb2_conn *c, struct smb2_session *s,
                                  enum smb2_setup_kind kind);
void smb2_setup_unref(struct smb2_setup *u);
/* Takes it off its connection; a new session that never stood ends with it. */
void smb2_setup_end(struct smb2_setup *u);

#endif
