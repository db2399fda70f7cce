/* CHANGE_NOTIFY, [MS-SMB2] 3.3.5.19. Watching is not offered yet: [MS-SMB2] wants
 * STATUS_NOT_SUPPORTED from such a file system, after the checks that hold in any case. */
#include "front/smb2/front.h"

#include "front/smb2/call.h"
#include "front/smb2/commands.h"
#include "wire/smb2/change_notify.h"

void smb2_change_notify(struct smb2_call *c)
{
        struct smb2_change_notify_req q;
        if (!smb2_change_notify_req_decode(c->msg, &q) || !c->open->file ||
            !fs_open_is_dir(c->open->file) || q.output_buffer_length > smb2_call_config(c)->max_io)
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else if (!(fs_open_access(c->open->file) & FS_READ_DATA))
                smb2_fail(c, STATUS_ACCESS_DENIED);
        else
                smb2_fail(c, STATUS_NOT_SUPPORTED);
}
