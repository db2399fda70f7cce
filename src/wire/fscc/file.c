/* See file.h. One pair of functions a structure, in the order of the header. The x_get functions
 * read a structure in the middle of a larger one. */
#include "wire/fscc/file.h"

#include "base/utf16.h"
#include "wire/fscc/name.h"

/* The end of each decoder: *out only on success. */
#define RETURN_DECODED(c, value, out)                                                              \
        do {                                                                                       \
                if (!cur_ok(c))                                                                    \
                        return false;                                                              \
                *(out) = (value);                                                                  \
                return true;                                                                       \
        } while (0)

static int64_t get_i64(struct cursor *c)
{
        return (int64_t)cur_u64(c);
}

static void put_i64(struct writer *w, int64_t v)
{
        wr_u64(w, (uint64_t)v);
}

void file_basic_encode(struct writer *w, const struct file_basic *f)
{
        put_i64(w, f->create_ft);
        put_i64(w, f->access_ft);
        put_i64(w, f->write_ft);
        put_i64(w, f->change_ft);
        wr_u32(w, f->attributes);
        wr_u32(w, 0); /* Reserved */
}

static struct file_basic basic_get(struct cursor *c)
{
        struct file_basic f = {0};
        f.create_ft = get_i64(c);
        f.access_ft = get_i64(c);
        f.write_ft = get_i64(c);
        f.change_ft = get_i64(c);
        f.attributes = cur_u32(c);
        cur_skip(c, 4); /* Reserved */
        return f;
}

bool file_basic_decode(struct bytes in, struct file_basic *out)
{
        struct cursor c = cur_of(in);
        struct file_basic f = basic_get(&c);
        RETURN_DECODED(&c, f, out);
}

void file_standard_encode(struct writer *w, const struct file_standard *f)
{
        wr_u64(w, f->allocation);
        wr_u64(w, f->end_of_file);
        wr_u32(w, f->links);
        wr_u8(w, f->delete_pending);
        wr_u8(w, f->directory);
        wr_u16(w, 0); /* Reserved */
}

static struct file_standard standard_get(struct cursor *c)
{
        struct file_standard f = {0};
        f.allocation = cur_u64(c);
        f.end_of_file = cur_u64(c);
        f.links = cur_u32(c);
        f.delete_pending = cur_u8(c) != 0;
        f.directory = cur_u8(c) != 0;
        cur_skip(c, 2); /* Reserved */
        return f;
}

bool file_standard_decode(struct bytes in, struct file_standard *out)
{
        struct cursor c = cur_of(in);
        struct file_standard f = standard_get(&c);
        RETURN_DECODED(&c, f, out);
}

void file_network_open_encode(struct writer *w, const struct file_network_open *f)
{
        put_i64(w, f->create_ft);
        put_i64(w, f->access_ft);
        put_i64(w, f->write_ft);
        put_i64(w, f->change_ft);
        wr_u64(w, f->allocation);
        wr_u64(w, f->end_of_file);
        wr_u32(w, f->attributes);
        wr_u32(w, 0); /* Reserved */
}

bool file_network_open_decode(struct bytes in, struct file_network_open *out)
{
        struct cursor c = cur_of(in);
        struct file_network_open f = {0};
        f.create_ft = get_i64(&c);
        f.access_ft = get_i64(&c);
        f.write_ft = get_i64(&c);
        f.change_ft = get_i64(&c);
        f.allocation = cur_u64(&c);
        f.end_of_file = cur_u64(&c);
        f.attributes = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved */
        RETURN_DECODED(&c, f, out);
}

void file_attribute_tag_encode(struct writer *w, const struct file_attribute_tag *f)
{
        wr_u32(w, f->attributes);
        wr_u32(w, f->reparse_tag);
}

bool file_attribute_tag_decode(struct bytes in, struct file_attribute_tag *out)
{
        struct cursor c = cur_of(in);
        struct file_attribute_tag f = {0};
        f.attributes = cur_u32(&c);
        f.reparse_tag = cur_u32(&c);
        RETURN_DECODED(&c, f, out);
}

void file_compression_encode(struct writer *w, const struct file_compression *f)
{
        wr_u64(w, f->compressed_size);
        wr_u16(w, f->format);
        wr_u8(w, f->unit_shift);
        wr_u8(w, f->chunk_shift);
        wr_u8(w, f->cluster_shift);
        wr_zero(w, 3); /* Reserved */
}

