/* From finished replies to frames on the connection: headers, credits, signatures, sealing. */
#ifndef FREVO_FRONT_SMB2_SEND_H
#define FREVO_FRONT_SMB2_SEND_H

#include "front/smb2/chain.h"

/* Room in front of a reply for the transform header; keeps the SMB2 header 8-aligned. */
#define SMB2_REPLY_HEADROOM 64u
/* Room behind it for the padding in a compound. */
#define SMB2_REPLY_TAILROOM 8u

/* Queues the replies of the elements [ch->sent, upto), and behind them the interim reply of
 * `interim` (NULL: none). Advances ch->sent. */
void smb2_send_replies(struct smb2_chain *ch, unsigned upto, struct smb2_call *interim);
/* Queues a message of the server's own (an oplock break), which starts at SMB2_REPLY_HEADROOM in b
 * and has n bytes; takes b. `seal` NULL: in the clear. */
void smb2_send_notice(struct smb2_conn *c, struct buf *b, size_t n, struct smb2_session *seal);

#endif
