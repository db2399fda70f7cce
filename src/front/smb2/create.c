/* CREATE, [MS-SMB2] 3.3.5.9. Checks what the protocol itself forbids, reads the create contexts
 * (create_request.c), and translates to fs_open(); on IPC$ it opens a pipe. */
#include "front/smb2/create.h"

#include "base/utf16.h"
#include "front/smb2/attributes.h"
#include "front/smb2/commands.h"
#include "front/smb2/front.h"
#include "front/smb2/late_close.h"
#include "front/smb2/lease.h"
#include "front/smb2/oplock.h"
#include "rpc/pipe.h"

/* Contexts of a reply: the largest is a lease's 52 bytes; each has 24 bytes of head. */
#define CREATE_RSP_BYTES 512u

static enum fs_err create_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_create_state *s = c->state;
        if (!s->opened.open) {
                enum fs_err e =
                        fs_open(smb2_tree_share(c->tree)->volume, smb2_call_fs_client(c),
                                smb2_tree_cred(c->tree), &s->q, how, &op->waiter, &s->opened);
                if (e != FS_OK)
                        return e;
        }
        if (!s->want_max_access)
                return FS_OK;
        if (how & FS_NOWAIT) /* the open is kept: the worker goes on from here */
                return FS_AGAIN;
        s->max_access_err = fs_max_access(s->opened.open, &s->max_access);
        return FS_OK;
}

static void put_contexts(struct smb2_call *c, struct smb2_create_context_writer *cw)
{
        struct smb2_create_state *s = c->state;
        struct writer *w = cw->w;
        if (s->want_lease) {
                smb2_create_context_open(cw, SMB2_CREATE_TAG_LEASE);
                smb2_create_lease_encode(w, &s->lease);
                smb2_create_context_close(cw);
        }
        if (s->want_max_access) {
                struct smb2_create_maximal_access_rsp m = {
                        .query_status = smb2_status_of_fs(s->max_access_err),
                        .maximal_access = s->max_access,
                };
                smb2_create_context_open(cw, SMB2_CREATE_TAG_QUERY_MAXIMAL_ACCESS);
                smb2_create_maximal_access_rsp_encode(w, &m);
                smb2_create_context_close(cw);
        }
        if (s->want_disk_id) {
                struct store_space space = {0};
                /* A volume that cannot tell its serial number is told as 0. */
                (void)(fs_volume_space(smb2_tree_share(c->tree)->volume, &space) == FS_OK);
                struct smb2_create_disk_id_rsp d = {.disk_file_id = s->opened.attr.file_id,
                                                    .volume_id = space.serial};
                smb2_create_context_open(cw, SMB2_CREATE_TAG_QUERY_ON_DISK_ID);
                smb2_create_disk_id_rsp_encode(w, &d);
                smb2_create_context_close(cw);
        }
}

static void reply(struct smb2_call *c, struct smb2_open *o, const struct fs_attr *a,
                  enum fs_action action, uint8_t level)
{
        struct smb2_create_rsp r = {
                .oplock_level = level,
                .create_action = (uint32_t)action,
                .creation_time_ft = a->btime_ft,
                .last_access_time_ft = a->atime_ft,
                .last_write_time_ft = a->mtime_ft,
                .change_time_ft = a->ctime_ft,
                .allocation_size = a->alloc_bytes,
                .end_of_file = a->size,
                .file_attributes = smb2_attributes_of(a),
                .file_id = o->id,
        };
        struct writer *w = smb2_reply_begin(c, CREATE_RSP_BYTES);
        if (!w)
                return;
        struct smb2_create_context_writer cw;
        smb2_create_rsp_begin(w, 0, &r, &cw);
        if (o->file)
                put_contexts(c, &cw);
        (void)smb2_create_context_end(&cw); /* the length is in the reply already */
        smb2_reply_done(c, STATUS_SUCCESS);
}

/* What the open may cache by now. False without memory. */
static bool take_grant(struct smb2_create_state *s, struct smb2_open *o, uint8_t *ret_level)
{
        s->want_lease = s->want_lease && fs_open_lease(o->file);
        if (s->want_lease) {
                if (!smb2_lease_attach(o, &s->lease))
                        return false;
                smb2_lease_describe(o, &s->lease);
        }
        *ret_level = s->want_lease ? SMB2_OPLOCK_LEVEL_LEASE
                                   : smb2_level_of_grant(fs_grant_held(o->file, NULL, NULL));
        return true;
}

static void create_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_create_state *s = c->state;
        if (e != FS_OK) {
                if (s->opened.open) /* opened, then the worker was refused */
                        smb2_late_close(op->exec, s->opened.open);
                smb2_fail_fs(c, e);
                return;
        }
        struct smb2_open *o = smb2_open_add(c, s->opened.open, NULL);
        if (!o) {
                smb2_late_close(op->exec, s->opened.open);
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        uint8_t level;
        if (take_grant(s, o, &level)) {
                reply(c, o, &s->opened.attr, s->opened.action, level);
                return;
        }
        smb2_late_close(op->exec, fs_open_ref(s->opened.open));
        smb2_open_remove(o);
        smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
}

/* [MS-SMB2] 3.3.5.9: what a pipe's CREATE is like; the name has no leading separator. */
static void create_pipe(struct smb2_call *c, const struct smb2_create_req *q)
{
        char name[64];
        const struct smb2_config *cfg = smb2_call_config(c);
        if (!utf16_to_utf8(q->name, name, sizeof name) || !rpc_pipe_exists(name)) {
                smb2_fail(c, STATUS_OBJECT_NAME_NOT_FOUND);
                return;
        }
        struct smb2_open *o = smb2_open_add(c, NULL, NULL);
        if (!o) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        o->rpc = calloc(1, sizeof *o->rpc);
        if (o->rpc) {
                cfg->rpc_context(cfg->ctx, smb2_session_identity(c->session), o->rpc);
                o->pipe = rpc_pipe_open(name, o->rpc);
        }
        if (!o->pipe) {
                smb2_open_remove(o);
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        struct fs_attr a = {.dos = FILE_ATTRIBUTE_NORMAL, .alloc_bytes = 4096};
        reply(c, o, &a, FS_OPENED, SMB2_OPLOCK_LEVEL_NONE);
}

void smb2_create(struct smb2_call *c)
{
        struct smb2_create_req q;
        if (!smb2_create_req_decode(c->msg, &q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        uint32_t status = smb2_create_check(&q);
        if (status != STATUS_SUCCESS) {
                smb2_fail(c, status);
                return;
        }
        if (smb2_tree_share(c->tree)->is_ipc) {
                create_pipe(c, &q);
                return;
        }
        struct smb2_create_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        status = s ? smb2_create_translate(c, &q, s) : STATUS_INSUFFICIENT_RESOURCES;
        if (status != STATUS_SUCCESS)
                smb2_fail(c, status);
        else
                smb2_call_start(c, create_run, create_done, 0);
}
