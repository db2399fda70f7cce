/* Pooled, page-aligned, reference-counted buffers in five sizes.
 *
 * buf_get/ref/unref may be called on any thread. A loop's thread has a small cache of its own in
 * front of the shared pool; other threads give buffers back to the shared pool. What nobody has
 * needed for a few seconds goes back to the system, so an idle server holds nothing.
 * The memory is not zeroed: whoever sends from a buffer sends only what it wrote.
 */
#ifndef FREVO_NET_BUF_H
#define FREVO_NET_BUF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"

/* The large classes have room for headers and for shifting a payload to a page boundary. */
#define BUF_ROOM_BYTES (64u * 1024 + 4096)
#define BUF_MAX_BYTES (8u * 1024 * 1024 + BUF_ROOM_BYTES)
#define BUF_CLASSES 5

struct buf_pool;

struct buf {
        uint8_t *p; /* page-aligned, cap bytes */
        size_t cap;
        struct buf_pool *pool;
        struct buf *next; /* the free list's */
        atomic_uint refs;
        uint8_t class;
};

/* keep_bytes bounds the unused memory that the shared pool holds. NULL without memory. */
struct buf_pool *buf_pool_new(size_t keep_bytes);
/* All buffers must have come back (asserted). NULL is allowed. */
void buf_pool_free(struct buf_pool *p);

/* One reference to a buffer with cap >= size; NULL without memory or for size > BUF_MAX_BYTES. */
struct buf *buf_get(struct buf_pool *p, size_t size) MUST_USE;
/* Returns b. */
struct buf *buf_ref(struct buf *b);
/* The last one returns the buffer to the pool. NULL is allowed. */
void buf_unref(struct buf *b);
/* True if the caller's reference is the only one. */
static inline bool buf_is_alone(struct buf *b)
{
        return atomic_load_explicit(&b->refs, memory_order_acquire) == 1;
}
AUTO_DEFINE(buf_unref, struct buf *);

/* Bytes of all buffers that exist, in use or kept; for metrics and tests. Any thread. */
size_t buf_pool_bytes(struct buf_pool *p);
/* Of those, the bytes that somebody holds a reference to. */
size_t buf_pool_used_bytes(struct buf_pool *p);

/* A thread's cache: the loops' business. */
struct buf_cache {
        struct buf_pool *pool;
        struct buf *free[BUF_CLASSES];
        unsigned n[BUF_CLASSES], low[BUF_CLASSES]; /* low: fewest since the last trim */
        bool touched;                              /* used since the last trim */
        bool ticking;                              /* buf_cache_trim will be called */
};
void buf_cache_init(struct buf_cache *c, struct buf_pool *p);
/* Everything back to the shared pool; the thread that entered c leaves it first. */
void buf_cache_fini(struct buf_cache *c);
/* c becomes the calling thread's cache; NULL = none. */
void buf_cache_enter(struct buf_cache *c);
/* True when buf_cache_trim must be called from now on, every BUF_TRIM_MS, until it returns false.
 */
#define BUF_TRIM_MS 2000u
bool buf_cache_start(struct buf_cache *c);
/* On the cache's thread: frees what was not used since the last call, here and in the shared pool.
 * False when nothing is left to free. */
bool buf_cache_trim(struct buf_cache *c);

#endif
