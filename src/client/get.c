/* frevo_get(): CREATE, READ, CLOSE. */
#include <errno.h>

#include "client/compound_op.h"
#include "client/stat_of.h"
#include "wire/smb2/header.h"
#include "wire/smb2/read.h"
#include "wire/smb2/status.h"

enum { GET_READ = 1 };

struct get_op {
        struct compound_op c;
        uint32_t max;
};

static void get_middle(struct compound_op *o, struct client_batch *b)
{
        const struct get_op *g = container_of(o, struct get_op, c);
        const struct client_req *q = compound_add(o, b, SMB2_READ, g->max);
        o->step[GET_READ].is_optional = true; /* END_OF_FILE is no failure */
        if (q)
                smb2_read_req_encode(
                        &b->w, q->hdr_at,
                        &(struct smb2_read_req){.length = g->max, .file_id = CLIENT_RELATED_FILE});
}

static int get_finish(struct compound_op *o, struct frevo_result *r)
{
        const struct get_op *g = container_of(o, struct get_op, c);
        const struct compound_step *t = &o->step[GET_READ];
        struct smb2_read_rsp read = {.data = bytes_of("", 0)};
        if (t->req.status == STATUS_SUCCESS) {
                if (!smb2_read_rsp_decode(t->req.msg, &read) || read.data.n > g->max)
                        return EPROTO;
        } else if (t->req.status != STATUS_END_OF_FILE) {
                r->ntstatus = t->req.status;
                return status_errno(t->req.status) ? status_errno(t->req.status) : EPROTO;
        }
        r->stat = stat_of_create(&o->created, 0);
        compound_give(o, GET_READ, read.data, r);
        return 0;
}

struct frevo_op *frevo_get_start(struct frevo_share *s, const char *path, uint32_t max,
                                 frevo_done done, void *arg)
{
        struct get_op *g = compound_new(s, path, sizeof *g, done, arg);
        if (!g)
                return NULL;
        g->max = max;
        if (max > share_max_read(s))
                g->c.err = EINVAL;
        g->c.create.desired_access = FILE_READ_DATA | FILE_READ_ATTRIBUTES | ACCESS_SYNCHRONIZE;
        g->c.create.create_options = FILE_NON_DIRECTORY_FILE;
        g->c.is_idempotent = true;
        g->c.middle = get_middle;
        g->c.finish = get_finish;
        return compound_start(&g->c);
}

/* A file that one request does not hold, of at most max bytes. */
static int get_long(struct frevo_share *s, const char *path, size_t max, void **ret, size_t *ret_n)
{
        struct frevo_file *f = NULL;
        struct op_wait w = {0};
        int err = frevo_open(s, path, NULL, &f);
        if (err)
                return err;
        err = op_wait_over(s->ctx, frevo_fstat_start(f, op_wait_done, &w), &w);
        AUTO_FREE uint8_t *data = NULL;
        size_t n = 0;
        if (!err && w.r.stat.size > max)
                err = EFBIG;
        if (!err && !(data = malloc((size_t)w.r.stat.size + 1)))
                err = ENOMEM;
        if (!err)
                err = frevo_read(f, 0, data, (size_t)w.r.stat.size, &n);
        int closed = frevo_close(f);
        if (err || closed)
                return err ? err : closed;
        data[n] = 0;
        *ret = data;
        *ret_n = n;
        data = NULL;
        return 0;
}

int frevo_get(struct frevo_share *s, const char *path, size_t max, void **ret, size_t *ret_n)
{
        struct op_wait w = {0};
        uint32_t first = share_max_read(s);
        if (max < first)
                first = (uint32_t)max;
        void *data = NULL;
        size_t n = 0;
        int err = op_wait_data(s->ctx, frevo_get_start(s, path, first, op_wait_done, &w), &w, &data,
                               &n);
        if (err)
                return err;
        if (w.r.stat.size > n) {
                free(data);
                return w.r.stat.size > max ? EFBIG : get_long(s, path, max, ret, ret_n);
        }
        *ret = data;
        *ret_n = n;
        return 0;
}
