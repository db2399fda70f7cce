/* LOCK, [MS-SMB2] 2.2.26 and 2.2.27. */
#ifndef FREVO_WIRE_SMB2_LOCK_H
#define FREVO_WIRE_SMB2_LOCK_H

#include "base/limits.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"

enum smb2_lock_flags {
        SMB2_LOCKFLAG_SHARED_LOCK = 0x00000001,
        SMB2_LOCKFLAG_EXCLUSIVE_LOCK = 0x00000002,
        SMB2_LOCKFLAG_UNLOCK = 0x00000004,
        SMB2_LOCKFLAG_FAIL_IMMEDIATELY = 0x00000010,
};

struct smb2_lock_element {
        uint64_t offset, length; /* bytes; length 0 is legal, offset+length may wrap */
        uint32_t flags;
};

struct smb2_lock_req {
        uint8_t lock_sequence_number; /* 4 bits */
        uint32_t lock_sequence_index; /* 28 bits; 0 = no replay check */
        struct smb2_file_id file_id;
        unsigned lock_count; /* 1..LIMIT_LOCKS_PER_REQUEST */
        struct smb2_lock_element locks[LIMIT_LOCKS_PER_REQUEST];
};

bool smb2_lock_req_decode(struct bytes msg, struct smb2_lock_req *out);
void smb2_lock_req_encode(struct writer *w, const struct smb2_lock_req *in);

static inline bool smb2_lock_rsp_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_lock_rsp_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}

#endif
