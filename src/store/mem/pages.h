/* A file's data in memory, with holes. Not thread-safe. */
#ifndef FREVO_STORE_MEM_PAGES_H
#define FREVO_STORE_MEM_PAGES_H

#include "base/bytes.h"
#include "base/fs_err.h"
#include "store/store.h"

enum { MEM_PAGE_BYTES = 64 * 1024 };
/* Highest byte that can be written, and what all pages of one file may take. */
#define MEM_FILE_MAX_BYTES ((uint64_t)1 << 38)
#define MEM_FILE_MAX_PAGES 16384u

struct mem_pages {
        uint8_t **page; /* NULL: a hole */
        size_t n;       /* length of page[] */
        size_t used;    /* pages that are no holes */
};

/* p[0..n) := data at off; holes are zeros. */
void mem_pages_read(const struct mem_pages *m, void *p, size_t n, uint64_t off);
/* Makes room for [off, off+n): FS_NO_SPACE, FS_TOO_BIG or FS_NO_MEMORY leave the data as it was. */
enum fs_err mem_pages_reserve(struct mem_pages *m, size_t n, uint64_t off);
/* Only after mem_pages_reserve of the same range. */
void mem_pages_write(struct mem_pages *m, const void *p, size_t n, uint64_t off);
/* Zeros [off, off+len); whole pages become holes. */
void mem_pages_punch(struct mem_pages *m, uint64_t off, uint64_t len);
/* First page of [off, end) that is data (`data`) or a hole; end when there is none. */
uint64_t mem_pages_seek(const struct mem_pages *m, uint64_t off, uint64_t end, bool data);
void mem_pages_fini(struct mem_pages *m);

#endif
