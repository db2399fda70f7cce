/* See compound_op.h. */
#include "client/compound_op.h"

#include <errno.h>

#include "client/loose_close.h"
#include "client/names.h"
#include "wire/smb2/close.h"
#include "wire/smb2/header.h"
#include "wire/smb2/output_buffer.h"
#include "wire/smb2/query_info.h"
#include "wire/smb2/set_info.h"
#include "wire/smb2/status.h"

#define STEP_ROOM (SMB2_HEADER_LEN + 72u) /* a header, the longest fixed body, and padding */

/* ---- out --------------------------------------------------------------------------------------
 */

static void step_done(struct client_req *q);

struct client_req *compound_add(struct compound_op *o, struct client_batch *b, uint16_t command,
                                uint32_t payload)
{
        struct compound_step *t = &o->step[o->n];
        t->of = o;
        t->req.done = step_done;
        client_batch_add(b, &t->req, command, payload, o->n > 0);
        o->n++;
        return b->frame ? &t->req : NULL;
}

void compound_query(struct compound_op *o, struct client_batch *b, uint8_t info_type, uint8_t class,
                    uint32_t max, uint32_t what)
{
        const struct client_req *q = compound_add(o, b, SMB2_QUERY_INFO, max);
        if (q)
                smb2_query_info_req_encode(
                        &b->w, q->hdr_at,
                        &(struct smb2_query_info_req){.info_type = info_type,
                                                      .file_info_class = class,
                                                      .output_buffer_length = max,
                                                      .additional_information = what,
                                                      .file_id = CLIENT_RELATED_FILE});
}

void compound_set(struct compound_op *o, struct client_batch *b, uint8_t info_type, uint8_t class,
                  uint32_t what, struct bytes value)
{
        const struct client_req *q = compound_add(o, b, SMB2_SET_INFO, (uint32_t)value.n);
        if (q)
                smb2_set_info_req_encode(&b->w, q->hdr_at,
                                         &(struct smb2_set_info_req){.info_type = info_type,
                                                                     .file_info_class = class,
                                                                     .additional_information = what,
                                                                     .file_id = CLIENT_RELATED_FILE,
                                                                     .buffer = value});
}

#define ID_CONTEXT_ROOM 32u

static void add_create(struct compound_op *o, struct client_batch *b)
{
        uint8_t list[ID_CONTEXT_ROOM];
        struct writer lw = wr_into(list, sizeof list);
        struct smb2_create_context_writer cw;
        const struct client_req *q = compound_add(o, b, SMB2_CREATE, 0);
        if (!q)
                return;
        smb2_create_context_begin(&cw, &lw);
        if (o->wants_id)
                smb2_create_context_add(&cw, SMB2_CREATE_TAG_QUERY_ON_DISK_ID, bytes_of(NULL, 0));
        (void)smb2_create_context_end(&cw); /* the length is the writer's */
        struct smb2_create_req create = o->create;
        create.contexts = wr_done(&lw);
        smb2_create_req_encode(&b->w, q->hdr_at, &create);
}

static void compound_send(struct frevo_op *op)
{
        struct compound_op *o = container_of(op, struct compound_op, op);
        struct client_batch b;
        client_batch_begin(&b, op->share, COMPOUND_STEPS * STEP_ROOM + o->create.name.n + o->room,
                           0);
        o->n = 0;
        add_create(o, &b);
        if (o->middle)
                o->middle(o, &b);
        const struct client_req *q = compound_add(o, &b, SMB2_CLOSE, 0);
        if (q)
                smb2_close_req_encode(&b.w,
                                      &(struct smb2_close_req){.flags = o->close_flags,
                                                               .file_id = CLIENT_RELATED_FILE});
        o->unfinished = o->n;
        client_batch_send(&b);
}

static void compound_cancel(struct frevo_op *op)
{
        struct compound_op *o = container_of(op, struct compound_op, op);
        for (unsigned i = 0; i < o->n; i++)
                client_req_cancel(&o->step[i].req);
}

/* ---- in ---------------------------------------------------------------------------------------
 */

bool compound_output(const struct compound_op *o, unsigned i, struct bytes *ret)
{
        const struct client_req *q = &o->step[i].req;
        return q->err == 0 && status_errno(q->status) == 0 &&
               smb2_output_buffer_decode(q->msg, ret);
}

