/* TREE_CONNECT, [MS-SMB2] 2.2.9 and 2.2.10. */
#ifndef FREVO_WIRE_SMB2_TREE_CONNECT_H
#define FREVO_WIRE_SMB2_TREE_CONNECT_H

#include "wire/smb2/header.h"

enum smb2_tree_connect_flags { /* 3.1.1 only; reserved before */
                               SMB2_TREE_CONNECT_FLAG_CLUSTER_RECONNECT = 0x0001,
                               SMB2_TREE_CONNECT_FLAG_REDIRECT_TO_OWNER = 0x0002,
                               SMB2_TREE_CONNECT_FLAG_EXTENSION_PRESENT = 0x0004,
};

enum smb2_share_type {
        SMB2_SHARE_TYPE_DISK = 0x01,
        SMB2_SHARE_TYPE_PIPE = 0x02,
        SMB2_SHARE_TYPE_PRINT = 0x03,
};

enum smb2_share_flags {
        SMB2_SHAREFLAG_MANUAL_CACHING = 0x00000000,
        SMB2_SHAREFLAG_AUTO_CACHING = 0x00000010,
        SMB2_SHAREFLAG_VDO_CACHING = 0x00000020,
        SMB2_SHAREFLAG_NO_CACHING = 0x00000030,
        SMB2_SHAREFLAG_DFS = 0x00000001,
        SMB2_SHAREFLAG_DFS_ROOT = 0x00000002,
        SMB2_SHAREFLAG_RESTRICT_EXCLUSIVE_OPENS = 0x00000100,
        SMB2_SHAREFLAG_FORCE_SHARED_DELETE = 0x00000200,
        SMB2_SHAREFLAG_ALLOW_NAMESPACE_CACHING = 0x00000400,
        SMB2_SHAREFLAG_ACCESS_BASED_DIRECTORY_ENUM = 0x00000800,
        SMB2_SHAREFLAG_FORCE_LEVELII_OPLOCK = 0x00001000,
        SMB2_SHAREFLAG_ENABLE_HASH_V1 = 0x00002000,
        SMB2_SHAREFLAG_ENABLE_HASH_V2 = 0x00004000,
        SMB2_SHAREFLAG_ENCRYPT_DATA = 0x00008000,
        SMB2_SHAREFLAG_IDENTITY_REMOTING = 0x00040000,
        SMB2_SHAREFLAG_COMPRESS_DATA = 0x00100000,
        SMB2_SHAREFLAG_ISOLATED_TRANSPORT = 0x00200000,
};

enum smb2_share_cap {
        SMB2_SHARE_CAP_DFS = 0x00000008,
        SMB2_SHARE_CAP_CONTINUOUS_AVAILABILITY = 0x00000010,
        SMB2_SHARE_CAP_SCALEOUT = 0x00000020,
        SMB2_SHARE_CAP_CLUSTER = 0x00000040,
        SMB2_SHARE_CAP_ASYMMETRIC = 0x00000080,
        SMB2_SHARE_CAP_REDIRECT_TO_OWNER = 0x00000100,
};

struct smb2_tree_connect_req {
        uint16_t flags;    /* enum smb2_tree_connect_flags; to be ignored below 3.1.1 */
        struct bytes path; /* UTF-16LE, \\server\share */
};

struct smb2_tree_connect_rsp {
        uint8_t share_type;
        uint32_t share_flags;
        uint32_t capabilities; /* enum smb2_share_cap */
        uint32_t maximal_access;
};

/* A request extension (flag EXTENSION_PRESENT) is tolerated: its contexts are not looked at, only
 * the path is taken. */
bool smb2_tree_connect_req_decode(struct bytes msg, struct smb2_tree_connect_req *out);
/* Never writes an extension. */
void smb2_tree_connect_req_encode(struct writer *w, size_t hdr_at,
                                  const struct smb2_tree_connect_req *in);
bool smb2_tree_connect_rsp_decode(struct bytes msg, struct smb2_tree_connect_rsp *out);
void smb2_tree_connect_rsp_encode(struct writer *w, size_t hdr_at,
                                  const struct smb2_tree_connect_rsp *in);

#endif
