/* See writeback.h. */
#include "mount/writeback.h"

#define ROOM_MIN 4096u

void wb_init(struct writeback *w, size_t extent_max, void *owner)
{
        *w = (struct writeback){.extent_max = extent_max, .owner = owner};
        list_init(&w->dirty);
        list_init(&w->sending);
}

static void extent_drop(struct writeback *w, struct extent *e)
{
        list_remove(&e->link);
        w->bytes -= e->n;
        free(e->data);
        free(e);
}

void wb_fini(struct writeback *w)
{
        while (!list_empty(&w->dirty))
                extent_drop(w, list_entry(w->dirty.next, struct extent, link));
        while (!list_empty(&w->sending))
                extent_drop(w, list_entry(w->sending.next, struct extent, link));
}

static uint64_t end_of(const struct extent *e)
{
        return e->off + e->n;
}

/* The dirty extent that an offset belongs in front of: the first that begins behind it, or the
 * list's head. Files are mostly written from front to back: looked for from the end. */
static struct list *first_behind(struct writeback *w, uint64_t off)
{
        struct list *it = &w->dirty;
        while (it->prev != &w->dirty && list_entry(it->prev, struct extent, link)->off > off)
                it = it->prev;
        return it;
}

static size_t room_for(const struct writeback *w, size_t n)
{
        size_t room = ROOM_MIN;
        while (room < n)
                room *= 2;
        return room < w->extent_max ? room : w->extent_max;
}

/* Adds up to n bytes at e's end; returns how many. */
static size_t append(struct writeback *w, struct extent *e, const uint8_t *data, size_t n)
{
        if (n > w->extent_max - e->n)
                n = w->extent_max - e->n;
        if (n == 0)
                return 0;
        if (e->n + n > e->room) {
                size_t room = room_for(w, e->n + n);
                uint8_t *more = realloc(e->data, room);
                if (!more)
                        return 0;
                e->data = more;
                e->room = room;
        }
        memcpy(e->data + e->n, data, n);
        e->n += n;
        w->bytes += n;
        return n;
}

static struct extent *extent_new(struct writeback *w, struct list *behind, uint64_t off)
{
        struct extent *e = calloc(1, sizeof *e);
        if (!e)
                return NULL;
        e->off = off;
        e->owner = w->owner;
        list_add_last(behind, &e->link);
        return e;
}

/* Puts in what comes next; returns how much, 0 without memory. */
static size_t write_some(struct writeback *w, uint64_t off, const uint8_t *data, size_t n)
{
        struct list *behind = first_behind(w, off);
        struct extent *e =
                behind->prev == &w->dirty ? NULL : list_entry(behind->prev, struct extent, link);
        if (e && off < end_of(e)) {
                size_t at = (size_t)(off - e->off);
                size_t part = n < e->n - at ? n : e->n - at;
                memcpy(e->data + at, data, part);
                return part;
        }
        if (behind != &w->dirty) {
                uint64_t gap = list_entry(behind, struct extent, link)->off - off;
                n = n < gap ? n : (size_t)gap;
        }
        if (e && off == end_of(e) && e->n < w->extent_max)
                return append(w, e, data, n);
        e = extent_new(w, behind, off);
        size_t done = e ? append(w, e, data, n) : 0;
        if (e && !done)
                extent_drop(w, e);
        return done;
}

bool wb_write(struct writeback *w, uint64_t off, const void *data, size_t n)
{
        const uint8_t *p = data;
        while (n) {
                size_t done = write_some(w, off, p, n);
                if (!done)
                        return false;
                off += done;
                p += done;
                n -= done;
        }
        return true;
}

static bool overlaps(const struct extent *e, uint64_t off, size_t n)
{
        return off < end_of(e) && e->off < off + n;
}

static bool is_covered_by_sending(const struct writeback *w, const struct extent *e)
{
        list_each (&w->sending, it)
                if (overlaps(list_entry(it, struct extent, link), e->off, e->n))
                        return true;
        return false;
}

struct extent *wb_send(struct writeback *w, bool all)
{
        list_each (&w->dirty, it) {
                struct extent *e = list_entry(it, struct extent, link);
                if ((!all && e->n < w->extent_max) || is_covered_by_sending(w, e))
                        continue;
                list_remove(&e->link);
                list_add_last(&w->sending, &e->link);
                e->sending = true;
                return e;
        }
        return NULL;
}

void wb_sent(struct writeback *w, struct extent *e)
{
        extent_drop(w, e);
}

void wb_cut(struct writeback *w, uint64_t size)
{
        list_each_safe (&w->dirty, it, next) {
                struct extent *e = list_entry(it, struct extent, link);
                if (e->off >= size) {
                        extent_drop(w, e);
                } else if (end_of(e) > size) {
                        w->bytes -= e->n - (size_t)(size - e->off);
                        e->n = (size_t)(size - e->off);
                }
        }
}

bool wb_touches(const struct writeback *w, uint64_t off, size_t n)
{
        const struct list *lists[] = {&w->dirty, &w->sending};
        for (size_t i = 0; i < 2; i++)
                list_each (lists[i], it)
                        if (overlaps(list_entry(it, struct extent, link), off, n))
                                return true;
        return false;
}

/* The furthest end of an extent that holds `off`, or `off`. */
static uint64_t covered_to(const struct writeback *w, uint64_t off)
{
        const struct list *lists[] = {&w->dirty, &w->sending};
        uint64_t to = off;
        for (size_t i = 0; i < 2; i++)
                list_each (lists[i], it) {
                        const struct extent *e = list_entry(it, struct extent, link);
                        if (e->off <= off && end_of(e) > to)
                                to = end_of(e);
                }
        return to;
}

bool wb_covers(const struct writeback *w, uint64_t off, size_t n)
{
        uint64_t end = off + n;
        while (off < end) {
                uint64_t to = covered_to(w, off);
                if (to == off)
                        return false;
                off = to;
        }
        return true;
}

static void copy_out(const struct extent *e, uint64_t off, uint8_t *out, size_t n)
{
        uint64_t from = e->off > off ? e->off : off;
        uint64_t to = end_of(e) < off + n ? end_of(e) : off + n;
        if (from < to)
                memcpy(out + (from - off), e->data + (from - e->off), (size_t)(to - from));
}

void wb_read(const struct writeback *w, uint64_t off, void *out, size_t n)
{
        list_each (&w->sending, it)
                copy_out(list_entry(it, struct extent, link), off, out, n);
        list_each (&w->dirty, it) /* newer */
                copy_out(list_entry(it, struct extent, link), off, out, n);
}
