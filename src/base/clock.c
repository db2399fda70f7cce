/* See clock.h. */
#include "base/clock.h"

#include <stdatomic.h>

#define FT_PER_S 10000000LL
#define UNIX_EPOCH_FT 116444736000000000LL

_Atomic uint64_t clock_fake_ms;

uint64_t clock_ms(void)
{
        uint64_t fake = atomic_load_explicit(&clock_fake_ms, memory_order_relaxed);
        if (fake)
                return fake;
        struct timespec ts;
        (void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail for this clock */
        return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

uint64_t clock_us(void)
{
        struct timespec ts;
        (void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail for this clock */
        return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

int64_t clock_now_ft(void)
{
        struct timespec ts;
        (void)clock_gettime(CLOCK_REALTIME, &ts); /* cannot fail for this clock */
        return ft_of_timespec(ts);
}

int64_t ft_of_timespec(struct timespec ts)
{
        int64_t s, ft;
        if (__builtin_mul_overflow((int64_t)ts.tv_sec, FT_PER_S, &s) ||
            __builtin_add_overflow(s, UNIX_EPOCH_FT + ts.tv_nsec / 100, &ft))
                return ts.tv_sec < 0 ? INT64_MIN : INT64_MAX;
        return ft;
}

struct timespec timespec_of_ft(int64_t ft)
{
        int64_t s = ft / FT_PER_S - UNIX_EPOCH_FT / FT_PER_S, rest = ft % FT_PER_S;
        if (rest < 0) {
                rest += FT_PER_S;
                s--;
        }
        return (struct timespec){.tv_sec = s, .tv_nsec = rest * 100};
}
