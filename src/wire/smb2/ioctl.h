/* IOCTL, [MS-SMB2] 2.2.31 and 2.2.32. The payloads of single control codes: fsctl.h. */
#ifndef FREVO_WIRE_SMB2_IOCTL_H
#define FREVO_WIRE_SMB2_IOCTL_H

#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"

#define SMB2_IOCTL_RSP_HEAD_LEN 48u /* bytes between the header and the output */

enum smb2_ioctl_flags { SMB2_0_IOCTL_IS_FSCTL = 0x00000001 };

struct smb2_ioctl_req {
        uint32_t ctl_code;
        struct smb2_file_id file_id;
        struct bytes input;
        uint32_t max_input_response;
        struct bytes output; /* normally empty */
        uint32_t max_output_response;
        uint32_t flags;
};

struct smb2_ioctl_rsp {
        uint32_t ctl_code;
        struct smb2_file_id file_id;
        struct bytes input;
        struct bytes output;
        uint32_t flags;
};

bool smb2_ioctl_req_decode(struct bytes msg, struct smb2_ioctl_req *out);
void smb2_ioctl_req_encode(struct writer *w, size_t hdr_at, const struct smb2_ioctl_req *in);

bool smb2_ioctl_rsp_decode(struct bytes msg, struct smb2_ioctl_rsp *out);
void smb2_ioctl_rsp_encode(struct writer *w, size_t hdr_at, const struct smb2_ioctl_rsp *in);
/* Fixed part of a reply without input: output_len bytes must follow at once. in->input and
 * in->output are not looked at. */
void smb2_ioctl_rsp_encode_head(struct writer *w, size_t hdr_at, const struct smb2_ioctl_rsp *in,
                                uint32_t output_len);

#endif
