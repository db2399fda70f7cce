/* READ, [MS-SMB2] 2.2.19 and 2.2.20. */
#ifndef FREVO_WIRE_SMB2_READ_H
#define FREVO_WIRE_SMB2_READ_H

#include "wire/smb2/channel.h"
#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"

#define SMB2_READ_RSP_HEAD_LEN 16u /* bytes between the header and the data */

enum smb2_read_flags {
        SMB2_READFLAG_READ_UNBUFFERED = 0x01,
        SMB2_READFLAG_REQUEST_COMPRESSED = 0x02,
};

struct smb2_read_req {
        uint8_t padding; /* where the client would like the data in the reply; a hint */
        uint8_t flags;
        uint32_t length; /* bytes */
        uint64_t offset;
        struct smb2_file_id file_id;
        uint32_t minimum_count; /* bytes */
        uint32_t channel;       /* enum smb2_payload_channel; reserved before 3.0 */
        uint32_t remaining_bytes;
        struct bytes channel_info; /* empty unless channel is set and the info lies inside msg */
};

struct smb2_read_rsp {
        uint32_t data_remaining; /* bytes sent over RDMA instead */
        uint32_t flags;          /* 3.1.1: 1 = the data is an RDMA transform */
        struct bytes data;
};

/* channel_info that does not fit its message fails the decode only when channel is not NONE:
 * without a channel these fields are reserved. */
bool smb2_read_req_decode(struct bytes msg, struct smb2_read_req *out);
void smb2_read_req_encode(struct writer *w, size_t hdr_at, const struct smb2_read_req *in);

bool smb2_read_rsp_decode(struct bytes msg, struct smb2_read_rsp *out);
void smb2_read_rsp_encode(struct writer *w, size_t hdr_at, const struct smb2_read_rsp *in);
/* Everything but the data (in->data is not looked at): data_len bytes must follow at once, by
 * whatever way; SMB2_READ_RSP_HEAD_LEN bytes are appended. */
void smb2_read_rsp_encode_head(struct writer *w, size_t hdr_at, const struct smb2_read_rsp *in,
                               uint32_t data_len);

#endif
