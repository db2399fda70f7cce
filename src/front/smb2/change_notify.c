/* CHANGE_NOTIFY, [MS-SMB2] 3.3.5.19: the file service watches and keeps what happens, fs_notify();
 * here a request waits for it and its news are put into [MS-FSCC] 2.7.1. */
#include "front/smb2/front.h"

#include "base/limits.h"
#include "front/smb2/call.h"
#include "front/smb2/chain.h"
#include "front/smb2/commands.h"
#include "front/smb2/session.h"
#include "front/smb2/tree.h"
#include "net/pool.h"
#include "wire/fscc/notify.h"
#include "wire/smb2/change_notify.h"

/* Filter bits have the same values in both. */
_Static_assert((int)FS_CHANGE_STREAM_WRITE == (int)FILE_NOTIFY_CHANGE_STREAM_WRITE,
               "filters differ");
_Static_assert((int)FS_CHANGE_STREAM_MODIFIED == (int)FILE_ACTION_MODIFIED_STREAM,
               "actions differ");

struct notify_state {
        struct fs_notify_req q;
        struct notify_list list;
};

/* Room for the news is taken when there are any: many wait, few are told at once. */
static bool begin_list(struct smb2_call *c, struct notify_state *s)
{
        size_t max = s->q.max_bytes < LIMIT_NOTIFY_BYTES ? s->q.max_bytes : LIMIT_NOTIFY_BYTES;
        if (c->payload)
                return true;
        c->payload = buf_get(net_pool_bufs(c->conn->local->front->pool), max ? max : 1);
        if (c->payload)
                s->list = notify_list_into(c->payload->p, max);
        return c->payload;
}

static bool take_change(void *ctx, unsigned action, const char *name)
{
        struct smb2_call *c = ctx;
        struct notify_state *s = c->state;
        AUTO_FREE char *path = begin_list(c, s) ? strdup(name) : NULL;
        if (!path)
                return false; /* without memory the client has to look for itself, too */
        for (char *p = path; (p = strchr(p, '/'));)
                *p = '\\';
        return notify_list_append(&s->list, (enum notify_action)action, path);
}

static enum fs_err notify_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct notify_state *s = c->state;
        (void)how; /* never waits for a disk */
        return fs_notify(c->open->file, &s->q, &op->waiter);
}

/* Does the request end because what it stands on was taken away? */
static bool is_cleanup(const struct smb2_call *c, enum fs_err e)
{
        if (e != FS_CANCELLED)
                return e == FS_CLOSED;
        return c->open->closed || c->session->state == SMB2_SESSION_ENDED ||
               smb2_tree_lookup(c->session, c->tree->id) != c->tree;
}

static void reply(struct smb2_call *c, struct bytes list)
{
        struct writer *w = smb2_reply_begin(c, SMB2_OUTPUT_BUFFER_HEAD_LEN + list.n);
        if (!w)
                return;
        smb2_output_buffer_encode(w, 0, list);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static void notify_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct notify_state *s = c->state;
        if (is_cleanup(c, e))
                smb2_fail(c, STATUS_NOTIFY_CLEANUP);
        else if (e == FS_UNSUPPORTED)
                smb2_fail(c, STATUS_NOT_IMPLEMENTED); /* switched off; clients look again by
                                                         themselves */
        else if (e != FS_OK)
                smb2_fail_fs(c, e);
        else
                reply(c, notify_list_done(&s->list));
}

void smb2_change_notify(struct smb2_call *c)
{
        struct smb2_change_notify_req q;
        if (!smb2_change_notify_req_decode(c->msg, &q) ||
            q.output_buffer_length > smb2_call_config(c)->max_io) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        struct notify_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!s || !smb2_chain_settle(c->chain)) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        s->q = (struct fs_notify_req){.filter = q.completion_filter,
                                      .recursive = (q.flags & SMB2_WATCH_TREE) != 0,
                                      .max_bytes = q.output_buffer_length,
                                      .take = take_change,
                                      .ctx = c};
        smb2_call_start(c, notify_run, notify_done, 0);
}
