/* QUERY_DIRECTORY, [MS-SMB2] 3.3.5.18. The listing itself is fs_list(), on a worker, which fills
 * the reply entry by entry. */
#include "front/smb2/front.h"

#include "base/utf16.h"
#include "front/smb2/attributes.h"
#include "front/smb2/call.h"
#include "front/smb2/commands.h"
#include "wire/fscc/directory.h"
#include "wire/smb2/query_directory.h"

struct list_state {
        struct smb2_query_directory_req q;
        const char *pattern;
        unsigned flags;
        struct dir_list list;
};

static bool take_entry(void *ctx, const struct fs_dirent *e)
{
        struct list_state *s = ctx;
        struct dir_entry d = {
                .create_ft = e->attr.btime_ft,
                .access_ft = e->attr.atime_ft,
                .write_ft = e->attr.mtime_ft,
                .change_ft = e->attr.ctime_ft,
                .end_of_file = e->attr.size,
                .allocation = e->attr.alloc_bytes,
                .attributes = smb2_attributes_of(&e->attr),
                .reparse_tag = e->attr.symlink ? IO_REPARSE_TAG_SYMLINK : 0,
                .file_id = e->attr.file_id,
                .name = e->name,
        };
        struct writer id = wr_into(d.file_id128, sizeof d.file_id128);
        wr_u64(&id, e->attr.file_id);
        return dir_list_append(&s->list, &d);
}

static enum fs_err list_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct list_state *s = c->state;
        struct writer *w = &c->reply.w;
        (void)how; /* only ever runs on a worker */
        s->list =
                dir_list_into(w->p + w->at + SMB2_OUTPUT_BUFFER_HEAD_LEN, s->q.output_buffer_length,
                              (enum file_class)s->q.file_information_class);
        return fs_list(c->open->file, s->pattern, s->flags, take_entry, s);
}

static void list_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct list_state *s = c->state;
        if (e == FS_NOT_FOUND) { /* nothing matched a pattern seen for the first time */
                smb2_fail(c, STATUS_NO_SUCH_FILE);
                return;
        }
        if (e != FS_OK) {
                smb2_fail_fs(c, e);
                return;
        }
        size_t n = dir_list_done(&s->list).n;
        if (s->list.count == 0) { /* not even one entry fits */
                smb2_fail(c, STATUS_BUFFER_OVERFLOW);
                return;
        }
        struct writer *w = &c->reply.w;
        smb2_output_buffer_encode_head(w, 0, (uint32_t)n);
        (void)wr_room(w, n); /* the entries are there already */
        smb2_reply_done(c, STATUS_SUCCESS);
}

static uint32_t check(struct smb2_call *c, const struct smb2_query_directory_req *q)
{
        const struct fscc_class *k = fscc_file_class(q->file_information_class);
        if (!k || !k->is_directory)
                return STATUS_INVALID_INFO_CLASS;
        if (!c->open->file || !fs_open_is_dir(c->open->file))
                return STATUS_INVALID_PARAMETER;
        if (q->output_buffer_length > smb2_call_config(c)->max_io)
                return STATUS_INVALID_PARAMETER;
        if (q->output_buffer_length < k->query_min)
                return STATUS_INFO_LENGTH_MISMATCH;
        return STATUS_SUCCESS;
}

void smb2_query_directory(struct smb2_call *c)
{
        struct list_state *s = c->state = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        if (!smb2_query_directory_req_decode(c->msg, &s->q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        uint32_t status = check(c, &s->q);
        size_t cap = s->q.file_name.n / 2 * 3 + 1;
        char *pattern = arena_alloc(c->arena, cap);
        if (status == STATUS_SUCCESS && (!pattern || !utf16_to_utf8(s->q.file_name, pattern, cap)))
                status = STATUS_OBJECT_NAME_INVALID;
        if (status != STATUS_SUCCESS) {
                smb2_fail(c, status);
                return;
        }
        s->pattern = pattern;
        s->flags = (s->q.flags & (SMB2_RESTART_SCANS | SMB2_REOPEN) ? FS_LIST_RESTART : 0u) |
                   (s->q.flags & SMB2_RETURN_SINGLE_ENTRY ? FS_LIST_SINGLE : 0u);
        if (smb2_reply_begin(c, (size_t)SMB2_OUTPUT_BUFFER_HEAD_LEN + s->q.output_buffer_length))
                smb2_call_start(c, list_run, list_done, FS_OP_WORKER);
}
