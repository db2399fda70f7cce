/* FileStreamInformation, [MS-FSCC] 2.4.49: the streams of one file. */
#ifndef FREVO_WIRE_FSCC_STREAM_H
#define FREVO_WIRE_FSCC_STREAM_H

#include "base/cursor.h"
#include "base/writer.h"

struct stream_list {
        struct writer w;
        size_t last;
        uint32_t count;
};

/* Names are given whole: "::$DATA", ":name:$DATA", in UTF-8. False when the entry does not fit
 * (STATUS_BUFFER_OVERFLOW with what is there): nothing changed then. */
struct stream_list stream_list_into(void *buffer, size_t max);
bool stream_list_append(struct stream_list *l, const char *name, uint64_t size,
                        uint64_t allocation);
static inline struct bytes stream_list_done(const struct stream_list *l)
{
        return wr_done(&l->w);
}

struct stream_entry {
        uint64_t size, allocation;
        struct bytes name_utf16;
};
bool stream_list_next(struct bytes *rest, struct stream_entry *out, bool *bad);

#endif
