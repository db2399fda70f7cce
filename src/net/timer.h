/* Timers of a loop: embedded in what they belong to, never allocated, any number of them.
 *
 * A pairing heap: start O(1), stop and fire O(log n) amortised. All calls on the loop's thread. The
 * clock is base/clock.h's, so tests can fake it.
 */
#ifndef FREVO_NET_TIMER_H
#define FREVO_NET_TIMER_H

#include <stdbool.h>
#include <stdint.h>

struct net_loop;

struct timer {
        struct timer *child, *next, *prev; /* prev: elder sibling, or the parent of a first child */
        uint64_t due_ms;                   /* clock_ms(); 0 = not started */
        void (*fn)(struct timer *t);
};

/* Zeroed memory is a timer that is not started. Starting a started timer moves it. fn runs once, on
 * the loop, never inside this call, not before ms milliseconds are over; it may start t again or
 * free it. */
void timer_start(struct net_loop *l, struct timer *t, uint32_t ms, void (*fn)(struct timer *t));
/* fn will not run. Harmless on a timer that is not started. */
void timer_stop(struct net_loop *l, struct timer *t);
static inline bool timer_is_started(const struct timer *t)
{
        return t->due_ms != 0;
}

/* The heap itself: the loop's business. */
struct timer_heap {
        struct timer *root;
};
void timer_heap_add(struct timer_heap *h, struct timer *t);
void timer_heap_remove(struct timer_heap *h, struct timer *t);
/* Runs what is due at now_ms; returns how many ran. Timers started by them wait for the next call.
 */
unsigned timer_heap_run(struct timer_heap *h, uint64_t now_ms);

#endif
