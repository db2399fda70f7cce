/* CHANGE_NOTIFY, [MS-SMB2] 3.2.4.15. Two requests wait at the server: while the news of one travel
 * and are told, the other gathers. A server keeps what happens in between for the open itself, so
 * that nothing is lost as long as its memory suffices; where it did not, and where the session was
 * lost, that is news, too.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/limits.h"
#include "client/file.h"
#include "client/names.h"
#include "wire/fscc/notify.h"
#include "wire/smb2/change_notify.h"
#include "wire/smb2/status.h"

#define WAITING 2u
#define NOTIFY_ROOM 32u
#define EVERYTHING 0x0fffu /* all of enum smb2_completion_filter */
#define EVENTS_BYTES_MAX (16u * LIMIT_NOTIFY_BYTES)

struct watch_op {
        struct frevo_op op;
        struct frevo_file *dir; /* a reference */
        uint32_t filter;
        bool recursive;
        struct file_req req[WAITING];
        unsigned busy;
        uint32_t epoch; /* of the open that is watched */
        struct frevo_result trouble;
};

static struct watch_op *watch_of(struct frevo_op *op)
{
        return container_of(op, struct watch_op, op);
}

/* ---- telling ----------------------------------------------------------------------------------
 */

static void tell_overflow(struct watch_op *w)
{
        struct frevo_event e = {.kind = FREVO_OVERFLOW, .name = ""};
        op_report(&w->op, &(struct frevo_result){.data = &e, .n = sizeof e});
}

static bool kind_of(uint32_t action, enum frevo_event_kind *ret)
{
        if (action >= FILE_ACTION_ADDED && action <= FILE_ACTION_RENAMED_NEW_NAME)
                *ret = (enum frevo_event_kind)action; /* the same numbers */
        else if (action >= FILE_ACTION_ADDED_STREAM && action <= FILE_ACTION_MODIFIED_STREAM)
                *ret = FREVO_MODIFIED;
        else
                return false;
        return true;
}

/* News of a stream are news of its file. */
static struct bytes without_stream(struct bytes utf16)
{
        for (size_t i = 0; i + 1 < utf16.n; i += 2)
                if (utf16.p[i] == ':' && utf16.p[i + 1] == 0)
                        return bytes_first(utf16, i);
        return utf16;
}

struct events {
        struct arena mem; /* the names */
        struct frevo_event *e;
        size_t n, room;
};

static bool add(struct events *l, const struct notify_entry *n)
{
        struct frevo_event e;
        if (!kind_of(n->action, &e.kind))
                return true; /* nothing that there is a word for */
        AUTO_FREE char *name = name_path_get_new(without_stream(n->name_utf16));
        e.name = name ? arena_strndup(&l->mem, name, strlen(name)) : NULL;
        if (!e.name)
                return false;
        if (l->n == l->room) {
                size_t room = l->room ? 2 * l->room : 32;
                struct frevo_event *more = realloc(l->e, room * sizeof *more);
                if (!more)
                        return false;
                l->e = more;
                l->room = room;
        }
        l->e[l->n++] = e;
        return true;
}

/* News that can not be told, for want of memory or of a name that may be handed out, are an
 * overflow: whoever lists again finds what there is. */
static void tell(struct watch_op *w, struct bytes list, bool *bad)
{
        struct events l = {0};
        struct notify_entry n;
        bool ok = list.n > 0;
        arena_init(&l.mem, EVENTS_BYTES_MAX);
        while (ok && notify_list_next(&list, &n, bad))
                ok = add(&l, &n);
        if (*bad)
                l.n = 0;
        if (!ok)
                tell_overflow(w);
        else if (l.n)
                op_report(&w->op, &(struct frevo_result){.data = l.e, .n = l.n * sizeof *l.e});
        arena_reset(&l.mem);
        free(l.e);
}

/* ---- asking -----------------------------------------------------------------------------------
 */

