/* SET_INFO, [MS-SMB2] 3.3.5.21. A table says for each class which access the handle needs and what
 * is done, always on a worker: all of it may touch the disk. */
#include "front/smb2/front.h"

#include "front/smb2/call.h"
#include "front/smb2/commands.h"
#include "front/smb2/eas.h"
#include "wire/fscc/file.h"
#include "wire/fscc/rename.h"
#include "wire/smb2/set_info.h"

struct set_state;

struct set_row {
        uint8_t number;
        uint32_t access; /* any of these bits; 0 = whatever the handle has */
        /* Reads the buffer into *s; an NTSTATUS. On the loop. */
        uint32_t (*take)(struct smb2_call *c, struct set_state *s);
        /* Does it. On a worker. */
        enum fs_err (*apply)(struct fs_open *o, struct set_state *s);
};

struct set_state {
        struct smb2_set_info_req q;
        const struct set_row *row;
        struct fs_setattr attr;
        uint64_t number; /* a size, a position, a mode */
        bool flag;       /* delete, replace */
        char *target;
        char *stream; /* of the target: a stream's new name, on its own file ("") or by path */
        struct fs_ea *eas;
        size_t neas;
        struct fs_waiter *waiter; /* the call's */
};

/* ---- attributes and times ---------------------------------------------------------------------
 */

static uint32_t take_basic(struct smb2_call *c, struct set_state *s)
{
        struct file_basic b;
        (void)c;
        if (!file_basic_decode(s->q.buffer, &b))
                return STATUS_INVALID_PARAMETER;
        /* [MS-FSA] 2.1.5.15.2: no negative times but the two that mean something else. */
        if (b.create_ft < FT_THAW || b.access_ft < FT_THAW || b.write_ft < FT_THAW ||
            b.change_ft < FT_THAW)
                return STATUS_INVALID_PARAMETER;
        bool dir = fs_open_is_dir(c->open->file);
        if ((!dir && (b.attributes & FILE_ATTRIBUTE_DIRECTORY)) ||
            (dir && (b.attributes & FILE_ATTRIBUTE_TEMPORARY)))
                return STATUS_INVALID_PARAMETER;
        s->attr = (struct fs_setattr){.btime_ft = b.create_ft,
                                      .atime_ft = b.access_ft,
                                      .mtime_ft = b.write_ft,
                                      .ctime_ft = b.change_ft,
                                      .dos = b.attributes &
                                             (STORE_DOS_KEPT | FS_DOS_NORMAL | FS_DOS_DIRECTORY)};
        return STATUS_SUCCESS;
}

