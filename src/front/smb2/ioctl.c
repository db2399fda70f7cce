/* IOCTL, [MS-SMB2] 3.3.5.15. One table: for each control code what it works on, the access that the
 * handle must have, and its function. What is not in the table is refused. */
#include "front/smb2/ioctl.h"

#include "front/smb2/commands.h"
#include "front/smb2/front.h"
#include "wire/fscc/fsctl.h"

enum on { ON_FILE, ON_PIPE, ON_SERVER };

struct smb2_ioctl_row {
        uint32_t code;
        enum on on;
        uint32_t access; /* all of these bits */
        bool modifies;   /* refused on a read-only share */
        void (*run)(struct smb2_call *c);
};

static const struct smb2_ioctl_row table[] = {
        {FSCTL_VALIDATE_NEGOTIATE_INFO, ON_SERVER, 0, false, smb2_ioctl_validate_negotiate},
        {FSCTL_QUERY_NETWORK_INTERFACE_INFO, ON_SERVER, 0, false, smb2_ioctl_network_interfaces},
        {FSCTL_DFS_GET_REFERRALS, ON_SERVER, 0, false, smb2_ioctl_dfs_referral},
        {FSCTL_DFS_GET_REFERRALS_EX, ON_SERVER, 0, false, smb2_ioctl_dfs_referral},
        {FSCTL_PIPE_WAIT, ON_SERVER, 0, false, smb2_ioctl_pipe_wait},
        {FSCTL_PIPE_TRANSCEIVE, ON_PIPE, 0, false, smb2_ioctl_pipe_transceive},
        {FSCTL_PIPE_PEEK, ON_PIPE, 0, false, smb2_ioctl_pipe_peek},
        {FSCTL_SRV_REQUEST_RESUME_KEY, ON_FILE, 0, false, smb2_ioctl_resume_key},
        /* 3.3.5.15.6: the destination's access is checked there; what is read comes by key. */
        {FSCTL_SRV_COPYCHUNK, ON_FILE, FS_READ_DATA, true, smb2_ioctl_copychunk},
        {FSCTL_SRV_COPYCHUNK_WRITE, ON_FILE, 0, true, smb2_ioctl_copychunk},
        {FSCTL_CREATE_OR_GET_OBJECT_ID, ON_FILE, 0, false, smb2_ioctl_object_id},
        {FSCTL_GET_OBJECT_ID, ON_FILE, 0, false, smb2_ioctl_object_id},
        {FSCTL_SET_SPARSE, ON_FILE, 0, true, smb2_ioctl_set_sparse},
        {FSCTL_SET_ZERO_DATA, ON_FILE, FS_WRITE_DATA, true, smb2_ioctl_zero_data},
        {FSCTL_QUERY_ALLOCATED_RANGES, ON_FILE, FS_READ_DATA, false, smb2_ioctl_allocated_ranges},
        {FSCTL_GET_COMPRESSION, ON_FILE, 0, false, smb2_ioctl_get_compression},
        {FSCTL_SET_COMPRESSION, ON_FILE, FS_WRITE_DATA, true, smb2_ioctl_set_compression},
};

uint8_t *smb2_ioctl_output(struct smb2_call *c, size_t max)
{
        struct smb2_ioctl_state *s = c->state;
        size_t n = max < s->q.max_output_response ? max : s->q.max_output_response;
        struct writer *w = smb2_reply_begin(c, SMB2_IOCTL_RSP_HEAD_LEN + n);
        return w ? w->p + w->at + SMB2_IOCTL_RSP_HEAD_LEN : NULL;
}

void smb2_ioctl_reply(struct smb2_call *c, size_t n, uint32_t status)
{
        struct smb2_ioctl_state *s = c->state;
        struct smb2_ioctl_rsp r = {.ctl_code = s->q.ctl_code, .file_id = s->q.file_id};
        if (c->open)
                r.file_id = c->open->id;
        struct writer *w = &c->reply.w;
        smb2_ioctl_rsp_encode_head(w, 0, &r, (uint32_t)n);
        (void)wr_room(w, n); /* the output is there already */
        smb2_reply_done(c, status);
}

void smb2_ioctl_done_empty(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        if (e != FS_OK)
                smb2_fail_fs(c, e);
        else if (smb2_ioctl_output(c, 0))
                smb2_ioctl_reply(c, 0, STATUS_SUCCESS);
}

static const struct smb2_ioctl_row *find(uint32_t code)
{
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
                if (table[i].code == code)
                        return &table[i];
        return NULL;
}

/* Everything that is refused before the code's own function: an NTSTATUS. */
static uint32_t check(struct smb2_call *c, const struct smb2_ioctl_req *q,
                      const struct smb2_ioctl_row *r)
{
        uint32_t max = smb2_call_config(c)->max_io;
        if (q->flags != SMB2_0_IOCTL_IS_FSCTL) /* 3.3.5.15: only FSCTLs */
                return STATUS_NOT_SUPPORTED;
        if (q->max_output_response > max || q->max_input_response > max)
                return STATUS_INVALID_PARAMETER;
        bool needs_open = r ? r->on != ON_SERVER : !smb2_file_id_is_none(q->file_id);
        if (needs_open && !c->open)
                return STATUS_FILE_CLOSED;
        if (!r)
                return STATUS_INVALID_DEVICE_REQUEST;
        if ((r->on == ON_PIPE && !c->open->pipe) || (r->on == ON_FILE && !c->open->file))
                return STATUS_INVALID_DEVICE_REQUEST;
        if (r->on != ON_FILE)
                return STATUS_SUCCESS;
        if (r->modifies && fs_volume_config(fs_open_volume(c->open->file))->read_only)
                return STATUS_MEDIA_WRITE_PROTECTED;
        if ((fs_open_access(c->open->file) & r->access) != r->access)
                return STATUS_ACCESS_DENIED;
        return STATUS_SUCCESS;
}

void smb2_ioctl(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        if (!smb2_ioctl_req_decode(c->msg, &s->q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        s->row = find(s->q.ctl_code);
        uint32_t status = check(c, &s->q, s->row);
        if (status != STATUS_SUCCESS)
                smb2_fail(c, status);
        else
                s->row->run(c);
}
