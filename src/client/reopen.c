/* A file whose session was lost, made valid again in the present one: see file.h.
 *
 * By its durable handle where the server gave one ([MS-SMB2] 3.2.4.4): then nobody can have come in
 * between. Else by opening the same name once more, which is the same only if it is still the same
 * file, and if its user did not rely on having kept others out meanwhile: not with byte-range
 * locks, not when a writer denied others something or had the right to cache writes.
 */
#include "client/file.h"

#include <errno.h>

#include "base/limits.h"
#include "client/loose_close.h"
#include "wire/smb2/status.h"

static bool may_open_by_name(const struct frevo_file *f)
{
        bool kept_others_out =
                f->how.deny != 0 || (f->lease.held & f->lease.wanted & FREVO_LEASE_WRITE);
        return f->disk_id != 0 && f->locks == 0 && !(f->how.options & FILE_DELETE_ON_CLOSE) &&
               !(file_is_writer(f) && kept_others_out);
}

static void over(struct frevo_file *f, int err, bool for_good)
{
        f->reopening = false;
        f->stale = for_good;
        file_reopened(f, err);
        file_unref(f);
}

static void give_up(struct frevo_file *f)
{
        lease_lost(f);
        over(f, ESTALE, true);
}

static void next_attempt(struct frevo_file *f)
{
        f->reopen_tries++;
        file_open_send(f, &f->reopen, f->by_name ? FILE_OPEN_BY_NAME : FILE_OPEN_BY_HANDLE);
}

static void try_by_name(struct frevo_file *f)
{
        if (!may_open_by_name(f)) {
                give_up(f);
                return;
        }
        lease_lost(f);
        f->by_name = true;
        next_attempt(f);
}

/* Servers keep the persistent half of a durable open's id. */
static bool is_same(const struct frevo_file *f, const struct file_opened *o)
{
        if (!f->by_name)
                return o->rsp.file_id.persistent_id == f->id.persistent_id;
        return o->disk.disk_file_id == f->disk_id && o->disk.volume_id == f->volume_id;
}

static void take(struct frevo_file *f)
{
        struct file_opened o;
        if (!file_open_decode(&f->reopen, &o)) {
                file_open_abandon(f->share, &f->reopen);
                over(f, EPROTO, true);
                return;
        }
        if (!is_same(f, &o)) {
                loose_close(f->share, o.rsp.file_id, share_epoch(f->share));
                if (f->by_name)
                        give_up(f);
                else
                        try_by_name(f);
                return;
        }
        bool ok = file_open_take(f, &o, f->by_name ? FILE_OPEN_BY_NAME : FILE_OPEN_BY_HANDLE);
        over(f, ok ? 0 : EPROTO, !ok);
}

static bool was_lost(int err)
{
        return err == ECONNRESET || err == ENOTCONN || err == ETIMEDOUT;
}

static void reopen_done(struct client_req *q)
{
        struct frevo_file *f = container_of(q, struct frevo_file, reopen);
        if (q->err == 0 && q->status == STATUS_SUCCESS)
                take(f);
        else if (was_lost(q->err) && share_is_retrying(f->share) && f->reopen_tries < LIMIT_RESENDS)
                next_attempt(f);
        else if (q->err)
                over(f, q->err, false); /* perhaps next time */
        else if (f->by_name)
                give_up(f);
        else
                try_by_name(f);
}

void file_reopen(struct frevo_file *f)
{
        (void)file_ref(f); /* over() drops it */
        f->reopening = true;
        f->reopen_tries = 0;
        f->reopen.done = reopen_done;
        f->by_name = f->durable == FILE_NOT_DURABLE;
        if (f->by_name)
                try_by_name(f);
        else
                next_attempt(f);
}
