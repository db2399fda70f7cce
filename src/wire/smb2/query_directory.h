/* QUERY_DIRECTORY, [MS-SMB2] 2.2.33 and 2.2.34. The entries: wire/fscc. */
#ifndef FREVO_WIRE_SMB2_QUERY_DIRECTORY_H
#define FREVO_WIRE_SMB2_QUERY_DIRECTORY_H

#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"
#include "wire/smb2/output_buffer.h"

enum smb2_query_directory_flags {
        SMB2_RESTART_SCANS = 0x01,
        SMB2_RETURN_SINGLE_ENTRY = 0x02,
        SMB2_INDEX_SPECIFIED = 0x04,
        SMB2_REOPEN = 0x10,
};

struct smb2_query_directory_req {
        uint8_t file_information_class; /* [MS-FSCC] 2.4 */
        uint8_t flags;
        uint32_t file_index;
        struct smb2_file_id file_id;
        struct bytes file_name; /* the search pattern, UTF-16LE, may be empty */
        uint32_t output_buffer_length;
};

bool smb2_query_directory_req_decode(struct bytes msg, struct smb2_query_directory_req *out);
void smb2_query_directory_req_encode(struct writer *w, size_t hdr_at,
                                     const struct smb2_query_directory_req *in);

/* Replies have the shape of output_buffer.h. */

#endif
