/* See lease.h. A break comes on any thread; a task carries it to the client's loop, where the lease
 * is known (or is gone, or not yet). */
#include "front/smb2/lease.h"

#include "front/smb2/break_notice.h"
#include "front/smb2/session.h"
#include "net/loop.h"

struct smb2_lease {
        struct fs_lease *fs; /* one reference */
        struct smb2_local *local;
        unsigned version; /* of the context that the first open came with */
        struct smb2_guid key, parent_key;
        bool has_parent;
        struct list opens; /* struct smb2_open.in_lease */
        struct timer break_timer;
        struct fs_break told; /* last; of the first open: nothing */
};

struct break_task {
        struct task task;
        struct fs_lease *lease; /* one reference */
        struct fs_break what;
};

_Static_assert(FS_GRANT_READ == (int)SMB2_LEASE_READ_CACHING &&
                       FS_GRANT_HANDLE == (int)SMB2_LEASE_HANDLE_CACHING &&
                       FS_GRANT_WRITE == (int)SMB2_LEASE_WRITE_CACHING,
               "the file service's grants are the wire's lease states");

/* ---- breaks ---- */

static void break_expired(struct timer *t)
{
        fs_lease_revoke(container_of(t, struct smb2_lease, break_timer)->fs);
}

static void put_notice(struct writer *w, const void *what)
{
        smb2_lease_break_notify_encode(w, what);
}

/* [MS-SMB2] 3.3.4.7; one open after the other is asked for its way. */
static bool send_notice(const struct smb2_lease *l, const struct fs_break *b)
{
        struct smb2_lease_break_notify n = {
                .new_epoch = l->version == 2 ? b->epoch : 0,
                .flags = b->ack ? SMB2_NOTIFY_BREAK_LEASE_FLAG_ACK_REQUIRED : 0,
                .lease_key = l->key,
                .current_lease_state = b->from,
                .new_lease_state = b->keep,
        };
        list_each (&l->opens, it) {
                struct smb2_open *o = list_entry(it, struct smb2_open, in_lease);
                if (smb2_break_notice_send_client(o, put_notice, &n))
                        return true;
        }
        return false;
}

static void tell(struct smb2_lease *l, const struct fs_break *b)
{
        struct fs_lease_state now;
        if (l->told.epoch == b->epoch && l->told.from == b->from && l->told.keep == b->keep)
                return; /* caught up with already */
        l->told = *b;
        bool sent = send_notice(l, b);
        fs_lease_state(l->fs, &now);
        if (!sent)
                fs_lease_revoke(l->fs);
        else if (b->ack && now.breaking)
                timer_start(l->local->loop, &l->break_timer, BREAK_ACK_MS, break_expired);
}

static void deliver(struct task *t)
{
        struct break_task *b = container_of(t, struct break_task, task);
        struct smb2_lease *l = fs_lease_front(b->lease);
        if (l)
                tell(l, &b->what);
        fs_lease_unref(b->lease);
        free(b);
}

static void post(struct smb2_local *local, struct fs_lease *lease, const struct fs_break *what)
{
        struct break_task *b = malloc(sizeof *b);
        if (!b) {
                fs_lease_revoke(lease);
                return;
        }
        *b = (struct break_task){
                .task = {.run = deliver}, .lease = fs_lease_ref(lease), .what = *what};
        loop_post(local->loop, &b->task);
}

void smb2_lease_break(void *ctx, struct fs_lease *l, const struct fs_break *b)
{
        post(ctx, l, b);
}

/* ---- opens ---- */

static struct smb2_lease *lease_new(struct smb2_open *o, struct fs_lease *fs,
                                    const struct smb2_create_lease *asked)
{
        struct smb2_lease *l = calloc(1, sizeof *l);
        if (!l)
                return NULL;
        l->fs = fs_lease_ref(fs);
        l->local = o->session->local;
        l->version = asked->version;
        l->key = asked->lease_key;
        l->has_parent = asked->version == 2 && asked->flags & SMB2_LEASE_FLAG_PARENT_LEASE_KEY_SET;
        if (l->has_parent)
                l->parent_key = asked->parent_lease_key;
        list_init(&l->opens);
        fs_lease_set_front(fs, l);
        return l;
}

