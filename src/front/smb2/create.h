/* Between create.c (the operation) and create_request.c (what the client asked for). */
#ifndef FREVO_FRONT_SMB2_CREATE_H
#define FREVO_FRONT_SMB2_CREATE_H

#include "front/smb2/call.h"
#include "wire/smb2/create.h"

struct smb2_create_state {
        struct fs_open_req q;
        struct fs_opened opened;
        bool want_max_access, want_disk_id, want_lease;
        bool asks_lease; /* RequestedOplockLevel is LEASE, on a dialect that has them */
        struct smb2_create_lease lease; /* asked for; then, what there is */
        struct fs_grant_key lease_key;
        enum fs_err max_access_err;
        uint32_t max_access;
};

/* Field by field, what [MS-SMB2] 3.3.5.9 and [MS-FSA] 2.1.5.1 refuse whatever the name is. An
 * NTSTATUS. */
uint32_t smb2_create_check(const struct smb2_create_req *q);
/* Name, options and create contexts to s->q; what s->q points to lives in the call. An NTSTATUS. */
uint32_t smb2_create_translate(struct smb2_call *c, const struct smb2_create_req *q,
                               struct smb2_create_state *s);

#endif
