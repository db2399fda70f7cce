#include "cli/copy/window.h"

#define MEASURE_MIN_US 50000u /* shorter ones see bursts, not the line */

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
        return v < low ? low : v > high ? high : v;
}

void window_init(struct window *w)
{
        *w = (struct window){.size = WINDOW_MIN_BYTES};
}

bool window_has_room(const struct window *w, uint64_t n)
{
        return !w->in_flight || w->in_flight + n <= w->size;
}

void window_take(struct window *w, uint64_t n, uint64_t now_us)
{
        if (!w->in_flight) { /* what was idle says nothing about the line */
                w->since_us = now_us;
                w->measured = 0;
        }
        w->in_flight += n;
}

/* A line does not become slow because a server thought for a moment: the rate falls slowly. */
static void measure(struct window *w, uint64_t elapsed_us, unsigned rtt_us)
{
        uint64_t rate = w->measured * 1000000u / elapsed_us;
        uint64_t faded = w->rate - w->rate / 16;
        w->rate = rate > faded ? rate : faded;
        w->size = clamp(2 * w->rate * rtt_us / 1000000u, WINDOW_MIN_BYTES, WINDOW_MAX_BYTES);
}

void window_give(struct window *w, uint64_t n, uint64_t now_us, unsigned rtt_us)
{
        w->in_flight -= n < w->in_flight ? n : w->in_flight;
        w->measured += n;
        uint64_t elapsed_us = now_us - w->since_us;
        uint64_t wanted_us = 2ull * rtt_us > MEASURE_MIN_US ? 2ull * rtt_us : MEASURE_MIN_US;
        if (elapsed_us < wanted_us)
                return;
        measure(w, elapsed_us, rtt_us);
        w->since_us = now_us;
        w->measured = 0;
}

/* At least eight in flight, so that the line is busy while one of them is dealt with. */
uint32_t window_block(const struct window *w, uint32_t max)
{
        uint64_t n = clamp(w->size / 8, WINDOW_BLOCK_MIN, WINDOW_BLOCK_MAX);
        n -= n % 65536; /* whole credits of [MS-SMB2] 3.1.5.2 */
        return max && max < n ? max : (uint32_t)n;
}
