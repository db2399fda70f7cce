/* QUERY_INFO, [MS-SMB2] 3.3.5.20: which kind of information, then query_file.c, query_fs.c or
 * query_security.c. */
#include "front/smb2/query_info.h"

#include "front/smb2/commands.h"
#include "front/smb2/front.h"

void *smb2_query_output(struct smb2_call *c)
{
        struct smb2_query_state *s = c->state;
        size_t n = s->q.output_buffer_length;
        struct writer *w = smb2_reply_begin(c, SMB2_OUTPUT_BUFFER_HEAD_LEN + n);
        if (!w)
                return NULL;
        s->out = wr_into(w->p + w->at + SMB2_OUTPUT_BUFFER_HEAD_LEN, n);
        return s->out.p;
}

void smb2_query_reply(struct smb2_call *c, enum fscc_fit fit)
{
        struct smb2_query_state *s = c->state;
        struct writer *w = &c->reply.w;
        if (fit == FSCC_TOO_SMALL) {
                smb2_fail(c, STATUS_INFO_LENGTH_MISMATCH);
                return;
        }
        smb2_output_buffer_encode_head(w, 0, (uint32_t)s->out.at);
        (void)wr_room(w, s->out.at); /* the output is there already */
        smb2_reply_done(c, fit == FSCC_CUT ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS);
}

void smb2_query_fail_small(struct smb2_call *c, size_t needed)
{
        uint8_t data[4];
        struct writer w = wr_into(data, sizeof data);
        wr_u32(&w, (uint32_t)needed);
        smb2_fail_data(c, STATUS_BUFFER_TOO_SMALL, wr_done(&w));
}

void smb2_query_info(struct smb2_call *c)
{
        struct smb2_query_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        if (!smb2_query_info_req_decode(c->msg, &s->q) ||
            s->q.output_buffer_length > smb2_call_config(c)->max_io) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        switch (s->q.info_type) {
        case SMB2_0_INFO_FILE:
                smb2_query_file(c);
                return;
        case SMB2_0_INFO_FILESYSTEM:
                smb2_query_fs(c);
                return;
        case SMB2_0_INFO_SECURITY:
                smb2_query_security(c);
                return;
        case SMB2_0_INFO_QUOTA: /* 3.3.5.20.4: the volume keeps none */
                smb2_fail(c, STATUS_NOT_SUPPORTED);
                return;
        default:
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        }
}
