/* TREE_DISCONNECT, [MS-SMB2] 2.2.11 and 2.2.12: messages without content. */
#ifndef FREVO_WIRE_SMB2_TREE_DISCONNECT_H
#define FREVO_WIRE_SMB2_TREE_DISCONNECT_H

#include "wire/smb2/empty_body.h"

static inline bool smb2_tree_disconnect_req_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_tree_disconnect_req_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}
static inline bool smb2_tree_disconnect_rsp_decode(struct bytes msg)
{
        return smb2_empty_body_decode(msg);
}
static inline void smb2_tree_disconnect_rsp_encode(struct writer *w)
{
        smb2_empty_body_encode(w);
}

#endif
