/* CHANGE_NOTIFY request, [MS-SMB2] 2.2.35. */
#include "wire/smb2/change_notify.h"

#include "wire/smb2/body.h"

bool smb2_change_notify_req_decode(struct bytes msg, struct smb2_change_notify_req *out)
{
        struct cursor c = smb2_body_get(msg, 32);
        struct smb2_change_notify_req q = {0};
        q.flags = cur_u16(&c);
        q.output_buffer_length = cur_u32(&c);
        q.file_id = smb2_file_id_get(&c);
        q.completion_filter = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved */
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void smb2_change_notify_req_encode(struct writer *w, const struct smb2_change_notify_req *in)
{
        wr_u16(w, 32);
        wr_u16(w, in->flags);
        wr_u32(w, in->output_buffer_length);
        smb2_file_id_put(w, in->file_id);
        wr_u32(w, in->completion_filter);
        wr_u32(w, 0); /* Reserved */
}
