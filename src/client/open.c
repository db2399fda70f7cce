/* CREATE for an open file, [MS-SMB2] 3.2.4.3: leases, durability, and what the reply says. */
#include "client/file.h"

#include <errno.h>

#include "client/loose_close.h"
#include "client/session.h"
#include "client/stat_of.h"
#include "crypto/hash.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/status.h"

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
/* Body without the name, and all contexts that are ever sent together. */
#define CREATE_ROOM (64u + 8u + 80u + 64u + 40u)

/* ---- the request ------------------------------------------------------------------------------
 */

static void put_durable(const struct frevo_file *f, struct smb2_create_context_writer *cw)
{
        if (share_dialect(f->share) < SMB2_DIALECT_300) {
                smb2_create_context_open(cw, SMB2_CREATE_TAG_DURABLE_HANDLE_REQUEST);
                smb2_create_durable_req_encode(cw->w);
        } else {
                /* A timeout of 0: as long as the server likes. */
                smb2_create_context_open(cw, SMB2_CREATE_TAG_DURABLE_HANDLE_REQUEST_V2);
                smb2_create_durable_v2_req_encode(
                        cw->w, &(struct smb2_create_durable_v2_req){.create_guid = f->create_guid});
        }
        smb2_create_context_close(cw);
}

static void put_reconnect(const struct frevo_file *f, struct smb2_create_context_writer *cw)
{
        if (f->durable == FILE_DURABLE_V1) {
                smb2_create_context_open(cw, SMB2_CREATE_TAG_DURABLE_HANDLE_RECONNECT);
                smb2_create_reconnect_req_encode(cw->w, f->id);
        } else {
                smb2_create_context_open(cw, SMB2_CREATE_TAG_DURABLE_HANDLE_RECONNECT_V2);
                smb2_create_reconnect_v2_req_encode(
                        cw->w, &(struct smb2_create_reconnect_v2_req){
                                       .file_id = f->id, .create_guid = f->create_guid});
        }
        smb2_create_context_close(cw);
}

static void put_contexts(const struct frevo_file *f, struct smb2_create_context_writer *cw,
                         enum file_open_mode mode)
{
        lease_put(f, cw, mode == FILE_OPEN_BY_HANDLE);
        if (mode == FILE_OPEN_BY_HANDLE) {
                put_reconnect(f, cw);
                return;
        }
        if (f->how.wants_durable)
                put_durable(f, cw);
        smb2_create_context_add(cw, SMB2_CREATE_TAG_QUERY_ON_DISK_ID, bytes_of(NULL, 0));
}

void file_open_send(struct frevo_file *f, struct client_req *q, enum file_open_mode mode)
{
        uint8_t list[CREATE_ROOM];
        struct writer lw = wr_into(list, sizeof list);
        struct smb2_create_context_writer cw;
        struct client_batch b;
        if (mode != FILE_OPEN_BY_HANDLE)
                crypto_random(f->create_guid.b, sizeof f->create_guid.b);
        smb2_create_context_begin(&cw, &lw);
        put_contexts(f, &cw, mode);
        (void)smb2_create_context_end(&cw); /* the length is the writer's */
        client_batch_begin(&b, f->share, SMB2_HEADER_LEN + CREATE_ROOM + f->how.name_n + 64, 0);
        client_batch_add(&b, q, SMB2_CREATE, 0, false);
        struct smb2_create_req create = {
                .requested_oplock_level = lease_oplock_level(f),
                .impersonation_level = SMB2_IMPERSONATION_IMPERSONATION,
                .desired_access = f->how.access,
                .file_attributes = f->how.attributes,
                .share_access = SHARE_ALL & ~f->how.deny,
                /* Whatever it was at first, it must not create or empty anything now. */
                .create_disposition = mode == FILE_OPEN_FIRST ? f->how.disposition : FILE_OPEN,
                .create_options = f->how.options,
                .name = bytes_of(f->how.name, f->how.name_n),
                .contexts = wr_done(&lw),
        };
        if (b.frame)
                smb2_create_req_encode(&b.w, q->hdr_at, &create);
        client_batch_send(&b);
}

/* ---- the reply --------------------------------------------------------------------------------
 */

bool file_open_decode(const struct client_req *q, struct file_opened *out)
{
        struct file_opened o = {0};
        const struct smb2_create_context *c;
        if (!smb2_create_rsp_decode(q->msg, &o.rsp) ||
            !smb2_create_context_list_decode(o.rsp.contexts, &o.contexts))
                return false;
        c = smb2_create_context_find(&o.contexts, SMB2_CREATE_TAG_QUERY_ON_DISK_ID);
        if (c && !smb2_create_disk_id_rsp_decode(c->data, &o.disk))
                return false;
        c = smb2_create_context_find(&o.contexts, SMB2_CREATE_TAG_DURABLE_HANDLE_REQUEST);
        o.durable = c && smb2_create_durable_rsp_decode(c->data);
        c = smb2_create_context_find(&o.contexts, SMB2_CREATE_TAG_DURABLE_HANDLE_REQUEST_V2);
        struct smb2_create_durable_v2_rsp v2;
        o.durable_v2 = c && smb2_create_durable_v2_rsp_decode(c->data, &v2);
        *out = o;
        return true;
}

