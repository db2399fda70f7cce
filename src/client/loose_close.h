/* Closing what nobody waits for: the server's open of an operation that is over. */
#ifndef FREVO_CLIENT_LOOSE_CLOSE_H
#define FREVO_CLIENT_LOOSE_CLOSE_H

#include "client/share.h"

/* Sends CLOSE of id, valid in session `epoch`. Without memory, or when the connection ends first,
 * the open ends with the session. */
void loose_close(struct frevo_share *s, struct smb2_file_id id, uint32_t epoch);

#endif
