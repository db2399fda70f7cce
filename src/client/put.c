/* frevo_put(): CREATE, WRITE, what makes the times last, FLUSH if asked for, CLOSE. */
#include <errno.h>

#include "client/compound_op.h"
#include "client/stat_of.h"
#include "client/times.h"
#include "wire/fscc/class.h"
#include "wire/smb2/close.h"
#include "wire/smb2/flush.h"
#include "wire/smb2/header.h"
#include "wire/smb2/info_type.h"
#include "wire/smb2/status.h"
#include "wire/smb2/write.h"

#define BASIC_BYTES 40u

enum { PUT_WRITE = 1 };

struct put_op {
        struct compound_op c;
        const void *data;
        size_t n;
        struct frevo_put_how how;
};

static bool sets_times(const struct frevo_put_how *h)
{
        return h->create_ns != FREVO_TIME_KEEP || h->access_ns != FREVO_TIME_KEEP ||
               h->write_ns != FREVO_TIME_KEEP;
}

static void add_write(struct put_op *p, struct client_batch *b)
{
        const struct client_req *q = compound_add(&p->c, b, SMB2_WRITE, (uint32_t)p->n);
        if (!q)
                return;
        smb2_write_req_encode_head(&b->w, q->hdr_at,
                                   &(struct smb2_write_req){.file_id = CLIENT_RELATED_FILE},
                                   (uint32_t)p->n);
        client_batch_payload(b, p->data, p->n);
}

static void put_middle(struct compound_op *o, struct client_batch *b)
{
        struct put_op *p = container_of(o, struct put_op, c);
        if (p->n)
                add_write(p, b);
        if (sets_times(&p->how)) { /* behind the write, which would set some of them */
                uint8_t basic[BASIC_BYTES];
                struct writer w = wr_into(basic, sizeof basic);
                file_basic_encode(&w, &(struct file_basic){.create_ft = ft_of_ns(p->how.create_ns),
                                                           .access_ft = ft_of_ns(p->how.access_ns),
                                                           .write_ft = ft_of_ns(p->how.write_ns)});
                compound_set(o, b, SMB2_0_INFO_FILE, FILE_BASIC_INFORMATION, 0, wr_done(&w));
        }
        if (p->how.durable && compound_add(o, b, SMB2_FLUSH, 0))
                smb2_flush_req_encode(&b->w,
                                      &(struct smb2_flush_req){.file_id = CLIENT_RELATED_FILE});
}

static int put_finish(struct compound_op *o, struct frevo_result *r)
{
        const struct put_op *p = container_of(o, struct put_op, c);
        const struct client_req *close = &o->step[o->n - 1].req;
        struct smb2_write_rsp written;
        struct smb2_close_rsp closed;
        if (p->n &&
            (!smb2_write_rsp_decode(o->step[PUT_WRITE].req.msg, &written) || written.count > p->n))
                return EPROTO;
        if (p->n && written.count < p->n)
                return EIO;
        r->n = p->n;
        r->created = o->created.create_action == FILE_CREATED;
        r->stat = stat_of_create(&o->created, o->disk_id);
        r->stat.size = p->n;
        if (close->err == 0 && close->status == STATUS_SUCCESS &&
            smb2_close_rsp_decode(close->msg, &closed) &&
            (closed.flags & SMB2_CLOSE_FLAG_POSTQUERY_ATTRIB))
                r->stat = stat_of_close(&closed);
        r->stat.id = o->disk_id;
        return 0;
}

struct frevo_op *frevo_put_start(struct frevo_share *s, const char *path, const void *data,
                                 size_t n, const struct frevo_put_how *how, frevo_done done,
                                 void *arg)
{
        static const struct frevo_put_how plain = {.create_ns = FREVO_TIME_KEEP,
                                                   .access_ns = FREVO_TIME_KEEP,
                                                   .write_ns = FREVO_TIME_KEEP};
        struct put_op *p = compound_new(s, path, sizeof *p, done, arg);
        if (!p)
                return NULL;
        p->data = data;
        p->n = n;
        p->how = how ? *how : plain;
        if (n > share_max_write(s))
                p->c.err = EINVAL;
        p->c.create.desired_access = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_READ_ATTRIBUTES |
                                     FILE_WRITE_ATTRIBUTES | ACCESS_SYNCHRONIZE;
        p->c.create.create_disposition = p->how.exclusive ? FILE_CREATE : FILE_OVERWRITE_IF;
        p->c.create.create_options = FILE_NON_DIRECTORY_FILE;
        p->c.create.file_attributes = p->how.attributes;
        p->c.wants_id = true;
        p->c.close_flags = SMB2_CLOSE_FLAG_POSTQUERY_ATTRIB;
        p->c.is_idempotent = !p->how.exclusive;
        p->c.room = BASIC_BYTES;
        p->c.middle = put_middle;
        p->c.finish = put_finish;
        return compound_start(&p->c);
}

int frevo_put(struct frevo_share *s, const char *path, const void *data, size_t n,
              const struct frevo_put_how *how)
{
        struct op_wait w = {0};
        return op_wait_over(s->ctx, frevo_put_start(s, path, data, n, how, op_wait_done, &w), &w);
}
