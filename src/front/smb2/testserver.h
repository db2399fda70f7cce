/* For tests: a whole front end in this process, with real loops and a volume in memory.
 *
 * Users alice (secret, administrator) and bob (secret2). Shares "test", "sealed" (encryption
 * demanded) and IPC$. Whatever does not work here is the test's own fault: it aborts.
 */
#ifndef FREVO_FRONT_SMB2_TESTSERVER_H
#define FREVO_FRONT_SMB2_TESTSERVER_H

#include "front/smb2/front.h"

struct testserver_options {
        unsigned loops; /* 0 = 1 */
        bool signing_required, anonymous;
        enum smb2_encrypt encrypt;
        uint16_t dialect_min, dialect_max; /* 0 = all */
};

struct testserver {
        struct net_pool *pool;
        struct smb2_front *front;
        struct fs *fs;
        struct user_db *users;
        struct acceptor_config auth;
        struct smb2_share *share[3];
        struct fs_cred *cred[2]; /* alice, bob */
};

struct testserver *testserver_new(const struct testserver_options *o);
/* Closes what is open, stops; nothing of the clients' may be left in the file service. */
void testserver_free(struct testserver *t);
/* A new connection on that loop; the client's end, blocking. */
int testserver_connect(struct testserver *t, unsigned loop);
/* Runs fn(arg) on that loop and waits for it. */
void testserver_on_loop(struct testserver *t, unsigned loop, void (*fn)(void *arg), void *arg);
/* That session's sign-in is over by the clock. */
void testserver_expire(struct testserver *t, uint64_t session_id);

#endif
