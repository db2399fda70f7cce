/* LOCK, [MS-SMB2] 3.2.4.19: one byte range. A server lets the request wait until the range is free;
 * cancelling that is a CANCEL like any other.
 *
 * Locks are not taken again behind the caller's back: see reopen.c.
 */
#include <errno.h>

#include "client/file.h"
#include "wire/smb2/lock.h"
#include "wire/smb2/status.h"

#define LOCK_ROOM 48u

struct lock_op {
        struct file_op o;
        struct smb2_lock_element range;
};

static struct lock_op *lock_of(struct file_req *r)
{
        return container_of(file_op_of(r), struct lock_op, o);
}

static void lock_send(struct file_req *r)
{
        struct client_batch b;
        struct smb2_lock_req q = {.file_id = r->file->id, .lock_count = 1};
        q.locks[0] = lock_of(r)->range;
        if (file_req_begin(r, &b, SMB2_LOCK, LOCK_ROOM, 0))
                smb2_lock_req_encode(&b.w, &q);
        client_batch_send(&b);
}

static bool is_unlock(const struct lock_op *l)
{
        return l->range.flags & SMB2_LOCKFLAG_UNLOCK;
}

static void lock_done(struct file_req *r)
{
        struct lock_op *l = lock_of(r);
        struct frevo_result res = op_trouble(&r->q);
        struct frevo_file *f = r->file;
        if (file_req_is_fine(r))
                f->locks = is_unlock(l) ? f->locks - (f->locks > 0) : f->locks + 1;
        if (r->q.err == 0 &&
            (r->q.status == STATUS_LOCK_NOT_GRANTED || r->q.status == STATUS_FILE_LOCK_CONFLICT))
                res.err = EAGAIN;
        op_finish(r->op, &res);
}

struct frevo_op *frevo_lock_start(struct frevo_file *f, uint64_t off, uint64_t n,
                                  enum frevo_lock how, bool wait, frevo_done done, void *arg)
{
        struct lock_op *l = file_op_new(f, sizeof *l, done, arg);
        if (!l)
                return NULL;
        uint32_t flags = (uint32_t)how; /* the wire's numbers */
        if (!wait && how != FREVO_UNLOCK)
                flags |= SMB2_LOCKFLAG_FAIL_IMMEDIATELY;
        l->range = (struct smb2_lock_element){.offset = off, .length = n, .flags = flags};
        l->o.req.send = lock_send;
        l->o.req.done = lock_done;
        if (how != FREVO_LOCK_SHARED && how != FREVO_LOCK_EXCLUSIVE && how != FREVO_UNLOCK)
                return op_finish_soon(&l->o.op, EINVAL);
        return op_start(&l->o.op);
}
