/* File information, [MS-SMB2] 3.3.5.20.1, [MS-FSCC] 2.4. A table says for each class which access
 * the handle needs and how the answer is made. */
#include "front/smb2/front.h"

#include "base/limits.h"
#include "front/smb2/attributes.h"
#include "front/smb2/query_info.h"
#include "fs/short_name.h"
#include "rpc/pipe.h"
#include "wire/fscc/ea.h"
#include "wire/fscc/file.h"
#include "wire/fscc/pipe.h"
#include "wire/fscc/stream.h"
#include "wire/smb2/dialect.h"

struct file_facts {
        struct fs_attr attr;
        char *path; /* with '\', from the root, without a leading one; freed by the done function */
        uint64_t volume_serial;
};

struct file_row {
        uint8_t number;
        uint32_t access;
        unsigned want; /* enum fs_attr_want */
        bool want_path;
        enum fscc_fit (*put)(struct smb2_call *c, struct writer *w, const struct file_facts *f);
};

static struct file_basic basic_of(const struct fs_attr *a)
{
        return (struct file_basic){.create_ft = a->btime_ft,
                                   .access_ft = a->atime_ft,
                                   .write_ft = a->mtime_ft,
                                   .change_ft = a->ctime_ft,
                                   .attributes = smb2_attributes_of(a)};
}

static struct file_standard standard_of(const struct fs_attr *a)
{
        return (struct file_standard){.allocation = a->alloc_bytes,
                                      .end_of_file = a->size,
                                      .links = a->delete_pending && a->nlink ? a->nlink - 1
                                                                             : a->nlink,
                                      .delete_pending = a->delete_pending,
                                      .directory = a->directory};
}

static enum fscc_fit put_basic(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        struct file_basic b = basic_of(&f->attr);
        (void)c;
        file_basic_encode(w, &b);
        return smb2_query_whole(w);
}

static enum fscc_fit put_standard(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        struct file_standard s = standard_of(&f->attr);
        (void)c;
        file_standard_encode(w, &s);
        return smb2_query_whole(w);
}

static enum fscc_fit put_internal(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        (void)c;
        file_i64_encode(w, (int64_t)f->attr.file_id);
        return smb2_query_whole(w);
}

static enum fscc_fit put_ea_size(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        (void)c;
        file_u32_encode(w, f->attr.ea_bytes);
        return smb2_query_whole(w);
}

static enum fscc_fit put_access(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        (void)f;
        file_u32_encode(w, fs_open_access(c->open->file));
        return smb2_query_whole(w);
}

static enum fscc_fit put_position(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        (void)f;
        file_i64_encode(w, (int64_t)fs_open_position(c->open->file));
        return smb2_query_whole(w);
}

static enum fscc_fit put_mode(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        (void)f;
        file_u32_encode(w, fs_open_mode(c->open->file));
        return smb2_query_whole(w);
}

static enum fscc_fit put_alignment(struct smb2_call *c, struct writer *w,
                                   const struct file_facts *f)
{
        (void)c;
        (void)f;
        file_u32_encode(w, 0); /* FILE_BYTE_ALIGNMENT */
        return smb2_query_whole(w);
}

/* The path as FileNameInformation and FileAllInformation tell it; in the arena. */
static char *rooted_name(struct smb2_call *c, const struct file_facts *f)
{
        char *name = arena_alloc(c->arena, strlen(f->path) + 2);
        if (!name)
                return NULL;
        name[0] = '\\';
        memcpy(name + 1, f->path, strlen(f->path) + 1);
        return name;
}

/* FileNameInformation starts with a separator, FileNormalizedNameInformation does not. */
static enum fscc_fit put_name(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        char *name = rooted_name(c, f);
        if (!name)
                return FSCC_TOO_SMALL;
        return file_name_encode(w, name);
}

static enum fscc_fit put_normalized(struct smb2_call *c, struct writer *w,
                                    const struct file_facts *f)
{
        (void)c;
        return file_name_encode(w, f->path);
}

