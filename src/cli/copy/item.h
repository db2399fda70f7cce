/* A file or folder as either side lists it, and the decision what a copy does about it. Pure. */
#ifndef FREVO_CLI_COPY_ITEM_H
#define FREVO_CLI_COPY_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum item_kind { ITEM_FILE, ITEM_FOLDER, ITEM_LINK, ITEM_OTHER };

struct item {
        char *name; /* one part; belongs to the listing */
        enum item_kind kind;
        uint64_t size, allocated;    /* bytes */
        int64_t write_ns, access_ns; /* since 1970 */
        uint32_t attributes;         /* Windows' FILE_ATTRIBUTE_* */
};

/* FILE_ATTRIBUTE_* of [MS-FSCC] 2.6 that mean something here. */
enum {
        ITEM_READONLY = 0x1,
        ITEM_HIDDEN = 0x2,
        ITEM_SYSTEM = 0x4,
        ITEM_NORMAL = 0x80,
        ITEM_SPARSE = 0x200,
        /* those that a copy carries over */
        ITEM_CARRIED = ITEM_READONLY | ITEM_HIDDEN | ITEM_SYSTEM,
};

enum decision {
        DECIDE_COPY,     /* a file that the target lacks, or has in another state */
        DECIDE_SAME,     /* nothing to do */
        DECIDE_DESCEND,  /* a folder */
        DECIDE_CONFLICT, /* a folder stands where a file should, or the other way round */
        DECIDE_SKIP,     /* a link, a device */
};

/* target: what stands there now, or NULL. always: copy files that look the same, too. */
enum decision item_decide(const struct item *source, const struct item *target, bool always);

/* The same moment, as far as both sides can tell: SMB counts 100 ns; a time without a fraction
 * comes from a file system that keeps seconds, or two of them, and rounds either way. */
bool item_same_time(int64_t a_ns, int64_t b_ns);

#endif
