/* FLUSH, [MS-SMB2] 2.2.17 and 2.2.18. */
#ifndef FREVO_WIRE_SMB2_FLUSH_H
#define FREVO_WIRE_SMB2_FLUSH_H

#include "wire/smb2/empty_body.h"
#include "wire/smb2/ids.h"

struct smb2_flush_req {
        struct smb2_file_id file_id;
};

bool smb2_flush_req_decode(struct bytes msg, struct smb2_flush_req *out);
void smb2_flush_req_encode(struct writer *w, const struct smb2_flush_req *in);

static inline bool smb2_flush_rsp_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_flush_rsp_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}

#endif
