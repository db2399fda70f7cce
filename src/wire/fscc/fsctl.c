/* See fsctl.h. */
#include "wire/fscc/fsctl.h"

#include "base/limits.h"
#include "base/utf16.h"

#define RANGE_BYTES 16u
#define REGION_BYTES 24u

static int64_t get_i64(struct cursor *c)
{
        return (int64_t)cur_u64(c);
}

static void put_i64(struct writer *w, int64_t v)
{
        wr_u64(w, (uint64_t)v);
}

/* [offset, offset + length) inside what a signed 64-bit file offset can say. */
static bool is_range(int64_t offset, int64_t length)
{
        return offset >= 0 && length >= 0 && length <= INT64_MAX - offset;
}

bool fsctl_set_sparse_decode(struct bytes in, bool *ret_sparse)
{
        *ret_sparse = in.n == 0 || in.p[0] != 0; /* 2.3.84: empty is legal and means TRUE */
        return true;
}

void fsctl_set_sparse_encode(struct writer *w, bool sparse)
{
        wr_u8(w, sparse);
}

bool fsctl_zero_data_decode(struct bytes in, struct fsctl_zero_data *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_zero_data f = {0};
        f.offset = get_i64(&c);
        f.beyond = get_i64(&c);
        if (!cur_ok(&c) || f.offset < 0 || f.beyond < f.offset)
                return false;
        *out = f;
        return true;
}

void fsctl_zero_data_encode(struct writer *w, const struct fsctl_zero_data *f)
{
        put_i64(w, f->offset);
        put_i64(w, f->beyond);
}

bool fsctl_range_decode(struct bytes in, struct fsctl_range *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_range f = {0};
        f.offset = get_i64(&c);
        f.length = get_i64(&c);
        if (!cur_ok(&c) || !is_range(f.offset, f.length))
                return false;
        *out = f;
        return true;
}

void fsctl_range_encode(struct writer *w, const struct fsctl_range *f)
{
        if (wr_left(w) < RANGE_BYTES) {
                w->full = true; /* whole ranges only */
                return;
        }
        put_i64(w, f->offset);
        put_i64(w, f->length);
}

bool fsctl_range_next(struct bytes *rest, struct fsctl_range *out, bool *bad)
{
        if (rest->n == 0)
                return false;
        *bad = !fsctl_range_decode(*rest, out);
        *rest = bytes_from(*rest, RANGE_BYTES);
        return !*bad;
}

bool fsctl_compression_decode(struct bytes in, uint16_t *ret_format)
{
        struct cursor c = cur_of(in);
        uint16_t format = cur_u16(&c);
        if (!cur_ok(&c))
                return false;
        *ret_format = format;
        return true;
}

void fsctl_compression_encode(struct writer *w, uint16_t format)
{
        wr_u16(w, format);
}

void fsctl_integrity_encode(struct writer *w, const struct fsctl_integrity *f)
{
        fsctl_set_integrity_encode(w, f);
        wr_u32(w, f->chunk_bytes);
        wr_u32(w, f->cluster_bytes);
}