/* A break that came before there was anybody to tell goes out behind CREATE's reply. */
static void catch_up(struct smb2_lease *l)
{
        struct fs_lease_state s;
        fs_lease_state(l->fs, &s);
        struct fs_break b = {.from = s.held, .keep = s.keep, .ack = true, .epoch = s.epoch};
        if (s.breaking)
                post(l->local, l->fs, &b);
}

bool smb2_lease_attach(struct smb2_open *o, const struct smb2_create_lease *asked)
{
        struct fs_lease *fs = fs_open_lease(o->file);
        struct smb2_lease *l = fs_lease_front(fs);
        if (!l) {
                l = lease_new(o, fs, asked);
                if (!l)
                        return false;
                catch_up(l);
        }
        list_add_last(&l->opens, &o->in_lease);
        o->lease = l;
        return true;
}

void smb2_lease_describe(const struct smb2_open *o, struct smb2_create_lease *ret)
{
        const struct smb2_lease *l = o->lease;
        struct fs_lease_state s;
        fs_lease_state(l->fs, &s);
        *ret = (struct smb2_create_lease){
                .version = l->version,
                .lease_key = l->key,
                .lease_state = s.held,
                .flags = (s.breaking ? (uint32_t)SMB2_LEASE_FLAG_BREAK_IN_PROGRESS : 0u) |
                         (l->has_parent ? (uint32_t)SMB2_LEASE_FLAG_PARENT_LEASE_KEY_SET : 0u),
                .parent_lease_key = l->parent_key,
                .epoch = s.epoch,
        };
}

void smb2_lease_detach(struct smb2_open *o)
{
        struct smb2_lease *l = o->lease;
        if (!l)
                return;
        o->lease = NULL;
        list_remove(&o->in_lease);
        if (!list_empty(&l->opens))
                return;
        timer_stop(l->local->loop, &l->break_timer);
        fs_lease_set_front(l->fs, NULL);
        fs_lease_unref(l->fs);
        free(l);
}

/* ---- acknowledgments ---- */

static uint32_t acknowledge(struct fs_lease *fs, struct smb2_lease_break *q)
{
        struct fs_lease_state s;
        struct smb2_lease *l = fs_lease_front(fs);
        fs_lease_state(fs, &s);
        if (!s.breaking)
                return STATUS_UNSUCCESSFUL;
        if (q->lease_state & ~s.keep)
                return STATUS_REQUEST_NOT_ACCEPTED;
        if (l) /* before what comes next starts it anew */
                timer_stop(l->local->loop, &l->break_timer);
        if (fs_lease_ack(fs, q->lease_state) != FS_OK)
                return STATUS_UNSUCCESSFUL; /* all its opens were closed just now */
        return STATUS_SUCCESS;
}

static struct fs_lease *lease_get(struct fs_client *client, const struct smb2_guid *key)
{
        struct fs_grant_key k;
        memcpy(k.b, key->b, sizeof k.b);
        return fs_lease_get(client, &k);
}

bool smb2_lease_get_behind(struct smb2_call *c, const struct smb2_guid *key)
{
        struct fs_lease *fs = lease_get(smb2_call_fs_client(c), key);
        struct smb2_lease *l = fs ? fs_lease_front(fs) : NULL;
        bool ok = true;
        if (l) {
                list_each (&l->opens, it)
                        ok = ok &&
                             smb2_call_get_behind(c, list_entry(it, struct smb2_open, in_lease));
        }
        fs_lease_unref(fs);
        return ok;
}

uint32_t smb2_lease_acknowledge(struct fs_client *client, struct smb2_lease_break *q)
{
        struct fs_lease *fs = lease_get(client, &q->lease_key);
        uint32_t status = fs ? acknowledge(fs, q) : STATUS_OBJECT_NAME_NOT_FOUND;
        fs_lease_unref(fs);
        q->flags = 0;
        return status;
}
