/* LOCK, [MS-SMB2] 2.2.26 (the reply, 2.2.27, has no content). */
#include "wire/smb2/lock.h"

#include "wire/smb2/body.h"

enum { SEQUENCE_NUMBER_BITS = 4 };

bool smb2_lock_req_decode(struct bytes msg, struct smb2_lock_req *out)
{
        struct cursor c = smb2_body_get(msg, 48);
        struct smb2_lock_req q = {0};
        q.lock_count = cur_u16(&c);
        uint32_t sequence = cur_u32(&c);
        q.lock_sequence_number = sequence & ((1u << SEQUENCE_NUMBER_BITS) - 1);
        q.lock_sequence_index = sequence >> SEQUENCE_NUMBER_BITS;
        q.file_id = smb2_file_id_get(&c);
        if (!cur_ok(&c) || q.lock_count == 0 || q.lock_count > LIMIT_LOCKS_PER_REQUEST)
                return false;
        for (unsigned i = 0; i < q.lock_count; i++) {
                q.locks[i].offset = cur_u64(&c);
                q.locks[i].length = cur_u64(&c);
                q.locks[i].flags = cur_u32(&c);
                cur_skip(&c, 4); /* Reserved */
        }
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_lock_req_encode(struct writer *w, const struct smb2_lock_req *in)
{
        assert(in->lock_count <= LIMIT_LOCKS_PER_REQUEST);
        wr_u16(w, 48);
        wr_u16(w, (uint16_t)in->lock_count);
        wr_u32(w, in->lock_sequence_index << SEQUENCE_NUMBER_BITS | in->lock_sequence_number);
        smb2_file_id_put(w, in->file_id);
        for (unsigned i = 0; i < in->lock_count; i++) {
                wr_u64(w, in->locks[i].offset);
                wr_u64(w, in->locks[i].length);
                wr_u32(w, in->locks[i].flags);
                wr_u32(w, 0); /* Reserved */
        }
}
