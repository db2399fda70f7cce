/* Directory listings, [MS-FSCC] 2.4.8, .10, .15, .18-.24, .33: one codec for all twelve classes.
 *
 * The encoder is made for the hot path: no allocation, one pass over each name; an entry that does
 * not fit leaves the buffer as it was.
 */
#ifndef FREVO_WIRE_FSCC_DIRECTORY_H
#define FREVO_WIRE_FSCC_DIRECTORY_H

#include "base/cursor.h"
#include "base/writer.h"
#include "wire/fscc/attributes.h"
#include "wire/fscc/class.h"

#define DIR_SHORT_NAME_BYTES 24u

struct dir_entry {
        uint32_t file_index; /* 0 where the file system has no such thing */
        int64_t create_ft, access_ft, write_ft, change_ft;
        uint64_t end_of_file, allocation;
        uint32_t attributes; /* enum file_attributes */
        uint32_t ea_size;
        uint32_t reparse_tag; /* goes out in EaSize's place too when the attributes say reparse
                                 point */
        uint64_t file_id;
        uint8_t file_id128[16];
        const char *name;       /* UTF-8, encoding only; borrowed for the call */
        const char *short_name; /* UTF-8 8.3 name, at most 12 units; NULL = none; encoding only */
        /* Instead of short_name: DIR_SHORT_NAME_BYTES that go out as they are, with length 0 said
         * as `short_len`; together with `reserved2` the place of Apple's extensions in
         * FileIdBothDirectoryInformation. NULL = none. Encoding only. */
        const uint8_t *short_raw;
        uint8_t short_len;
        uint16_t reserved2;
        struct bytes name_utf16, short_utf16; /* decoded: views */
};

struct dir_list {
        struct writer w;
        size_t last; /* where the newest entry starts; meaningless while count == 0 */
        uint32_t count;
        uint8_t layout;
};

/* `cls` must be one of the directory classes (fscc_file_class()->is_directory). Borrows the buffer
 * for the list's life. */
struct dir_list dir_list_into(void *buffer, size_t max, enum file_class cls);
/* False when e does not fit into what is left: then nothing changed, and with count == 0 the answer
 * is STATUS_BUFFER_OVERFLOW. Offsets are patched as entries come, so the list is complete after
 * each call. */
bool dir_list_append(struct dir_list *l, const struct dir_entry *e);
/* The finished listing: a view into the buffer. */
static inline struct bytes dir_list_done(const struct dir_list *l)
{
        return wr_done(&l->w);
}

/* One entry of a listing received; call until false. `*rest` starts as the whole listing. *bad is
 * set when it is malformed. Names are not judged: a client must refuse those with separators. */
bool dir_list_next(struct bytes *rest, enum file_class cls, struct dir_entry *out, bool *bad);

#endif