static enum fscc_fit put_alternate(struct smb2_call *c, struct writer *w,
                                   const struct file_facts *f)
{
        const char *last = strrchr(f->path, '\\');
        char name[SHORT_NAME_MAX];
        (void)c;
        short_name_of(last ? last + 1 : f->path, name);
        return file_name_encode(w, name);
}

static enum fscc_fit put_all(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        char *name = rooted_name(c, f);
        if (!name)
                return FSCC_TOO_SMALL;
        struct file_all a = {
                .basic = basic_of(&f->attr),
                .standard = standard_of(&f->attr),
                .index_number = f->attr.file_id,
                .ea_size = f->attr.ea_bytes,
                .access = fs_open_access(c->open->file),
                .position = (int64_t)fs_open_position(c->open->file),
                .mode = fs_open_mode(c->open->file),
                .name = name,
        };
        return file_all_encode(w, &a);
}

static enum fscc_fit put_network_open(struct smb2_call *c, struct writer *w,
                                      const struct file_facts *f)
{
        const struct fs_attr *a = &f->attr;
        struct file_network_open n = {.create_ft = a->btime_ft,
                                      .access_ft = a->atime_ft,
                                      .write_ft = a->mtime_ft,
                                      .change_ft = a->ctime_ft,
                                      .allocation = a->alloc_bytes,
                                      .end_of_file = a->size,
                                      .attributes = smb2_attributes_of(a)};
        (void)c;
        file_network_open_encode(w, &n);
        return smb2_query_whole(w);
}

static enum fscc_fit put_attribute_tag(struct smb2_call *c, struct writer *w,
                                       const struct file_facts *f)
{
        struct file_attribute_tag t = {.attributes = smb2_attributes_of(&f->attr),
                                       .reparse_tag = f->attr.symlink ? IO_REPARSE_TAG_SYMLINK : 0};
        (void)c;
        file_attribute_tag_encode(w, &t);
        return smb2_query_whole(w);
}

static enum fscc_fit put_compression(struct smb2_call *c, struct writer *w,
                                     const struct file_facts *f)
{
        struct file_compression k = {.compressed_size = f->attr.size, .format = COMPRESSION_NONE};
        (void)c;
        file_compression_encode(w, &k);
        return smb2_query_whole(w);
}

static enum fscc_fit put_id(struct smb2_call *c, struct writer *w, const struct file_facts *f)
{
        struct file_id id = {.volume_serial = f->volume_serial};
        struct writer b = wr_into(id.id, sizeof id.id);
        (void)c;
        wr_u64(&b, f->attr.file_id);
        file_id_encode(w, &id);
        return smb2_query_whole(w);
}

static const struct file_row table[] = {
        {FILE_BASIC_INFORMATION, FS_READ_ATTR, 0, false, put_basic},
        {FILE_STANDARD_INFORMATION, 0, 0, false, put_standard},
        {FILE_INTERNAL_INFORMATION, 0, 0, false, put_internal},
        {FILE_EA_INFORMATION, 0, FS_ATTR_EA, false, put_ea_size},
        {FILE_ACCESS_INFORMATION, 0, 0, false, put_access},
        {FILE_NAME_INFORMATION, 0, 0, true, put_name},
        {FILE_POSITION_INFORMATION, 0, 0, false, put_position},
        {FILE_MODE_INFORMATION, 0, 0, false, put_mode},
        {FILE_ALIGNMENT_INFORMATION, 0, 0, false, put_alignment},
        {FILE_ALL_INFORMATION, FS_READ_ATTR, FS_ATTR_EA, true, put_all},
        {FILE_ALTERNATE_NAME_INFORMATION, 0, 0, true, put_alternate},
        {FILE_COMPRESSION_INFORMATION, 0, 0, false, put_compression},
        {FILE_NETWORK_OPEN_INFORMATION, FS_READ_ATTR, 0, false, put_network_open},
        {FILE_ATTRIBUTE_TAG_INFORMATION, FS_READ_ATTR, 0, false, put_attribute_tag},
        {FILE_NORMALIZED_NAME_INFORMATION, 0, 0, true, put_normalized},
        {FILE_ID_INFORMATION, 0, 0, false, put_id},
};

