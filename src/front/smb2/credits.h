/* The command sequence window of a connection: which MessageIds may come, and how many more are
 * granted ([MS-SMB2] 3.3.1.1, 3.3.1.2, 3.3.5.2.3). Pure bookkeeping, no I/O.
 */
#ifndef FREVO_FRONT_SMB2_CREDITS_H
#define FREVO_FRONT_SMB2_CREDITS_H

#include "base/bytes.h"
#include "base/limits.h"

struct smb2_credits {
        uint64_t low;  /* lowest MessageId not yet used */
        uint64_t high; /* one past the highest granted; high - low <= LIMIT_CREDITS */
        uint64_t used[LIMIT_CREDITS / 64]; /* a ring of bits, by MessageId % LIMIT_CREDITS */
};

/* A window of the one MessageId 0. */
void smb2_credits_init(struct smb2_credits *c);
/* Takes `charge` consecutive ids from `id` (charge 0 counts as 1). False, and nothing is taken,
 * when one of them lies outside the window or was used: the peer broke the protocol. */
bool smb2_credits_take(struct smb2_credits *c, uint64_t id, uint16_t charge);
/* Widens the window by what a request that asked for `want` gets while at most `max` ids may be
 * outstanding; returns how many. At least 1 as long as the peer would have none left. */
uint16_t smb2_credits_grant(struct smb2_credits *c, uint16_t want, uint32_t max);
/* Ids granted and not used. */
uint32_t smb2_credits_left(const struct smb2_credits *c);

#endif