bool fsctl_integrity_decode(struct bytes in, struct fsctl_integrity *out)
{
        struct fsctl_integrity f;
        struct cursor c = cur_at(in, 8);
        if (!fsctl_set_integrity_decode(in, &f))
                return false;
        f.chunk_bytes = cur_u32(&c);
        f.cluster_bytes = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fsctl_set_integrity_encode(struct writer *w, const struct fsctl_integrity *f)
{
        wr_u16(w, f->algorithm);
        wr_u16(w, 0); /* Reserved */
        wr_u32(w, f->flags);
}

bool fsctl_set_integrity_decode(struct bytes in, struct fsctl_integrity *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_integrity f = {0};
        f.algorithm = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved */
        f.flags = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

bool fsctl_trim_decode(struct bytes in, struct fsctl_trim *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_trim f = {0};
        f.key = cur_u32(&c);
        f.count = cur_u32(&c);
        if (!cur_ok(&c) || f.count > LIMIT_TRIM_RANGES)
                return false;
        f.ranges = cur_bytes(&c, (size_t)f.count * RANGE_BYTES);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fsctl_trim_encode(struct writer *w, uint32_t key, const struct fsctl_range *ranges,
                       uint32_t count)
{
        wr_u32(w, key);
        wr_u32(w, count);
        for (uint32_t i = 0; i < count; i++)
                fsctl_range_encode(w, &ranges[i]);
}

void fsctl_trim_reply_encode(struct writer *w, uint32_t processed)
{
        wr_u32(w, processed);
}

bool fsctl_trim_reply_decode(struct bytes in, uint32_t *ret_processed)
{
        struct cursor c = cur_of(in);
        uint32_t n = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *ret_processed = n;
        return true;
}

/* StructureSize: 2.3.9.2 says 0x30, which is the size of the local form (2.3.9.1); the fields of
 * the SMB2 form add up to 56, and a sender that counted them means the same. */
#define DUPLICATE_EX_BYTES 0x30u
#define DUPLICATE_EX_BYTES_COUNTED 56u

bool fsctl_duplicate_decode(struct bytes in, bool ex, struct fsctl_duplicate *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_duplicate f = {0};
        uint64_t size = ex ? cur_u64(&c) : DUPLICATE_EX_BYTES;
        if (size != DUPLICATE_EX_BYTES && size != DUPLICATE_EX_BYTES_COUNTED)
                return false;
        f.source_persistent = cur_u64(&c);
        f.source_volatile = cur_u64(&c);
        f.source_offset = get_i64(&c);
        f.target_offset = get_i64(&c);
        f.count = get_i64(&c);
        if (ex) {
                f.flags = cur_u32(&c);
                cur_skip(&c, 4); /* Reserved */
        }
        if (!cur_ok(&c) || !is_range(f.source_offset, f.count) ||
            !is_range(f.target_offset, f.count))
                return false;
        *out = f;
        return true;
}

void fsctl_duplicate_encode(struct writer *w, bool ex, const struct fsctl_duplicate *f)
{
        if (ex)
                wr_u64(w, DUPLICATE_EX_BYTES);
        wr_u64(w, f->source_persistent);
        wr_u64(w, f->source_volatile);
        put_i64(w, f->source_offset);
        put_i64(w, f->target_offset);
        put_i64(w, f->count);
        if (!ex)
                return;
        wr_u32(w, f->flags);
        wr_u32(w, 0); /* Reserved */
}

void fsctl_object_id_encode(struct writer *w, const struct fsctl_object_id *f)
{
        wr_bytes(w, bytes_of(f->id, 16));
        wr_bytes(w, bytes_of(f->birth_volume, 16));
        wr_bytes(w, bytes_of(f->birth_object, 16));
        wr_bytes(w, bytes_of(f->domain, 16));
}

bool fsctl_object_id_decode(struct bytes in, struct fsctl_object_id *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_object_id f = {0};
        cur_copy(&c, f.id, 16);
        cur_copy(&c, f.birth_volume, 16);
        cur_copy(&c, f.birth_object, 16);
        cur_copy(&c, f.domain, 16);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

bool fsctl_pipe_wait_decode(struct bytes in, struct fsctl_pipe_wait *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_pipe_wait f = {0};
        f.timeout_100ns = get_i64(&c);
        size_t n = cur_u32(&c);
        f.has_timeout = cur_u8(&c) != 0;
        cur_skip(&c, 1); /* Padding */
        f.name_utf16 = cur_bytes(&c, n);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void fsctl_pipe_wait_encode(struct writer *w, const struct fsctl_pipe_wait *f, const char *name)
{
        put_i64(w, f->timeout_100ns);
        wr_u32(w, (uint32_t)utf16_len(name));
        wr_u8(w, f->has_timeout);
        wr_u8(w, 0); /* Padding */
        wr_utf16(w, name);
}

void fsctl_pipe_peek_encode(struct writer *w, const struct fsctl_pipe_peek *f)
{
        wr_u32(w, f->state);
        wr_u32(w, f->available);
        wr_u32(w, f->messages);
        wr_u32(w, f->message_length);
}

bool fsctl_pipe_peek_decode(struct bytes in, struct fsctl_pipe_peek *out, struct bytes *ret_data)
{
        struct cursor c = cur_of(in);
        struct fsctl_pipe_peek f = {0};
        f.state = cur_u32(&c);
        f.available = cur_u32(&c);
        f.messages = cur_u32(&c);
        f.message_length = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *ret_data = cur_rest(&c);
        *out = f;
        return true;
}

bool fsctl_region_decode(struct bytes in, struct fsctl_region *out)
{
        struct cursor c = cur_of(in);
        struct fsctl_region f = {0};
        f.offset = get_i64(&c);
        f.length = get_i64(&c);
        f.usage = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved */
        if (!cur_ok(&c) || !is_range(f.offset, f.length))
                return false;
        *out = f;
        return true;
}

void fsctl_region_encode(struct writer *w, const struct fsctl_region *f)
{
        if (wr_left(w) < REGION_BYTES) {
                w->full = true; /* whole regions only */
                return;
        }
        put_i64(w, f->offset);
        put_i64(w, f->length);
        wr_u32(w, f->usage);
        wr_u32(w, 0); /* Reserved */
}

void fsctl_region_reply_encode(struct writer *w, uint32_t total, uint32_t returned)
{
        wr_u32(w, 0); /* Flags: none defined */
        wr_u32(w, total);
        wr_u32(w, returned);
        wr_u32(w, 0); /* Reserved */
}

bool fsctl_region_reply_decode(struct bytes in, uint32_t *ret_total, struct bytes *ret_regions)
{
        struct cursor c = cur_of(in);
        cur_skip(&c, 4); /* Flags */
        uint32_t total = cur_u32(&c);
        size_t returned = cur_u32(&c);
        cur_skip(&c, 4); /* Reserved */
        if (!cur_ok(&c) || returned > cur_left(&c) / REGION_BYTES)
                return false;
        *ret_regions = cur_bytes(&c, returned * REGION_BYTES);
        *ret_total = total;
        return true;
}

bool fsctl_region_next(struct bytes *rest, struct fsctl_region *out, bool *bad)
{
        if (rest->n == 0)
                return false;
        *bad = !fsctl_region_decode(*rest, out);
        *rest = bytes_from(*rest, REGION_BYTES);
        return !*bad;
}