struct file_state {
        const struct file_row *row;
        struct file_facts facts;
};

static enum fs_err facts_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct file_state *s = qs->own;
        struct store_space space = {0};
        if ((s->row->want & FS_ATTR_EA) && (how & FS_NOWAIT)) /* reads every attribute */
                return FS_AGAIN;
        enum fs_err e = fs_getattr(c->open->file, s->row->want, &s->facts.attr);
        if (e == FS_OK && s->row->number == FILE_ID_INFORMATION)
                e = fs_volume_space(fs_open_volume(c->open->file), &space);
        s->facts.volume_serial = space.serial;
        if (e != FS_OK || !s->row->want_path)
                return e;
        s->facts.path = fs_open_path(c->open->file);
        for (char *p = s->facts.path; p && *p; p++)
                if (*p == '/')
                        *p = '\\';
        return s->facts.path ? FS_OK : FS_NO_MEMORY;
}

static void facts_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct file_state *s = qs->own;
        char *path = s->facts.path; /* s may be gone once the call is answered */
        if (e != FS_OK)
                smb2_fail_fs(c, e);
        else if (smb2_query_output(c))
                smb2_query_reply(c, s->row->put(c, &qs->out, &s->facts));
        free(path);
}

/* ---- FileStreamInformation ----------------------------------------------------------------------
 */

struct streams_state {
        struct stream_list list;
        char name[LIMIT_NAME_UTF16 * 3 + sizeof "::$DATA"];
        bool full;
};

static bool take_stream(void *ctx, const char *name, uint64_t size, uint64_t alloc_bytes)
{
        struct streams_state *s = ctx;
        (void)snprintf(s->name, sizeof s->name, ":%s:$DATA", name);
        s->full = !stream_list_append(&s->list, s->name, size, alloc_bytes);
        return !s->full;
}

static enum fs_err streams_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct streams_state *s = qs->own;
        (void)how; /* only ever runs on a worker */
        s->list = stream_list_into(qs->out.p, qs->out.max);
        return fs_list_streams(c->open->file, take_stream, s);
}

static void streams_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct streams_state *s = qs->own;
        if (e != FS_OK) {
                smb2_fail_fs(c, e);
                return;
        }
        qs->out.at = stream_list_done(&s->list).n;
        smb2_query_reply(c, s->full ? FSCC_CUT : FSCC_WHOLE);
}

static void query_streams(struct smb2_call *c)
{
        struct smb2_query_state *qs = c->state;
        struct streams_state *s = qs->own = arena_alloc(c->arena, sizeof *s);
        if (!s)
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
        else if (smb2_query_output(c))
                smb2_call_start(c, streams_run, streams_done, FS_OP_WORKER);
}

/* ---- FileFullEaInformation: a list, or the names asked for, 3.3.5.20.1 ------------------------
 */

struct ea_state {
        struct ea_list list;
        struct bytes names; /* asked for; empty = all */
        bool full;
};

static bool wanted(const struct ea_state *s, const char *name)
{
        struct bytes n;
        if (s->names.n == 0)
                return true;
        for (struct bytes rest = s->names; ea_get_list_next(&rest, &n);)
                if (n.n == strlen(name) && strncasecmp((const char *)n.p, name, n.n) == 0)
                        return true;
        return false;
}

static bool take_ea(void *ctx, const char *name, struct bytes value)
{
        struct ea_state *s = ctx;
        struct ea e = {.name = bytes_str(name), .value = value};
        s->full = wanted(s, name) && !ea_list_append(&s->list, &e);
        return !s->full;
}

static enum fs_err ea_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct ea_state *s = qs->own;
        (void)how; /* only ever runs on a worker */
        s->list = ea_list_into(qs->out.p, qs->out.max);
        return fs_list_ea(c->open->file, take_ea, s);
}