static enum fs_err apply_basic(struct fs_open *o, struct set_state *s)
{
        return fs_setattr(o, &s->attr);
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

static uint32_t take_i64(struct smb2_call *c, struct set_state *s)
{
        int64_t v;
        (void)c;
        if (!file_i64_decode(s->q.buffer, &v) || v < 0)
                return STATUS_INVALID_PARAMETER;
        s->number = (uint64_t)v;
        return STATUS_SUCCESS;
}

static uint32_t take_u32(struct smb2_call *c, struct set_state *s)
{
        uint32_t v;
        (void)c;
        if (!file_u32_decode(s->q.buffer, &v))
                return STATUS_INVALID_PARAMETER;
        s->number = v;
        return STATUS_SUCCESS;
}

static enum fs_err apply_size(struct fs_open *o, struct set_state *s)
{
        return fs_set_size(o, s->number);
}

static enum fs_err apply_alloc(struct fs_open *o, struct set_state *s)
{
        return fs_set_alloc(o, s->number);
}

static enum fs_err apply_position(struct fs_open *o, struct set_state *s)
{
        fs_open_set_position(o, s->number);
        return FS_OK;
}

/* [MS-FSA] 2.1.5.15.8: only these may be set on an open handle. */
#define MODE_SETTABLE 0x0000003Eu

static enum fs_err apply_mode(struct fs_open *o, struct set_state *s)
{
        if (s->number & ~(uint64_t)MODE_SETTABLE)
                return FS_INVALID;
        fs_open_set_mode(o, (uint32_t)s->number);
        return FS_OK;
}

/* ---- deletion ---- */

static uint32_t take_disposition(struct smb2_call *c, struct set_state *s)
{
        (void)c;
        return file_disposition_decode(s->q.buffer, &s->flag) ? STATUS_SUCCESS
                                                              : STATUS_INVALID_PARAMETER;
}

static uint32_t take_disposition_ex(struct smb2_call *c, struct set_state *s)
{
        uint32_t flags;
        (void)c;
        if (!file_u32_decode(s->q.buffer, &flags))
                return STATUS_INVALID_PARAMETER;
        /* The other flags need a file system that removes names of open files at once. */
        if (flags & ~(uint32_t)(FILE_DISPOSITION_DELETE | FILE_DISPOSITION_ON_CLOSE))
                return STATUS_NOT_SUPPORTED;
        s->flag = (flags & FILE_DISPOSITION_DELETE) != 0;
        return STATUS_SUCCESS;
}

static enum fs_err apply_disposition(struct fs_open *o, struct set_state *s)
{
        enum fs_err e = s->flag ? fs_recall_handles(o, NULL, s->waiter) : FS_OK;
        return e ? e : fs_set_delete(o, s->flag);
}

/* ---- names ---- */

static uint32_t take_target(struct smb2_call *c, struct set_state *s, bool ex)
{
        struct file_rename r;
        if (!file_rename_decode(s->q.buffer, ex, &r))
                return STATUS_INFO_LENGTH_MISMATCH;
        if (r.root_directory != 0 || r.name_utf16.n == 0)
                return STATUS_INVALID_PARAMETER;
        if (ex && (r.flags & ~(uint32_t)FILE_RENAME_REPLACE_IF_EXISTS))
                return STATUS_NOT_SUPPORTED;
        enum fs_err e = smb2_path_decode(c, r.name_utf16, &s->target, &s->stream);
        if (e != FS_OK)
                return smb2_status_of_fs(e);
        if (!*s->target && !s->stream)
                return STATUS_OBJECT_NAME_INVALID;
        s->flag = (r.flags & FILE_RENAME_REPLACE_IF_EXISTS) != 0;
        return STATUS_SUCCESS;
}

static uint32_t take_name(struct smb2_call *c, struct set_state *s)
{
        return take_target(c, s, false);
}

static uint32_t take_name_ex(struct smb2_call *c, struct set_state *s)
{
        return take_target(c, s, true);
}

static enum fs_err apply_rename(struct fs_open *o, struct set_state *s)
{
        if (s->stream)
                return fs_rename_stream(o, *s->target ? s->target : NULL, s->stream, s->flag);
        enum fs_err e = fs_recall_handles(o, s->target, s->waiter);
        return e ? e : fs_rename(o, s->target, s->flag);
}

static enum fs_err apply_link(struct fs_open *o, struct set_state *s)
{
        return s->stream ? FS_INVALID : fs_link(o, s->target, s->flag);
}

/* ---- extended attributes ---- */

static uint32_t take_eas(struct smb2_call *c, struct set_state *s)
{
        return smb2_eas_decode(c, s->q.buffer, &s->eas, &s->neas);
}

static enum fs_err apply_eas(struct fs_open *o, struct set_state *s)
{
        return fs_set_ea(o, s->eas, s->neas);
}

/* ---- the table ---- */

static const struct set_row file_table[] = {
        {FILE_BASIC_INFORMATION, FS_WRITE_ATTR, take_basic, apply_basic},
        {FILE_RENAME_INFORMATION, FS_DELETE, take_name, apply_rename},
        {FILE_RENAME_INFORMATION_EX, FS_DELETE, take_name_ex, apply_rename},
        {FILE_LINK_INFORMATION, 0, take_name, apply_link},
        {FILE_LINK_INFORMATION_EX, 0, take_name_ex, apply_link},
        {FILE_DISPOSITION_INFORMATION, FS_DELETE, take_disposition, apply_disposition},
        {FILE_DISPOSITION_INFORMATION_EX, FS_DELETE, take_disposition_ex, apply_disposition},
        {FILE_POSITION_INFORMATION, 0, take_i64, apply_position},
        {FILE_MODE_INFORMATION, 0, take_u32, apply_mode},
        {FILE_FULL_EA_INFORMATION, FS_WRITE_EA, take_eas, apply_eas},
        {FILE_ALLOCATION_INFORMATION, FS_WRITE_DATA, take_i64, apply_alloc},
        {FILE_END_OF_FILE_INFORMATION, FS_WRITE_DATA, take_i64, apply_size},
};

static enum fs_err apply_sd(struct fs_open *o, struct set_state *s)
{
        return fs_set_sd(o, s->q.additional_information, s->q.buffer, s->waiter);
}

static const struct set_row security_row = {.apply = apply_sd};

static enum fs_err set_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct set_state *s = c->state;
        s->waiter = &op->waiter;
        (void)how; /* only ever runs on a worker */
        return s->row->apply(c->open->file, s);
}

