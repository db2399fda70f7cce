/* The TRANSFORM_HEADER around encrypted messages, [MS-SMB2] 2.2.41. */
#ifndef FREVO_WIRE_SMB2_TRANSFORM_H
#define FREVO_WIRE_SMB2_TRANSFORM_H

#include "wire/smb2/header.h"

#define SMB2_TRANSFORM_HEADER_LEN 52u

enum smb2_transform_offset {
        SMB2_TRANSFORM_AT_SIGNATURE = 4,
        SMB2_TRANSFORM_AT_NONCE = 20, /* additional authenticated data: from here to the end */
        SMB2_TRANSFORM_AT_ORIGINAL_MESSAGE_SIZE = 36,
        SMB2_TRANSFORM_AT_FLAGS = 42,
        SMB2_TRANSFORM_AT_SESSION_ID = 44,
};
#define SMB2_TRANSFORM_AAD_LEN (SMB2_TRANSFORM_HEADER_LEN - SMB2_TRANSFORM_AT_NONCE)

enum smb2_transform_flags {
        SMB2_TRANSFORM_FLAG_ENCRYPTED = 0x0001, /* before 3.1.1: EncryptionAlgorithm AES-128-CCM */
};

struct smb2_transform_header {
        uint8_t signature[16];
        uint8_t nonce[16]; /* CCM uses the first 11 bytes, GCM the first 12 */
        uint32_t original_message_size;
        uint16_t flags;
        uint64_t session_id;
};

/* True when the frame starts with FD 'S' 'M' 'B', however short it is otherwise. */
bool smb2_is_transform(struct bytes frame);
/* `frame` is the whole transport frame. False when it is shorter than a header and one SMB2
 * header, when OriginalMessageSize is not what follows, or when Flags is not ENCRYPTED. */
bool smb2_transform_header_decode(struct bytes frame, struct smb2_transform_header *out);
void smb2_transform_header_encode(struct writer *w, const struct smb2_transform_header *in);
/* `hdr` points to an encoded header. */
void smb2_transform_header_set_signature(uint8_t *hdr, const uint8_t signature[16]);

#endif
