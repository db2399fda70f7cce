/* Messages that tell a client to give up what it caches ([MS-SMB2] 3.3.4.6, 3.3.4.7): oplock.c and
 * lease.c say what is in them.
 */
#ifndef FREVO_FRONT_SMB2_BREAK_NOTICE_H
#define FREVO_FRONT_SMB2_BREAK_NOTICE_H

#include "front/smb2/call.h"

/* The answer is waited for so long, then what is cached counts as given up; [MS-SMB2] 3.3.2.1 and
 * 3.3.2.5 (Windows: 35 s). */
#define BREAK_ACK_MS 35000u

typedef void smb2_break_notice_put(struct writer *w, const void *what);

/* put(w, what) writes the body. False: there is no living connection, or no memory.
 *
 * In the clear and unsigned ([MS-SMB2] 3.3.4.6, 3.3.4.7), or sealed, where o's requests are to be:
 * then on any channel of its session. In the clear on a channel of the session, too, or... */
bool smb2_break_notice_send(const struct smb2_open *o, smb2_break_notice_put *put,
                            const void *what);
/* ... on any connection of the client, the oldest first. */
bool smb2_break_notice_send_client(const struct smb2_open *o, smb2_break_notice_put *put,
                                   const void *what);

#endif
