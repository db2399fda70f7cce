/* Reading ahead: which parts of a file to ask for before somebody wants them. Pure.
 *
 * A file read in order is asked for in blocks, as many at once as its reader keeps up with: their
 * number doubles each time that a block is first needed, from one to WINDOW. Blocks wait here until
 * they were read.
 */
#ifndef FREVO_MOUNT_READAHEAD_H
#define FREVO_MOUNT_READAHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

enum block_state { BLOCK_ASKED, BLOCK_HERE, BLOCK_FAILED };

struct block {
        struct list link;
        uint64_t off;
        uint32_t n; /* bytes asked for */
        size_t got; /* BLOCK_HERE: fewer at the end of the file */
        enum block_state state;
        bool stale; /* written over meanwhile: for nobody who asks from now on */
        bool touched;
        unsigned users; /* reads that wait for it */
        int err;
        const uint8_t *data;
        void *keep; /* what holds data */
};

struct readahead {
        struct list blocks;  /* of struct block, in order of offsets; none stale */
        struct list retired; /* stale, but asked for or waited for */
        uint64_t next;       /* where a read in order would begin */
        uint64_t asked_to;   /* end of the last block asked for */
        unsigned window;     /* blocks */
        unsigned in_order;   /* reads in order so far, in a row */
        uint32_t block_bytes;
        unsigned window_max; /* blocks */
        void (*drop)(void *keep);
};

void ra_init(struct readahead *r, uint32_t block_bytes, unsigned window_max,
             void (*drop)(void *keep));
/* Frees the blocks that nothing refers to any more; those asked for must have come back. */
void ra_fini(struct readahead *r);

/* Notes a read of [off, +n). True: it is one in order, and is to be answered from blocks. */
bool ra_note(struct readahead *r, uint64_t off, size_t n);
/* The next block to be asked for, so that [off, +n) and what comes behind it is on its way; NULL:
 * enough. size: the file's. The caller asks for it and calls ra_came(). */
struct block *ra_ask(struct readahead *r, uint64_t off, size_t n, uint64_t size);
/* NULL without one that holds `off`. */
struct block *ra_find(const struct readahead *r, uint64_t off);
/* An answer, or an error. keep is dropped with the block. */
void ra_came(struct readahead *r, struct block *b, int err, const void *data, size_t n, void *keep);
/* Nobody needs b for a read any more (users counts). */
void ra_release(struct readahead *r, struct block *b);
/* [off, +n) was read: blocks that lie well before its end have served. */
void ra_consumed(struct readahead *r, uint64_t off, size_t n);
/* [off, +n) is not what blocks say any more; n 0: to the end. */
void ra_invalidate(struct readahead *r, uint64_t off, uint64_t n);

#endif
