/* A server's file, read with many requests in flight and handed on in order.
 *
 * What comes too early is kept in the library's buffers until its turn; nothing is copied. Requests
 * that a lost connection took along are sent again after the file was opened again. */
#ifndef FREVO_CLI_COPY_READER_H
#define FREVO_CLI_COPY_READER_H

#include "cli/copy/engine.h"

struct reader {
        struct task *task; /* set by the caller, these too: */
        struct frevo_share *share;
        char *path;      /* owned from reader_start() on */
        bool with_holes; /* asks for the holes, and does not fetch them */
        bool quiet;      /* what is read is no progress of the task */
        void *arg;
        /* Before the first byte: may set next and given, to begin further on. 0 or an errno. */
        int (*opened)(void *arg, const struct frevo_stat *st);
        /* Bytes in rising order. 0, or an errno of this machine. */
        int (*take)(void *arg, uint64_t off, const void *p, size_t n);
        /* There is room for more behind what `take` was given. NULL = always. */
        bool (*may_go_on)(void *arg);
        /* Once: all given, or an error; the file is closed. ECANCELED when the copy stops, EAGAIN
         * when the file changed meanwhile. r: see copy_fail(). */
        void (*end)(void *arg, const char *doing, int err, const struct frevo_result *r);

        struct frevo_file *file;
        struct frevo_stat stat; /* when opened */
        uint64_t next, given;   /* offsets: to be asked for, given to `take` */
        struct list blocks;     /* asked for, by offset */
        unsigned in_flight;
        bool busy;                  /* opening, asking for holes, closing */
        bool in_take;               /* reader_abort() only notes it then */
        struct frevo_range *ranges; /* owned; NULL = data everywhere */
        size_t ranges_n, range;     /* the one `next` is in, or before */
        const char *doing;
        struct frevo_result bad; /* err and ntstatus only */
        bool bad_here;           /* of this machine */
};

/* r's first part is set, the rest zero; r stays until `end`. */
void reader_start(struct reader *r);
/* Ends early, as soon as nothing is in flight. Allowed within `take`. */
void reader_abort(struct reader *r, const char *doing, int err, const struct frevo_result *of);
/* For task.issue: one request more. */
bool reader_issue(struct reader *r);

#endif
