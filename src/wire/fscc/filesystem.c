/* See filesystem.h. */
#include "wire/fscc/filesystem.h"

#include "base/utf16.h"
#include "wire/fscc/name.h"

enum fscc_fit fs_volume_encode(struct writer *w, const struct fs_volume *f)
{
        wr_u64(w, (uint64_t)f->create_ft);
        wr_u32(w, f->serial);
        wr_u32(w, (uint32_t)utf16_len(f->label));
        wr_u8(w, f->supports_objects);
        wr_u8(w, 0); /* Reserved */
        return fscc_name_put(w, f->label);
}

bool fs_volume_decode(struct bytes in, struct fs_volume *out)
{
        struct cursor c = cur_of(in);
        struct fs_volume f = {0};
        f.create_ft = (int64_t)cur_u64(&c);
        f.serial = cur_u32(&c);
        size_t n = cur_u32(&c);
        f.supports_objects = cur_u8(&c) != 0;
        cur_skip(&c, 1); /* Reserved */
        f.label_utf16 = cur_bytes(&c, n);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

bool fs_label_decode(struct bytes in, struct bytes *ret_utf16)
{
        struct cursor c = cur_of(in);
        size_t n = cur_u32(&c);
        struct bytes label = cur_bytes(&c, n);
        if (!cur_ok(&c))
                return false;
        if (n >= 2 && n % 2 == 0 && label.p[n - 1] == 0 && label.p[n - 2] == 0)
                label.n -= 2;
        *ret_utf16 = label;
        return true;
}

void fs_label_encode(struct writer *w, const char *label)
{
        wr_u32(w, (uint32_t)utf16_len(label));
        wr_utf16(w, label);
}

void fs_size_encode(struct writer *w, const struct fs_size *f)
{
        wr_u64(w, f->total_units);
        wr_u64(w, f->available_units);
        wr_u32(w, f->sectors_per_unit);
        wr_u32(w, f->bytes_per_sector);
}

bool fs_size_decode(struct bytes in, struct fs_size *out)
{
        struct cursor c = cur_of(in);
        struct fs_size f = {0};
        f.total_units = cur_u64(&c);
        f.available_units = cur_u64(&c);
        f.sectors_per_unit = cur_u32(&c);
        f.bytes_per_sector = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fs_full_size_encode(struct writer *w, const struct fs_full_size *f)
{
        wr_u64(w, f->total_units);
        wr_u64(w, f->caller_available_units);
        wr_u64(w, f->available_units);
        wr_u32(w, f->sectors_per_unit);
        wr_u32(w, f->bytes_per_sector);
}

bool fs_full_size_decode(struct bytes in, struct fs_full_size *out)
{
        struct cursor c = cur_of(in);
        struct fs_full_size f = {0};
        f.total_units = cur_u64(&c);
        f.caller_available_units = cur_u64(&c);
        f.available_units = cur_u64(&c);
        f.sectors_per_unit = cur_u32(&c);
        f.bytes_per_sector = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fs_device_encode(struct writer *w, const struct fs_device *f)
{
        wr_u32(w, f->type);
        wr_u32(w, f->characteristics);
}

bool fs_device_decode(struct bytes in, struct fs_device *out)
{
        struct cursor c = cur_of(in);
        struct fs_device f = {0};
        f.type = cur_u32(&c);
        f.characteristics = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

enum fscc_fit fs_attribute_encode(struct writer *w, const struct fs_attribute *f)
{
        wr_u32(w, f->attributes);
        wr_u32(w, f->max_name_units);
        wr_u32(w, (uint32_t)utf16_len(f->name));
        return fscc_name_put(w, f->name);
}

bool fs_attribute_decode(struct bytes in, struct fs_attribute *out)
{
        struct cursor c = cur_of(in);
        struct fs_attribute f = {0};
        f.attributes = cur_u32(&c);
        f.max_name_units = cur_u32(&c);
        size_t n = cur_u32(&c);
        f.name_utf16 = cur_bytes(&c, n);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fs_control_encode(struct writer *w, const struct fs_control *f)
{
        wr_u64(w, (uint64_t)f->filter_start);
        wr_u64(w, (uint64_t)f->filter_threshold);
        wr_u64(w, (uint64_t)f->filter_stop);
        wr_u64(w, f->quota_threshold);
        wr_u64(w, f->quota_limit);
        wr_u32(w, f->flags);
        wr_u32(w, 0); /* Padding */
}

bool fs_control_decode(struct bytes in, struct fs_control *out)
{
        struct cursor c = cur_of(in);
        struct fs_control f = {0};
        f.filter_start = (int64_t)cur_u64(&c);
        f.filter_threshold = (int64_t)cur_u64(&c);
        f.filter_stop = (int64_t)cur_u64(&c);
        f.quota_threshold = cur_u64(&c);
        f.quota_limit = cur_u64(&c);
        f.flags = cur_u32(&c);
        cur_skip(&c, 4); /* Padding */
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fs_object_id_encode(struct writer *w, const struct fs_object_id *f)
{
        wr_bytes(w, bytes_of(f->id, sizeof f->id));
        wr_bytes(w, bytes_of(f->extended, sizeof f->extended));
}

bool fs_object_id_decode(struct bytes in, struct fs_object_id *out)
{
        struct cursor c = cur_of(in);
        struct fs_object_id f = {0};
        cur_copy(&c, f.id, sizeof f.id);
        cur_copy(&c, f.extended, sizeof f.extended);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fs_sector_size_encode(struct writer *w, const struct fs_sector_size *f)
{
        wr_u32(w, f->logical);
        wr_u32(w, f->physical_atomicity);
        wr_u32(w, f->physical_performance);
        wr_u32(w, f->effective_atomicity);
        wr_u32(w, f->flags);
        wr_u32(w, f->sector_alignment_offset);
        wr_u32(w, f->partition_alignment_offset);
}

bool fs_sector_size_decode(struct bytes in, struct fs_sector_size *out)
{
        struct cursor c = cur_of(in);
        struct fs_sector_size f = {0};
        f.logical = cur_u32(&c);
        f.physical_atomicity = cur_u32(&c);
        f.physical_performance = cur_u32(&c);
        f.effective_atomicity = cur_u32(&c);
        f.flags = cur_u32(&c);
        f.sector_alignment_offset = cur_u32(&c);
        f.partition_alignment_offset = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}
