/* CLOSE, [MS-SMB2] 3.3.5.10. The open leaves the table first, so that nobody finds it again; the
 * file service then does what closing means. */
#include "wire/smb2/close.h"
#include "front/smb2/attributes.h"
#include "front/smb2/call.h"
#include "front/smb2/commands.h"

struct close_state {
        bool want_attr, has_attr;
        struct fs_attr attr;
};

static enum fs_err close_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct close_state *s = c->state;
        if (s->want_attr && !s->has_attr)
                s->has_attr = fs_getattr(c->open->file, 0, &s->attr) == FS_OK;
        return fs_close(c->open->file, how);
}

static void reply(struct smb2_call *c, const struct close_state *s)
{
        struct smb2_close_rsp r = {0};
        if (s->has_attr) {
                r = (struct smb2_close_rsp){
                        .flags = SMB2_CLOSE_FLAG_POSTQUERY_ATTRIB,
                        .creation_time_ft = s->attr.btime_ft,
                        .last_access_time_ft = s->attr.atime_ft,
                        .last_write_time_ft = s->attr.mtime_ft,
                        .change_time_ft = s->attr.ctime_ft,
                        .allocation_size = s->attr.alloc_bytes,
                        .end_of_file = s->attr.size,
                        .file_attributes = smb2_attributes_of(&s->attr),
                };
        }
        struct writer *w = smb2_reply_begin(c, 64);
        if (!w)
                return;
        smb2_close_rsp_encode(w, &r);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static void close_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        if (e != FS_OK)
                smb2_fail_fs(c, e);
        else
                reply(c, c->state);
}

static void close_start(struct smb2_call *c)
{
        if (c->open->file)
                smb2_call_start(c, close_run, close_done, 0);
        else
                reply(c, c->state);
}

void smb2_close(struct smb2_call *c)
{
        struct smb2_close_req q;
        if (!smb2_close_req_decode(c->msg, &q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        struct close_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        s->want_attr = (q.flags & SMB2_CLOSE_FLAG_POSTQUERY_ATTRIB) && c->open->file;
        smb2_open_remove(c->open);
        if (smb2_call_get_behind(c, c->open))
                smb2_call_go_on(c, close_start);
}
