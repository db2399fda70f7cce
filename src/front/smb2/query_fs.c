/* Volume information, [MS-SMB2] 3.3.5.20.2, [MS-FSCC] 2.5. */
#include "front/smb2/front.h"

#include "front/smb2/query_info.h"
#include "wire/fscc/filesystem.h"

#define SECTOR_BYTES 512u

static enum fscc_fit put_volume(struct smb2_call *c, struct writer *w, const struct store_space *s)
{
        struct fs_volume v = {.serial = (uint32_t)(s->serial ^ s->serial >> 32),
                              .label = smb2_tree_share(c->tree)->name};
        return fs_volume_encode(w, &v);
}

static enum fscc_fit put_size(struct smb2_call *c, struct writer *w, const struct store_space *s)
{
        struct fs_size z = {.total_units = s->total_bytes / s->block_bytes,
                            .available_units = s->avail_bytes / s->block_bytes,
                            .sectors_per_unit = s->block_bytes / SECTOR_BYTES,
                            .bytes_per_sector = SECTOR_BYTES};
        (void)c;
        fs_size_encode(w, &z);
        return smb2_query_whole(w);
}

static enum fscc_fit put_full_size(struct smb2_call *c, struct writer *w,
                                   const struct store_space *s)
{
        struct fs_full_size z = {.total_units = s->total_bytes / s->block_bytes,
                                 .caller_available_units = s->avail_bytes / s->block_bytes,
                                 .available_units = s->free_bytes / s->block_bytes,
                                 .sectors_per_unit = s->block_bytes / SECTOR_BYTES,
                                 .bytes_per_sector = SECTOR_BYTES};
        (void)c;
        fs_full_size_encode(w, &z);
        return smb2_query_whole(w);
}

static enum fscc_fit put_device(struct smb2_call *c, struct writer *w, const struct store_space *s)
{
        struct fs_device d = {.type = FILE_DEVICE_DISK,
                              .characteristics = FILE_DEVICE_IS_MOUNTED | FILE_REMOTE_DEVICE};
        (void)c;
        if (s->read_only)
                d.characteristics |= FILE_READ_ONLY_DEVICE;
        fs_device_encode(w, &d);
        return smb2_query_whole(w);
}

static enum fscc_fit put_attribute(struct smb2_call *c, struct writer *w,
                                   const struct store_space *s)
{
        const struct fs_volume_config *cfg = fs_volume_config(smb2_tree_share(c->tree)->volume);
        unsigned caps = fs_volume_caps(smb2_tree_share(c->tree)->volume);
        struct fs_attribute a = {
                .attributes =
                        FILE_CASE_PRESERVED_NAMES | FILE_UNICODE_ON_DISK | FILE_SUPPORTS_HARD_LINKS,
                .max_name_units = 255,
                .name = "NTFS", /* what clients look for before they use what the flags offer */
        };
        if (caps & STORE_CAP_CASE_SENSITIVE)
                a.attributes |= FILE_CASE_SENSITIVE_SEARCH;
        if (caps & STORE_CAP_SPARSE)
                a.attributes |= FILE_SUPPORTS_SPARSE_FILES;
        if (caps & STORE_CAP_SD)
                a.attributes |= FILE_PERSISTENT_ACLS;
        if (caps & STORE_CAP_STREAMS && fs_volume_config(smb2_tree_share(c->tree)->volume)->streams)
                a.attributes |= FILE_NAMED_STREAMS;
        if (caps & STORE_CAP_XATTR)
                a.attributes |= FILE_SUPPORTS_EXTENDED_ATTRIBUTES;
        if (s->read_only || cfg->read_only)
                a.attributes |= FILE_READ_ONLY_VOLUME;
        return fs_attribute_encode(w, &a);
}

static enum fscc_fit put_sector_size(struct smb2_call *c, struct writer *w,
                                     const struct store_space *s)
{
        struct fs_sector_size z = {
                .logical = SECTOR_BYTES,
                .physical_atomicity = s->block_bytes,
                .physical_performance = s->block_bytes,
                .effective_atomicity = s->block_bytes,
                .flags = SSINFO_FLAGS_ALIGNED_DEVICE | SSINFO_FLAGS_PARTITION_ALIGNED_ON_DEVICE,
        };
        (void)c;
        fs_sector_size_encode(w, &z);
        return smb2_query_whole(w);
}

/* [MS-FSCC] 2.5.6: the serial number is all the identity that we have. */
static enum fscc_fit put_object_id(struct smb2_call *c, struct writer *w,
                                   const struct store_space *s)
{
        struct fs_object_id o = {0};
        struct writer id = wr_into(o.id, sizeof o.id);
        (void)c;
        wr_u64(&id, s->serial);
        fs_object_id_encode(w, &o);
        return smb2_query_whole(w);
}

static const struct fs_row {
        uint8_t number;
        enum fscc_fit (*put)(struct smb2_call *c, struct writer *w, const struct store_space *s);
} table[] = {
        {FILE_FS_VOLUME_INFORMATION, put_volume},
        {FILE_FS_SIZE_INFORMATION, put_size},
        {FILE_FS_DEVICE_INFORMATION, put_device},
        {FILE_FS_ATTRIBUTE_INFORMATION, put_attribute},
        {FILE_FS_FULL_SIZE_INFORMATION, put_full_size},
        {FILE_FS_OBJECTID_INFORMATION, put_object_id},
        {FILE_FS_SECTOR_SIZE_INFORMATION, put_sector_size},
};

struct fs_state {
        const struct fs_row *row;
        struct store_space space;
};

static enum fs_err space_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct fs_state *s = qs->own;
        (void)how; /* only ever runs on a worker */
        return fs_volume_space(smb2_tree_share(c->tree)->volume, &s->space);
}

static void space_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        struct smb2_query_state *qs = c->state;
        struct fs_state *s = qs->own;
        if (s->space.block_bytes < SECTOR_BYTES) /* what clients can count in */
                s->space.block_bytes = SECTOR_BYTES;
        if (e != FS_OK)
                smb2_fail_fs(c, e);
        else if (smb2_query_output(c))
                smb2_query_reply(c, s->row->put(c, &qs->out, &s->space));
}

void smb2_query_fs(struct smb2_call *c)
{
        struct smb2_query_state *qs = c->state;
        const struct fscc_class *k = fscc_fs_class(qs->q.file_info_class);
        struct fs_state *s = qs->own = arena_alloc(c->arena, sizeof *s);
        if (!s) {
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
                return;
        }
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
                if (table[i].number == qs->q.file_info_class)
                        s->row = &table[i];
        if (!k || k->query_min == CLASS_NEVER || !s->row || !c->open->file)
                smb2_fail(c, STATUS_INVALID_INFO_CLASS);
        else if (qs->q.output_buffer_length < k->query_min)
                smb2_fail(c, STATUS_INFO_LENGTH_MISMATCH);
        else
                smb2_call_start(c, space_run, space_done, FS_OP_WORKER);
}
