/* Tree connects; see tree.h. An id is the slot's index and its generation, never 0 or -1. */
#include "front/smb2/tree.h"

#include "front/smb2/call.h"
#include "front/smb2/chain.h"

#define ID_SLOT_BITS 12u
_Static_assert(LIMIT_TREES_PER_SESSION < (1u << ID_SLOT_BITS) - 1, "a slot fits");

struct smb2_tree *smb2_tree_new(struct smb2_session *s, struct smb2_share *share,
                                struct fs_cred *cred)
{
        struct smb2_tree *t = calloc(1, sizeof *t);
        uint32_t slot = t ? slots_add(&s->trees, t) : UINT32_MAX;
        if (slot == UINT32_MAX) {
                free(t);
                if (cred)
                        fs_cred_unref(cred);
                smb2_share_unref(share);
                return NULL;
        }
        t->refs = 1;
        t->slot = slot;
        t->id = (slots_generation(&s->trees, slot) << ID_SLOT_BITS & 0x7fffffffu) | (slot + 1);
        t->session = s;
        t->local = s->local;
        t->share = share;
        t->cred = cred;
        smb2_count_add(&t->local->n_trees, 1);
        return t;
}

struct smb2_tree *smb2_tree_ref(struct smb2_tree *t)
{
        t->refs++;
        return t;
}

void smb2_tree_unref(struct smb2_tree *t)
{
        if (!t || --t->refs)
                return;
        if (t->cred)
                fs_cred_unref(t->cred);
        smb2_share_unref(t->share);
        free(t);
}

struct smb2_tree *smb2_tree_lookup(const struct smb2_session *s, uint32_t id)
{
        uint32_t slot = (id & ((1u << ID_SLOT_BITS) - 1)) - 1;
        struct smb2_tree *t = slots_get(&s->trees, slot);
        return t && t->id == id ? t : NULL;
}

void smb2_tree_end(struct smb2_tree *t, struct smb2_closing *into)
{
        struct smb2_session *s = t->session;
        slots_remove(&s->trees, t->slot);
        smb2_count_add(&t->local->n_trees, -1);
        smb2_chains_cancel_tree(t);
        for (uint32_t i = 0; i < s->opens.cap; i++) {
                struct smb2_open *o = slots_get(&s->opens, i);
                if (!o || o->tree != t)
                        continue;
                smb2_open_ref(o);
                smb2_open_remove(o);
                list_add_last(&into->opens, &o->link);
        }
        t->session = NULL;
        smb2_tree_unref(t);
}

struct fs_cred *smb2_tree_cred(const struct smb2_tree *t)
{
        return t->cred;
}

struct smb2_share *smb2_tree_share(const struct smb2_tree *t)
{
        return t->share;
}
