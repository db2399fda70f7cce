/* The table of commands, and what is checked before a handler runs. */
#ifndef FREVO_FRONT_SMB2_DISPATCH_H
#define FREVO_FRONT_SMB2_DISPATCH_H

#include "front/smb2/call.h"
#include "front/smb2/known_sessions.h"

enum smb2_needs {
        SMB2_NEEDS_SESSION = 1u << 0,
        SMB2_NEEDS_TREE = 1u << 1,
        SMB2_NEEDS_OPEN = 1u << 2,    /* file_id_at tells where the FileId stands */
        SMB2_MAY_LACK_OPEN = 1u << 3, /* a FileId of all ones stands for no open (IOCTL) */
        SMB2_NEEDS_FILE = 1u << 4,    /* a pipe will not do */
        SMB2_NEEDS_DISK = 1u << 5,    /* IPC$ will not do */
        SMB2_WORKS_EXPIRED = 1u << 6, /* on an expired session, too ([MS-SMB2] 3.3.5.2.9) */
        SMB2_CHANGES = 1u << 7,       /* refused with a stale ChannelSequence (3.3.5.2.10) */
        SMB2_MAY_BE_LARGE = 1u << 8,  /* requests above 68 KiB (3.3.5.2) */
        SMB2_HAS_NO_REPLY = 1u << 9,
};

struct smb2_command_row {
        const char *name;
        void (*handler)(struct smb2_call *c);
        unsigned needs;          /* enum smb2_needs */
        uint16_t structure_size; /* of the request body; 0 = the handler knows */
        uint8_t file_id_at;      /* all offsets count from the header's end */
        uint8_t sends[2],
                returns[2]; /* 32-bit lengths whose sums are the payload each way; 0 = none */
};

/* NULL for a number that is no command. */
const struct smb2_command_row *smb2_dispatch_row(uint16_t command);
/* At arrival, in the order of the frame: finds the row and takes the MessageIds. NULL, or why the
 * connection must be dropped. */
const char *smb2_dispatch_admit(struct smb2_call *c);
/* Checks everything the row says and runs the handler, or fails the call. */
void smb2_dispatch(struct smb2_call *c);
/* Checks a signed request by `s`, in the clear; STATUS_SUCCESS or the status to fail with. */
uint32_t smb2_dispatch_verify(struct smb2_call *c, struct signer *s);
/* The same for a signed request whose session the connection does not carry: finds it among all
 * (USER_SESSION_DELETED) and fills *ret, without the key. The reply will be signed with its key. */
uint32_t smb2_dispatch_verify_stray(struct smb2_call *c, struct smb2_known_session *ret);
/* Ends a call that returns no reply. */
void smb2_call_end_silently(struct smb2_call *c);

#endif
