/* Slows guessing: failed sign-ins cost waiting time, per user at an address and per address.
 *
 * The first LIMIT_AUTH_FAILURES failures of a user from one address are free (people mistype), and
 * the first LIMIT_AUTH_FAILURES_ADDRESS of an address whoever was named; from then on each doubles
 * a delay, from 1 s up to 60 s, during which further attempts are refused without looking at the
 * password. A user is never slowed by what others try from elsewhere: that would let anybody shut
 * anybody out. Counts are forgotten 15 minutes after the last failure, and a user's at an address
 * on success there. The table is bounded: when full, the entry that failed longest ago makes room.
 * Thread-safe. Time is clock_ms().
 */
#ifndef FREVO_AUTH_THROTTLE_H
#define FREVO_AUTH_THROTTLE_H

#include <stdint.h>

#include "base/auto.h"

struct throttle;

/* NULL without memory. */
struct throttle *throttle_new(void);
void throttle_free(struct throttle *t);
AUTO_DEFINE(throttle_free, struct throttle *);

/* How long this user (case does not matter) from this address has to wait, in ms; 0 = go ahead.
 * address is any text that names the peer without its port; either may be NULL = unknown. */
uint64_t throttle_wait_ms(struct throttle *t, const char *user, const char *address);
void throttle_failed(struct throttle *t, const char *user, const char *address);
void throttle_succeeded(struct throttle *t, const char *user, const char *address);

#endif
