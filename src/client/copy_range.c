/* FSCTL_SRV_COPYCHUNK_WRITE, [MS-SMB2] 3.2.4.20.2: the server copies between two of its own files.
 * The source is named by a key that is asked for first. How much one request may carry is the
 * server's secret until a request was too large: the refusal tells (3.3.5.15.6).
 */
#include <errno.h>

#include "base/limits.h"
#include "client/ioctl_req.h"
#include "client/session.h"
#include "client/transfer.h"
#include "wire/fscc/fsctl.h"
#include "wire/smb2/fsctl.h"
#include "wire/smb2/status.h"

/* What servers take as a rule, to begin with, and what is too little to be believed. */
#define CHUNKS 16u
#define CHUNK_BYTES (1024u * 1024)
#define CHUNK_BYTES_MIN 4096u
#define COPIES_IN_FLIGHT 4u
#define KEY_OUT 32u
#define COPY_OUT 12u
#define COPY_ROOM (SMB2_RESUME_KEY_LEN + 8u + 24u * LIMIT_COPY_CHUNKS)

struct copy_op {
        struct transfer t; /* of the target */
        struct frevo_file *from;
        uint64_t from_off, to_off;
        struct file_req key_req;
        struct srv_resume_key key;
        uint32_t key_epoch;
        /* The server's limits. */
        uint32_t chunks, chunk_bytes, total_bytes;
};

static struct copy_op *copy_of(struct transfer *t)
{
        return container_of(t, struct copy_op, t);
}

/* ---- the key ----------------------------------------------------------------------------------
 */

static const struct ioctl_call key_call = {.code = FSCTL_SRV_REQUEST_RESUME_KEY,
                                           .max_output = KEY_OUT};

static void key_send(struct file_req *r)
{
        ioctl_send(r, &key_call);
}

static void key_done(struct file_req *r)
{
        struct copy_op *o = container_of(r, struct copy_op, key_req);
        struct bytes out;
        o->t.trouble = op_trouble(&r->q);
        if (!o->t.trouble.err && !(file_req_is_fine(r) && ioctl_output(r, &key_call, &out) &&
                                   srv_resume_key_decode(out, &o->key)))
                o->t.trouble.err = EPROTO;
        if (!o->t.trouble.err && o->t.op.cancelled)
                o->t.trouble.err = ECANCELED;
        o->key_epoch = o->from->epoch;
        if (o->t.trouble.err)
                o->t.finish(&o->t);
        else
                transfer_go(&o->t);
}

static void copy_start(struct frevo_op *op)
{
        file_req_start(&copy_of(transfer_of(op))->key_req);
}

/* ---- the pieces -------------------------------------------------------------------------------
 */

static uint32_t wish(const struct copy_op *o, const struct piece *p)
{
        uint64_t most = (uint64_t)o->chunks * o->chunk_bytes;
        if (most > o->total_bytes)
                most = o->total_bytes;
        return p->n < most ? p->n : (uint32_t)most;
}

static struct ioctl_call copy_call(const struct copy_op *o, const struct piece *p, struct writer *w)
{
        struct srv_copychunk_copy c = {0};
        uint32_t left = p->sent;
        uint64_t at = p->at;
        memcpy(c.source_key, o->key.b, sizeof c.source_key);
        while (left && c.chunk_count < LIMIT_COPY_CHUNKS) {
                uint32_t n = left < o->chunk_bytes ? left : o->chunk_bytes;
                c.chunks[c.chunk_count++] =
                        (struct srv_copychunk){.source_offset = o->from_off + at,
                                               .target_offset = o->to_off + at,
                                               .length = n};
                at += n;
                left -= n;
        }
        srv_copychunk_copy_encode(w, &c);
        return (struct ioctl_call){
                .code = FSCTL_SRV_COPYCHUNK_WRITE, .input = wr_done(w), .max_output = COPY_OUT};
}

static void copy_send(struct file_req *r)
{
        uint8_t input[COPY_ROOM];
        struct writer w = wr_into(input, sizeof input);
        struct piece *p = piece_of(r);
        p->sent = wish(copy_of(p->of), p);
        struct ioctl_call call = copy_call(copy_of(p->of), p, &w);
        ioctl_send(r, &call);
}

