/* Holes: FSCTL_SET_SPARSE, FSCTL_SET_ZERO_DATA, FSCTL_QUERY_ALLOCATED_RANGES ([MS-FSCC] 2.3). */
#include <errno.h>

#include "base/limits.h"
#include "client/ioctl_req.h"
#include "wire/fscc/fsctl.h"
#include "wire/smb2/status.h"

#define RANGE_BYTES 16u
#define RANGES_OUT (64u * 1024) /* of one answer: 4096 ranges */

/* These say nothing back; a server that does is not to be listened to. */
static struct frevo_op *tell(struct frevo_file *f, uint32_t code, struct bytes input,
                             frevo_done done, void *arg)
{
        return ioctl_start(f, &(struct ioctl_call){.code = code, .input = input}, true, done, arg);
}

struct frevo_op *frevo_sparse_start(struct frevo_file *f, bool on, frevo_done done, void *arg)
{
        uint8_t in[1];
        struct writer w = wr_into(in, sizeof in);
        fsctl_set_sparse_encode(&w, on);
        return tell(f, FSCTL_SET_SPARSE, wr_done(&w), done, arg);
}

struct frevo_op *frevo_zero_start(struct frevo_file *f, uint64_t off, uint64_t n, frevo_done done,
                                  void *arg)
{
        uint8_t in[RANGE_BYTES];
        struct writer w = wr_into(in, sizeof in);
        if (off > INT64_MAX || n > INT64_MAX - off)
                return op_failed(f->share->ctx, EINVAL, done, arg);
        fsctl_zero_data_encode(&w, &(struct fsctl_zero_data){.offset = (int64_t)off,
                                                             .beyond = (int64_t)(off + n)});
        return tell(f, FSCTL_SET_ZERO_DATA, wr_done(&w), done, arg);
}

/* ---- ranges -----------------------------------------------------------------------------------
 */

struct ranges_op {
        struct file_op o;
        uint64_t next, end; /* what was not told yet */
        uint64_t asked;     /* where the question in flight begins */
        struct frevo_range *ranges;
        size_t n, room;
        uint8_t input[RANGE_BYTES];
};

static struct ranges_op *ranges_of(struct file_req *r)
{
        return container_of(file_op_of(r), struct ranges_op, o);
}

static struct ioctl_call ranges_call(struct ranges_op *o)
{
        struct writer w = wr_into(o->input, sizeof o->input);
        fsctl_range_encode(&w, &(struct fsctl_range){.offset = (int64_t)o->next,
                                                     .length = (int64_t)(o->end - o->next)});
        return (struct ioctl_call){.code = FSCTL_QUERY_ALLOCATED_RANGES,
                                   .input = wr_done(&w),
                                   .max_output = RANGES_OUT};
}

static void ranges_send(struct file_req *r)
{
        struct ioctl_call call = ranges_call(ranges_of(r));
        ioctl_send(r, &call);
}

static int add(struct ranges_op *o, uint64_t off, uint64_t end)
{
        struct frevo_range *last = o->n ? &o->ranges[o->n - 1] : NULL;
        if (last && last->off + last->n == off) {
                last->n += end - off;
                return 0;
        }
        if (o->n == o->room) {
                size_t room = o->room ? 2 * o->room : 64;
                if (room > LIMIT_CLIENT_RANGES)
                        return EOVERFLOW;
                struct frevo_range *more = realloc(o->ranges, room * sizeof *more);
                if (!more)
                        return ENOMEM;
                o->ranges = more;
                o->room = room;
        }
        o->ranges[o->n++] = (struct frevo_range){.off = off, .n = end - off};
        return 0;
}

/* Ranges rise and do not overlap; those that reach beyond the question (some servers round to
 * clusters) are cut to it. */
static int take(struct ranges_op *o, struct bytes out, bool *ret_any)
{
        struct fsctl_range g;
        bool bad = false;
        while (fsctl_range_next(&out, &g, &bad)) {
                uint64_t off = (uint64_t)g.offset, end = off + (uint64_t)g.length;
                if (end > o->end)
                        end = o->end;
                if (off < o->next && o->next == o->asked)
                        off = o->next;
                if (off < o->next)
                        return EPROTO;
                if (off >= end)
                        continue;
                int err = add(o, off, end);
                if (err)
                        return err;
                o->next = end;
                *ret_any = true;
        }
        return bad ? EPROTO : 0;
}

static void ranges_finish(struct ranges_op *o)
{
        struct frevo_result res = {.data = o->ranges, .n = o->n * sizeof *o->ranges};
        o->o.op.data_mem = o->ranges;
        o->ranges = NULL;
        op_finish(&o->o.op, &res);
}

static void ranges_done(struct file_req *r)
{
        struct ranges_op *o = ranges_of(r);
        struct ioctl_call call = {.code = FSCTL_QUERY_ALLOCATED_RANGES, .max_output = RANGES_OUT};
        struct frevo_result res = op_trouble(&r->q);
        struct bytes out;
        bool more = r->q.status == STATUS_BUFFER_OVERFLOW, any = false;
        if (file_req_is_fine(r) || (r->q.err == 0 && more)) {
                o->asked = o->next;
                res.err = ioctl_output(r, &call, &out) ? take(o, out, &any) : EPROTO;
                if (!res.err && more && !any)
                        res.err = EPROTO; /* it would go on so for ever */
        }
        if (res.err)
                op_finish(&o->o.op, &res);
        else if (more && o->next < o->end && !o->o.op.cancelled)
                file_req_start(r);
        else if (more && o->next < o->end)
                op_finish(&o->o.op, &(struct frevo_result){.err = ECANCELED});
        else
                ranges_finish(o);
}

static void ranges_fini(struct frevo_op *op)
{
        free(container_of(op, struct ranges_op, o.op)->ranges);
        file_op_fini(op);
}

struct frevo_op *frevo_ranges_start(struct frevo_file *f, uint64_t off, uint64_t n, frevo_done done,
                                    void *arg)
{
        struct ranges_op *o = file_op_new(f, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->next = off;
        o->end = off + n;
        o->o.op.fini = ranges_fini;
        o->o.req.send = ranges_send;
        o->o.req.done = ranges_done;
        o->o.req.repeatable = true;
        if (off > INT64_MAX || n > INT64_MAX - off)
                return op_finish_soon(&o->o.op, EINVAL);
        return op_start(&o->o.op);
}
