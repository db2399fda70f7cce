/* See pages.h. Called by mem.c only. */
#include "store/mem/pages.h"

static size_t part(uint64_t off, size_t n)
{
        size_t room = MEM_PAGE_BYTES - (size_t)(off % MEM_PAGE_BYTES);
        return n < room ? n : room;
}

static uint8_t *page_at(const struct mem_pages *m, uint64_t off)
{
        uint64_t i = off / MEM_PAGE_BYTES;
        return i < m->n ? m->page[i] : NULL;
}

void mem_pages_read(const struct mem_pages *m, void *p, size_t n, uint64_t off)
{
        uint8_t *out = p;
        while (n > 0) {
                size_t k = part(off, n);
                const uint8_t *page = page_at(m, off);
                if (page)
                        memcpy(out, page + off % MEM_PAGE_BYTES, k);
                else
                        memset(out, 0, k);
                out += k;
                off += k;
                n -= k;
        }
}

static enum fs_err grow_table(struct mem_pages *m, size_t n)
{
        if (n <= m->n)
                return FS_OK;
        size_t want = m->n * 2 > n ? m->n * 2 : n;
        uint8_t **page = realloc(m->page, want * sizeof *page);
        if (!page)
                return FS_NO_MEMORY;
        memset(page + m->n, 0, (want - m->n) * sizeof *page);
        m->page = page;
        m->n = want;
        return FS_OK;
}

static size_t count_holes(const struct mem_pages *m, size_t first, size_t last)
{
        size_t holes = 0;
        for (size_t i = first; i <= last; i++)
                holes += !m->page[i];
        return holes;
}

enum fs_err mem_pages_reserve(struct mem_pages *m, size_t n, uint64_t off)
{
        if (n == 0)
                return FS_OK;
        if (off > MEM_FILE_MAX_BYTES || n > MEM_FILE_MAX_BYTES - off)
                return FS_TOO_BIG;
        size_t first = (size_t)(off / MEM_PAGE_BYTES);
        size_t last = (size_t)((off + n - 1) / MEM_PAGE_BYTES);
        enum fs_err e = grow_table(m, last + 1);
        if (e)
                return e;
        /* Before anything is taken: what is too much costs neither memory nor the time to clear it.
         */
        if (count_holes(m, first, last) > MEM_FILE_MAX_PAGES - m->used)
                return FS_NO_SPACE;
        for (size_t i = first; i <= last; i++) {
                if (m->page[i])
                        continue;
                m->page[i] = calloc(1, MEM_PAGE_BYTES);
                if (!m->page[i])
                        return FS_NO_MEMORY;
                m->used++;
        }
        return FS_OK;
}

void mem_pages_write(struct mem_pages *m, const void *p, size_t n, uint64_t off)
{
        const uint8_t *in = p;
        while (n > 0) {
                size_t k = part(off, n);
                memcpy(page_at(m, off) + off % MEM_PAGE_BYTES, in, k);
                in += k;
                off += k;
                n -= k;
        }
}

void mem_pages_punch(struct mem_pages *m, uint64_t off, uint64_t len)
{
        uint64_t top = (uint64_t)m->n * MEM_PAGE_BYTES;
        uint64_t end = off < top && len < top - off ? off + len : top;
        while (off < end) {
                size_t k = part(off, (size_t)(end - off));
                size_t i = (size_t)(off / MEM_PAGE_BYTES);
                if (m->page[i] && k == MEM_PAGE_BYTES) {
                        free(m->page[i]);
                        m->page[i] = NULL;
                        m->used--;
                } else if (m->page[i]) {
                        memset(m->page[i] + off % MEM_PAGE_BYTES, 0, k);
                }
                off += k;
        }
}

uint64_t mem_pages_seek(const struct mem_pages *m, uint64_t off, uint64_t end, bool data)
{
        uint64_t top = (uint64_t)m->n * MEM_PAGE_BYTES;
        while (off < end) {
                if (off >= top)
                        return data ? end : off;
                if ((page_at(m, off) != NULL) == data)
                        return off;
                off += MEM_PAGE_BYTES - off % MEM_PAGE_BYTES;
        }
        return end;
}

void mem_pages_fini(struct mem_pages *m)
{
        for (size_t i = 0; i < m->n; i++)
                free(m->page[i]);
        free(m->page);
        *m = (struct mem_pages){0};
}
