/* Attributes of the file service as the wire shows them. */
#ifndef FREVO_FRONT_SMB2_ATTRIBUTES_H
#define FREVO_FRONT_SMB2_ATTRIBUTES_H

#include "fs/fs.h"
#include "wire/fscc/attributes.h"

/* FileAttributes, [MS-FSCC] 2.6; never 0: a file without any is NORMAL. */
static inline uint32_t smb2_attributes_of(const struct fs_attr *a)
{
        return a->dos ? a->dos : FILE_ATTRIBUTE_NORMAL;
}

_Static_assert((unsigned)FS_DOS_DIRECTORY == (unsigned)FILE_ATTRIBUTE_DIRECTORY &&
                       (unsigned)FS_DOS_REPARSE == (unsigned)FILE_ATTRIBUTE_REPARSE_POINT &&
                       (unsigned)STORE_DOS_SPARSE == (unsigned)FILE_ATTRIBUTE_SPARSE_FILE &&
                       (unsigned)STORE_DOS_ARCHIVE == (unsigned)FILE_ATTRIBUTE_ARCHIVE,
               "the file service's attribute bits are the wire's");

#endif
