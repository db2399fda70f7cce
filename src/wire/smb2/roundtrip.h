/* For tests and fuzz targets only: decodes a message of any command and encodes what was found. */
#ifndef FREVO_WIRE_SMB2_ROUNDTRIP_H
#define FREVO_WIRE_SMB2_ROUNDTRIP_H

#include "wire/smb2/header.h"

/* Decodes `msg` as a request or reply of `command`; true when that succeeds. Then `w` (empty) has
 * the message's own header and the encoded body. */
bool smb2_roundtrip(uint16_t command, bool is_request, struct bytes msg, struct writer *w);
bool smb2_roundtrip_error(struct bytes msg, struct writer *w);

/* Encoding is a fixed point: what was encoded decodes again and encodes to the same bytes. Aborts
 * otherwise. Returns what smb2_roundtrip returned for msg. */
bool smb2_roundtrip_check(uint16_t command, bool is_request, struct bytes msg);

#endif
