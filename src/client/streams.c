/* FileStreamInformation ([MS-FSCC] 2.4.49): the data streams of an open file. */
#include <errno.h>

#include "base/limits.h"
#include "client/entries.h"
#include "client/info_req.h"
#include "client/names.h"
#include "wire/fscc/stream.h"
#include "wire/smb2/status.h"

#define FIRST_MAX (64u * 1024)
/* An entry's fixed part is never shorter than a name's NUL and padding in the arena. */
#define NAMES_MAX (2u * LIMIT_CLIENT_STREAMS_BYTES)

struct streams_op {
        struct file_op o;
        uint32_t max;
        struct entries list;
};

static struct streams_op *streams_of(struct file_req *r)
{
        return container_of(file_op_of(r), struct streams_op, o);
}

static void streams_send(struct file_req *r)
{
        info_query_send(r, &(struct info_query){.class = FILE_STREAM_INFORMATION,
                                                .max = streams_of(r)->max});
}

/* The middle of ":middle:$DATA"; false for streams of another type. */
static bool name_of_data(struct bytes utf16, struct bytes *ret, bool *bad)
{
        static const uint8_t colon[] = {':', 0};
        static const uint8_t type[] = {':', 0, '$', 0, 'D', 0, 'A', 0, 'T', 0, 'A', 0};
        size_t fixed = sizeof colon + sizeof type;
        *bad = utf16.n < sizeof colon || !bytes_eq(bytes_first(utf16, 2), bytes_of(colon, 2));
        if (*bad || utf16.n < fixed ||
            !bytes_eq(bytes_from(utf16, utf16.n - sizeof type), bytes_of(type, sizeof type)))
                return false;
        *ret = bytes_of(utf16.p + sizeof colon, utf16.n - fixed);
        return true;
}

static int add(struct streams_op *s, const struct stream_entry *e)
{
        char name[NAME_UTF8_MAX] = "";
        struct frevo_stat st = {.size = e->size, .allocated = e->allocation};
        struct bytes utf16;
        bool bad;
        if (!name_of_data(e->name_utf16, &utf16, &bad))
                return bad ? EPROTO : 0;
        if (utf16.n && !name_get(utf16, name))
                return EPROTO;
        return entries_add(&s->list, name, strlen(name), &st) ? 0 : ENOMEM;
}

static int take(struct streams_op *s, struct bytes out)
{
        struct stream_entry e;
        bool bad = false;
        while (stream_list_next(&out, &e, &bad)) {
                int err = add(s, &e);
                if (err)
                        return err;
        }
        return bad ? EPROTO : 0;
}

static bool wants_more_room(const struct streams_op *s, uint32_t status)
{
        bool cut = status == STATUS_BUFFER_OVERFLOW || status == STATUS_BUFFER_TOO_SMALL ||
                   status == STATUS_INFO_LENGTH_MISMATCH;
        return cut && !s->o.op.cancelled &&
               s->max <= share_max_transact(s->o.req.file->share) / 2 &&
               s->max <= LIMIT_CLIENT_STREAMS_BYTES / 2;
}

static void streams_done(struct file_req *r)
{
        struct streams_op *s = streams_of(r);
        struct frevo_result res = op_trouble(&r->q);
        struct bytes out;
        if (r->q.err == 0 && wants_more_room(s, r->q.status)) {
                s->max *= 2;
                file_req_start(r);
                return;
        }
        if (r->q.err == 0 && r->q.status == STATUS_BUFFER_OVERFLOW)
                res.err = EOVERFLOW;
        if (!res.err)
                res.err = info_query_answer(r, s->max, &out) ? take(s, out) : EPROTO;
        if (!res.err) {
                res.entries = s->list.e;
                res.n_entries = s->list.n;
        }
        op_finish(r->op, &res);
}

static void streams_fini(struct frevo_op *op)
{
        entries_fini(&container_of(op, struct streams_op, o.op)->list);
        file_op_fini(op);
}

struct frevo_op *frevo_streams_start(struct frevo_file *f, frevo_done done, void *arg)
{
        struct streams_op *s = file_op_new(f, sizeof *s, done, arg);
        if (!s)
                return NULL;
        entries_init(&s->list, NAMES_MAX);
        s->max = FIRST_MAX;
        s->o.op.fini = streams_fini;
        s->o.req.send = streams_send;
        s->o.req.done = streams_done;
        s->o.req.repeatable = true;
        return op_start(&s->o.op);
}