bool file_compression_decode(struct bytes in, struct file_compression *out)
{
        struct cursor c = cur_of(in);
        struct file_compression f = {0};
        f.compressed_size = cur_u64(&c);
        f.format = cur_u16(&c);
        f.unit_shift = cur_u8(&c);
        f.chunk_shift = cur_u8(&c);
        f.cluster_shift = cur_u8(&c);
        cur_skip(&c, 3); /* Reserved */
        RETURN_DECODED(&c, f, out);
}

void file_id_encode(struct writer *w, const struct file_id *f)
{
        wr_u64(w, f->volume_serial);
        wr_bytes(w, bytes_of(f->id, sizeof f->id));
}

bool file_id_decode(struct bytes in, struct file_id *out)
{
        struct cursor c = cur_of(in);
        struct file_id f = {0};
        f.volume_serial = cur_u64(&c);
        cur_copy(&c, f.id, sizeof f.id);
        RETURN_DECODED(&c, f, out);
}

void file_u32_encode(struct writer *w, uint32_t v)
{
        wr_u32(w, v);
}

bool file_u32_decode(struct bytes in, uint32_t *out)
{
        struct cursor c = cur_of(in);
        uint32_t v = cur_u32(&c);
        RETURN_DECODED(&c, v, out);
}

void file_i64_encode(struct writer *w, int64_t v)
{
        put_i64(w, v);
}

bool file_i64_decode(struct bytes in, int64_t *out)
{
        struct cursor c = cur_of(in);
        int64_t v = get_i64(&c);
        RETURN_DECODED(&c, v, out);
}

void file_disposition_encode(struct writer *w, bool delete_pending)
{
        wr_u8(w, delete_pending);
}

bool file_disposition_decode(struct bytes in, bool *ret_delete)
{
        struct cursor c = cur_of(in);
        bool pending = cur_u8(&c) != 0;
        RETURN_DECODED(&c, pending, ret_delete);
}

enum fscc_fit file_name_encode(struct writer *w, const char *name)
{
        wr_u32(w, (uint32_t)utf16_len(name));
        return fscc_name_put(w, name);
}

bool file_name_decode(struct bytes in, struct bytes *ret_utf16)
{
        struct cursor c = cur_of(in);
        size_t n = cur_u32(&c);
        struct bytes name = cur_bytes(&c, n);
        RETURN_DECODED(&c, name, ret_utf16);
}

enum fscc_fit file_all_encode(struct writer *w, const struct file_all *f)
{
        file_basic_encode(w, &f->basic);
        file_standard_encode(w, &f->standard);
        wr_u64(w, f->index_number);
        wr_u32(w, f->ea_size);
        wr_u32(w, f->access);
        put_i64(w, f->position);
        wr_u32(w, f->mode);
        wr_u32(w, f->alignment);
        return file_name_encode(w, f->name);
}

bool file_all_decode(struct bytes in, struct file_all *out)
{
        struct cursor c = cur_of(in);
        struct file_all f = {0};
        f.basic = basic_get(&c);
        f.standard = standard_get(&c);
        f.index_number = cur_u64(&c);
        f.ea_size = cur_u32(&c);
        f.access = cur_u32(&c);
        f.position = get_i64(&c);
        f.mode = cur_u32(&c);
        f.alignment = cur_u32(&c);
        size_t n = cur_u32(&c);
        f.name_utf16 = cur_bytes(&c, n);
        RETURN_DECODED(&c, f, out);
}

/* StructureVersion 2: after the flags a 4-byte reserve, 32 bytes generic, 64 bytes SMB2. */
void file_remote_protocol_encode(struct writer *w, const struct file_remote_protocol *f)
{
        size_t start = w->at;
        wr_u16(w, f->version);
        wr_u16(w, f->size_bytes);
        wr_u32(w, f->protocol);
        wr_u16(w, f->major);
        wr_u16(w, f->minor);
        wr_u16(w, f->revision);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, f->flags);
        if (wr_ok(w))
                wr_zero(w, FILE_REMOTE_PROTOCOL_BYTES - (w->at - start));
}

bool file_remote_protocol_decode(struct bytes in, struct file_remote_protocol *out)
{
        struct cursor c = cur_of(in);
        struct file_remote_protocol f = {0};
        f.version = cur_u16(&c);
        f.size_bytes = cur_u16(&c);
        f.protocol = cur_u32(&c);
        f.major = cur_u16(&c);
        f.minor = cur_u16(&c);
        f.revision = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved */
        f.flags = cur_u32(&c);
        cur_skip(&c, FILE_REMOTE_PROTOCOL_BYTES - 20);
        RETURN_DECODED(&c, f, out);
}
