/* CLOSE, [MS-SMB2] 2.2.15 and 2.2.16. */
#ifndef FREVO_WIRE_SMB2_CLOSE_H
#define FREVO_WIRE_SMB2_CLOSE_H

#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"

enum smb2_close_flags { SMB2_CLOSE_FLAG_POSTQUERY_ATTRIB = 0x0001 };

struct smb2_close_req {
        uint16_t flags;
        struct smb2_file_id file_id;
};

struct smb2_close_rsp {
        uint16_t flags; /* POSTQUERY_ATTRIB: the rest is valid; else all 0 */
        int64_t creation_time_ft, last_access_time_ft, last_write_time_ft, change_time_ft;
        uint64_t allocation_size, end_of_file; /* bytes */
        uint32_t file_attributes;
};

bool smb2_close_req_decode(struct bytes msg, struct smb2_close_req *out);
void smb2_close_req_encode(struct writer *w, const struct smb2_close_req *in);
bool smb2_close_rsp_decode(struct bytes msg, struct smb2_close_rsp *out);
void smb2_close_rsp_encode(struct writer *w, const struct smb2_close_rsp *in);

#endif
