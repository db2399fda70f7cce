/* The reply body that QUERY_DIRECTORY, CHANGE_NOTIFY and QUERY_INFO share: StructureSize 9, one
 * buffer ([MS-SMB2] 2.2.34, 2.2.36, 2.2.38). */
#ifndef FREVO_WIRE_SMB2_OUTPUT_BUFFER_H
#define FREVO_WIRE_SMB2_OUTPUT_BUFFER_H

#include "base/bytes.h"
#include "base/writer.h"

#define SMB2_OUTPUT_BUFFER_HEAD_LEN 8u /* bytes between the header and the buffer */

bool smb2_output_buffer_decode(struct bytes msg, struct bytes *out);
void smb2_output_buffer_encode(struct writer *w, size_t hdr_at, struct bytes output);
/* The fixed part alone: output_len bytes must follow at once. */
void smb2_output_buffer_encode_head(struct writer *w, size_t hdr_at, uint32_t output_len);
/* For output that is written directly behind the head and whose length is known only then: `begin`
 * appends the head and returns a mark; `end` fills in the length of what was written since. */
size_t smb2_output_buffer_begin(struct writer *w, size_t hdr_at);
void smb2_output_buffer_end(struct writer *w, size_t mark);

#endif
