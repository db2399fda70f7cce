/* Which named streams are open, process-wide: what tells two streams apart does not depend on what
 * they are called by then, nor on the volume through which they were opened. */
#ifndef FREVO_STORE_POSIX_STREAM_TABLE_H
#define FREVO_STORE_POSIX_STREAM_TABLE_H

#include "base/bytes.h"

/* One stream that somebody has open. Everything under its file's lock. */
struct posix_stream {
        struct posix_stream *next;
        unsigned refs;
        uint64_t dev, ino, id;
        char *name; /* owned; as spelled on disk, without type */
        bool gone;  /* removed: a stream of that name made later is another */
};

/* The lock of all streams of one file: held over reading and writing their values. Many files share
 * one, so a thread holds at most one; no other lock is taken under it. */
void stream_lock(uint64_t dev, uint64_t ino);
void stream_unlock(uint64_t dev, uint64_t ino);

/* The lock is held for these. A reference on the entry for that name (compared without case), made
 * when missing; NULL without memory. */
struct posix_stream *stream_get(uint64_t dev, uint64_t ino, const char *name);
/* NULL: nobody has it open; borrowed. */
struct posix_stream *stream_lookup(uint64_t dev, uint64_t ino, const char *name);

/* Takes the lock itself. */
void stream_put(struct posix_stream *st);

#endif
