/* OPLOCK_BREAK: notification, acknowledgment and response, for oplocks and for leases,
 * [MS-SMB2] 2.2.23 to 2.2.25. */
#ifndef FREVO_WIRE_SMB2_OPLOCK_BREAK_H
#define FREVO_WIRE_SMB2_OPLOCK_BREAK_H

#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"

/* Told apart by StructureSize alone. */
enum smb2_break_kind {
        SMB2_BREAK_UNKNOWN,
        SMB2_BREAK_OPLOCK,       /* 24: notification, acknowledgment, response */
        SMB2_BREAK_LEASE,        /* 36: acknowledgment, response */
        SMB2_BREAK_LEASE_NOTIFY, /* 44: notification */
};
enum smb2_break_kind smb2_break_kind_of(struct bytes msg);

/* Notification, acknowledgment and response of an oplock have one shape. */
struct smb2_oplock_break {
        uint8_t oplock_level; /* enum smb2_oplock_level (create.h) */
        struct smb2_file_id file_id;
};
bool smb2_oplock_break_decode(struct bytes msg, struct smb2_oplock_break *out);
void smb2_oplock_break_encode(struct writer *w, const struct smb2_oplock_break *in);

/* Acknowledgment and response of a lease have one shape. */
struct smb2_lease_break {
        uint32_t flags;
        struct smb2_guid lease_key;
        uint32_t lease_state; /* enum smb2_lease_state (create_context.h) */
};
bool smb2_lease_break_decode(struct bytes msg, struct smb2_lease_break *out);
void smb2_lease_break_encode(struct writer *w, const struct smb2_lease_break *in);

enum smb2_lease_notify_flags { SMB2_NOTIFY_BREAK_LEASE_FLAG_ACK_REQUIRED = 0x00000001 };

struct smb2_lease_break_notify {
        uint16_t new_epoch; /* version 2 leases; else 0 */
        uint32_t flags;
        struct smb2_guid lease_key;
        uint32_t current_lease_state;
        uint32_t new_lease_state;
};
bool smb2_lease_break_notify_decode(struct bytes msg, struct smb2_lease_break_notify *out);
void smb2_lease_break_notify_encode(struct writer *w, const struct smb2_lease_break_notify *in);

#endif
