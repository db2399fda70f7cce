#include "cli/copy/bucket.h"

#define BURST_US 100000u /* saved up while nothing was taken */

void bucket_init(struct bucket *b, uint64_t rate, uint64_t now_us)
{
        *b = (struct bucket){.rate = rate, .at_us = now_us};
}

uint64_t bucket_wait_us(struct bucket *b, uint64_t now_us)
{
        if (!b->rate)
                return 0;
        uint64_t elapsed_us = now_us - b->at_us;
        /* Whole seconds apart: their product would not fit with days and gigabytes. */
        uint64_t grown =
                elapsed_us / 1000000u * b->rate + elapsed_us % 1000000u * b->rate / 1000000u;
        int64_t burst = (int64_t)(b->rate * BURST_US / 1000000u);
        if (grown) {
                b->level += (int64_t)grown;
                b->at_us = now_us;
        }
        if (b->level > burst)
                b->level = burst;
        return b->level >= 0 ? 0 : (uint64_t)-b->level * 1000000u / b->rate + 1;
}

void bucket_take(struct bucket *b, uint64_t n)
{
        if (b->rate)
                b->level -= (int64_t)n;
}
