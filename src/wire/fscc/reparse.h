/* REPARSE_DATA_BUFFER, [MS-FSCC] 2.1.2.2-2.1.2.7. */
#ifndef FREVO_WIRE_FSCC_REPARSE_H
#define FREVO_WIRE_FSCC_REPARSE_H

#include "base/cursor.h"
#include "base/writer.h"
#include "wire/fscc/attributes.h"

#define REPARSE_HEADER_BYTES 8u
#define SYMLINK_FLAG_RELATIVE 1u

struct reparse {
        uint32_t tag;
        bool has_guid; /* tags without Microsoft's bit carry one, 2.1.2.3 */
        uint8_t guid[16];
        struct bytes data; /* view: what follows header (and GUID) */
};
/* The length field must match what is there exactly, and be at most LIMIT_REPARSE_BYTES. */
bool reparse_decode(struct bytes in, struct reparse *out);
void reparse_encode(struct writer *w, const struct reparse *r);

struct reparse_symlink { /* 2.1.2.4 and, without flags, mount points 2.1.2.5 */
        bool relative;
        struct bytes substitute_utf16, print_utf16; /* views */
};
/* r->tag must be SYMLINK or MOUNT_POINT. */
bool reparse_symlink_decode(const struct reparse *r, struct reparse_symlink *out);
/* A whole REPARSE_DATA_BUFFER for a symbolic link. */
void reparse_symlink_encode(struct writer *w, const char *substitute, const char *print,
                            bool relative);

enum nfs_special { /* 2.1.2.6: Type, little-endian characters */
                   NFS_SPECFILE_LNK = 0x014B4E4C,
                   NFS_SPECFILE_CHR = 0x00524843,
                   NFS_SPECFILE_BLK = 0x004B4C42,
                   NFS_SPECFILE_FIFO = 0x4F464946,
                   NFS_SPECFILE_SOCK = 0x4B434F53,
};
struct reparse_nfs {
        uint64_t type;             /* enum nfs_special */
        uint32_t major, minor;     /* CHR and BLK */
        struct bytes target_utf16; /* LNK: view */
};
bool reparse_nfs_decode(const struct reparse *r, struct reparse_nfs *out);
/* `target` (UTF-8) for LNK only. */
void reparse_nfs_encode(struct writer *w, const struct reparse_nfs *f, const char *target);

/* WSL's symbolic link, 2.1.2.7: a UTF-8 target without NUL. */
bool reparse_lx_symlink_decode(const struct reparse *r, struct bytes *ret_utf8);
void reparse_lx_symlink_encode(struct writer *w, const char *target);

#endif
