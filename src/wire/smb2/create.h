/* CREATE, [MS-SMB2] 2.2.13 and 2.2.14. */
#ifndef FREVO_WIRE_SMB2_CREATE_H
#define FREVO_WIRE_SMB2_CREATE_H

#include "wire/smb2/create_context.h"
#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"

enum smb2_oplock_level {
        SMB2_OPLOCK_LEVEL_NONE = 0x00,
        SMB2_OPLOCK_LEVEL_II = 0x01,
        SMB2_OPLOCK_LEVEL_EXCLUSIVE = 0x08,
        SMB2_OPLOCK_LEVEL_BATCH = 0x09,
        SMB2_OPLOCK_LEVEL_LEASE = 0xff,
};

enum smb2_impersonation_level {
        SMB2_IMPERSONATION_ANONYMOUS = 0,
        SMB2_IMPERSONATION_IDENTIFICATION = 1,
        SMB2_IMPERSONATION_IMPERSONATION = 2,
        SMB2_IMPERSONATION_DELEGATE = 3,
};

enum smb2_share_access {
        FILE_SHARE_READ = 0x00000001,
        FILE_SHARE_WRITE = 0x00000002,
        FILE_SHARE_DELETE = 0x00000004,
};

enum smb2_create_disposition {
        FILE_SUPERSEDE = 0,
        FILE_OPEN = 1,
        FILE_CREATE = 2,
        FILE_OPEN_IF = 3,
        FILE_OVERWRITE = 4,
        FILE_OVERWRITE_IF = 5,
};

enum smb2_create_options {
        FILE_DIRECTORY_FILE = 0x00000001,
        FILE_WRITE_THROUGH = 0x00000002,
        FILE_SEQUENTIAL_ONLY = 0x00000004,
        FILE_NO_INTERMEDIATE_BUFFERING = 0x00000008,
        FILE_SYNCHRONOUS_IO_ALERT = 0x00000010,
        FILE_SYNCHRONOUS_IO_NONALERT = 0x00000020,
        FILE_NON_DIRECTORY_FILE = 0x00000040,
        FILE_COMPLETE_IF_OPLOCKED = 0x00000100,
        FILE_NO_EA_KNOWLEDGE = 0x00000200,
        FILE_OPEN_REMOTE_INSTANCE = 0x00000400,
        FILE_RANDOM_ACCESS = 0x00000800,
        FILE_DELETE_ON_CLOSE = 0x00001000,
        FILE_OPEN_BY_FILE_ID = 0x00002000,
        FILE_OPEN_FOR_BACKUP_INTENT = 0x00004000,
        FILE_NO_COMPRESSION = 0x00008000,
        FILE_OPEN_REQUIRING_OPLOCK = 0x00010000,
        FILE_DISALLOW_EXCLUSIVE = 0x00020000,
        FILE_RESERVE_OPFILTER = 0x00100000,
        FILE_OPEN_REPARSE_POINT = 0x00200000,
        FILE_OPEN_NO_RECALL = 0x00400000,
        FILE_OPEN_FOR_FREE_SPACE_QUERY = 0x00800000,
};

enum smb2_create_action {
        FILE_SUPERSEDED = 0,
        FILE_OPENED = 1,
        FILE_CREATED = 2,
        FILE_OVERWRITTEN = 3,
};

enum smb2_create_rsp_flags { SMB2_CREATE_FLAG_REPARSEPOINT = 0x01 };

/* [MS-SMB2] 2.2.13.1 Access Mask Encoding, files and directories. */
enum smb2_access_mask {
        FILE_READ_DATA = 0x00000001,
        FILE_LIST_DIRECTORY = 0x00000001,
        FILE_WRITE_DATA = 0x00000002,
        FILE_ADD_FILE = 0x00000002,
        FILE_APPEND_DATA = 0x00000004,
        FILE_ADD_SUBDIRECTORY = 0x00000004,
        FILE_READ_EA = 0x00000008,
        FILE_WRITE_EA = 0x00000010,
        FILE_EXECUTE = 0x00000020,
        FILE_TRAVERSE = 0x00000020,
        FILE_DELETE_CHILD = 0x00000040,
        FILE_READ_ATTRIBUTES = 0x00000080,
        FILE_WRITE_ATTRIBUTES = 0x00000100,
        ACCESS_DELETE = 0x00010000,
        ACCESS_READ_CONTROL = 0x00020000,
        ACCESS_WRITE_DAC = 0x00040000,
        ACCESS_WRITE_OWNER = 0x00080000,
        ACCESS_SYNCHRONIZE = 0x00100000,
        ACCESS_SYSTEM_SECURITY = 0x01000000,
        ACCESS_MAXIMUM_ALLOWED = 0x02000000,
        ACCESS_GENERIC_ALL = 0x10000000,
        ACCESS_GENERIC_EXECUTE = 0x20000000,
        ACCESS_GENERIC_WRITE = 0x40000000,
        ACCESS_GENERIC_READ = 0x80000000,
};

struct smb2_create_req {
        uint8_t requested_oplock_level;
        uint32_t impersonation_level;
        uint32_t desired_access;
        uint32_t file_attributes;
        uint32_t share_access;
        uint32_t create_disposition;
        uint32_t create_options;
        struct bytes name;     /* UTF-16LE, no NUL, may be empty */
        struct bytes contexts; /* the raw list: smb2_create_context_list_decode() */
};

struct smb2_create_rsp {
        uint8_t oplock_level;
        uint8_t flags;
        uint32_t create_action;
        int64_t creation_time_ft, last_access_time_ft, last_write_time_ft, change_time_ft;
        uint64_t allocation_size, end_of_file; /* bytes */
        uint32_t file_attributes;
        struct smb2_file_id file_id;
        struct bytes contexts; /* decode: the raw list; encode: a whole list, copied */
};

bool smb2_create_req_decode(struct bytes msg, struct smb2_create_req *out);
void smb2_create_req_encode(struct writer *w, size_t hdr_at, const struct smb2_create_req *in);

bool smb2_create_rsp_decode(struct bytes msg, struct smb2_create_rsp *out);
void smb2_create_rsp_encode(struct writer *w, size_t hdr_at, const struct smb2_create_rsp *in);
/* Appends the fixed part (in->contexts is not looked at) and starts a context list behind it, to
 * be finished with smb2_create_context_end(), which also fills in the list's offset and length. */
void smb2_create_rsp_begin(struct writer *w, size_t hdr_at, const struct smb2_create_rsp *in,
                           struct smb2_create_context_writer *cw);

#endif
