/* Leases ([MS-SMB2] 3.3.1.12): what the protocol adds to the file service's, which finds them by
 * key for the whole client, counts their epochs and says what is granted.
 *
 * Lives from the first open with its key to the last, as far as clients see them. Loop only.
 */
#ifndef FREVO_FRONT_SMB2_LEASE_H
#define FREVO_FRONT_SMB2_LEASE_H

#include "front/smb2/call.h"
#include "wire/smb2/create_context.h"
#include "wire/smb2/oplock_break.h"

/* Of fs_client_ops (oplock.h). */
void smb2_lease_break(void *ctx, struct fs_lease *l, const struct fs_break *b);

/* o, just added, was opened with `asked`, and has a lease. False without memory. */
bool smb2_lease_attach(struct smb2_open *o, const struct smb2_create_lease *asked);
/* What the CREATE that attached o is told. */
void smb2_lease_describe(const struct smb2_open *o, struct smb2_create_lease *ret);
/* o leaves its table. Harmless without a lease. */
void smb2_lease_detach(struct smb2_open *o);

/* smb2_call_get_behind() of all opens with that key. */
bool smb2_lease_get_behind(struct smb2_call *c, const struct smb2_guid *key) MUST_USE;
/* 3.3.5.22.2: an NTSTATUS. q becomes the response. */
uint32_t smb2_lease_acknowledge(struct fs_client *client, struct smb2_lease_break *q);

#endif
