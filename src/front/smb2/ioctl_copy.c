/* Server-side copy, [MS-SMB2] 3.3.5.15.6: chunks from an open named by its resume key into this
 * one, on a worker. */
#include "front/smb2/front.h"

#include "front/smb2/ioctl.h"
#include "wire/fscc/fsctl.h"
#include "wire/smb2/fsctl.h"

struct copy_state {
        struct srv_copychunk_copy q;
        struct fs_open *from; /* one reference */
        struct srv_copychunk_response r;
};

static void answer(struct smb2_call *c, uint32_t status)
{
        struct copy_state *s = smb2_ioctl_state_of(c)->own;
        uint8_t *out = smb2_ioctl_output(c, 12);
        if (!out)
                return;
        struct writer w = wr_into(out, 12);
        srv_copychunk_response_encode(&w, &s->r);
        smb2_ioctl_reply(c, w.at, status);
}

/* 3.3.5.15.6: what is asked exceeds what the server allows: the answer tells the limits. */
static bool within_limits(const struct srv_copychunk_copy *q)
{
        uint64_t total = 0;
        if (q->chunk_count > LIMIT_COPY_CHUNKS)
                return false;
        for (uint32_t i = 0; i < q->chunk_count; i++) {
                if (q->chunks[i].length == 0 || q->chunks[i].length > LIMIT_COPY_CHUNK_BYTES)
                        return false;
                total += q->chunks[i].length;
        }
        return total <= LIMIT_COPY_TOTAL_BYTES;
}

static enum fs_err copy_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct copy_state *s = smb2_ioctl_state_of(c)->own;
        (void)how; /* only ever runs on a worker */
        for (uint32_t i = 0; i < s->q.chunk_count; i++) {
                const struct srv_copychunk *k = &s->q.chunks[i];
                enum fs_err e = fs_copy(s->from, k->source_offset, c->open->file, k->target_offset,
                                        k->length);
                if (e != FS_OK)
                        return e;
                s->r.chunks_written++;
                s->r.total_bytes_written += k->length;
        }
        return FS_OK;
}

static void copy_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct copy_state *s = smb2_ioctl_state_of(c)->own;
        fs_open_unref(s->from);
        /* 3.3.5.15.6: also a copy that stopped says how far it came. */
        if (e == FS_END_OF_FILE || e == FS_INVALID) /* the source is too short */
                answer(c, STATUS_INVALID_VIEW_SIZE);
        else
                answer(c, smb2_status_of_fs(e));
}

/* The source by its key; what a copy needs of both ends. An NTSTATUS. */
static uint32_t find_source(struct smb2_call *c, struct copy_state *s)
{
        struct smb2_open *from = smb2_open_by_resume_key(c->session, s->q.source_key);
        uint32_t to_access = fs_open_access(c->open->file);
        if (!from || !from->file)
                return STATUS_OBJECT_NAME_NOT_FOUND;
        if (fs_open_is_dir(c->open->file) || fs_open_is_dir(from->file))
                return STATUS_INVALID_DEVICE_REQUEST;
        if (!(fs_open_access(from->file) & (FS_READ_DATA | FS_EXECUTE)))
                return STATUS_ACCESS_DENIED;
        if (!(to_access & (FS_WRITE_DATA | FS_APPEND_DATA)))
                return STATUS_ACCESS_DENIED;
        s->from = fs_open_ref(from->file);
        return STATUS_SUCCESS;
}

void smb2_ioctl_copychunk(struct smb2_call *c)
{
        struct smb2_ioctl_state *io = c->state;
        struct copy_state *s = io->own = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        if (io->q.max_output_response < 12 || !srv_copychunk_copy_decode(io->q.input, &s->q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        uint32_t status = find_source(c, s);
        if (status != STATUS_SUCCESS) {
                smb2_fail(c, status);
                return;
        }
        if (!within_limits(&s->q)) {
                fs_open_unref(s->from);
                s->r = (struct srv_copychunk_response){LIMIT_COPY_CHUNKS, LIMIT_COPY_CHUNK_BYTES,
                                                       LIMIT_COPY_TOTAL_BYTES};
                answer(c, STATUS_INVALID_PARAMETER);
                return;
        }
        smb2_call_start(c, copy_run, copy_done, FS_OP_WORKER);
}
