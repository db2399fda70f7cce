/* OPLOCK_BREAK, [MS-SMB2] 2.2.23 to 2.2.25. */
#include "wire/smb2/oplock_break.h"

#include "wire/smb2/body.h"

enum { OPLOCK_SIZE = 24, LEASE_SIZE = 36, LEASE_NOTIFY_SIZE = 44 };

enum smb2_break_kind smb2_break_kind_of(struct bytes msg)
{
        struct cursor c = cur_at(msg, SMB2_HEADER_LEN);
        switch (cur_u16(&c)) {
        case OPLOCK_SIZE:
                return SMB2_BREAK_OPLOCK;
        case LEASE_SIZE:
                return SMB2_BREAK_LEASE;
        case LEASE_NOTIFY_SIZE:
                return SMB2_BREAK_LEASE_NOTIFY;
        default:
                return SMB2_BREAK_UNKNOWN;
        }
}

bool smb2_oplock_break_decode(struct bytes msg, struct smb2_oplock_break *out)
{
        struct cursor c = smb2_body_get(msg, OPLOCK_SIZE);
        struct smb2_oplock_break b = {0};
        b.oplock_level = cur_u8(&c);
        cur_skip(&c, 1 + 4); /* Reserved, Reserved2 */
        b.file_id = smb2_file_id_get(&c);
        if (!cur_ok(&c))
                return false;
        *out = b;
        return true;
}

void smb2_oplock_break_encode(struct writer *w, const struct smb2_oplock_break *in)
{
        wr_u16(w, OPLOCK_SIZE);
        wr_u8(w, in->oplock_level);
        wr_zero(w, 1 + 4); /* Reserved, Reserved2 */
        smb2_file_id_put(w, in->file_id);
}

bool smb2_lease_break_decode(struct bytes msg, struct smb2_lease_break *out)
{
        struct cursor c = smb2_body_get(msg, LEASE_SIZE);
        struct smb2_lease_break b = {0};
        cur_skip(&c, 2); /* Reserved */
        b.flags = cur_u32(&c);
        b.lease_key = smb2_guid_get(&c);
        b.lease_state = cur_u32(&c);
        cur_skip(&c, 8); /* LeaseDuration: reserved */
        if (!cur_ok(&c))
                return false;
        *out = b;
        return true;
}

void smb2_lease_break_encode(struct writer *w, const struct smb2_lease_break *in)
{
        wr_u16(w, LEASE_SIZE);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, in->flags);
        smb2_guid_put(w, in->lease_key);
        wr_u32(w, in->lease_state);
        wr_u64(w, 0); /* LeaseDuration */
}

bool smb2_lease_break_notify_decode(struct bytes msg, struct smb2_lease_break_notify *out)
{
        struct cursor c = smb2_body_get(msg, LEASE_NOTIFY_SIZE);
        struct smb2_lease_break_notify n = {0};
        n.new_epoch = cur_u16(&c);
        n.flags = cur_u32(&c);
        n.lease_key = smb2_guid_get(&c);
        n.current_lease_state = cur_u32(&c);
        n.new_lease_state = cur_u32(&c);
        cur_skip(&c, 4 + 4 + 4); /* BreakReason, AccessMaskHint, ShareMaskHint: reserved */
        if (!cur_ok(&c))
                return false;
        *out = n;
        return true;
}

void smb2_lease_break_notify_encode(struct writer *w, const struct smb2_lease_break_notify *in)
{
        wr_u16(w, LEASE_NOTIFY_SIZE);
        wr_u16(w, in->new_epoch);
        wr_u32(w, in->flags);
        smb2_guid_put(w, in->lease_key);
        wr_u32(w, in->current_lease_state);
        wr_u32(w, in->new_lease_state);
        wr_zero(w, 4 + 4 + 4); /* BreakReason, AccessMaskHint, ShareMaskHint */
}