static void set_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        if (e != FS_OK) {
                smb2_fail_fs(c, e);
                return;
        }
        struct writer *w = smb2_reply_begin(c, 8);
        if (!w)
                return;
        smb2_set_info_rsp_encode(w);
        smb2_reply_done(c, STATUS_SUCCESS);
}

/* Finds the row and reads the buffer: an NTSTATUS. */
static uint32_t prepare_file(struct smb2_call *c, struct set_state *s)
{
        const struct fscc_class *k = fscc_file_class(s->q.file_info_class);
        if (!k || k->set_min == CLASS_NEVER)
                return STATUS_INVALID_INFO_CLASS;
        for (size_t i = 0; i < sizeof file_table / sizeof *file_table; i++)
                if (file_table[i].number == s->q.file_info_class)
                        s->row = &file_table[i];
        if (!s->row) /* a class that this volume does not have */
                return STATUS_NOT_SUPPORTED;
        if (s->q.buffer.n < k->set_min)
                return STATUS_INFO_LENGTH_MISMATCH;
        if (s->row->access && !(fs_open_access(c->open->file) & s->row->access))
                return STATUS_ACCESS_DENIED;
        return s->row->take(c, s);
}

/* [MS-FSA] 2.1.5.17: each part has an access of its own. */
static uint32_t prepare_security(struct smb2_call *c, struct set_state *s)
{
        static const struct {
                uint32_t part, access;
        } row[] = {
                {OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION, FS_WRITE_OWNER},
                {DACL_SECURITY_INFORMATION, FS_WRITE_DACL},
                {SACL_SECURITY_INFORMATION, FS_SYSTEM_SECURITY},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
                if ((s->q.additional_information & row[i].part) &&
                    !(fs_open_access(c->open->file) & row[i].access))
                        return STATUS_ACCESS_DENIED;
        s->row = &security_row;
        return STATUS_SUCCESS;
}

/* Who keeps handles in the way hears of it at once, not only when a worker has time. */
static void recall_early(struct smb2_call *c, const struct set_state *s)
{
        bool renames = s->row->apply == apply_rename && !s->stream;
        bool deletes = s->row->apply == apply_disposition && s->flag;
        if ((renames || deletes) && fs_recall_handles(c->open->file, NULL, NULL) != FS_OK)
                return; /* the operation itself will say why */
}

static uint32_t prepare(struct smb2_call *c, struct set_state *s)
{
        if (!c->open->file) /* nothing of a pipe can be set here */
                return STATUS_NOT_SUPPORTED;
        switch (s->q.info_type) {
        case SMB2_0_INFO_FILE:
                return prepare_file(c, s);
        case SMB2_0_INFO_SECURITY:
                return prepare_security(c, s);
        case SMB2_0_INFO_FILESYSTEM: /* labels and quotas of a volume are not for clients */
                return fscc_fs_class(s->q.file_info_class) ? STATUS_ACCESS_DENIED
                                                           : STATUS_INVALID_INFO_CLASS;
        case SMB2_0_INFO_QUOTA:
                return STATUS_NOT_SUPPORTED;
        default:
                return STATUS_INVALID_PARAMETER;
        }
}

void smb2_set_info(struct smb2_call *c)
{
        struct set_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        if (!smb2_set_info_req_decode(c->msg, &s->q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        uint32_t status = prepare(c, s);
        if (status != STATUS_SUCCESS) {
                smb2_fail(c, status);
                return;
        }
        recall_early(c, s);
        smb2_call_start(c, set_run, set_done, FS_OP_WORKER);
}
