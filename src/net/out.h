/* One outgoing frame: a few segments of memory and of files, and what to do afterwards.
 *
 * The sender embeds struct out in its own object and owns all memory and descriptors that the
 * segments name until `done` is called, which happens exactly once, on the connection's loop:
 * sent = true when the last byte was handed to the kernel, false when the connection ended first.
 * The 4-byte transport header ([MS-SMB2] 2.1) is not a segment: conn_send makes it.
 *
 * FILE segments are sent by sendfile(2), which reads the file on the loop's thread and would wait
 * for a disk: use them for bytes that are in the page cache. If the file turns out shorter than
 * promised the rest of the segment is zeros; if it can't be read the connection is closed.
 */
#ifndef FREVO_NET_OUT_H
#define FREVO_NET_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

#define OUT_SEGS 4
#define OUT_MAX_BYTES 0xffffffu /* what the header's 24 bits can say */

struct out_seg {
        const uint8_t *p; /* MEM: the bytes; NULL for FILE and for zeros */
        uint64_t off;     /* FILE: where to start */
        size_t len;       /* bytes */
        int fd;           /* FILE; -1 otherwise. p == NULL and fd == -1: zeros */
};

struct out {
        void (*done)(struct out *o, bool sent); /* may free o; may send other outs */
        struct out_seg *segs;                   /* own[], or an array of the sender's */
        unsigned n_segs, max_segs;
        uint32_t total; /* bytes of all segments */
        struct out_seg own[OUT_SEGS];
        /* The connection's: */
        struct list link;
        size_t sent;     /* bytes gone of the current segment, or of the header */
        unsigned at_seg; /* 0 = the header, i = segs[i-1] */
        uint8_t head[4];
};

/* No segments yet. */
void out_init(struct out *o, void (*done)(struct out *o, bool sent));
/* As above, for more than OUT_SEGS segments; segs (of max) lives until done. */
void out_init_segs(struct out *o, void (*done)(struct out *o, bool sent), struct out_seg *segs,
                   unsigned max);
/* Append a segment; length 0 appends nothing. False, and nothing appended, when there is no room
 * for another segment or the frame would pass OUT_MAX_BYTES. */
bool out_add_mem(struct out *o, const void *p, size_t len);
bool out_add_file(struct out *o, int fd, uint64_t off, size_t len);
bool out_add_zeros(struct out *o, size_t len);

#endif
