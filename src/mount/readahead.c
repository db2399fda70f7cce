/* See readahead.h. */
#include "mount/readahead.h"

#include <stdlib.h>

/* The kernel reads in several requests at once, which may come out of order: this far apart, reads
 * are still in order. */
#define SLACK_BYTES (2u * 1024 * 1024)
/* A file that was just opened is read from its beginning, as a rule to its end. */
#define IN_ORDER_MIN 2u

void ra_init(struct readahead *r, uint32_t block_bytes, unsigned window_max,
             void (*drop)(void *keep))
{
        *r = (struct readahead){
                .block_bytes = block_bytes, .window_max = window_max, .window = 1, .drop = drop};
        list_init(&r->blocks);
        list_init(&r->retired);
}

static void block_free(struct readahead *r, struct block *b)
{
        list_remove(&b->link);
        if (b->keep)
                r->drop(b->keep);
        free(b);
}

static bool is_free(const struct block *b)
{
        return b->users == 0 && b->state != BLOCK_ASKED;
}

/* Out of the way of new reads. */
static void retire(struct readahead *r, struct block *b)
{
        b->stale = true;
        if (is_free(b)) {
                block_free(r, b);
                return;
        }
        list_remove(&b->link);
        list_add_last(&r->retired, &b->link);
}

void ra_fini(struct readahead *r)
{
        ra_invalidate(r, 0, 0);
}

bool ra_note(struct readahead *r, uint64_t off, size_t n)
{
        bool near = off + SLACK_BYTES >= r->next && off <= r->next + SLACK_BYTES;
        if (near) {
                r->in_order++;
                if (off + n > r->next)
                        r->next = off + n;
        } else {
                ra_invalidate(r, 0, 0);
                r->in_order = 0;
                r->window = 1;
                r->next = off + n;
                r->asked_to = 0;
        }
        return near && (r->in_order >= IN_ORDER_MIN || off == 0 || ra_find(r, off));
}

struct block *ra_find(const struct readahead *r, uint64_t off)
{
        list_each (&r->blocks, it) {
                struct block *b = list_entry(it, struct block, link);
                if (off >= b->off && off < b->off + b->n)
                        return b;
        }
        return NULL;
}

static struct block *add(struct readahead *r, uint64_t off, uint64_t size)
{
        struct block *b = calloc(1, sizeof *b);
        struct list *behind = &r->blocks;
        if (!b)
                return NULL;
        b->off = off;
        b->n = size - off < r->block_bytes ? (uint32_t)(size - off) : r->block_bytes;
        while (behind->prev != &r->blocks &&
               list_entry(behind->prev, struct block, link)->off > off)
                behind = behind->prev;
        list_add_last(behind, &b->link);
        if (b->off + b->n > r->asked_to)
                r->asked_to = b->off + b->n;
        return b;
}

struct block *ra_ask(struct readahead *r, uint64_t off, size_t n, uint64_t size)
{
        uint64_t end = off + n < size ? off + n : size;
        for (uint64_t at = off; at < end;) {
                struct block *b = ra_find(r, at);
                if (!b)
                        return add(r, at - at % r->block_bytes, size);
                if (!b->touched) {
                        b->touched = true;
                        r->window = 2 * r->window < r->window_max ? 2 * r->window : r->window_max;
                }
                at = b->off + b->n;
        }
        uint64_t ahead = end + (uint64_t)r->window * r->block_bytes;
        for (uint64_t at = end - end % r->block_bytes; at < ahead && at < size;
             at += r->block_bytes)
                if (!ra_find(r, at) && at >= end)
                        return add(r, at, size);
        return NULL;
}

void ra_came(struct readahead *r, struct block *b, int err, const void *data, size_t n, void *keep)
{
        b->state = err ? BLOCK_FAILED : BLOCK_HERE;
        b->err = err;
        b->data = data;
        b->got = n;
        b->keep = keep;
        if (b->stale && is_free(b))
                block_free(r, b);
        else if (err && !b->stale)
                retire(r, b);
}

void ra_release(struct readahead *r, struct block *b)
{
        b->users--;
        if (b->stale && is_free(b))
                block_free(r, b);
}

void ra_consumed(struct readahead *r, uint64_t off, size_t n)
{
        uint64_t end = off + n;
        list_each_safe (&r->blocks, it, next) {
                struct block *b = list_entry(it, struct block, link);
                bool at_end = b->state == BLOCK_HERE && end >= b->off + b->got && b->got < b->n;
                if (is_free(b) && (b->off + b->n + SLACK_BYTES <= end || at_end))
                        block_free(r, b);
        }
}

void ra_invalidate(struct readahead *r, uint64_t off, uint64_t n)
{
        list_each_safe (&r->blocks, it, next) {
                struct block *b = list_entry(it, struct block, link);
                if (b->off + b->n > off && (n == 0 || b->off < off + n))
                        retire(r, b);
        }
}
