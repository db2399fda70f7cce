/* frevo_list_start(): a folder's entries, page by page.
 *
 * The first frame is CREATE and two QUERY_DIRECTORYs; in most folders the second one already says
 * that there is no more. In others two requests stay in flight until one says so. The CLOSE is sent
 * then, and nobody waits for it.
 */

#include <errno.h>

#include "base/limits.h"
#include "client/compound_op.h"
#include "client/loose_close.h"
#include "client/names.h"
#include "client/page.h"
#include "wire/smb2/header.h"
#include "wire/smb2/output_buffer.h"
#include "wire/smb2/query_directory.h"
#include "wire/smb2/status.h"

#define FIRST_BYTES (256u * 1024)
#define LATER_BYTES (1024u * 1024)
#define DEPTH 2u
#define FRAME_ROOM 512u /* besides the names */

struct list_op;

struct list_query {
        struct client_req req;
        struct list_op *of;
        bool is_busy;
};

struct list_op {
        struct frevo_op op;
        struct smb2_create_req create; /* its name is owned */
        struct bytes pattern;          /* UTF-16LE, owned */
        struct client_req open;
        struct list_query query[DEPTH];
        unsigned in_flight;
        struct smb2_file_id file; /* once is_open */
        uint32_t epoch;
        bool is_open;
        bool is_first;    /* the first frame is on its way */
        bool is_over;     /* the server said so, or there is no point in asking on */
        bool is_reported; /* entries were handed out: no second beginning */
        bool is_bad;      /* names or pages that were left out */
        size_t n_seen;
        uint8_t last[2 * LIMIT_NAME_UTF16]; /* the name that the newest page ended with */
        size_t last_n;
        struct frevo_result end;
};

/* ---- out --------------------------------------------------------------------------------------
 */

static void query_done(struct client_req *q);

static uint32_t page_bytes(const struct list_op *o, uint32_t wish)
{
        uint32_t max = share_max_transact(o->op.share);
        return wish < max ? wish : max;
}

static void add_query(struct list_op *o, struct client_batch *b, struct list_query *q,
                      uint32_t bytes, bool related)
{
        q->of = o;
        q->is_busy = true;
        q->req.done = query_done;
        client_batch_add(b, &q->req, SMB2_QUERY_DIRECTORY, bytes, related);
        o->in_flight++;
        if (b->frame)
                smb2_query_directory_req_encode(
                        &b->w, q->req.hdr_at,
                        &(struct smb2_query_directory_req){.file_information_class = PAGE_CLASS,
                                                           .file_id = related ? CLIENT_RELATED_FILE
                                                                              : o->file,
                                                           .file_name = o->pattern,
                                                           .output_buffer_length = bytes});
}

static void open_done(struct client_req *q);

static void list_send(struct frevo_op *op)
{
        struct list_op *o = container_of(op, struct list_op, op);
        struct client_batch b;
        client_batch_begin(&b, op->share, FRAME_ROOM + o->create.name.n + DEPTH * o->pattern.n, 0);
        o->open.done = open_done;
        client_batch_add(&b, &o->open, SMB2_CREATE, 0, false);
        o->in_flight = 1;
        o->is_first = true;
        if (b.frame)
                smb2_create_req_encode(&b.w, o->open.hdr_at, &o->create);
        for (unsigned i = 0; i < DEPTH; i++)
                add_query(o, &b, &o->query[i], page_bytes(o, FIRST_BYTES), true);
        client_batch_send(&b);
}

static void ask_on(struct list_op *o, struct list_query *q)
{
        struct client_batch b;
        client_batch_begin(&b, o->op.share, FRAME_ROOM + o->pattern.n, o->epoch);
        add_query(o, &b, q, page_bytes(o, LATER_BYTES), false);
        client_batch_send(&b);
}

static void list_cancel(struct frevo_op *op)
{
        struct list_op *o = container_of(op, struct list_op, op);
        client_req_cancel(&o->open);
        for (unsigned i = 0; i < DEPTH; i++)
                client_req_cancel(&o->query[i].req);
}

/* ---- the end ----------------------------------------------------------------------------------
 */

static void begin_again(struct list_op *o)
{
        o->is_open = o->is_over = o->is_bad = false;
        o->n_seen = o->last_n = 0;
        o->end = (struct frevo_result){0};
        list_send(&o->op);
}

/* Nothing is in flight any more, and nothing else will be. */
static void list_over(struct list_op *o)
{
        if (!o->is_reported && op_may_resend(&o->op, o->end.err, true)) {
                begin_again(o);
                return;
        }
        if (o->is_open)
                loose_close(o->op.share, o->file, o->epoch);
        if (!o->end.err && o->op.cancelled)
                o->end = (struct frevo_result){.err = ECANCELED, .ntstatus = STATUS_INVALID};
        if (!o->end.err && o->is_bad)
                o->end = (struct frevo_result){.err = EPROTO, .ntstatus = STATUS_INVALID};
        op_finish(&o->op, &o->end);
}

