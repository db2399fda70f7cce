/* One request on its way: what a handler is given, and how it answers.
 *
 * A frame holds a chain of requests (a compound, or one alone); each becomes a struct smb2_call.
 * The dispatch table (dispatch.c) has checked, as data, what its row says: session, tree, open,
 * kind of tree, share writable, length of payload against credits; the handler finds them here.
 *
 * A handler answers exactly once: smb2_reply_done(), smb2_fail(), or, through smb2_call_start(),
 * later from its done function. Handlers and done functions run on the loop of the connection;
 * run functions on the loop or on a worker: they touch nothing of the call but what is theirs
 * (request, reply buffer, open, operation).
 */
#ifndef FREVO_FRONT_SMB2_CALL_H
#define FREVO_FRONT_SMB2_CALL_H

#include "base/arena.h"
#include "base/writer.h"
#include "fs/op.h"
#include "net/buf.h"
#include "net/timer.h"
#include "wire/smb2/header.h"
#include "wire/smb2/ids.h"
#include "wire/smb2/status.h"

struct smb2_conn;
struct smb2_call;
struct smb2_lease;
struct smb2_setup;
struct smb2_session;
struct smb2_tree;
struct smb2_chain;
struct smb2_command_row;
struct rpc_context;
struct rpc_pipe;

/* An open of the protocol: a file of the file service, or a pipe. Reference counted (loop only);
 * owned by the session's table until CLOSE. */
struct smb2_open {
        struct list link; /* in its session */
        unsigned refs;
        bool closed;
        struct smb2_file_id id;
        struct smb2_session *session; /* borrowed; NULL once closed */
        struct smb2_tree *tree;       /* one reference */
        struct fs_open *file;         /* one reference; NULL for a pipe */
        struct rpc_pipe *pipe;        /* owned; NULL for a file */
        struct rpc_context *rpc;      /* owned; what the pipe borrows: freed after it */
        uint8_t resume_key[24]; /* of FSCTL_SRV_REQUEST_RESUME_KEY; valid when has_resume_key */
        bool has_resume_key;
        uint8_t lock_sequence[65]; /* [MS-SMB2] 3.3.1.10 LockSequenceArray, by index 1..64; 0xff:
                                      none */
        struct timer break_timer;  /* oplock.c: runs while an acknowledgment is awaited */
        bool lost_oplock;          /* the client was told so, with nothing to acknowledge */
        struct smb2_lease *lease;  /* lease.c; NULL: opened without, or closed */
        struct list in_lease;
        struct list work;          /* struct smb2_work, in order of arrival; the core's */
        uint16_t channel_sequence; /* [MS-SMB2] 3.3.5.2.10; the core's */
        uint32_t slot;             /* in the session's table; the core's */
};

/* The answer being built. The buffer has room in front for transport and transform headers. */
struct smb2_reply {
        struct buf *buf;
        size_t head_at;  /* where the SMB2 header starts in buf */
        struct writer w; /* over buf from head_at; w.at counts from the header */
        int file_fd;     /* -1, or: file_len bytes of this file follow what is in buf */
        uint64_t file_off;
        size_t file_len;
        struct fs_open *file_hold; /* keeps file_fd open until sent; one reference */
};

struct signer;
struct smb2_channel;
struct preauth;

/* A call in an open's list: its operation is at work (not parked), or it waits until those before
 * it have left. */
struct smb2_work {
        struct list link;
        struct smb2_call *call;
        bool waits;
};

/* How a call goes through the core: chain.c, dispatch.c, reply.c. */
struct smb2_call_core {
        void (*op_done)(struct fs_op *op, enum fs_err e); /* the handler's */
        struct smb2_channel *channel; /* one reference: the keys live until the reply is out */
        struct signer *signer;    /* of the reply; NULL = unsigned; owned by channel or session */
        struct preauth *hash;     /* takes the reply's bytes, too; owned by conn or setup */
        struct smb2_setup *setup; /* one reference; SESSION_SETUP only */
        uint32_t forced_status;   /* 0, or: what the reply will say instead of CANCELLED */
        struct smb2_work work;    /* in its open's list: at work there, or behind others */
        unsigned n_ahead;         /* lists in which it is behind others */
        void (*go_on)(struct smb2_call *c);
        bool op_active, op_busy, answered, silent; /* silent: there is no reply (CANCEL) */
};

struct smb2_call {
        struct smb2_chain *chain;
        struct smb2_conn *conn; /* borrowed from the chain, which holds a reference */
        const struct smb2_command_row *row;
        struct bytes msg; /* this element, from its header on; lives as long as the call */
        struct smb2_header hdr;
        struct smb2_session *session; /* one reference each; NULL where the row asks for none */
        struct smb2_tree *tree;
        struct smb2_open *open;
        struct arena *arena; /* of the chain; on the loop only, or in run() of the current call */
        struct smb2_reply reply;
        struct fs_op op;
        bool async; /* an interim reply went out under async_id */
        uint64_t async_id;
        uint32_t status; /* of the reply once it is done */

        /* Handlers' own state between start and done; one member a command. */
        void *state; /* from the arena, for the commands that need more than the members below */
        struct buf *payload; /* where CHANGE_NOTIFY gathers its answer; unref'd with the call */

