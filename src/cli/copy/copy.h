/* Copies files and trees between this machine and a share, or within a share.
 *
 * One engine for all directions: it walks the source breadth first, compares each folder with the
 * target's, makes what is missing, and keeps a window of bytes under way over files and blocks (see
 * window.h), so that a copy waits for the line and not for its delay. What is whole already (size
 * and time agree) is left alone; large files grow under another name (part_name.h) and are gone on
 * with when the same command runs again. Files on this machine are opened beneath the target's
 * folder only, part by part, and symbolic links in it are never followed. Owned by one thread. */
#ifndef FREVO_CLI_COPY_COPY_H
#define FREVO_CLI_COPY_COPY_H

#include "cli/copy/filter.h"
#include "frevo/frevo.h"

struct copy_options {
        struct filter filter; /* borrowed */
        bool recursive;
        bool always;       /* copies what looks the same, too */
        bool remove_extra; /* what the source lacks goes; a thing of the wrong kind is replaced */
        bool dry_run;      /* says what would be done */
        bool verify;       /* reads both sides again, and compares */
        uint64_t bytes_per_second; /* at most; 0 = no limit */
};

struct copy_totals {
        uint64_t files, bytes;           /* to be copied, as far as known */
        uint64_t files_done, bytes_done; /* bytes: also of files that are not whole yet */
        uint64_t files_same, folders, removed, skipped, failed, verified;
        uint64_t bytes_resumed; /* of bytes_done: found in parts */
        bool walking;           /* there may be more than files and bytes say */
};

enum copy_event_kind {
        COPY_COPIED,
        COPY_MADE_FOLDER,
        COPY_REMOVED,
        COPY_SAME,
        COPY_SKIPPED, /* text says why */
        COPY_FAILED,  /* text says while doing what; err, ntstatus */
};
/* Valid during the call. path: as the user would name it on the target's side (source's: skipped).
 */
struct copy_event {
        enum copy_event_kind kind;
        const char *path;
        uint64_t bytes;
        const char *text;
        int err;        /* an errno, and */
        bool on_server; /* where path is */
        uint32_t
                ntstatus; /* the server's word; 0xffffffff: none, so the error is of this machine */
        const char *sha256; /* hex, of a verified file */
};

struct copy_hooks {
        void *arg;
        void (*event)(void *arg, const struct copy_event *e);
        /* Some ten times a second while it runs. */
        void (*tick)(void *arg, const struct copy_totals *t);
};

struct copy;

/* source, target: NULL = this machine; borrowed until copy_free. NULL without memory. */
struct copy *copy_new(struct frevo_ctx *ctx, const struct copy_options *o,
                      struct frevo_share *source, struct frevo_share *target,
                      const struct copy_hooks *hooks);
void copy_free(struct copy *c);

/* Paths of either side. `enter`: when target turns out to be a folder, a file goes into it. Errors
 * are told by events. */
void copy_add(struct copy *c, const char *source, const char *target, bool enter);
/* Until all is done, failed, or interrupted. 0, EINTR, or the errno that ended it early; failures
 * of single files are in the totals only. */
int copy_run(struct copy *c);
const struct copy_totals *copy_count(const struct copy *c);
/* From a signal handler, too: nothing new is begun; what is under way is finished. */
void copy_interrupt(struct copy *c);

#endif
