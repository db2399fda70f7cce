/* A list of extended attributes of the wire as the file service takes it. */
#ifndef FREVO_FRONT_SMB2_EAS_H
#define FREVO_FRONT_SMB2_EAS_H

#include "front/smb2/call.h"

/* An NTSTATUS. On success *ret[0..*ret_n) lives in the call's arena and borrows values from `list`.
 */
uint32_t smb2_eas_decode(struct smb2_call *c, struct bytes list, struct fs_ea **ret, size_t *ret_n);

#endif
