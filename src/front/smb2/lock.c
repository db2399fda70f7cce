/* LOCK, [MS-SMB2] 3.3.5.14. Which combinations of flags are legal, and the replay check; the locks
 * themselves are fs_lock(). */
#include "front/smb2/front.h"

#include "front/smb2/call.h"
#include "front/smb2/commands.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/lock.h"

struct lock_state {
        struct fs_lock locks[LIMIT_LOCKS_PER_REQUEST];
        unsigned n;
        bool wait;
        uint8_t sequence; /* slot of the open's lock_sequence to set on success; 0 = none */
        uint8_t number;
};

static enum fs_err lock_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        const struct lock_state *s = c->state;
        (void)how; /* locks never wait for a disk */
        return fs_lock(c->open->file, s->locks, s->n, s->wait ? &op->waiter : NULL);
}

static void reply(struct smb2_call *c)
{
        struct writer *w = smb2_reply_begin(c, 8);
        if (!w)
                return;
        smb2_lock_rsp_encode(w);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static void lock_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        const struct lock_state *s = c->state;
        if (e != FS_OK) {
                /* A range past the end of all files: [MS-FSA] 2.1.5.8. */
                smb2_fail(c, e == FS_TOO_BIG ? STATUS_INVALID_LOCK_RANGE : smb2_status_of_fs(e));
                return;
        }
        if (s->sequence)
                c->open->lock_sequence[s->sequence] = s->number;
        reply(c);
}

/* One element's flags; `first` says whether this request locks or unlocks. */
static bool translate(const struct smb2_lock_element *e, bool unlocks, unsigned count,
                      struct fs_lock *out)
{
        uint32_t kind = e->flags & ~(uint32_t)SMB2_LOCKFLAG_FAIL_IMMEDIATELY;
        bool at_once = (e->flags & SMB2_LOCKFLAG_FAIL_IMMEDIATELY) != 0;
        *out = (struct fs_lock){.off = e->offset, .len = e->length};
        if (kind == SMB2_LOCKFLAG_UNLOCK) {
                out->flags = FS_LOCK_UNLOCK;
                return unlocks && !at_once;
        }
        out->flags = kind == SMB2_LOCKFLAG_SHARED_LOCK ? FS_LOCK_SHARED : FS_LOCK_EXCLUSIVE;
        /* 3.3.5.14.2: a list of several locks can only be asked for without waiting. */
        return !unlocks && (at_once || count == 1) &&
               (kind == SMB2_LOCKFLAG_SHARED_LOCK || kind == SMB2_LOCKFLAG_EXCLUSIVE_LOCK);
}

/* 3.3.5.14: a repeated lock sequence was done before and is answered, not done again. */
static bool is_replay(struct smb2_call *c, const struct smb2_lock_req *q, struct lock_state *s)
{
        uint32_t i = q->lock_sequence_index;
        if (i == 0 || i >= sizeof c->open->lock_sequence ||
            smb2_call_dialect(c) < SMB2_DIALECT_300 || !smb2_call_config(c)->multichannel)
                return false;
        if (c->open->lock_sequence[i] == q->lock_sequence_number)
                return true;
        c->open->lock_sequence[i] = 0xff;
        s->sequence = (uint8_t)i;
        s->number = q->lock_sequence_number;
        return false;
}

void smb2_lock(struct smb2_call *c)
{
        struct smb2_lock_req *q = arena_alloc(c->arena, sizeof *q);
        struct lock_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!q || !s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        if (!smb2_lock_req_decode(c->msg, q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        if (is_replay(c, q, s)) {
                reply(c);
                return;
        }
        bool unlocks = (q->locks[0].flags & SMB2_LOCKFLAG_UNLOCK) != 0;
        s->n = q->lock_count;
        s->wait = !unlocks && !(q->locks[0].flags & SMB2_LOCKFLAG_FAIL_IMMEDIATELY);
        for (unsigned i = 0; i < s->n; i++) {
                if (!translate(&q->locks[i], unlocks, s->n, &s->locks[i])) {
                        smb2_fail(c, STATUS_INVALID_PARAMETER);
                        return;
                }
        }
        smb2_call_start(c, lock_run, lock_done, 0);
}