/* What stands behind its fixed part was nonsense, but open it is. */
void file_open_abandon(struct frevo_share *s, const struct client_req *q)
{
        struct smb2_create_rsp r;
        if (smb2_create_rsp_decode(q->msg, &r))
                loose_close(s, r.file_id, share_epoch(s));
}

static enum file_durable durable_of(const struct frevo_file *f, const struct file_opened *o)
{
        if (!f->how.wants_durable)
                return FILE_NOT_DURABLE;
        if (o->durable_v2)
                return FILE_DURABLE_V2;
        return o->durable ? FILE_DURABLE_V1 : FILE_NOT_DURABLE;
}

bool file_open_take(struct frevo_file *f, const struct file_opened *o, enum file_open_mode mode)
{
        f->id = o->rsp.file_id;
        f->epoch = share_epoch(f->share);
        if (mode != FILE_OPEN_BY_HANDLE) {
                f->disk_id = o->disk.disk_file_id;
                f->volume_id = o->disk.volume_id;
                f->durable = durable_of(f, o);
        }
        return lease_take(f, &o->rsp, &o->contexts);
}

/* ---- frevo_open -------------------------------------------------------------------------------
 */

struct open_op {
        struct frevo_op op;
        struct client_req q;
        struct frevo_file *file;
};

static struct open_op *open_op_of(struct frevo_op *op)
{
        return container_of(op, struct open_op, op);
}

static void open_send(struct frevo_op *op)
{
        struct open_op *o = open_op_of(op);
        file_open_send(o->file, &o->q, FILE_OPEN_FIRST);
}

static void open_cancel(struct frevo_op *op)
{
        client_req_cancel(&open_op_of(op)->q);
}

static void open_fini(struct frevo_op *op)
{
        if (open_op_of(op)->file)
                file_unref(open_op_of(op)->file);
}

static void open_finish(struct open_op *o)
{
        struct frevo_file *f = o->file;
        struct file_opened opened;
        bool sane = file_open_decode(&o->q, &opened);
        if (!sane)
                file_open_abandon(f->share, &o->q);
        if (sane && !file_open_take(f, &opened, FILE_OPEN_FIRST)) {
                sane = false;
                loose_close(f->share, opened.rsp.file_id, f->epoch);
        }
        if (!sane) {
                op_finish(&o->op, &(struct frevo_result){.err = EPROTO, .ntstatus = o->q.status});
                return;
        }
        o->file = NULL; /* the callee's from now on */
        op_finish(&o->op, &(struct frevo_result){
                                  .file = f,
                                  .stat = stat_of_create(&opened.rsp, f->disk_id),
                                  .created = opened.rsp.create_action == FILE_CREATED,
                          });
}

static void open_done(struct client_req *q)
{
        struct open_op *o = container_of(q, struct open_op, q);
        /* A file that must not be there yet may be there because of us. */
        bool again = o->file->how.disposition != FILE_CREATE;
        if (q->err == 0 && q->status == STATUS_SUCCESS) {
                open_finish(o);
        } else if (op_may_resend(&o->op, q->err, again)) {
                open_send(&o->op);
        } else {
                struct frevo_result r = op_trouble(q);
                if (r.err == 0)
                        r.err = EPROTO; /* a warning opens nothing */
                op_finish(&o->op, &r);
        }
}

static struct frevo_file *file_new(struct frevo_share *s, const struct frevo_open_how *how)
{
        struct frevo_file *f = calloc(1, sizeof *f);
        if (!f)
                return NULL;
        f->refs = 1;
        f->share = share_ref(s);
        list_init(&f->waiting);
        f->how = (struct file_how){
                .access = how->access ? how->access : FREVO_READ,
                .deny = how->deny & SHARE_ALL,
                .options = how->options,
                .attributes = how->attributes,
                .disposition = how->disposition ? how->disposition : FREVO_OPEN_EXISTING,
                .wants_durable = how->durable,
        };
        return f;
}

/* 0 or an errno; *ret is set in any case when it is 0. */
static int file_prepare(struct frevo_share *s, const char *path, const struct frevo_open_how *how,
                        struct frevo_file **ret)
{
        AUTO(file_unref) struct frevo_file *f = file_new(s, how);
        if (!f)
                return ENOMEM;
        if (f->how.disposition > FREVO_CREATE_OR_TRUNCATE)
                return EINVAL;
        int err = file_set_name(f, path, how->stream);
        if (err)
                return err;
        if (!lease_init(f, how))
                return ENOMEM;
        *ret = f;
        f = NULL;
        return 0;
}

struct frevo_op *frevo_open_start(struct frevo_share *s, const char *path,
                                  const struct frevo_open_how *how, frevo_done done, void *arg)
{
        static const struct frevo_open_how defaults;
        struct open_op *o = op_new(s->ctx, s, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->op.send = open_send;
        o->op.cancel = open_cancel;
        o->op.fini = open_fini;
        o->q.done = open_done;
        int err = file_prepare(s, path, how ? how : &defaults, &o->file);
        return err ? op_finish_soon(&o->op, err) : op_start(&o->op);
}

int frevo_open(struct frevo_share *s, const char *path, const struct frevo_open_how *how,
               struct frevo_file **ret)
{
        struct op_wait w = {0};
        int err = op_wait_over(s->ctx, frevo_open_start(s, path, how, op_wait_done, &w), &w);
        if (!err)
                *ret = w.r.file;
        return err;
}
