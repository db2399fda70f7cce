/* See file.h. */
#include "mount/file.h"

#include <errno.h>
#include <sys/random.h>

#include "mount/attr.h"
#include "mount/handle.h"

#define EXTENT_MAX (1024u * 1024)
#define BLOCK_MAX (1024u * 1024)
#define WINDOW_MAX 32u /* blocks */

static void drop_data(void *keep)
{
        frevo_data_free(keep);
}

static uint32_t least(uint32_t a, uint32_t b)
{
        return a < b ? a : b;
}

struct file *file_get(struct mount *m, struct node *n)
{
        if (n->file)
                return n->file;
        struct file *f = calloc(1, sizeof *f);
        if (!f)
                return NULL;
        if (getrandom(f->lease_key, sizeof f->lease_key, 0) != (ssize_t)sizeof f->lease_key) {
                free(f);
                return NULL;
        }
        f->m = m;
        f->n = n;
        list_init(&f->handles);
        list_init(&f->dirty_link);
        list_init(&f->flushers);
        list_init(&f->uncached_link);
        list_init(&f->regainers);
        wb_init(&f->wb, least(m->max_write, EXTENT_MAX), f);
        ra_init(&f->ra, least(m->max_read, BLOCK_MAX), WINDOW_MAX, drop_data);
        lock_table_init(&f->locks);
        n->file = f;
        return f;
}

void file_fini(struct node *n)
{
        struct file *f = n->file;
        if (!f)
                return;
        list_remove(&f->uncached_link);
        wb_fini(&f->wb);
        ra_fini(&f->ra);
        lock_table_fini(&f->locks);
        free(f);
        n->file = NULL;
}

unsigned file_lease(const struct node *n)
{
        unsigned rights = 0;
        if (!n->file)
                return 0;
        list_each (&n->file->handles, it)
                rights |= frevo_lease_held(list_entry(it, struct handle, link)->f);
        return rights;
}

bool file_is_unsettled(const struct node *n)
{
        const struct file *f = n->file;
        return f && (!wb_is_empty(&f->wb) || f->has_pend || f->is_new || f->writing);
}

void file_grew(struct file *f, uint64_t off, size_t n)
{
        struct frevo_stat *st = &f->n->stat;
        int64_t now = attr_now_ns();
        if (off + n > st->size)
                st->size = st->allocated = off + n;
        st->write_ns = st->change_ns = now;
        if (f->has_pend) /* written after the times were set */
                f->pend.write_ns = FREVO_TIME_KEEP;
        ra_invalidate(&f->ra, off, n);
        node_changed(f->m, f->n);
}
