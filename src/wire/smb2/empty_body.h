/* The four-byte body without content (StructureSize 4, Reserved) that LOGOFF, TREE_DISCONNECT,
 * ECHO, CANCEL and the replies of FLUSH and LOCK share. */
#ifndef FREVO_WIRE_SMB2_EMPTY_BODY_H
#define FREVO_WIRE_SMB2_EMPTY_BODY_H

#include "base/bytes.h"
#include "base/writer.h"

bool smb2_empty_body_decode(struct bytes msg);
void smb2_empty_body_encode(struct writer *w);

#endif
