/* A chain: the requests of one frame, run one after another; different chains run side by side and
 * complete in any order ([MS-SMB2] 3.3.5.2.7).
 *
 * Loop only. A chain holds its frame, its connection and, if the frame was sealed, the session
 * whose keys seal the replies. Replies of one chain go out together; when the last element takes a
 * while, those before it go out with its interim reply.
 */
#ifndef FREVO_FRONT_SMB2_CHAIN_H
#define FREVO_FRONT_SMB2_CHAIN_H

#include "front/smb2/call.h"
#include "front/smb2/conn.h"

struct smb2_chain {
        struct list link; /* in conn->chains, or in local->free_chains */
        struct smb2_conn *conn;
        struct frame frame;
        size_t frame_bytes;
        struct smb2_session *sealed; /* one reference; NULL: came in the clear */
        struct arena arena;
        struct smb2_call *calls; /* n of them: &one, or in the arena */
        struct smb2_call one;
        unsigned n;
        unsigned at;   /* the one in work */
        unsigned sent; /* the first whose reply is not queued */
        bool running;  /* inside the loop over the elements */

        /* What related elements inherit from their predecessor. */
        uint64_t session_id;
        uint32_t tree_id;
        struct smb2_open *open;   /* one reference */
        bool has_file;            /* the predecessor named or made one */
        bool broken;              /* began with a related element: nothing in it is done */
        bool no_session, no_tree; /* the predecessor failed to make one */
        uint32_t file_status;     /* with has_file: the error that it ended with, or 0 */

        struct loop_hook cancel_hook;
};

/* Takes f, whose data starts at the first SMB2 header; `sealed` is borrowed, NULL in the clear.
 * Drops the connection when the frame breaks the protocol. */
void smb2_chain_start(struct smb2_conn *c, struct frame f, struct smb2_session *sealed);
/* The same for an SMB 1 message: a call of NEGOTIATE is made up for it, with MessageId 0. */
void smb2_chain_start_smb1(struct smb2_conn *c, struct frame f);
/* The call in work was answered (reply.c). */
void smb2_chain_answered(struct smb2_chain *ch);
/* Before the last element waits long: the frame moves out of the large buffer that it shares. Views
 * of messages other than the calls' own are void then. False without memory: nothing happened. */
bool smb2_chain_settle(struct smb2_chain *ch) MUST_USE;
/* The chain's current open becomes o. */
void smb2_chain_set_open(struct smb2_chain *ch, struct smb2_open *o);

/* Asks the calls in work to end early. */
void smb2_call_cancel(struct smb2_call *c);
/* Those that wait for somebody else, and were told so. */
void smb2_chains_cancel_waiting(struct smb2_conn *c);
void smb2_chains_cancel_all(struct smb2_conn *c);
void smb2_chains_cancel_session(struct smb2_conn *c, const struct smb2_session *s);
void smb2_chains_cancel_tree(const struct smb2_tree *t);
/* The call in work whose request has that AsyncId (if not 0) or MessageId; NULL. */
struct smb2_call *smb2_chains_find(struct smb2_conn *c, uint64_t async_id, uint64_t message_id);
/* Frees the chains kept for later. */
void smb2_chains_trim(struct smb2_local *l);

#endif
