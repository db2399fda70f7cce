/* Time: one monotonic clock for intervals, and FILETIME for everything that a peer sees.
 *
 * FILETIME (suffix _ft): 100 ns units since 1601-01-01 UTC, signed on our side; 0 means "not set".
 */
#ifndef FREVO_BASE_CLOCK_H
#define FREVO_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock that never steps. Tests may replace it: see clock_fake_ms. */
uint64_t clock_ms(void);
/* Microseconds of the same clock, for measuring; never faked. */
uint64_t clock_us(void);
/* Wall clock now. */
int64_t clock_now_ft(void);

/* Both ways, whole range of int64_t FILETIME, before 1970 too; ts is normalised (0 <= ns < 1e9). */
int64_t ft_of_timespec(struct timespec ts);
struct timespec timespec_of_ft(int64_t ft);

/* When not 0, clock_ms() returns this: for tests of timers without sleeping. */
extern _Atomic uint64_t clock_fake_ms;

#endif
