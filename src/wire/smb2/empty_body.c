/* StructureSize 4 and two reserved bytes: [MS-SMB2] 2.2.7, 2.2.8, 2.2.11, 2.2.12, 2.2.18, 2.2.27,
 * 2.2.28, 2.2.29, 2.2.30. */
#include "wire/smb2/empty_body.h"

#include "wire/smb2/body.h"

bool smb2_empty_body_decode(struct bytes msg)
{
        struct cursor c = smb2_body_get(msg, 4);
        cur_skip(&c, 2); /* Reserved */
        return cur_ok(&c);
}

void smb2_empty_body_encode(struct writer *w)
{
        wr_u16(w, 4);
        wr_u16(w, 0);
}
