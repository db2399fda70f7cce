/* OPLOCK_BREAK, [MS-SMB2] 3.3.5.22: a client's acknowledgment of a break. */
#include "wire/smb2/oplock_break.h"
#include "front/smb2/commands.h"
#include "front/smb2/lease.h"
#include "front/smb2/open.h"
#include "front/smb2/oplock.h"
#include "wire/smb2/create.h"

/* 3.3.5.22.1, in its order: an NTSTATUS. */
static uint32_t acknowledge(struct smb2_open *o, uint8_t level)
{
        bool breaking;
        unsigned held = fs_grant_held(o->file, &breaking, NULL);
        if (level == SMB2_OPLOCK_LEVEL_LEASE || fs_open_lease(o->file))
                return STATUS_INVALID_PARAMETER;
        if (!breaking)
                return held || o->lost_oplock ? STATUS_INVALID_OPLOCK_PROTOCOL
                                              : STATUS_INVALID_DEVICE_STATE;
        if (level != SMB2_OPLOCK_LEVEL_NONE && level != SMB2_OPLOCK_LEVEL_II)
                return STATUS_INVALID_OPLOCK_PROTOCOL;
        timer_stop(o->session->local->loop, &o->break_timer);
        if (fs_grant_ack(o->file, smb2_grant_of_level(level)) == FS_OK)
                return STATUS_SUCCESS;
        /* II where nothing was left to keep: then nothing is kept. */
        return fs_grant_ack(o->file, 0) == FS_OK ? STATUS_SUCCESS : STATUS_INVALID_OPLOCK_PROTOCOL;
}

/* What a client wrote before it acknowledged is in the file before others are let in; clients do
 * not wait for WRITE's reply, and we work on several requests at once. */

static void no_memory(struct smb2_call *c)
{
        smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
}

static void oplock_go_on(struct smb2_call *c)
{
        struct smb2_oplock_break q;
        struct smb2_open *o = c->open;
        (void)smb2_oplock_break_decode(c->msg, &q); /* it could be read before */
        uint32_t status = acknowledge(o, q.oplock_level);
        if (status != STATUS_SUCCESS) {
                smb2_fail(c, status);
                return;
        }
        q.oplock_level = smb2_level_of_grant(fs_grant_held(o->file, NULL, NULL));
        struct writer *w = smb2_reply_begin(c, 32);
        if (!w)
                return;
        smb2_oplock_break_encode(w, &q);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static void oplock(struct smb2_call *c, const struct smb2_oplock_break *q)
{
        struct smb2_open *o = smb2_open_lookup(c->session, c->tree, q->file_id);
        if (!o || !o->file) {
                smb2_fail(c, STATUS_FILE_CLOSED);
                return;
        }
        c->open = smb2_open_ref(o);
        smb2_call_go_on(c, smb2_call_get_behind(c, o) ? oplock_go_on : no_memory);
}

static void lease_go_on(struct smb2_call *c)
{
        struct smb2_lease_break q;
        (void)smb2_lease_break_decode(c->msg, &q); /* as above */
        uint32_t status = smb2_lease_acknowledge(smb2_call_fs_client(c), &q);
        if (status != STATUS_SUCCESS) {
                smb2_fail(c, status);
                return;
        }
        struct writer *w = smb2_reply_begin(c, 36);
        if (!w)
                return;
        smb2_lease_break_encode(w, &q);
        smb2_reply_done(c, STATUS_SUCCESS);
}

void smb2_oplock_break(struct smb2_call *c)
{
        struct smb2_oplock_break q;
        struct smb2_lease_break l;
        if (smb2_oplock_break_decode(c->msg, &q))
                oplock(c, &q);
        else if (smb2_lease_break_decode(c->msg, &l))
                smb2_call_go_on(c,
                                smb2_lease_get_behind(c, &l.lease_key) ? lease_go_on : no_memory);
        else
                smb2_fail(c, STATUS_INVALID_PARAMETER);
}
