/* What a CREATE asks for: see create.h. */
#include "front/smb2/attributes.h"
#include "front/smb2/create.h"
#include "front/smb2/eas.h"
#include "front/smb2/front.h"
#include "front/smb2/oplock.h"
#include "wire/smb2/dialect.h"

/* Bits that may not be asked for: undefined in [MS-SMB2] 2.2.13.1 (Windows: ACCESS_DENIED). */
#define ACCESS_UNDEFINED 0x0CE0FE00u
/* CREATE_TREE_CONNECTION, FILE_OPEN_BY_FILE_ID and FILE_RESERVE_OPFILTER: 3.3.5.9 wants
 * NOT_SUPPORTED for them; bits from 0x01000000 on do not exist. */
#define OPTIONS_NOT_SUPPORTED (0x00000080u | FILE_OPEN_BY_FILE_ID | FILE_RESERVE_OPFILTER)
#define OPTIONS_UNDEFINED 0xFF000000u
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
/* What a client may send as FileAttributes ([MS-FSCC] 2.6); ENCRYPTED is taken and ignored. */
#define ATTRIBUTES_VALID 0x00007FB7u

uint32_t smb2_create_check(const struct smb2_create_req *q)
{
        uint32_t both = FILE_DIRECTORY_FILE | FILE_NON_DIRECTORY_FILE;
        if (q->impersonation_level > SMB2_IMPERSONATION_DELEGATE)
                return STATUS_BAD_IMPERSONATION_LEVEL;
        if (q->desired_access & ACCESS_UNDEFINED)
                return STATUS_ACCESS_DENIED;
        if (q->create_options & OPTIONS_NOT_SUPPORTED)
                return STATUS_NOT_SUPPORTED;
        if ((q->create_options & OPTIONS_UNDEFINED) || (q->create_options & both) == both ||
            (q->share_access & ~(uint32_t)SHARE_ALL) || q->create_disposition > FILE_OVERWRITE_IF ||
            (q->file_attributes & ~ATTRIBUTES_VALID))
                return STATUS_INVALID_PARAMETER;
        if ((q->create_options & FILE_DIRECTORY_FILE) &&
            (q->create_disposition == FILE_OVERWRITE || q->create_disposition == FILE_SUPERSEDE ||
             q->create_disposition == FILE_OVERWRITE_IF))
                return STATUS_INVALID_PARAMETER;
        return STATUS_SUCCESS;
}

static unsigned options_of(uint32_t wire)
{
        static const struct {
                uint32_t wire;
                unsigned fs;
        } row[] = {
                {FILE_DIRECTORY_FILE, FS_OPT_DIR},
                {FILE_NON_DIRECTORY_FILE, FS_OPT_FILE},
                {FILE_DELETE_ON_CLOSE, FS_OPT_DELETE_ON_CLOSE},
                {FILE_OPEN_FOR_BACKUP_INTENT, FS_OPT_BACKUP},
                {FILE_OPEN_REPARSE_POINT, FS_OPT_REPARSE},
                {FILE_WRITE_THROUGH, FS_OPT_WRITE_THROUGH},
                {FILE_NO_EA_KNOWLEDGE, FS_OPT_NO_EA},
        };
        unsigned o = 0;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
                if (wire & row[i].wire)
                        o |= row[i].fs;
        return o;
}

/* SMB2_CREATE_EA_BUFFER, 3.3.5.9.1. */
static uint32_t take_eas(struct smb2_call *c, struct bytes data, struct fs_open_req *q)
{
        struct fs_ea *eas;
        uint32_t status = smb2_eas_decode(c, data, &eas, &q->neas);
        q->eas = status == STATUS_SUCCESS ? eas : NULL;
        return status;
}

/* 3.3.5.9.8, .11. What is no lease request of this dialect is ignored. */
static void take_lease(const struct smb2_call *c, struct bytes data, struct smb2_create_state *s)
{
        uint32_t known =
                SMB2_LEASE_READ_CACHING | SMB2_LEASE_HANDLE_CACHING | SMB2_LEASE_WRITE_CACHING;
        if (!s->asks_lease || !smb2_create_lease_decode(data, &s->lease))
                return;
        if (s->lease.version == 2 && smb2_call_dialect(c) < SMB2_DIALECT_300)
                return;
        s->want_lease = true;
        memcpy(s->lease_key.b, s->lease.lease_key.b, sizeof s->lease_key.b);
        s->q.grant_key = &s->lease_key;
        s->q.want_grant = s->lease.lease_state & known;
        s->q.grant_epoch = s->lease.epoch;
}

