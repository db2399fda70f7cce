/* SET_INFO, [MS-SMB2] 2.2.39 and 2.2.40. */
#ifndef FREVO_WIRE_SMB2_SET_INFO_H
#define FREVO_WIRE_SMB2_SET_INFO_H

#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"
#include "wire/smb2/info_type.h"

struct smb2_set_info_req {
        uint8_t info_type; /* enum smb2_info_type */
        uint8_t file_info_class;
        uint32_t additional_information;
        struct smb2_file_id file_id;
        struct bytes buffer;
};

bool smb2_set_info_req_decode(struct bytes msg, struct smb2_set_info_req *out);
void smb2_set_info_req_encode(struct writer *w, size_t hdr_at, const struct smb2_set_info_req *in);
bool smb2_set_info_rsp_decode(struct bytes msg);
void smb2_set_info_rsp_encode(struct writer *w);

#endif
