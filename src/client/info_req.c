/* See info_req.h. */
#include "client/info_req.h"

#include "wire/smb2/query_info.h"
#include "wire/smb2/set_info.h"
#include "wire/smb2/status.h"

#define QUERY_ROOM 48u
#define SET_ROOM 40u

void info_query_send(struct file_req *r, const struct info_query *query)
{
        struct client_batch b;
        struct smb2_query_info_req q = {
                .info_type = SMB2_0_INFO_FILE,
                .file_info_class = query->class,
                .output_buffer_length = query->max,
                .input = query->input,
                .flags = query->flags,
                .file_id = r->file->id,
        };
        if (file_req_begin(r, &b, SMB2_QUERY_INFO, QUERY_ROOM + query->input.n, query->max))
                smb2_query_info_req_encode(&b.w, r->q.hdr_at, &q);
        client_batch_send(&b);
}

bool info_query_answer(const struct file_req *r, uint32_t max, struct bytes *ret)
{
        bool answered = r->q.err == 0 &&
                        (r->q.status == STATUS_SUCCESS || r->q.status == STATUS_BUFFER_OVERFLOW);
        return answered && smb2_output_buffer_decode(r->q.msg, ret) && ret->n <= max;
}

void info_set_send(struct file_req *r, uint8_t class, struct bytes value)
{
        struct client_batch b;
        struct smb2_set_info_req q = {
                .info_type = SMB2_0_INFO_FILE,
                .file_info_class = class,
                .file_id = r->file->id,
                .buffer = value,
        };
        if (file_req_begin(r, &b, SMB2_SET_INFO, SET_ROOM + value.n, (uint32_t)value.n))
                smb2_set_info_req_encode(&b.w, r->q.hdr_at, &q);
        client_batch_send(&b);
}