        struct smb2_call_core core; /* the core's own; handlers leave it alone */
};

/* The call of an operation that was started with smb2_call_start. */
static inline struct smb2_call *smb2_call_of(struct fs_op *op)
{
        return container_of(op, struct smb2_call, op);
}

/* c shall not go on before what is at work on o now. For as many opens as needed, one after the
 * other; false without memory, never at the first. Then smb2_call_go_on(). */
bool smb2_call_get_behind(struct smb2_call *c, struct smb2_open *o) MUST_USE;
/* Calls go_on(c): inside, or later when nothing is ahead of c any more. Session, tree and opens may
 * have ended by then. */
void smb2_call_go_on(struct smb2_call *c, void (*go_on)(struct smb2_call *c));
/* Runs `run` by the file service's engine and then `done` on the loop; flags: enum fs_op_flags. If
 * it parks, the client is told by an interim reply. */
void smb2_call_start(struct smb2_call *c, enum fs_err (*run)(struct fs_op *op, unsigned how),
                     void (*done)(struct fs_op *op, enum fs_err e), unsigned flags);

/* Room for a reply body of at most `body_max` bytes; the header is reserved. The returned writer
 * stands behind the header: hdr_at is 0 for the encoders of src/wire/smb2. May be called again
 * (starts over). NULL without memory: on the loop the call was failed and is no longer the
 * handler's; in a run function (they may call it, too) return FS_NO_MEMORY. */
struct writer *smb2_reply_begin(struct smb2_call *c, size_t body_max);
/* Answers with what was written; fails with INSUFFICIENT_RESOURCES if the writer is full. After any
 * answer the call may be gone: touch nothing of it. `status` is SUCCESS or a warning or an error
 * that has a body (BUFFER_OVERFLOW, MORE_PROCESSING_REQUIRED...). */
void smb2_reply_done(struct smb2_call *c, uint32_t status);
/* As smb2_reply_done, with file_len bytes of a file sent behind the body. Only where
 * smb2_reply_may_sendfile(c) said yes. Takes one reference on `hold`. */
void smb2_reply_done_file(struct smb2_call *c, int fd, uint64_t off, size_t len,
                          struct fs_open *hold);
/* Neither signed nor encrypted, alone in its chain: its payload may go straight from the file. */
bool smb2_reply_may_sendfile(const struct smb2_call *c);
/* Answers with the error body of [MS-SMB2] 2.2.2 and no data. */
void smb2_fail(struct smb2_call *c, uint32_t status);
/* As above, for an error whose body holds `data` (e.g. the size needed, 4 bytes). */
void smb2_fail_data(struct smb2_call *c, uint32_t status, struct bytes data);
/* smb2_fail with the status that stands for e (fs_status.c). */
void smb2_fail_fs(struct smb2_call *c, enum fs_err e);
/* NTSTATUS of a file service error: one table, complete by test. */
uint32_t smb2_status_of_fs(enum fs_err e);
/* NTSTATUS of an enum rpc_result. ioctl_pipe.c */
uint32_t smb2_status_of_rpc(unsigned result);

/* ---- opens (open.c) ---------------------------------------------------------------------------
 */

/* Registers a new open for the call's session and tree, takes the file's or pipe's reference, and
 * makes it the chain's current open. NULL when a limit is reached or without memory (then the
 * caller still owns file and pipe). */
struct smb2_open *smb2_open_add(struct smb2_call *c, struct fs_open *file, struct rpc_pipe *pipe);
/* Takes it out of the table; the file itself is closed by fs_close. */
void smb2_open_remove(struct smb2_open *o);
struct smb2_open *smb2_open_ref(struct smb2_open *o);
void smb2_open_unref(struct smb2_open *o);
/* An open of the same session by its resume key; borrowed; NULL when there is none. */
struct smb2_open *smb2_open_by_resume_key(struct smb2_session *s, const uint8_t key[24]);

/* ---- facts about the call's surroundings --------------------------------------------------------
 */

uint16_t smb2_call_dialect(const struct smb2_call *c); /* 0x0202 .. 0x0311 */
const struct smb2_config *smb2_call_config(const struct smb2_call *c);
struct fs_cred *smb2_tree_cred(const struct smb2_tree *t);        /* borrowed; NULL on IPC$ */
struct smb2_share *smb2_tree_share(const struct smb2_tree *t);    /* borrowed */
struct fs_client *smb2_call_fs_client(const struct smb2_call *c); /* borrowed */
const struct auth_identity *smb2_session_identity(const struct smb2_session *s);

/* ---- names --------------------------------------------------------------------------------------
 */

/* A path of the wire (UTF-16LE, '\' between components) as the file service wants it (UTF-8, '/'),
 * in the call's arena. Strips nothing; FS_BAD_NAME for a leading '\', '/' inside a component or an
 * odd length. *ret_stream is the stream's name (NULL without one; "" of "::$DATA", the unnamed
 * one). name.c */
enum fs_err smb2_path_decode(struct smb2_call *c, struct bytes utf16, char **ret_path,
                             char **ret_stream);

#endif
