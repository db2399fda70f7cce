/* See buf.h. Small buffers come from the allocator; larger ones are mappings, because those really
 * go back to the system. A free list is a stack: the buffer used last is the one in the CPU's
 * cache.
 */
#include "net/buf.h"

#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define BUF_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(BUF_ASAN)
#include <sanitizer/asan_interface.h> /* an unused buffer is no one's to read */
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define BUF_ALIGN 4096u
#define BUF_MMAP_MIN (64u * 1024)

static const struct {
        size_t cap;
        unsigned cache_max; /* unused buffers that one loop keeps */
} class_of[BUF_CLASSES] = {
        {4096, 64},         {64u * 1024, 32}, {256u * 1024, 16}, {1024u * 1024 + BUF_ROOM_BYTES, 8},
        {BUF_MAX_BYTES, 4},
};

struct buf_pool {
        pthread_mutex_t lock;
        /* Under lock: */
        struct buf *free[BUF_CLASSES];
        unsigned n[BUF_CLASSES], low[BUF_CLASSES]; /* low: fewest since the last trim */
        size_t kept, keep_max;                     /* bytes in free */
        unsigned tickers;                          /* caches that will call buf_cache_trim */

        atomic_size_t bytes, used_bytes;
};

static _Thread_local struct buf_cache *my_cache;

struct buf_pool *buf_pool_new(size_t keep_bytes)
{
        struct buf_pool *p = calloc(1, sizeof *p);
        if (!p)
                return NULL;
        p->keep_max = keep_bytes;
        pthread_mutex_init(&p->lock, NULL);
        return p;
}

static struct buf *buf_new(struct buf_pool *p, unsigned class)
{
        struct buf *b = calloc(1, sizeof *b);
        if (!b)
                return NULL;
        b->cap = class_of[class].cap;
        b->class = (uint8_t) class;
        b->pool = p;
        void *m = NULL;
        if (b->cap >= BUF_MMAP_MIN) {
                m = mmap(NULL, b->cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (m == MAP_FAILED)
                        m = NULL;
        } else if (posix_memalign(&m, BUF_ALIGN, b->cap) != 0) {
                m = NULL;
        }
        if (!m) {
                free(b);
                return NULL;
        }
        b->p = m;
        atomic_fetch_add_explicit(&p->bytes, b->cap, memory_order_relaxed);
        return b;
}

static void buf_free(struct buf *b)
{
        atomic_fetch_sub_explicit(&b->pool->bytes, b->cap, memory_order_relaxed);
        ASAN_UNPOISON_MEMORY_REGION(b->p, b->cap);
        if (b->cap >= BUF_MMAP_MIN)
                (void)munmap(b->p, b->cap); /* cannot fail for a whole mapping of ours */
        else
                free(b->p);
        free(b);
}

static void buf_free_all(struct buf *b)
{
        while (b) {
                struct buf *next = b->next;
                buf_free(b);
                b = next;
        }
}

void buf_pool_free(struct buf_pool *p)
{
        if (!p)
                return;
        for (unsigned k = 0; k < BUF_CLASSES; k++)
                buf_free_all(p->free[k]);
        assert(atomic_load(&p->bytes) == 0 && "a buffer is still in use");
        pthread_mutex_destroy(&p->lock);
        free(p);
}

/* Pops from the stack at *top of *n entries; keeps *low. */
static struct buf *stack_pop(struct buf **top, unsigned *n, unsigned *low)
{
        struct buf *b = *top;
        if (!b)
                return NULL;
        *top = b->next;
        if (--*n < *low)
                *low = *n;
        return b;
}

static struct buf *shared_pop(struct buf_pool *p, unsigned k)
{
        pthread_mutex_lock(&p->lock);
        struct buf *b = stack_pop(&p->free[k], &p->n[k], &p->low[k]);
        if (b)
                p->kept -= b->cap;
        pthread_mutex_unlock(&p->lock);
        return b;
}

/* Keeps b unless that is too much, or nobody would ever free it again. */
static void shared_push(struct buf_pool *p, struct buf *b)
{
        pthread_mutex_lock(&p->lock);
        bool keep = p->tickers > 0 && p->kept + b->cap <= p->keep_max;
        if (keep) {
                b->next = p->free[b->class];
                p->free[b->class] = b;
                p->n[b->class]++;
                p->kept += b->cap;
        }
        pthread_mutex_unlock(&p->lock);
        if (!keep)
                buf_free(b);
}

struct buf *buf_get(struct buf_pool *p, size_t size)
{
        unsigned k = 0;
        while (k < BUF_CLASSES && class_of[k].cap < size)
                k++;
        if (k == BUF_CLASSES)
                return NULL;
        struct buf_cache *c = my_cache && my_cache->pool == p ? my_cache : NULL;
        struct buf *b = NULL;
        if (c) {
                c->touched = true;
                b = stack_pop(&c->free[k], &c->n[k], &c->low[k]);
        }
        if (!b)
                b = shared_pop(p, k);
        if (!b)
                b = buf_new(p, k);
        if (!b)
                return NULL;
        ASAN_UNPOISON_MEMORY_REGION(b->p, b->cap);
        b->next = NULL;
        atomic_store_explicit(&b->refs, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&p->used_bytes, b->cap, memory_order_relaxed);
        return b;
}

struct buf *buf_ref(struct buf *b)
{
        unsigned was = atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
        assert(was > 0);
        (void)was;
        return b;
}

void buf_unref(struct buf *b)
{
        if (!b)
                return;
        unsigned was = atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel);
        assert(was > 0);
        if (was != 1)
                return;
        struct buf_pool *p = b->pool;
        atomic_fetch_sub_explicit(&p->used_bytes, b->cap, memory_order_relaxed);
        ASAN_POISON_MEMORY_REGION(b->p, b->cap);
        struct buf_cache *c = my_cache;
        if (!c || c->pool != p || c->n[b->class] >= class_of[b->class].cache_max) {
                shared_push(p, b);
                return;
        }
        c->touched = true;
        b->next = c->free[b->class];
        c->free[b->class] = b;
        c->n[b->class]++;
}

