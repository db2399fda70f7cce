/* See timer.h. A pairing heap: the root is due first, every node before its children. Merging is by
 * iteration, not recursion: a peer's timing must not choose our stack depth.
 */
#include "net/timer.h"

#include <assert.h>
#include <stddef.h>

#include "base/clock.h"
#include "net/loop_impl.h"

/* Both are roots without siblings; either may be NULL. */
static struct timer *meld(struct timer *a, struct timer *b)
{
        if (!a || !b)
                return a ? a : b;
        if (b->due_ms < a->due_ms) {
                struct timer *t = a;
                a = b;
                b = t;
        }
        b->prev = a;
        b->next = a->child;
        if (b->next)
                b->next->prev = b;
        a->child = b;
        return a;
}

/* The children in `first`'s sibling list become one heap: pairs from the left, then all from the
 * right, which is what makes it O(log n) amortised. */
static struct timer *meld_siblings(struct timer *first)
{
        struct timer *pairs = NULL;
        while (first) {
                struct timer *a = first, *b = a->next;
                first = b ? b->next : NULL;
                a->next = a->prev = NULL;
                if (b)
                        b->next = b->prev = NULL;
                a = meld(a, b);
                a->next = pairs; /* a stack by `next`, taken apart below */
                pairs = a;
        }
        struct timer *root = NULL;
        while (pairs) {
                struct timer *a = pairs;
                pairs = a->next;
                a->next = NULL;
                root = meld(root, a);
        }
        return root;
}

void timer_heap_add(struct timer_heap *h, struct timer *t)
{
        assert(t->due_ms != 0);
        t->child = t->next = t->prev = NULL;
        h->root = meld(h->root, t);
}

void timer_heap_remove(struct timer_heap *h, struct timer *t)
{
        if (h->root == t) {
                h->root = meld_siblings(t->child);
        } else {
                if (t->prev->child == t)
                        t->prev->child = t->next;
                else
                        t->prev->next = t->next;
                if (t->next)
                        t->next->prev = t->prev;
                h->root = meld(h->root, meld_siblings(t->child));
        }
        t->child = t->next = t->prev = NULL;
        t->due_ms = 0;
}

unsigned timer_heap_run(struct timer_heap *h, uint64_t now_ms)
{
        unsigned n = 0;
        /* timer_start counts from a clock that is not before now_ms and by at least 1 ms, so a
         * timer that starts itself again is not due in this call. */
        while (h->root && h->root->due_ms <= now_ms) {
                struct timer *t = h->root;
                timer_heap_remove(h, t);
                n++;
                t->fn(t);
        }
        return n;
}

void timer_start(struct net_loop *l, struct timer *t, uint32_t ms, void (*fn)(struct timer *t))
{
        assert(loop_is_mine(l));
        if (t->due_ms)
                timer_heap_remove(&l->timers, t);
        t->fn = fn;
        /* + 1: the current millisecond is already partly over. */
        t->due_ms = clock_ms() + ms + 1;
        timer_heap_add(&l->timers, t);
}

void timer_stop(struct net_loop *l, struct timer *t)
{
        assert(loop_is_mine(l));
        if (t->due_ms)
                timer_heap_remove(&l->timers, t);
}