static uint32_t take_context(struct smb2_call *c, const struct smb2_create_context *x,
                             struct smb2_create_state *s)
{
        int64_t when_ft;
        switch (x->tag) {
        case SMB2_CREATE_TAG_EA_BUFFER:
                return take_eas(c, x->data, &s->q);
        case SMB2_CREATE_TAG_SD_BUFFER:
                s->q.sd = x->data;
                return STATUS_SUCCESS;
        case SMB2_CREATE_TAG_ALLOCATION_SIZE:
                return smb2_create_allocation_size_decode(x->data, &s->q.alloc_bytes)
                               ? STATUS_SUCCESS
                               : STATUS_INVALID_PARAMETER;
        case SMB2_CREATE_TAG_QUERY_MAXIMAL_ACCESS:
                s->want_max_access = true;
                return smb2_create_maximal_access_req_decode(x->data, &when_ft)
                               ? STATUS_SUCCESS
                               : STATUS_INVALID_PARAMETER;
        case SMB2_CREATE_TAG_LEASE:
                take_lease(c, x->data, s);
                return STATUS_SUCCESS;
        case SMB2_CREATE_TAG_QUERY_ON_DISK_ID:
                s->want_disk_id = true;
                return STATUS_SUCCESS;
        case SMB2_CREATE_TAG_TIMEWARP_TOKEN: /* no snapshots here: the version does not exist */
                return STATUS_OBJECT_NAME_NOT_FOUND;
        case SMB2_CREATE_TAG_DURABLE_HANDLE_RECONNECT: /* nothing durable was ever granted */
        case SMB2_CREATE_TAG_DURABLE_HANDLE_RECONNECT_V2:
                return STATUS_OBJECT_NAME_NOT_FOUND;
        default: /* 3.3.5.9: what is not understood is ignored; what is not granted, too */
                return STATUS_SUCCESS;
        }
}

static uint32_t take_contexts(struct smb2_call *c, struct bytes list, struct smb2_create_state *s)
{
        if (list.n == 0)
                return STATUS_SUCCESS;
        struct smb2_create_context_list *l = arena_alloc(c->arena, sizeof *l);
        if (!l)
                return STATUS_INSUFFICIENT_RESOURCES;
        if (!smb2_create_context_list_decode(list, l))
                return STATUS_INVALID_PARAMETER;
        for (unsigned i = 0; i < l->count; i++) {
                uint32_t status = take_context(c, &l->item[i], s);
                if (status != STATUS_SUCCESS)
                        return status;
        }
        return STATUS_SUCCESS;
}

uint32_t smb2_create_translate(struct smb2_call *c, const struct smb2_create_req *q,
                               struct smb2_create_state *s)
{
        char *path, *stream;
        enum fs_err e = smb2_path_decode(c, q->name, &path, &stream);
        if (e != FS_OK)
                return smb2_status_of_fs(e);
        const struct fs_volume *v = smb2_tree_share(c->tree)->volume;
        if (stream && !fs_volume_config(v)->streams) /* [MS-FSA] 2.1.5.1, of the unnamed one, too */
                return STATUS_OBJECT_NAME_INVALID;
        s->q = (struct fs_open_req){
                .path = path,
                .stream = stream && *stream ? stream : NULL,
                .access = q->desired_access,
                .share = q->share_access,
                .disposition = (enum fs_disposition)q->create_disposition,
                .options = options_of(q->create_options),
                .dos = q->file_attributes & STORE_DOS_KEPT,
                .want_grant = smb2_grant_of_level(q->requested_oplock_level),
        };
        if (stream) { /* what is named as data is no directory, [MS-FSA] 2.1.5.1 */
                if (s->q.options & FS_OPT_DIR)
                        return STATUS_NOT_A_DIRECTORY;
                s->q.options |= FS_OPT_FILE;
        }
        s->asks_lease = q->requested_oplock_level == SMB2_OPLOCK_LEVEL_LEASE &&
                        smb2_call_dialect(c) >= SMB2_DIALECT_210;
        return take_contexts(c, q->contexts, s);
}

_Static_assert(FS_OVERWRITE_IF == (int)FILE_OVERWRITE_IF && FS_SUPERSEDE == (int)FILE_SUPERSEDE &&
                       FS_CREATED == (int)FILE_CREATED && FS_SHARE_DELETE == (int)FILE_SHARE_DELETE,
               "the file service's open values are the wire's");