size_t buf_pool_bytes(struct buf_pool *p)
{
        return atomic_load_explicit(&p->bytes, memory_order_relaxed);
}

size_t buf_pool_used_bytes(struct buf_pool *p)
{
        return atomic_load_explicit(&p->used_bytes, memory_order_relaxed);
}

void buf_cache_init(struct buf_cache *c, struct buf_pool *p)
{
        *c = (struct buf_cache){.pool = p};
}

void buf_cache_enter(struct buf_cache *c)
{
        my_cache = c;
}

void buf_cache_fini(struct buf_cache *c)
{
        if (my_cache == c)
                my_cache = NULL;
        if (c->ticking) {
                pthread_mutex_lock(&c->pool->lock);
                c->pool->tickers--;
                pthread_mutex_unlock(&c->pool->lock);
                c->ticking = false;
        }
        for (unsigned k = 0; k < BUF_CLASSES; k++) {
                buf_free_all(c->free[k]);
                c->free[k] = NULL;
                c->n[k] = c->low[k] = 0;
        }
}

bool buf_cache_start(struct buf_cache *c)
{
        if (!c->touched || c->ticking)
                return false;
        pthread_mutex_lock(&c->pool->lock);
        c->pool->tickers++;
        pthread_mutex_unlock(&c->pool->lock);
        c->ticking = true;
        return true;
}

/* Takes n from the stack at *top and puts them on *out. */
static void stack_move(struct buf **top, unsigned n, struct buf **out)
{
        while (n--) {
                struct buf *b = *top;
                *top = b->next;
                b->next = *out;
                *out = b;
        }
}

/* The part of buf_cache_trim for the shared pool. Whether the cache may cease to tick is decided
 * under the lock: shared_push keeps nothing once nobody ticks. */
static void shared_trim(struct buf_cache *c, bool cache_empty, struct buf **out)
{
        struct buf_pool *p = c->pool;
        pthread_mutex_lock(&p->lock);
        for (unsigned k = 0; k < BUF_CLASSES; k++) {
                p->kept -= p->low[k] * class_of[k].cap;
                stack_move(&p->free[k], p->low[k], out);
                p->n[k] -= p->low[k];
                p->low[k] = p->n[k];
        }
        if (cache_empty && p->kept == 0) {
                p->tickers--;
                c->ticking = false;
        }
        pthread_mutex_unlock(&p->lock);
}

bool buf_cache_trim(struct buf_cache *c)
{
        struct buf *out = NULL;
        bool empty = !c->touched;
        for (unsigned k = 0; k < BUF_CLASSES; k++) {
                stack_move(&c->free[k], c->low[k], &out);
                c->n[k] -= c->low[k];
                c->low[k] = c->n[k];
                empty = empty && c->n[k] == 0;
        }
        c->touched = false;
        shared_trim(c, empty, &out);
        buf_free_all(out);
        return c->ticking;
}
