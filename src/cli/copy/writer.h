/* A server's file, written with many requests in flight under the name of a part, and given its own
 * when it is whole.
 *
 * A part of an earlier copy is gone on with. Its length does not say that all before its end is
 * there, since a server may take requests in any order; but never more than WRITER_SPREAD_BYTES lie
 * between the first byte that is missing and the last one that is there, and so many are written
 * again. */
#ifndef FREVO_CLI_COPY_WRITER_H
#define FREVO_CLI_COPY_WRITER_H

#include "cli/copy/engine.h"

#define WRITER_SPREAD_BYTES WINDOW_MAX_BYTES

struct writer {
        struct task *task; /* set by the caller, these too: */
        char *part, *path; /* owned from writer_start() on */
        bool sparse;
        void *arg;
        /* The part is open and whole up to `have`. */
        void (*opened)(void *arg, uint64_t have);
        /* Once: the file has its name, or an error; all is closed. r: see copy_fail(). */
        void (*end)(void *arg, const char *doing, int err, const struct frevo_result *r);

        struct frevo_file *file;
        struct list blocks; /* sent, by offset */
        unsigned in_flight;
        bool busy;     /* opening, finishing, closing */
        bool complete; /* writer_finish() was called */
        const char *doing;
        struct frevo_result bad;
        bool bad_here;
};

void writer_start(struct writer *w);
/* A block at off can be taken now. */
bool writer_can(const struct writer *w, uint64_t off);
/* Takes buf (malloc). The window was charged with n by the caller; the writer gives it back. */
void writer_put(struct writer *w, uint64_t off, void *buf, uint32_t n);
/* All was put: sets size, times and attributes of the task's item, renames, closes. */
void writer_finish(struct writer *w);
/* Ends early; the part stays. */
void writer_abort(struct writer *w, const char *doing, int err, const struct frevo_result *r);

#endif