static void watch_send(struct file_req *r)
{
        struct watch_op *w = watch_of(r->op);
        struct client_batch b;
        struct smb2_change_notify_req q = {
                .flags = w->recursive ? SMB2_WATCH_TREE : 0,
                .output_buffer_length = LIMIT_NOTIFY_BYTES,
                .file_id = r->file->id,
                .completion_filter = w->filter,
        };
        if (file_req_begin(r, &b, SMB2_CHANGE_NOTIFY, NOTIFY_ROOM, LIMIT_NOTIFY_BYTES))
                smb2_change_notify_req_encode(&b.w, &q);
        client_batch_send(&b);
        bool another = w->epoch != 0 && w->epoch != r->file->epoch;
        w->epoch = r->file->epoch;
        if (another)
                tell_overflow(w); /* nobody watched in between */
}

static void ask(struct watch_op *w, struct file_req *r)
{
        w->busy++;
        file_req_start(r);
}

static void stop(struct watch_op *w)
{
        for (unsigned i = 0; i < WAITING; i++)
                file_req_cancel(&w->req[i]); /* does nothing to one that is over */
}

static void fail(struct watch_op *w, struct frevo_result r)
{
        if (w->trouble.err)
                return;
        w->trouble = r;
        if (!w->trouble.err) /* the folder's open was closed; or an answer that is none */
                w->trouble.err = r.ntstatus == STATUS_NOTIFY_CLEANUP ? ECANCELED : EPROTO;
        stop(w);
}

static bool has_news(const struct client_req *q)
{
        return q->err == 0 && (q->status == STATUS_SUCCESS || q->status == STATUS_NOTIFY_ENUM_DIR ||
                               q->status == STATUS_BUFFER_OVERFLOW);
}

static void watch_done(struct file_req *r)
{
        struct watch_op *w = watch_of(r->op);
        struct client_req q = r->q; /* its reply lives until this returns */
        struct bytes list = {0};
        bool bad = false;
        w->busy--;
        if (!has_news(&q)) {
                fail(w, op_trouble(&q));
        } else if (!w->trouble.err) {
                if (!w->op.cancelled)
                        ask(w, r);
                if (q.status == STATUS_SUCCESS)
                        bad = !smb2_output_buffer_decode(q.msg, &list) ||
                              list.n > LIMIT_NOTIFY_BYTES;
                if (!bad)
                        tell(w, list, &bad);
                if (bad)
                        fail(w, (struct frevo_result){.err = EPROTO, .ntstatus = q.status});
        }
        if (w->busy)
                return;
        if (!w->trouble.err)
                w->trouble = (struct frevo_result){.err = ECANCELED, .ntstatus = STATUS_CANCELLED};
        op_finish(&w->op, &w->trouble);
}

static void watch_start(struct frevo_op *op)
{
        struct watch_op *w = watch_of(op);
        for (unsigned i = 0; i < WAITING; i++)
                ask(w, &w->req[i]);
}

static void watch_cancel(struct frevo_op *op)
{
        stop(watch_of(op));
}

static void watch_fini(struct frevo_op *op)
{
        file_unref(watch_of(op)->dir);
}

struct frevo_op *frevo_watch_start(struct frevo_file *dir, bool recursive, uint32_t filter,
                                   frevo_done done, void *arg)
{
        struct watch_op *w = op_new(dir->share->ctx, dir->share, sizeof *w, done, arg);
        if (!w)
                return NULL;
        w->op.send = watch_start;
        w->op.cancel = watch_cancel;
        w->op.fini = watch_fini;
        w->dir = file_ref(dir);
        w->recursive = recursive;
        w->filter = filter ? filter : EVERYTHING;
        for (unsigned i = 0; i < WAITING; i++)
                w->req[i] = (struct file_req){.op = &w->op,
                                              .file = dir,
                                              .send = watch_send,
                                              .done = watch_done,
                                              .repeatable = true};
        return op_start(&w->op);
}
