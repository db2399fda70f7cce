/* The pre-authentication integrity hash of dialect 3.1.1: SHA-512 chained over whole messages.
 *
 * A connection's covers NEGOTIATE request and response; each session (and each binding) starts from
 * a copy of it and adds its SESSION_SETUP messages, without the last, successful response
 * ([MS-SMB2] 3.2.5.2, 3.3.5.4, 3.3.5.5). Plain data: copy by assignment. */
#ifndef FREVO_CRYPTO_PREAUTH_H
#define FREVO_CRYPTO_PREAUTH_H

#include "base/bytes.h"

#define PREAUTH_LEN 64u

struct preauth {
        uint8_t value[PREAUTH_LEN];
};

static inline void preauth_init(struct preauth *p)
{
        memset(p->value, 0, sizeof p->value);
}

/* value = SHA-512(value || message); the message, from its SMB2 header on, comes in parts. */
void preauth_add(struct preauth *p, const struct bytes *parts, size_t n);

#endif
