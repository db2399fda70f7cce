/* READ, [MS-SMB2] 3.3.5.12. Translates READ; the file work is fs_read() or fs_read_fd().
 *
 * A reply that is neither signed nor encrypted sends a large payload from the file itself; any
 * other reads into the reply's own buffer, right behind the fixed part. */
#include "front/smb2/front.h"

#include "front/smb2/call.h"
#include "front/smb2/commands.h"
#include "rpc/pipe.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/read.h"

/* Below this, copying is cheaper than the extra system call of sendfile. */
#define SENDFILE_MIN_BYTES (32u * 1024)

struct read_state {
        struct smb2_read_req q;
        int fd; /* sendfile's; -1: the data is in the reply's buffer */
        size_t n;
};

static enum fs_err read_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct read_state *s = c->state;
        struct writer *w = &c->reply.w;
        uint8_t *data = w->p + w->at + SMB2_READ_RSP_HEAD_LEN;
        return fs_read(c->open->file, data, s->q.length, s->q.offset, how, &s->n);
}

static void read_reply(struct smb2_call *c)
{
        struct read_state *s = c->state;
        struct smb2_read_rsp r = {0};
        if (s->n < s->q.minimum_count) {
                smb2_fail(c, STATUS_END_OF_FILE);
                return;
        }
        struct writer *w = &c->reply.w;
        smb2_read_rsp_encode_head(w, 0, &r, (uint32_t)s->n);
        (void)wr_room(w, s->n); /* the data is there already; the buffer was made for it */
        smb2_reply_done(c, STATUS_SUCCESS);
}

static void read_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        if (e != FS_OK)
                smb2_fail_fs(c, e);
        else
                read_reply(c);
}

static void read_into_reply(struct smb2_call *c)
{
        struct read_state *s = c->state;
        s->fd = -1;
        if (smb2_reply_begin(c, (size_t)SMB2_READ_RSP_HEAD_LEN + s->q.length))
                smb2_call_start(c, read_run, read_done, 0);
}

static enum fs_err read_fd_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct read_state *s = c->state;
        return fs_read_fd(c->open->file, s->q.length, s->q.offset, how, &s->fd, &s->n);
}

static void read_fd_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct read_state *s = c->state;
        struct smb2_read_rsp r = {0};
        if (e == FS_UNSUPPORTED) {
                read_into_reply(c);
                return;
        }
        if (e != FS_OK || s->n < s->q.minimum_count) {
                smb2_fail_fs(c, e != FS_OK ? e : FS_END_OF_FILE);
                return;
        }
        struct writer *w = smb2_reply_begin(c, SMB2_READ_RSP_HEAD_LEN);
        if (!w)
                return;
        smb2_read_rsp_encode_head(w, 0, &r, (uint32_t)s->n);
        smb2_reply_done_file(c, s->fd, s->q.offset, s->n, c->open->file);
}

static void read_pipe(struct smb2_call *c)
{
        struct read_state *s = c->state;
        struct smb2_read_rsp r = {0};
        struct writer *w = smb2_reply_begin(c, (size_t)SMB2_READ_RSP_HEAD_LEN + s->q.length);
        if (!w)
                return;
        enum rpc_result e = rpc_pipe_read(c->open->pipe, w->p + w->at + SMB2_READ_RSP_HEAD_LEN,
                                          s->q.length, &s->n);
        if (e != RPC_DONE && e != RPC_MORE) {
                smb2_fail(c, smb2_status_of_rpc(e));
                return;
        }
        smb2_read_rsp_encode_head(w, 0, &r, (uint32_t)s->n);
        (void)wr_room(w, s->n); /* as in read_reply */
        smb2_reply_done(c, smb2_status_of_rpc(e));
}

void smb2_read(struct smb2_call *c)
{
        struct smb2_read_req q;
        if (!smb2_read_req_decode(c->msg, &q) || q.length > smb2_call_config(c)->max_io ||
            (smb2_call_dialect(c) >= SMB2_DIALECT_300 && q.channel != SMB2_CHANNEL_NONE)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        struct read_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        s->q = q;
        if (c->open->pipe)
                read_pipe(c);
        else if (fs_open_is_dir(c->open->file))
                smb2_fail(c, STATUS_INVALID_DEVICE_REQUEST);
        else if (q.length >= SENDFILE_MIN_BYTES && smb2_reply_may_sendfile(c))
                smb2_call_start(c, read_fd_run, read_fd_done, 0);
        else
                read_into_reply(c);
}
