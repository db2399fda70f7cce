/* FileRenameInformation and FileLinkInformation as SMB2 sends them, [MS-FSCC] 2.4.42.2, 2.4.43,
 * 2.4.28.2; the Ex form of link shares the layout of rename's. */
#ifndef FREVO_WIRE_FSCC_RENAME_H
#define FREVO_WIRE_FSCC_RENAME_H

#include "base/cursor.h"
#include "base/writer.h"

enum file_rename_flags {
        FILE_RENAME_REPLACE_IF_EXISTS = 0x00000001,
        FILE_RENAME_POSIX_SEMANTICS = 0x00000002,
        FILE_RENAME_SUPPRESS_PIN_STATE_INHERITANCE = 0x00000004,
        FILE_RENAME_SUPPRESS_STORAGE_RESERVE_INHERITANCE = 0x00000008,
        FILE_RENAME_NO_INCREASE_AVAILABLE_SPACE = 0x00000010,
        FILE_RENAME_NO_DECREASE_AVAILABLE_SPACE = 0x00000020,
        FILE_RENAME_IGNORE_READONLY_ATTRIBUTE = 0x00000040,
        FILE_RENAME_FORCE_RESIZE_TARGET_SR = 0x00000080,
        FILE_RENAME_FORCE_RESIZE_SOURCE_SR = 0x00000100,
};

struct file_rename {
        uint32_t flags;          /* enum file_rename_flags; the plain classes know only REPLACE */
        uint64_t root_directory; /* 0 over the network; the caller refuses others */
        struct bytes name_utf16; /* view; may be empty, or odd: the name's decoder judges */
};

/* `ex`: the 32-bit flags of the Ex classes instead of one Boolean. Accepts a buffer without the
 * padding to 24 bytes that the spec asks of the sender: several clients leave it out for names of
 * one character. *out is set only on true. */
bool file_rename_decode(struct bytes in, bool ex, struct file_rename *out);
/* Pads to 24 bytes, as [MS-FSCC] 2.4.42.2 demands. */
void file_rename_encode(struct writer *w, bool ex, uint32_t flags, const char *name);

#endif
