/* The named streams of one node of a volume in memory. All calls under the volume's mutex. */
#ifndef FREVO_STORE_MEM_STREAMS_H
#define FREVO_STORE_MEM_STREAMS_H

#include "store/mem/tree.h"

/* Without regard to case unless `exact`; NULL: there is none. Borrowed from the file's list. */
struct mem_node *mem_stream_find(struct mem_node *file, const char *name, bool exact);
/* An empty one; borrowed. NULL without memory. */
struct mem_node *mem_stream_add(struct mem_node *file, const char *name, uint64_t ino);
/* Takes it out of the list; handles keep it. No effect when it is in none any more. */
void mem_stream_remove(struct mem_node *file, struct mem_node *stream);
/* FS_EXISTS when another has the name and may not be replaced; FS_STALE: removed meanwhile. */
enum fs_err mem_stream_rename(struct mem_node *file, struct mem_node *stream, const char *to,
                              bool replace);

#endif
