/* FLUSH, [MS-SMB2] 2.2.17 (the reply, 2.2.18, has no content). */
#include "wire/smb2/flush.h"

#include "wire/smb2/body.h"

bool smb2_flush_req_decode(struct bytes msg, struct smb2_flush_req *out)
{
        struct cursor c = smb2_body_get(msg, 24);
        struct smb2_flush_req q = {0};
        cur_skip(&c, 2 + 4); /* Reserved1, Reserved2 */
        q.file_id = smb2_file_id_get(&c);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_flush_req_encode(struct writer *w, const struct smb2_flush_req *in)
{
        wr_u16(w, 24);
        wr_zero(w, 2 + 4); /* Reserved1, Reserved2 */
        smb2_file_id_put(w, in->file_id);
}
