/* Security descriptors, [MS-SMB2] 3.3.5.20.3. */
#include "front/smb2/front.h"

#include "front/smb2/query_info.h"

struct sd_state {
        size_t n;
};

static enum fs_err sd_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct sd_state *s = qs->own;
        (void)how; /* only ever runs on a worker */
        return fs_get_sd(c->open->file, qs->q.additional_information, qs->out.p, qs->out.max,
                         &s->n);
}

static void sd_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct sd_state *s = qs->own;
        if (e == FS_BUFFER_SMALL) {
                smb2_query_fail_small(c, s->n);
        } else if (e != FS_OK) {
                smb2_fail_fs(c, e);
        } else {
                qs->out.at = s->n;
                smb2_query_reply(c, FSCC_WHOLE);
        }
}

void smb2_query_security(struct smb2_call *c)
{
        struct smb2_query_state *qs = c->state;
        uint32_t which = qs->q.additional_information;
        struct sd_state *s = qs->own = arena_alloc(c->arena, sizeof *s);
        if (!s || !c->open->file) {
                smb2_fail(c, s ? STATUS_INVALID_PARAMETER : STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        /* [MS-FSA] 2.1.5.14: owner, group and DACL are read with READ_CONTROL, the SACL with more.
         */
        uint32_t need = which & SACL_SECURITY_INFORMATION ? FS_SYSTEM_SECURITY : 0u;
        if (which & ~(uint32_t)SACL_SECURITY_INFORMATION || which == 0)
                need |= FS_READ_SD;
        if ((fs_open_access(c->open->file) & need) != need)
                smb2_fail(c, STATUS_ACCESS_DENIED);
        else if (smb2_query_output(c))
                smb2_call_start(c, sd_run, sd_done, FS_OP_WORKER);
}
