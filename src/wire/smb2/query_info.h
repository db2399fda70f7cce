/* QUERY_INFO, [MS-SMB2] 2.2.37 and 2.2.38. */
#ifndef FREVO_WIRE_SMB2_QUERY_INFO_H
#define FREVO_WIRE_SMB2_QUERY_INFO_H

#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"
#include "wire/smb2/info_type.h"
#include "wire/smb2/output_buffer.h"

enum smb2_query_info_flags { /* for FileFullEaInformation */
                             SL_RESTART_SCAN = 0x00000001,
                             SL_RETURN_SINGLE_ENTRY = 0x00000002,
                             SL_INDEX_SPECIFIED = 0x00000004,
};

struct smb2_query_info_req {
        uint8_t info_type;       /* enum smb2_info_type */
        uint8_t file_info_class; /* [MS-FSCC] 2.4 or 2.5 */
        uint32_t output_buffer_length;
        struct bytes input;
        uint32_t additional_information;
        uint32_t flags;
        struct smb2_file_id file_id;
};

bool smb2_query_info_req_decode(struct bytes msg, struct smb2_query_info_req *out);
void smb2_query_info_req_encode(struct writer *w, size_t hdr_at,
                                const struct smb2_query_info_req *in);

/* Replies have the shape of output_buffer.h. */

/* 2.2.37.1 SMB2_QUERY_QUOTA_INFO: the input of a quota query. At most one of the two is not empty.
 */
struct smb2_query_quota_info {
        bool return_single;
        bool restart_scan;
        struct bytes sid_list;  /* FILE_GET_QUOTA_INFORMATION entries, [MS-FSCC] 2.4.41.1 */
        struct bytes start_sid; /* one SID */
};

bool smb2_query_quota_info_decode(struct bytes input, struct smb2_query_quota_info *out);
void smb2_query_quota_info_encode(struct writer *w, const struct smb2_query_quota_info *in);

#endif