void compound_give(struct compound_op *o, unsigned i, struct bytes data, struct frevo_result *r)
{
        r->data = data.p;
        r->n = data.n;
        o->op.data_buf = o->step[i].buf;
        o->step[i].buf = NULL;
}

static void let_go(struct compound_op *o)
{
        for (unsigned i = 0; i < COMPOUND_STEPS; i++) {
                buf_unref(o->step[i].buf);
                o->step[i].buf = NULL;
        }
}

/* The first request that failed, and with it the operation; NULL: none. The CLOSE does not count.
 */
static const struct client_req *first_failed(const struct compound_op *o)
{
        for (unsigned i = 0; i + 1 < o->n; i++) {
                const struct client_req *q = &o->step[i].req;
                if (q->err || (status_errno(q->status) && !o->step[i].is_optional))
                        return q;
        }
        return NULL;
}

/* The open that a server left behind when it did not get as far as the CLOSE. */
static void close_leftover(const struct compound_op *o)
{
        const struct client_req *create = &o->step[0].req, *close = &o->step[o->n - 1].req;
        struct smb2_create_rsp r;
        if (create->err == 0 && create->status == STATUS_SUCCESS && close->err == 0 &&
            close->status != STATUS_SUCCESS && close->status != STATUS_FILE_CLOSED &&
            smb2_create_rsp_decode(create->msg, &r))
                loose_close(o->op.share, r.file_id, share_epoch(o->op.share));
}

static bool take_id(struct compound_op *o)
{
        struct smb2_create_context_list all;
        struct smb2_create_disk_id_rsp id;
        o->disk_id = 0;
        if (!o->wants_id)
                return true;
        if (!smb2_create_context_list_decode(o->created.contexts, &all))
                return false;
        const struct smb2_create_context *c =
                smb2_create_context_find(&all, SMB2_CREATE_TAG_QUERY_ON_DISK_ID);
        if (c && !smb2_create_disk_id_rsp_decode(c->data, &id))
                return false;
        if (c)
                o->disk_id = id.disk_file_id;
        return true;
}

static struct frevo_result outcome(struct compound_op *o)
{
        struct frevo_result r = {0};
        if (!smb2_create_rsp_decode(o->step[0].req.msg, &o->created))
                r.err = EPROTO;
        else if (!take_id(o))
                r.err = EPROTO;
        else if (o->finish)
                r.err = o->finish(o, &r);
        if (r.err)
                r = (struct frevo_result){.err = r.err,
                                          .ntstatus = r.ntstatus ? r.ntstatus : STATUS_INVALID};
        return r;
}

static void compound_over(struct compound_op *o)
{
        const struct client_req *failed = first_failed(o);
        if (failed && op_may_resend(&o->op, failed->err, o->is_idempotent)) {
                let_go(o);
                compound_send(&o->op);
                return;
        }
        close_leftover(o);
        struct frevo_result r = failed ? op_trouble(failed) : outcome(o);
        op_finish(&o->op, &r);
}

static void step_done(struct client_req *q)
{
        struct compound_step *t = container_of(q, struct compound_step, req);
        if (q->err == 0)
                t->buf = buf_ref(q->owner);
        if (--t->of->unfinished == 0)
                compound_over(t->of);
}

/* ---- life -------------------------------------------------------------------------------------
 */

static void compound_fini(struct frevo_op *op)
{
        struct compound_op *o = container_of(op, struct compound_op, op);
        let_go(o);
        if (o->fini)
                o->fini(o);
        free((void *)(uintptr_t)o->create.name.p); /* ours, from name_path_new() */
}

void *compound_new(struct frevo_share *s, const char *path, size_t n, frevo_done done, void *arg)
{
        struct compound_op *o = op_new(s->ctx, s, n, done, arg);
        if (!o)
                return NULL;
        o->op.send = compound_send;
        o->op.cancel = compound_cancel;
        o->op.fini = compound_fini;
        o->create = (struct smb2_create_req){
                .impersonation_level = SMB2_IMPERSONATION_IMPERSONATION,
                .share_access = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                .create_disposition = FILE_OPEN,
        };
        o->err = name_path_new(path, &o->create.name);
        return o;
}

struct frevo_op *compound_start(struct compound_op *o)
{
        return o->err ? op_finish_soon(&o->op, o->err) : op_start(&o->op);
}
