/* Named pipes, [MS-SMB2] 3.3.5.15.3, .4 and .10. */
#include "front/smb2/front.h"

#include "front/smb2/ioctl.h"
#include "rpc/pipe.h"
#include "wire/fscc/fsctl.h"

uint32_t smb2_status_of_rpc(unsigned result)
{
        switch ((enum rpc_result)result) {
        case RPC_DONE:
                return STATUS_SUCCESS;
        case RPC_MORE:
                return STATUS_BUFFER_OVERFLOW;
        case RPC_EMPTY:
                return STATUS_PIPE_EMPTY;
        case RPC_FULL:
                return STATUS_PIPE_BUSY;
        case RPC_BROKEN:
                return STATUS_PIPE_DISCONNECTED;
        case RPC_NOMEM:
                break;
        }
        return STATUS_INSUFFICIENT_RESOURCES;
}

void smb2_ioctl_pipe_transceive(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        size_t n = 0;
        uint8_t *out = smb2_ioctl_output(c, s->q.max_output_response);
        if (!out)
                return;
        enum rpc_result e =
                rpc_pipe_transact(c->open->pipe, s->q.input, out, s->q.max_output_response, &n);
        if (e == RPC_DONE || e == RPC_MORE || e == RPC_EMPTY)
                smb2_ioctl_reply(c, n, e == RPC_MORE ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS);
        else
                smb2_fail(c, smb2_status_of_rpc(e));
}

void smb2_ioctl_pipe_peek(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        struct fsctl_pipe_peek k = {
                .state = FILE_PIPE_CONNECTED_STATE,
                .available = (uint32_t)rpc_pipe_available(c->open->pipe),
                .message_length = (uint32_t)rpc_pipe_message_left(c->open->pipe),
        };
        k.messages = k.message_length ? 1 : 0;
        if (s->q.max_output_response < 16) {
                smb2_fail(c, STATUS_BUFFER_TOO_SMALL);
                return;
        }
        uint8_t *out = smb2_ioctl_output(c, 16);
        if (!out)
                return;
        struct writer w = wr_into(out, 16);
        fsctl_pipe_peek_encode(&w, &k);
        /* the data itself is not shown, so whatever waits is "more than the buffer holds" */
        smb2_ioctl_reply(c, w.at, k.available ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS);
}

void smb2_ioctl_pipe_wait(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        struct fsctl_pipe_wait q;
        if (!fsctl_pipe_wait_decode(s->q.input, &q))
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else if (!smb2_tree_share(c->tree)->is_ipc)
                smb2_fail(c, STATUS_INVALID_DEVICE_REQUEST);
        else if (smb2_ioctl_output(c, 0)) /* every pipe we have is always ready */
                smb2_ioctl_reply(c, 0, STATUS_SUCCESS);
}
