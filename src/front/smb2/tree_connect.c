/* TREE_CONNECT, [MS-SMB2] 3.3.5.7: finds the share, asks who the user is on it and what he may do
 * there. Asking may block, so it runs on a worker. */
#include "wire/smb2/tree_connect.h"
#include "base/utf16.h"
#include "front/smb2/chain.h"
#include "front/smb2/commands.h"
#include "front/smb2/session.h"
#include "front/smb2/tree.h"

#define SHARE_NAME_BYTES 1024u

/* Between start and done. */
struct connecting {
        struct smb2_share *share; /* one reference */
        struct fs_cred *cred;     /* one reference; NULL on IPC$ */
        uint32_t access;
};

static uint32_t share_flags(const struct smb2_call *c, const struct smb2_share *s)
{
        uint32_t flags = SMB2_SHAREFLAG_MANUAL_CACHING;
        if (s->access_based)
                flags |= SMB2_SHAREFLAG_ACCESS_BASED_DIRECTORY_ENUM;
        if (s->encrypt && c->conn->dialect >= SMB2_DIALECT_300)
                flags |= SMB2_SHAREFLAG_ENCRYPT_DATA;
        return flags;
}

static void connect_reply(struct smb2_call *c, const struct smb2_tree *t, uint32_t access)
{
        struct smb2_tree_connect_rsp r = {
                .share_type = t->share->is_ipc ? SMB2_SHARE_TYPE_PIPE : SMB2_SHARE_TYPE_DISK,
                .share_flags = share_flags(c, t->share),
                .maximal_access = access,
        };
        c->hdr.tree_id = t->id;
        struct writer *w = smb2_reply_begin(c, 16);
        if (!w)
                return;
        smb2_tree_connect_rsp_encode(w, 0, &r);
        smb2_reply_done(c, STATUS_SUCCESS);
}

static enum fs_err connect_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct connecting *k = c->state;
        const struct smb2_config *cfg = smb2_call_config(c);
        enum fs_err e =
                cfg->cred_make(cfg->ctx, smb2_session_identity(c->session), k->share, &k->cred);
        if (e != FS_OK)
                k->cred = NULL;
        return e == FS_OK ? fs_volume_access(k->share->volume, k->cred, &k->access) : e;
}

static void connect_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct connecting *k = c->state;
        bool gone = c->session->state != SMB2_SESSION_VALID;
        if (e != FS_OK || gone) {
                if (k->cred)
                        fs_cred_unref(k->cred);
                smb2_share_unref(k->share);
                if (gone)
                        smb2_fail(c, STATUS_USER_SESSION_DELETED);
                else
                        smb2_fail_fs(c, e);
                return;
        }
        struct smb2_tree *t = smb2_tree_new(c->session, k->share, k->cred);
        if (!t)
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
        else
                connect_reply(c, t, k->access);
}

/* The last component of \\server\share; false when it is not of that form. */
static bool share_name(struct bytes path, char name[SHARE_NAME_BYTES])
{
        char whole[SHARE_NAME_BYTES];
        if (!utf16_to_utf8(path, whole, sizeof whole) || whole[0] != '\\' || whole[1] != '\\')
                return false;
        const char *slash = strchr(whole + 2, '\\');
        if (!slash || slash == whole + 2 || !slash[1] || strchr(slash + 1, '\\'))
                return false;
        memcpy(name, slash + 1, strlen(slash + 1) + 1);
        return true;
}

/* Who may use the share at all, before anything is asked that takes time. */
static uint32_t check_share(const struct smb2_call *c, const struct smb2_share *s)
{
        if (!s)
                return STATUS_BAD_NETWORK_NAME;
        if (c->session->identity.anonymous && !s->is_ipc)
                return STATUS_ACCESS_DENIED;
        /* Who can't seal will not get in later either (3.3.5.7). */
        if (s->encrypt && !c->session->can_seal)
                return STATUS_ACCESS_DENIED;
        return STATUS_SUCCESS;
}

void smb2_tree_connect(struct smb2_call *c)
{
        const struct smb2_config *cfg = smb2_call_config(c);
        struct smb2_tree_connect_req q;
        char name[SHARE_NAME_BYTES];
        struct connecting *k = arena_alloc(c->arena, sizeof *k);
        if (!smb2_tree_connect_req_decode(c->msg, &q) || !share_name(q.path, name) || !k) {
                smb2_fail(c, k ? STATUS_INVALID_PARAMETER : STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        struct smb2_share *share = cfg->share_find(cfg->ctx, name);
        uint32_t status = check_share(c, share);
        if (status != STATUS_SUCCESS) {
                smb2_share_unref(share);
                smb2_fail(c, status);
                return;
        }
        k->share = share;
        c->state = k;
        if (!share->is_ipc) {
                smb2_call_start(c, connect_run, connect_done, FS_OP_WORKER);
                return;
        }
        struct smb2_tree *t = smb2_tree_new(c->session, share, NULL);
        if (!t)
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
        else /* what a pipe can be opened for */
                connect_reply(c, t, FS_ALL_ACCESS);
}
