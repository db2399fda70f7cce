/* The 16-byte identifiers that most SMB2 messages carry, and how they are read and written. */
#ifndef FREVO_WIRE_SMB2_IDS_H
#define FREVO_WIRE_SMB2_IDS_H

#include "base/cursor.h"
#include "base/writer.h"

/* [MS-SMB2] 2.2.14.1 SMB2_FILEID. */
struct smb2_file_id {
        uint64_t persistent_id;
        uint64_t volatile_id;
};

/* The FileId that stands for "the open of the previous element" in a related compound, and for
 * "no open" in IOCTL requests on the whole server: both halves hold this value. */
#define SMB2_FILE_ID_NONE UINT64_MAX

/* A GUID, lease key or create GUID: sixteen bytes exactly as they stand on the wire. */
struct smb2_guid {
        uint8_t b[16];
};

static inline struct smb2_file_id smb2_file_id_get(struct cursor *c)
{
        struct smb2_file_id id;
        id.persistent_id = cur_u64(c);
        id.volatile_id = cur_u64(c);
        return id;
}

static inline void smb2_file_id_put(struct writer *w, struct smb2_file_id id)
{
        wr_u64(w, id.persistent_id);
        wr_u64(w, id.volatile_id);
}

static inline bool smb2_file_id_is_none(struct smb2_file_id id)
{
        return id.persistent_id == SMB2_FILE_ID_NONE && id.volatile_id == SMB2_FILE_ID_NONE;
}

static inline struct smb2_guid smb2_guid_get(struct cursor *c)
{
        struct smb2_guid g;
        cur_copy(c, g.b, sizeof g.b);
        return g;
}

static inline void smb2_guid_put(struct writer *w, struct smb2_guid g)
{
        wr_bytes(w, bytes_of(g.b, sizeof g.b));
}

static inline bool smb2_guid_eq(struct smb2_guid a, struct smb2_guid b)
{
        return memcmp(a.b, b.b, sizeof a.b) == 0;
}

#endif
