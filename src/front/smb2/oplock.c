/* See oplock.h. A break comes on any thread; a task carries it to the loop of the client that holds
 * the oplock, where the open is found (or is gone, or not there yet). */
#include "front/smb2/oplock.h"

#include "front/smb2/break_notice.h"
#include "front/smb2/lease.h"
#include "front/smb2/session.h"
#include "net/loop.h"
#include "wire/smb2/create.h"
#include "wire/smb2/oplock_break.h"

struct break_task {
        struct task task;
        struct fs_open *file; /* one reference */
        unsigned keep;
};

unsigned smb2_grant_of_level(uint8_t level)
{
        switch (level) {
        case SMB2_OPLOCK_LEVEL_BATCH:
                return FS_GRANT_READ | FS_GRANT_WRITE | FS_GRANT_HANDLE;
        case SMB2_OPLOCK_LEVEL_EXCLUSIVE:
                return FS_GRANT_READ | FS_GRANT_WRITE;
        case SMB2_OPLOCK_LEVEL_II:
                return FS_GRANT_READ;
        default:
                return 0;
        }
}

uint8_t smb2_level_of_grant(unsigned grant)
{
        if (grant & FS_GRANT_HANDLE)
                return SMB2_OPLOCK_LEVEL_BATCH;
        if (grant & FS_GRANT_WRITE)
                return SMB2_OPLOCK_LEVEL_EXCLUSIVE;
        return grant ? SMB2_OPLOCK_LEVEL_II : SMB2_OPLOCK_LEVEL_NONE;
}

static void break_expired(struct timer *t)
{
        struct smb2_open *o = container_of(t, struct smb2_open, break_timer);
        fs_grant_revoke(o->file);
}

static void put_notice(struct writer *w, const void *what)
{
        smb2_oplock_break_encode(w, what);
}

static bool send_break(struct smb2_open *o, uint8_t level)
{
        struct smb2_oplock_break b = {.oplock_level = level, .file_id = o->id};
        return smb2_break_notice_send(o, put_notice, &b);
}

static void deliver(struct task *t)
{
        struct break_task *b = container_of(t, struct break_task, task);
        struct smb2_open *o = fs_open_front(b->file);
        bool breaking;
        (void)fs_grant_held(b->file, &breaking, NULL); /* a lost level II is only told */
        if (o)
                o->lost_oplock = !breaking;
        if (o && !send_break(o, smb2_level_of_grant(b->keep)))
                fs_grant_revoke(b->file);
        else if (o && breaking)
                timer_start(o->session->local->loop, &o->break_timer, BREAK_ACK_MS, break_expired);
        fs_open_unref(b->file);
        free(b);
}

static void post(struct net_loop *loop, struct fs_open *file, unsigned keep)
{
        struct break_task *b = malloc(sizeof *b);
        if (!b) {
                fs_grant_revoke(file);
                return;
        }
        *b = (struct break_task){.task = {.run = deliver}, .file = fs_open_ref(file), .keep = keep};
        loop_post(loop, &b->task);
}

static void grant_break(void *ctx, struct fs_open *o, unsigned keep)
{
        struct smb2_local *l = ctx;
        post(l->loop, o, keep);
}

const struct fs_client_ops smb2_grant_ops = {.grant_break = grant_break,
                                             .lease_break = smb2_lease_break};

void smb2_oplock_attach(struct smb2_open *o)
{
        bool breaking;
        unsigned keep;
        fs_open_set_front(o->file, o);
        if (fs_open_lease(o->file)) /* lease.c tells of those */
                return;
        (void)fs_grant_held(o->file, &breaking, &keep); /* the reply tells what is held */
        if (breaking) /* its task came too early; this one goes out behind CREATE's reply */
                post(o->session->local->loop, o->file, keep);
}

void smb2_oplock_detach(struct smb2_open *o)
{
        timer_stop(o->session->local->loop, &o->break_timer);
        fs_open_set_front(o->file, NULL);
}
