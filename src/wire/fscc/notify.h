/* FILE_NOTIFY_INFORMATION lists, [MS-FSCC] 2.7.1. */
#ifndef FREVO_WIRE_FSCC_NOTIFY_H
#define FREVO_WIRE_FSCC_NOTIFY_H

#include "base/cursor.h"
#include "base/writer.h"

enum notify_action {
        FILE_ACTION_ADDED = 1,
        FILE_ACTION_REMOVED = 2,
        FILE_ACTION_MODIFIED = 3,
        FILE_ACTION_RENAMED_OLD_NAME = 4,
        FILE_ACTION_RENAMED_NEW_NAME = 5,
        FILE_ACTION_ADDED_STREAM = 6,
        FILE_ACTION_REMOVED_STREAM = 7,
        FILE_ACTION_MODIFIED_STREAM = 8,
};

struct notify_list {
        struct writer w;
        size_t last;
        uint32_t count;
};
struct notify_list notify_list_into(void *buffer, size_t max);
/* Name relative to the watched directory, '\\' between components, UTF-8. False when it does not
 * fit (nothing changed): the answer is then STATUS_NOTIFY_ENUM_DIR without data. */
bool notify_list_append(struct notify_list *l, enum notify_action action, const char *name);
static inline struct bytes notify_list_done(const struct notify_list *l)
{
        return wr_done(&l->w);
}

struct notify_entry {
        uint32_t action; /* enum notify_action, or what a peer sent */
        struct bytes name_utf16;
};
bool notify_list_next(struct bytes *rest, struct notify_entry *out, bool *bad);

#endif
