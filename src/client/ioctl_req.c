/* See ioctl_req.h; [MS-SMB2] 3.2.4.20. */
#include "client/ioctl_req.h"

#include <errno.h>

#include "wire/smb2/ioctl.h"
#include "wire/smb2/status.h"

#define IOCTL_ROOM 64u

void ioctl_send(struct file_req *r, const struct ioctl_call *call)
{
        struct client_batch b;
        uint32_t in = (uint32_t)call->input.n;
        struct smb2_ioctl_req q = {
                .ctl_code = call->code,
                .file_id = r->file->id,
                .input = call->input,
                .max_output_response = call->max_output,
                .flags = SMB2_0_IOCTL_IS_FSCTL,
        };
        if (file_req_begin(r, &b, SMB2_IOCTL, IOCTL_ROOM + in,
                           in > call->max_output ? in : call->max_output))
                smb2_ioctl_req_encode(&b.w, r->q.hdr_at, &q);
        client_batch_send(&b);
}

bool ioctl_output(const struct file_req *r, const struct ioctl_call *call, struct bytes *ret)
{
        struct smb2_ioctl_rsp rsp;
        if (r->q.err || !smb2_ioctl_rsp_decode(r->q.msg, &rsp) || rsp.ctl_code != call->code ||
            rsp.output.n > call->max_output)
                return false;
        *ret = rsp.output;
        return true;
}

/* ---- operations that are one call -------------------------------------------------------------
 */

struct ioctl_op {
        struct file_op o;
        struct ioctl_call call;
        uint8_t input[]; /* what call.input shows */
};

static struct ioctl_op *ioctl_of(struct file_req *r)
{
        return container_of(file_op_of(r), struct ioctl_op, o);
}

static void op_send(struct file_req *r)
{
        ioctl_send(r, &ioctl_of(r)->call);
}

static void op_done(struct file_req *r)
{
        struct bytes out;
        struct frevo_result res = op_trouble(&r->q);
        bool answered = r->q.err == 0 &&
                        (r->q.status == STATUS_SUCCESS || r->q.status == STATUS_BUFFER_OVERFLOW);
        if (answered && ioctl_output(r, &ioctl_of(r)->call, &out)) {
                res = (struct frevo_result){.ntstatus = r->q.status, .data = out.p, .n = out.n};
                r->op->data_buf = buf_ref(r->q.owner);
        } else if (!res.err) {
                res.err = EPROTO;
        }
        op_finish(r->op, &res);
}

struct frevo_op *ioctl_start(struct frevo_file *f, const struct ioctl_call *call, bool repeatable,
                             frevo_done done, void *arg)
{
        struct ioctl_op *i = file_op_new(f, sizeof *i + call->input.n, done, arg);
        if (!i)
                return NULL;
        if (call->input.n)
                memcpy(i->input, call->input.p, call->input.n);
        i->call = *call;
        i->call.input.p = i->input;
        i->o.req.send = op_send;
        i->o.req.done = op_done;
        i->o.req.repeatable = repeatable;
        return op_start(&i->o.op);
}
