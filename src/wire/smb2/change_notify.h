/* CHANGE_NOTIFY, [MS-SMB2] 2.2.35 and 2.2.36. The entries of the reply: wire/fscc. */
#ifndef FREVO_WIRE_SMB2_CHANGE_NOTIFY_H
#define FREVO_WIRE_SMB2_CHANGE_NOTIFY_H

#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"
#include "wire/smb2/output_buffer.h"

enum smb2_change_notify_flags { SMB2_WATCH_TREE = 0x0001 };

enum smb2_completion_filter {
        FILE_NOTIFY_CHANGE_FILE_NAME = 0x00000001,
        FILE_NOTIFY_CHANGE_DIR_NAME = 0x00000002,
        FILE_NOTIFY_CHANGE_ATTRIBUTES = 0x00000004,
        FILE_NOTIFY_CHANGE_SIZE = 0x00000008,
        FILE_NOTIFY_CHANGE_LAST_WRITE = 0x00000010,
        FILE_NOTIFY_CHANGE_LAST_ACCESS = 0x00000020,
        FILE_NOTIFY_CHANGE_CREATION = 0x00000040,
        FILE_NOTIFY_CHANGE_EA = 0x00000080,
        FILE_NOTIFY_CHANGE_SECURITY = 0x00000100,
        FILE_NOTIFY_CHANGE_STREAM_NAME = 0x00000200,
        FILE_NOTIFY_CHANGE_STREAM_SIZE = 0x00000400,
        FILE_NOTIFY_CHANGE_STREAM_WRITE = 0x00000800,
};

struct smb2_change_notify_req {
        uint16_t flags;
        uint32_t output_buffer_length;
        struct smb2_file_id file_id;
        uint32_t completion_filter;
};

bool smb2_change_notify_req_decode(struct bytes msg, struct smb2_change_notify_req *out);
void smb2_change_notify_req_encode(struct writer *w, const struct smb2_change_notify_req *in);

/* Replies have the shape of output_buffer.h. */

#endif
