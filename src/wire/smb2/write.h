/* WRITE, [MS-SMB2] 2.2.21 and 2.2.22. */
#ifndef FREVO_WIRE_SMB2_WRITE_H
#define FREVO_WIRE_SMB2_WRITE_H

#include "wire/smb2/channel.h"
#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"

#define SMB2_WRITE_REQ_HEAD_LEN 48u /* bytes between the header and the first possible data */

enum smb2_write_flags {
        SMB2_WRITEFLAG_WRITE_THROUGH = 0x00000001,
        SMB2_WRITEFLAG_WRITE_UNBUFFERED = 0x00000002,
};

struct smb2_write_req {
        uint16_t data_offset; /* from the header */
        uint32_t length;      /* bytes */
        uint64_t offset;
        struct smb2_file_id file_id;
        uint32_t channel; /* enum smb2_payload_channel; reserved before 3.0 */
        uint32_t remaining_bytes;
        uint32_t flags;
        struct bytes data; /* exactly `length` bytes; only smb2_write_req_decode sets it */
};

struct smb2_write_rsp {
        uint32_t count; /* bytes */
};

/* The data must lie behind the fixed part and wholly inside msg. */
bool smb2_write_req_decode(struct bytes msg, struct smb2_write_req *out);
/* For a payload that is still on its way: `msg` holds at least header and fixed part, `msg_len` is
 * the length of the whole element. Same checks against msg_len; out->data stays empty. */
bool smb2_write_req_decode_head(struct bytes msg, size_t msg_len, struct smb2_write_req *out);

void smb2_write_req_encode(struct writer *w, size_t hdr_at, const struct smb2_write_req *in);
/* Everything but the data: data_len bytes must follow at once. in->length, in->data_offset and
 * in->data are not looked at (by both encoders: the data's own length counts). */
void smb2_write_req_encode_head(struct writer *w, size_t hdr_at, const struct smb2_write_req *in,
                                uint32_t data_len);

bool smb2_write_rsp_decode(struct bytes msg, struct smb2_write_rsp *out);
void smb2_write_rsp_encode(struct writer *w, const struct smb2_write_rsp *in);

#endif