static void ea_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct ea_state *s = qs->own;
        if (e != FS_OK) {
                smb2_fail_fs(c, e);
        } else if (s->full && s->list.count == 0) {
                smb2_fail(c, STATUS_BUFFER_TOO_SMALL);
        } else if (s->list.count == 0) {
                smb2_fail(c, STATUS_NO_EAS_ON_FILE);
        } else {
                qs->out.at = ea_list_done(&s->list).n;
                smb2_query_reply(c, s->full ? FSCC_CUT : FSCC_WHOLE);
        }
}

static void query_eas(struct smb2_call *c)
{
        struct smb2_query_state *qs = c->state;
        struct ea_state *s = qs->own = arena_alloc(c->arena, sizeof *s);
        if (!s)
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
        else if (!(fs_open_access(c->open->file) & FS_READ_EA))
                smb2_fail(c, STATUS_ACCESS_DENIED);
        else if (ea_get_list_check(qs->q.input, NULL) != EA_OK)
                smb2_fail(c, STATUS_EA_LIST_INCONSISTENT);
        else if (smb2_query_output(c)) {
                s->names = qs->q.input;
                smb2_call_start(c, ea_run, ea_done, FS_OP_WORKER);
        }
}

/* ---- pipes -------------------------------------------------------------------------------------
 */

static void query_pipe(struct smb2_call *c)
{
        struct smb2_query_state *qs = c->state;
        struct file_standard std = {.allocation = 4096, .links = 1, .delete_pending = true};
        struct file_pipe_local local = {.read_available =
                                                (uint32_t)rpc_pipe_available(c->open->pipe)};
        if (qs->q.file_info_class != FILE_STANDARD_INFORMATION &&
            qs->q.file_info_class != FILE_PIPE_LOCAL_INFORMATION) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        if (!smb2_query_output(c))
                return;
        if (qs->q.file_info_class == FILE_STANDARD_INFORMATION)
                file_standard_encode(&qs->out, &std);
        else
                file_pipe_local_encode(&qs->out, &local);
        smb2_query_reply(c, smb2_query_whole(&qs->out));
}

/* ---- which -------------------------------------------------------------------------------------
 */

static const struct file_row *row_of(unsigned number)
{
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
                if (table[i].number == number)
                        return &table[i];
        return NULL;
}

void smb2_query_file(struct smb2_call *c)
{
        struct smb2_query_state *qs = c->state;
        const struct fscc_class *k = fscc_file_class(qs->q.file_info_class);
        const struct file_row *row = row_of(qs->q.file_info_class);
        bool is_ea = qs->q.file_info_class == FILE_FULL_EA_INFORMATION;
        if (!k || k->is_directory || k->query_min == CLASS_NEVER) {
                smb2_fail(c, STATUS_INVALID_INFO_CLASS);
        } else if (qs->q.output_buffer_length < k->query_min) {
                smb2_fail(c, STATUS_INFO_LENGTH_MISMATCH);
        } else if (c->open->pipe) {
                query_pipe(c);
        } else if (is_ea) {
                query_eas(c);
        } else if (qs->q.file_info_class == FILE_STREAM_INFORMATION) {
                query_streams(c);
        } else if (!row || (row->number == FILE_NORMALIZED_NAME_INFORMATION &&
                            smb2_call_dialect(c) < SMB2_DIALECT_311)) {
                smb2_fail(c, STATUS_NOT_SUPPORTED); /* a class that this volume does not have */
        } else if ((fs_open_access(c->open->file) & row->access) != row->access) {
                smb2_fail(c, STATUS_ACCESS_DENIED);
        } else {
                struct file_state *s = qs->own = arena_alloc(c->arena, sizeof *s);
                if (!s) {
                        smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                        return;
                }
                s->row = row;
                smb2_call_start(c, facts_run, facts_done, 0);
        }
}
