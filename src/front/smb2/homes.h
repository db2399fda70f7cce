/* Which loop a client lives on: ClientGuid -> loop, shared by all loops of a front.
 *
 * The one structure of the front end that loops share; a mutex held for a look-up guards it. An
 * entry lives as long as one connection of its client does, so that connections that are
 * negotiated at the same time on different loops agree on one home.
 */
#ifndef FREVO_FRONT_SMB2_HOMES_H
#define FREVO_FRONT_SMB2_HOMES_H

#include "base/auto.h"
#include "wire/smb2/ids.h"

struct smb2_homes;

struct smb2_homes *smb2_homes_new(void);
void smb2_homes_free(struct smb2_homes *h);

/* Counts one more connection of guid and returns the loop where the client lives: `loop` when it is
 * new. -1 without memory: nothing was counted. */
int smb2_homes_enter(struct smb2_homes *h, const struct smb2_guid *guid, unsigned loop);
/* Takes back one enter. */
void smb2_homes_leave(struct smb2_homes *h, const struct smb2_guid *guid);

#endif