static void fail(struct list_op *o, struct frevo_result why)
{
        o->is_over = true;
        if (!o->end.err)
                o->end = why;
}

static void fail_here(struct list_op *o, int err)
{
        fail(o, (struct frevo_result){.err = err, .ntstatus = STATUS_INVALID});
}

/* ---- in ---------------------------------------------------------------------------------------
 */

/* After each answer: keeps the questions coming, or ends. The first frame's answers are waited for
 * together: the last of them mostly says that there is nothing more to ask. */
static void go_on(struct list_op *o)
{
        if (o->is_first && o->in_flight)
                return;
        o->is_first = false;
        for (unsigned i = 0; i < DEPTH; i++)
                if (o->is_open && !o->is_over && !o->op.cancelled && !o->query[i].is_busy)
                        ask_on(o, &o->query[i]);
        if (!o->in_flight)
                list_over(o);
}

static void open_done(struct client_req *q)
{
        struct list_op *o = container_of(q, struct list_op, open);
        struct smb2_create_rsp r;
        o->in_flight--;
        if (q->err || status_errno(q->status)) {
                /* Its queries failed with it: what it says is what counts. */
                o->is_over = true;
                o->end = op_trouble(q);
        } else if (!smb2_create_rsp_decode(q->msg, &r)) {
                fail_here(o, EPROTO);
        } else {
                o->file = r.file_id;
                o->epoch = share_epoch(o->op.share);
                o->is_open = true;
        }
        go_on(o);
}

/* A server that gives nothing, the same again, or more than any folder holds, is not followed. */
static bool is_progress(struct list_op *o, const struct page *p)
{
        if (p->n_seen == 0 || bytes_eq(p->last, bytes_of(o->last, o->last_n)))
                return false;
        o->last_n = bytes_first(p->last, sizeof o->last).n;
        if (o->last_n)
                memcpy(o->last, p->last.p, o->last_n);
        o->n_seen += p->n_seen;
        return o->n_seen <= LIMIT_LIST_ENTRIES;
}

static void take_page(struct list_op *o, struct client_req *q)
{
        struct bytes listing;
        struct page p;
        if (!smb2_output_buffer_decode(q->msg, &listing)) {
                fail_here(o, EPROTO);
                return;
        }
        if (!page_decode(listing, &p)) {
                fail_here(o, ENOMEM);
                return;
        }
        if (!is_progress(o, &p))
                fail_here(o, EPROTO);
        o->is_bad |= p.is_bad;
        o->op.data_mem = p.mem;
        if (p.n == 0 || o->end.err || o->op.cancelled) {
                free(p.mem);
                o->op.data_mem = NULL;
                return;
        }
        o->is_reported = true;
        op_report(&o->op, &(struct frevo_result){
                                  .data = p.entries, .entries = p.entries, .n_entries = p.n});
}

static void query_done(struct client_req *q)
{
        struct list_query *lq = container_of(q, struct list_query, req);
        struct list_op *o = lq->of;
        o->in_flight--;
        lq->is_busy = false;
        if (q->err == 0 && (q->status == STATUS_NO_MORE_FILES || q->status == STATUS_NO_SUCH_FILE))
                o->is_over = true;
        else if (q->err || q->status != STATUS_SUCCESS)
                fail(o, q->err || status_errno(q->status)
                                ? op_trouble(q)
                                : (struct frevo_result){.err = EIO, .ntstatus = q->status});
        else
                take_page(o, q);
        go_on(o);
}

/* ---- life -------------------------------------------------------------------------------------
 */

static void list_fini(struct frevo_op *op)
{
        struct list_op *o = container_of(op, struct list_op, op);
        free((void *)(uintptr_t)o->create.name.p);
        free((void *)(uintptr_t)o->pattern.p);
}

static int pattern_new(const char *pattern, struct bytes *ret)
{
        size_t room = name_path_room(pattern);
        uint8_t *p = malloc(room ? room : 1);
        if (!p)
                return ENOMEM;
        struct writer w = wr_into(p, room);
        int err = name_pattern_put(&w, pattern);
        *ret = wr_done(&w);
        return err;
}

struct frevo_op *frevo_list_start(struct frevo_share *s, const char *path, const char *pattern,
                                  frevo_done done, void *arg)
{
        struct list_op *o = op_new(s->ctx, s, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->op.send = list_send;
        o->op.cancel = list_cancel;
        o->op.fini = list_fini;
        o->create = (struct smb2_create_req){
                .impersonation_level = SMB2_IMPERSONATION_IMPERSONATION,
                .desired_access = FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES | ACCESS_SYNCHRONIZE,
                .share_access = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                .create_disposition = FILE_OPEN,
                .create_options = FILE_DIRECTORY_FILE,
        };
        int err = name_path_new(path, &o->create.name);
        if (!err)
                err = pattern_new(pattern ? pattern : "*", &o->pattern);
        return err ? op_finish_soon(&o->op, err) : op_start(&o->op);
}