/* True if there is something new in what the server would take, and it is of use. */
static bool learn(struct copy_op *o, const struct srv_copychunk_response *r)
{
        uint32_t chunks =
                r->chunks_written < LIMIT_COPY_CHUNKS ? r->chunks_written : LIMIT_COPY_CHUNKS;
        bool less = chunks < o->chunks || r->chunk_bytes_written < o->chunk_bytes ||
                    r->total_bytes_written < o->total_bytes;
        if (chunks == 0 || r->chunk_bytes_written < CHUNK_BYTES_MIN ||
            r->total_bytes_written < CHUNK_BYTES_MIN || !less)
                return false;
        if (chunks < o->chunks)
                o->chunks = chunks;
        if (r->chunk_bytes_written < o->chunk_bytes)
                o->chunk_bytes = r->chunk_bytes_written;
        if (r->total_bytes_written < o->total_bytes)
                o->total_bytes = r->total_bytes_written;
        return true;
}

static int copy_took(struct piece *p, uint32_t *ret_n)
{
        struct copy_op *o = copy_of(p->of);
        struct ioctl_call call = {.code = FSCTL_SRV_COPYCHUNK_WRITE, .max_output = COPY_OUT};
        struct srv_copychunk_response r;
        struct bytes out;
        uint32_t status = p->r.q.status;
        bool told = ioctl_output(&p->r, &call, &out) && srv_copychunk_response_decode(out, &r);
        if (status == STATUS_SUCCESS) {
                if (!told || r.total_bytes_written > p->sent)
                        return EPROTO;
                *ret_n = r.total_bytes_written;
                return 0;
        }
        /* Of two pieces that were too large, the second learns nothing new. */
        if (status == STATUS_INVALID_PARAMETER && told && (learn(o, &r) || wish(o, p) < p->sent))
                return PIECE_AGAIN;
        if (o->key_epoch != p->r.file->epoch)
                return ECONNRESET; /* the key went with its session */
        int err = status_errno(status);
        return err ? err : EPROTO;
}

static void copy_finish(struct transfer *t)
{
        struct frevo_result r = t->trouble;
        if (!r.err)
                r.n = (size_t)t->n;
        op_finish(&t->op, &r);
}

static void copy_fini(struct transfer *t)
{
        file_unref(copy_of(t)->from);
}

/* ---- frevo_copy_range -------------------------------------------------------------------------
 */

static void copy_cancel(struct frevo_op *op)
{
        struct copy_op *o = copy_of(transfer_of(op));
        file_req_cancel(&o->key_req);
        transfer_cancel(op);
}

/* Chunks that overlap their source would be copied in an order that nobody defined. */
static bool overlap(const struct copy_op *o)
{
        const struct frevo_file *a = o->from, *b = o->t.file;
        bool same = a == b || (a->disk_id && a->share == b->share && a->disk_id == b->disk_id &&
                               a->volume_id == b->volume_id);
        uint64_t apart =
                o->from_off < o->to_off ? o->to_off - o->from_off : o->from_off - o->to_off;
        return same && apart < o->t.n;
}

static int check(const struct copy_op *o)
{
        if (o->from->share->session != o->t.file->share->session)
                return EXDEV;
        if (o->from_off > INT64_MAX || o->t.n > INT64_MAX - o->from_off || o->to_off > INT64_MAX ||
            o->t.n > INT64_MAX - o->to_off)
                return EINVAL;
        return overlap(o) ? EINVAL : 0;
}

struct frevo_op *frevo_copy_range_start(struct frevo_file *from, uint64_t from_off,
                                        struct frevo_file *to, uint64_t to_off, uint64_t n,
                                        frevo_done done, void *arg)
{
        struct copy_op *o = transfer_new(to, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->from = file_ref(from);
        o->from_off = from_off;
        o->to_off = to_off;
        o->chunks = CHUNKS;
        o->chunk_bytes = CHUNK_BYTES;
        o->total_bytes = CHUNKS * CHUNK_BYTES;
        o->key_req = (struct file_req){.op = &o->t.op,
                                       .file = from,
                                       .send = key_send,
                                       .done = key_done,
                                       .repeatable = true};
        o->t.n = n;
        o->t.window = COPIES_IN_FLIGHT;
        o->t.piece_max = o->total_bytes;
        o->t.op.send = copy_start;
        o->t.op.cancel = copy_cancel;
        o->t.send = copy_send;
        o->t.took = copy_took;
        o->t.finish = copy_finish;
        o->t.fini = copy_fini;
        int err = check(o);
        return err ? op_finish_soon(&o->t.op, err) : transfer_start(&o->t);
}
