/* Between query_info.c and its three kinds: query_file.c, query_fs.c, query_security.c. */
#ifndef FREVO_FRONT_SMB2_QUERY_INFO_H
#define FREVO_FRONT_SMB2_QUERY_INFO_H

#include "front/smb2/call.h"
#include "wire/fscc/class.h"
#include "wire/smb2/query_info.h"

struct smb2_query_state {
        struct smb2_query_info_req q;
        struct writer out; /* over the reply's output, once smb2_query_output was called */
        void *own;
};

/* Makes the reply with all the room that the client offers and sets s->out over it; NULL: the call
 * was failed. On the loop. */
void *smb2_query_output(struct smb2_call *c);
/* Answers with what s->out holds. */
void smb2_query_reply(struct smb2_call *c, enum fscc_fit fit);
/* BUFFER_TOO_SMALL with the size that would do, [MS-SMB2] 3.3.5.20.3. */
void smb2_query_fail_small(struct smb2_call *c, size_t needed);

/* Of an answer of fixed size. */
static inline enum fscc_fit smb2_query_whole(const struct writer *w)
{
        return wr_ok(w) ? FSCC_WHOLE : FSCC_TOO_SMALL;
}

void smb2_query_file(struct smb2_call *c);
void smb2_query_fs(struct smb2_call *c);
void smb2_query_security(struct smb2_call *c);

#endif
