/* Oplocks ([MS-SMB2] 3.3.4.6, 3.3.5.22.1): the wire's levels for the file service's caching grants,
 * and the way of a break from whoever caused it to the client that has to give up.
 */
#ifndef FREVO_FRONT_SMB2_OPLOCK_H
#define FREVO_FRONT_SMB2_OPLOCK_H

#include "front/smb2/call.h"

/* The front's side of every fs_client; its ctx is the struct smb2_local of the client's loop. */
extern const struct fs_client_ops smb2_grant_ops;

unsigned smb2_grant_of_level(uint8_t level); /* enum fs_grant; a lease asks for nothing here */
uint8_t smb2_level_of_grant(unsigned grant);

/* o was just added: breaks find it from now on, also one that came before. */
void smb2_oplock_attach(struct smb2_open *o);
/* o leaves its table. */
void smb2_oplock_detach(struct smb2_open *o);

#endif
