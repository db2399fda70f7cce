/* The one SMB 1 message that an SMB2 server understands: the multi-protocol NEGOTIATE request,
 * [MS-SMB2] 3.3.5.3.1 and 3.3.5.3.2 (layout: [MS-CIFS] 2.2.4.52.1). */
#ifndef FREVO_WIRE_SMB2_SMB1_NEGOTIATE_H
#define FREVO_WIRE_SMB2_SMB1_NEGOTIATE_H

#include "base/bytes.h"
#include "base/limits.h"

#define SMB1_DIALECT_SMB2_002 "SMB 2.002"
#define SMB1_DIALECT_SMB2_ANY "SMB 2.???"

struct smb1_negotiate_req {
        unsigned dialect_count;                /* 1..LIMIT_DIALECTS */
        struct bytes dialects[LIMIT_DIALECTS]; /* without NUL; borrowed from the frame */
};

/* True when the frame starts like an SMB 1 message (FF 'S' 'M' 'B'). */
bool smb1_is_message(struct bytes frame);
/* False for anything else than a well-formed SMB_COM_NEGOTIATE (0x72) request. */
bool smb1_negotiate_req_decode(struct bytes frame, struct smb1_negotiate_req *out);
bool smb1_negotiate_req_has(const struct smb1_negotiate_req *q, const char *dialect);

#endif
