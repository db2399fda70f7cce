/* Sparse files and compression, [MS-FSCC] 2.3.18, .53, .67, .83, .85; [MS-FSA] 2.1.5.10. */
#include "front/smb2/front.h"

#include "front/smb2/ioctl.h"
#include "wire/fscc/file.h"
#include "wire/fscc/fsctl.h"

/* Ranges looked up at once; a longer answer is cut by the client's buffer long before. */
#define RANGES_MAX 4096u
#define RANGE_BYTES 16u

/* ---- FSCTL_SET_SPARSE -------------------------------------------------------------------------
 */

static enum fs_err sparse_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        const bool *sparse = smb2_ioctl_state_of(c)->own;
        (void)how; /* only ever runs on a worker */
        return fs_set_sparse(c->open->file, *sparse);
}

void smb2_ioctl_set_sparse(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        bool *sparse = s->own = arena_alloc(c->arena, sizeof *sparse);
        uint32_t may = FS_WRITE_DATA | FS_WRITE_ATTR | FS_APPEND_DATA;
        if (!sparse || !fsctl_set_sparse_decode(s->q.input, sparse))
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else if (fs_open_is_dir(c->open->file))
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else if (!(fs_open_access(c->open->file) & may)) /* [MS-FSA] 2.1.5.10.36 */
                smb2_fail(c, STATUS_ACCESS_DENIED);
        else
                smb2_call_start(c, sparse_run, smb2_ioctl_done_empty, FS_OP_WORKER);
}

/* ---- FSCTL_SET_ZERO_DATA ----------------------------------------------------------------------
 */

static enum fs_err zero_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        const struct fsctl_zero_data *z = smb2_ioctl_state_of(c)->own;
        (void)how; /* only ever runs on a worker */
        return fs_zero(c->open->file, (uint64_t)z->offset, (uint64_t)(z->beyond - z->offset));
}

void smb2_ioctl_zero_data(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        struct fsctl_zero_data *z = s->own = arena_alloc(c->arena, sizeof *z);
        if (!z || !fsctl_zero_data_decode(s->q.input, z))
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else
                smb2_call_start(c, zero_run, smb2_ioctl_done_empty, FS_OP_WORKER);
}

/* ---- FSCTL_QUERY_ALLOCATED_RANGES -------------------------------------------------------------
 */

struct ranges_state {
        struct fsctl_range q;
        struct store_range *r;
        size_t cap, n;
        bool more;
};

static enum fs_err ranges_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct ranges_state *s = smb2_ioctl_state_of(c)->own;
        (void)how; /* only ever runs on a worker */
        enum fs_err e = fs_ranges(c->open->file, (uint64_t)s->q.offset, (uint64_t)s->q.length, s->r,
                                  s->cap, &s->n);
        s->more = e == FS_BUFFER_SMALL;
        return s->more ? FS_OK : e;
}

static void ranges_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_ioctl_state *io = c->state;
        struct ranges_state *s = io->own;
        if (e != FS_OK) {
                smb2_fail_fs(c, e);
                return;
        }
        size_t fit = io->q.max_output_response / RANGE_BYTES;
        size_t n = s->n < fit ? s->n : fit;
        if (n == 0 && s->n > 0) { /* not even one fits */
                smb2_fail(c, STATUS_BUFFER_TOO_SMALL);
                return;
        }
        uint8_t *out = smb2_ioctl_output(c, n * RANGE_BYTES);
        if (!out)
                return;
        struct writer w = wr_into(out, n * RANGE_BYTES);
        for (size_t i = 0; i < n; i++) {
                struct fsctl_range r = {(int64_t)s->r[i].off, (int64_t)s->r[i].len};
                fsctl_range_encode(&w, &r);
        }
        bool cut = s->more || n < s->n; /* what fits goes out, with a warning */
        smb2_ioctl_reply(c, w.at, cut ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS);
}

void smb2_ioctl_allocated_ranges(struct smb2_call *c)
{
        struct smb2_ioctl_state *io = c->state;
        struct ranges_state *s = io->own = arena_alloc(c->arena, sizeof *s);
        size_t fit = io->q.max_output_response / RANGE_BYTES;
        if (!s || !fsctl_range_decode(io->q.input, &s->q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        /* one more than fits, so that a full answer and a cut one are told apart */
        s->cap = fit + 1 < RANGES_MAX ? fit + 1 : RANGES_MAX;
        s->r = arena_alloc(c->arena, s->cap * sizeof *s->r);
        if (!s->r)
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
        else
                smb2_call_start(c, ranges_run, ranges_done, FS_OP_WORKER);
}

/* ---- FSCTL_GET_COMPRESSION, FSCTL_SET_COMPRESSION ---------------------------------------------
 */

void smb2_ioctl_get_compression(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        if (s->q.max_output_response < 2) {
                smb2_fail(c, STATUS_BUFFER_TOO_SMALL);
                return;
        }
        uint8_t *out = smb2_ioctl_output(c, 2);
        if (!out)
                return;
        struct writer w = wr_into(out, 2);
        fsctl_compression_encode(&w, COMPRESSION_NONE);
        smb2_ioctl_reply(c, w.at, STATUS_SUCCESS);
}

void smb2_ioctl_set_compression(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        uint16_t format;
        if (!fsctl_compression_decode(s->q.input, &format))
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else if (format != COMPRESSION_NONE) /* [MS-FSA] 2.1.5.10.32: a volume without it */
                smb2_fail(c, STATUS_NOT_SUPPORTED);
        else if (smb2_ioctl_output(c, 0))
                smb2_ioctl_reply(c, 0, STATUS_SUCCESS);
}
