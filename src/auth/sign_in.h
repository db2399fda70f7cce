/* What the mechanisms of one sign-in share: the result in the making. For this folder. */
#ifndef FREVO_AUTH_SIGN_IN_H
#define FREVO_AUTH_SIGN_IN_H

#include "auth/acceptor.h"

struct sign_in {
        const struct acceptor_config *cfg; /* borrowed */
        char peer[128];                    /* "" = unknown */
        enum auth_reason reason;
        uint64_t wait_ms;
        struct auth_identity id;
        char claimed_user[USER_NAME_MAX], claimed_domain[USER_NAME_MAX];
};

static inline enum auth_verdict sign_in_fail(struct sign_in *s, enum auth_reason why)
{
        s->reason = why;
        return AUTH_FAILED;
}

/* The session keys from the mechanism's key; longer than the identity holds is cut. */
void sign_in_set_key(struct auth_identity *id, struct bytes key);

#endif
