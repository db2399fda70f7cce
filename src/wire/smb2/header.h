/* The 64-byte header of every SMB2 message, [MS-SMB2] 2.2.1 (asynchronous and synchronous form).
 *
 * Conventions of this whole folder: `msg` starts at the header of one element of a frame and ends
 * where that element ends; offsets inside a message count from there. A decoder sets *out only
 * when it returns true; views in *out borrow from msg. An encoder appends the body behind a header
 * that starts at writer offset hdr_at. All functions are pure and may be called on any thread.
 */
#ifndef FREVO_WIRE_SMB2_HEADER_H
#define FREVO_WIRE_SMB2_HEADER_H

#include "base/bytes.h"
#include "base/writer.h"

#define SMB2_HEADER_LEN 64u
#define SMB2_PROTOCOL_ID 0x424d53feu           /* FE 'S' 'M' 'B' */
#define SMB2_TRANSFORM_PROTOCOL_ID 0x424d53fdu /* FD 'S' 'M' 'B' */
#define SMB2_COMPRESSION_PROTOCOL_ID 0x424d53fcu
#define SMB1_PROTOCOL_ID 0x424d53ffu

/* Where each field stands, from the start of the header. */
enum smb2_header_offset {
        SMB2_AT_PROTOCOL_ID = 0,
        SMB2_AT_STRUCTURE_SIZE = 4,
        SMB2_AT_CREDIT_CHARGE = 6,
        SMB2_AT_STATUS = 8, /* requests of 3.x: ChannelSequence */
        SMB2_AT_COMMAND = 12,
        SMB2_AT_CREDITS = 14,
        SMB2_AT_FLAGS = 16,
        SMB2_AT_NEXT_COMMAND = 20,
        SMB2_AT_MESSAGE_ID = 24,
        SMB2_AT_ASYNC_ID = 32,
        SMB2_AT_PROCESS_ID = 32,
        SMB2_AT_TREE_ID = 36,
        SMB2_AT_SESSION_ID = 40,
        SMB2_AT_SIGNATURE = 48,
};

enum smb2_command {
        SMB2_NEGOTIATE = 0x00,
        SMB2_SESSION_SETUP = 0x01,
        SMB2_LOGOFF = 0x02,
        SMB2_TREE_CONNECT = 0x03,
        SMB2_TREE_DISCONNECT = 0x04,
        SMB2_CREATE = 0x05,
        SMB2_CLOSE = 0x06,
        SMB2_FLUSH = 0x07,
        SMB2_READ = 0x08,
        SMB2_WRITE = 0x09,
        SMB2_LOCK = 0x0a,
        SMB2_IOCTL = 0x0b,
        SMB2_CANCEL = 0x0c,
        SMB2_ECHO = 0x0d,
        SMB2_QUERY_DIRECTORY = 0x0e,
        SMB2_CHANGE_NOTIFY = 0x0f,
        SMB2_QUERY_INFO = 0x10,
        SMB2_SET_INFO = 0x11,
        SMB2_OPLOCK_BREAK = 0x12,
        SMB2_SERVER_TO_CLIENT_NOTIFICATION = 0x13,
        SMB2_COMMAND_COUNT, /* one past the last */
};

enum smb2_header_flags {
        SMB2_FLAGS_SERVER_TO_REDIR = 0x00000001,
        SMB2_FLAGS_ASYNC_COMMAND = 0x00000002,
        SMB2_FLAGS_RELATED_OPERATIONS = 0x00000004,
        SMB2_FLAGS_SIGNED = 0x00000008,
        SMB2_FLAGS_PRIORITY_MASK = 0x00000070,
        SMB2_FLAGS_DFS_OPERATIONS = 0x10000000,
        SMB2_FLAGS_REPLAY_OPERATION = 0x20000000,
};

/* MessageId of what the server sends on its own (oplock and lease breaks). */
#define SMB2_MESSAGE_ID_UNSOLICITED UINT64_MAX

struct smb2_header {
        uint16_t credit_charge;
        uint32_t status;  /* NTSTATUS in replies; in requests see smb2_header_channel_sequence */
        uint16_t command; /* enum smb2_command, or any other number a peer sends */
        uint16_t credits; /* CreditRequest or CreditResponse */
        uint32_t flags;   /* enum smb2_header_flags */
        uint32_t next_command; /* bytes from this header to the next, 0 in the last */
        uint64_t message_id;
        uint64_t async_id;   /* asynchronous form only; else 0 */
        uint32_t process_id; /* synchronous form only ("Reserved" in the spec); else 0 */
        uint32_t tree_id;    /* synchronous form only; else 0 */
        uint64_t session_id;
        uint8_t signature[16];
};

static inline bool smb2_header_is_async(const struct smb2_header *h)
{
        return (h->flags & SMB2_FLAGS_ASYNC_COMMAND) != 0;
}

/* ChannelSequence of a 3.x request: the lower half of what replies use for Status. */
static inline uint16_t smb2_header_channel_sequence(const struct smb2_header *h)
{
        return (uint16_t)(h->status & 0xffff);
}

/* False when msg is shorter than a header or ProtocolId or StructureSize is wrong. Flags choose
 * the form. NextCommand is only reported; compound.h checks it. */
bool smb2_header_decode(struct bytes msg, struct smb2_header *out);
/* Appends the 64 bytes. Flags choose the form. */
void smb2_header_encode(struct writer *w, const struct smb2_header *in);

/* In-place changes of an encoded header; `hdr` points to its first byte, at least
 * SMB2_HEADER_LEN writable bytes. */
void smb2_header_set_status(uint8_t *hdr, uint32_t status);
void smb2_header_set_credits(uint8_t *hdr, uint16_t credits);
void smb2_header_set_credit_charge(uint8_t *hdr, uint16_t charge);
void smb2_header_set_next_command(uint8_t *hdr, uint32_t next_command);
void smb2_header_set_message_id(uint8_t *hdr, uint64_t message_id);
void smb2_header_set_session_id(uint8_t *hdr, uint64_t session_id);
/* Keeps the other bits. */
void smb2_header_add_flags(uint8_t *hdr, uint32_t flags);
/* NULL zeroes the field, as signing wants it before the MAC is computed. */
void smb2_header_set_signature(uint8_t *hdr, const uint8_t signature[16]);

#endif
