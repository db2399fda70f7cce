/* The table of opens of a session ([MS-SMB2] 3.3.1.10). The volatile id finds the slot; the
 * persistent one is unique in the whole front and must agree. */
#include "front/smb2/open.h"

#include "front/smb2/chain.h"
#include "front/smb2/lease.h"
#include "front/smb2/oplock.h"
#include "front/smb2/tree.h"
#include "rpc/pipe.h"

struct smb2_open *smb2_open_add(struct smb2_call *c, struct fs_open *file, struct rpc_pipe *pipe)
{
        struct smb2_session *s = c->session;
        /* Session or tree may have ended while the file was being opened. */
        if (s->state != SMB2_SESSION_VALID || !c->tree->session)
                return NULL;
        struct smb2_open *o = calloc(1, sizeof *o);
        uint32_t slot = o ? slots_add(&s->opens, o) : UINT32_MAX;
        if (slot == UINT32_MAX) {
                free(o);
                return NULL;
        }
        o->refs = 1;
        o->slot = slot;
        o->id.persistent_id =
                atomic_fetch_add_explicit(&s->local->front->next_open, 1, memory_order_relaxed);
        o->id.volatile_id = (uint64_t)slots_generation(&s->opens, slot) << 32 | (slot + 1);
        o->session = s;
        o->tree = smb2_tree_ref(c->tree);
        o->file = file;
        o->pipe = pipe;
        o->channel_sequence = smb2_header_channel_sequence(&c->hdr);
        memset(o->lock_sequence, 0xff, sizeof o->lock_sequence);
        list_init(&o->link);
        list_init(&o->in_lease);
        list_init(&o->work);
        smb2_count_add(&s->local->n_opens, 1);
        if (file)
                smb2_oplock_attach(o);
        smb2_chain_set_open(c->chain, o);
        return o;
}

void smb2_open_remove(struct smb2_open *o)
{
        if (o->closed)
                return;
        o->closed = true;
        if (o->file)
                smb2_oplock_detach(o);
        smb2_lease_detach(o);
        slots_remove(&o->session->opens, o->slot);
        smb2_count_add(&o->session->local->n_opens, -1);
        o->session = NULL;
        smb2_open_unref(o);
}

struct smb2_open *smb2_open_ref(struct smb2_open *o)
{
        o->refs++;
        return o;
}

void smb2_open_unref(struct smb2_open *o)
{
        if (!o || --o->refs)
                return;
        if (o->file)
                fs_open_unref(o->file);
        if (o->pipe)
                rpc_pipe_free(o->pipe);
        free(o->rpc); /* the pipe borrowed it */
        smb2_tree_unref(o->tree);
        free(o);
}

struct smb2_open *smb2_open_lookup(const struct smb2_session *s, const struct smb2_tree *t,
                                   struct smb2_file_id id)
{
        struct smb2_open *o = slots_get(&s->opens, (uint32_t)id.volatile_id - 1);
        if (!o || o->id.volatile_id != id.volatile_id || o->id.persistent_id != id.persistent_id)
                return NULL;
        return o->tree == t ? o : NULL;
}

struct smb2_open *smb2_open_by_resume_key(struct smb2_session *s, const uint8_t key[24])
{
        for (uint32_t i = 0; i < s->opens.cap; i++) {
                struct smb2_open *o = slots_get(&s->opens, i);
                if (o && o->has_resume_key && memcmp(o->resume_key, key, 24) == 0)
                        return o;
        }
        return NULL;
}
