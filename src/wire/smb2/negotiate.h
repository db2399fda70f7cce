/* NEGOTIATE, [MS-SMB2] 2.2.3 and 2.2.4. */
#ifndef FREVO_WIRE_SMB2_NEGOTIATE_H
#define FREVO_WIRE_SMB2_NEGOTIATE_H

#include "base/limits.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"
#include "wire/smb2/negotiate_context.h"

struct smb2_negotiate_req {
        uint16_t security_mode; /* enum smb2_security_mode */
        uint32_t capabilities;  /* enum smb2_global_cap */
        struct smb2_guid client_guid;
        unsigned dialect_count; /* 1..LIMIT_DIALECTS */
        uint16_t dialects[LIMIT_DIALECTS];
        bool has_contexts; /* 3.1.1 is among the dialects; else `contexts` is zero */
        struct smb2_negotiate_contexts contexts;
};

struct smb2_negotiate_rsp {
        uint16_t security_mode;
        uint16_t dialect_revision;
        struct smb2_guid server_guid;
        uint32_t capabilities;
        uint32_t max_transact_size, max_read_size, max_write_size; /* bytes */
        int64_t system_time_ft, server_start_time_ft;
        struct bytes security_buffer;
        struct smb2_negotiate_contexts contexts; /* used when dialect_revision is 3.1.1 */
};

/* False also for no dialect and for more than LIMIT_DIALECTS: both are INVALID_PARAMETER. */
bool smb2_negotiate_req_decode(struct bytes msg, struct smb2_negotiate_req *out);
void smb2_negotiate_req_encode(struct writer *w, size_t hdr_at,
                               const struct smb2_negotiate_req *in);
bool smb2_negotiate_req_has_dialect(const struct smb2_negotiate_req *q, uint16_t dialect);

bool smb2_negotiate_rsp_decode(struct bytes msg, struct smb2_negotiate_rsp *out);
void smb2_negotiate_rsp_encode(struct writer *w, size_t hdr_at,
                               const struct smb2_negotiate_rsp *in);

#endif
