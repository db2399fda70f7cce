/* See directory.h. All classes share a beginning; what stands between FileNameLength and FileName
 * differs and is a row of flags in the table below, always in this order: EaSize, ReparsePointTag,
 * 64-bit id, 128-bit id, short name; only FileIdFull and FileIdBoth have places of their own. */
#include "wire/fscc/directory.h"

#include <assert.h>

#include "base/utf16.h"
#include "wire/fscc/chain.h"

enum layout_flags {
        TIMES = 0x01,    /* times, sizes and attributes: everything but FileNames */
        EA = 0x02,       /* EaSize */
        TAG = 0x04,      /* ReparsePointTag */
        ID64 = 0x08,     /* FileId, 8 bytes */
        ID128 = 0x10,    /* FileId128 */
        SHORT = 0x20,    /* ShortNameLength, Reserved, ShortName */
        OLD_FULL = 0x40, /* FileIdFull: 4 reserved bytes before the id */
        OLD_BOTH = 0x80, /* FileIdBoth: short name, 2 reserved bytes, then the id */
};

static uint8_t layout_of(enum file_class cls)
{
        switch ((unsigned)cls) {
        case FILE_DIRECTORY_INFORMATION:
                return TIMES;
        case FILE_FULL_DIRECTORY_INFORMATION:
                return TIMES | EA;
        case FILE_BOTH_DIRECTORY_INFORMATION:
                return TIMES | EA | SHORT;
        case FILE_ID_BOTH_DIRECTORY_INFORMATION:
                return TIMES | EA | SHORT | ID64 | OLD_BOTH;
        case FILE_ID_FULL_DIRECTORY_INFORMATION:
                return TIMES | EA | ID64 | OLD_FULL;
        case FILE_ID_EXTD_DIRECTORY_INFORMATION:
                return TIMES | EA | TAG | ID128;
        case FILE_ID_EXTD_BOTH_DIRECTORY_INFORMATION:
                return TIMES | EA | TAG | ID128 | SHORT;
        case FILE_ID64_EXTD_DIRECTORY_INFORMATION:
                return TIMES | EA | TAG | ID64;
        case FILE_ID64_EXTD_BOTH_DIRECTORY_INFORMATION:
                return TIMES | EA | TAG | ID64 | SHORT;
        case FILE_ID_ALL_EXTD_DIRECTORY_INFORMATION:
                return TIMES | EA | TAG | ID64 | ID128;
        case FILE_ID_ALL_EXTD_BOTH_DIRECTORY_INFORMATION:
                return TIMES | EA | TAG | ID64 | ID128 | SHORT;
        default:
                return 0; /* FileNames */
        }
}

struct dir_list dir_list_into(void *buffer, size_t max, enum file_class cls)
{
        assert(fscc_file_class(cls) && fscc_file_class(cls)->is_directory);
        return (struct dir_list){.w = wr_into(buffer, max), .layout = layout_of(cls)};
}

static void put_times(struct writer *w, const struct dir_entry *e)
{
        wr_u64(w, (uint64_t)e->create_ft);
        wr_u64(w, (uint64_t)e->access_ft);
        wr_u64(w, (uint64_t)e->write_ft);
        wr_u64(w, (uint64_t)e->change_ft);
        wr_u64(w, e->end_of_file);
        wr_u64(w, e->allocation);
        wr_u32(w, e->attributes);
}

static void put_short(struct writer *w, const struct dir_entry *e)
{
        if (e->short_raw) {
                wr_u8(w, e->short_len);
                wr_u8(w, 0); /* Reserved */
                wr_bytes(w, bytes_of(e->short_raw, DIR_SHORT_NAME_BYTES));
                return;
        }
        uint8_t text[DIR_SHORT_NAME_BYTES] = {0};
        struct writer s = wr_into(text, sizeof text);
        if (e->short_name)
                wr_utf16(&s, e->short_name);
        bool usable = wr_ok(&s); /* a name of more than 12 units is no short name */
        wr_u8(w, usable ? (uint8_t)s.at : 0);
        wr_u8(w, 0); /* Reserved */
        if (usable)
                wr_bytes(w, bytes_of(text, sizeof text));
        else
                wr_zero(w, sizeof text);
}

/* What stands between the name's length and the name. */
static void put_middle(struct writer *w, uint8_t layout, const struct dir_entry *e)
{
        bool is_reparse = e->attributes & FILE_ATTRIBUTE_REPARSE_POINT;
        if (layout & EA)
                wr_u32(w, is_reparse ? e->reparse_tag : e->ea_size);
        if (layout & TAG)
                wr_u32(w, is_reparse ? e->reparse_tag : 0);
        if (layout & OLD_BOTH) {
                put_short(w, e);
                wr_u16(w, e->reserved2);
                wr_u64(w, e->file_id);
                return;
        }
        if (layout & OLD_FULL)
                wr_u32(w, 0); /* Reserved */
        if (layout & ID64)
                wr_u64(w, e->file_id);
        if (layout & ID128)
                wr_bytes(w, bytes_of(e->file_id128, sizeof e->file_id128));
        if (layout & SHORT)
                put_short(w, e);
}

bool dir_list_append(struct dir_list *l, const struct dir_entry *e)
{
        struct writer *w = &l->w;
        struct chain_mark m = chain_begin(w, 8);
        wr_u32(w, e->file_index);
        if (l->layout & TIMES)
                put_times(w, e);
        size_t length = wr_u32_later(w);
        put_middle(w, l->layout, e);
        size_t name = w->at;
        wr_utf16(w, e->name);
        wr_fill_u32(w, length, (uint32_t)(w->at - name));
        return chain_end(w, m, &l->last, &l->count);
}

static void get_times(struct cursor *c, struct dir_entry *e)
{
        e->create_ft = (int64_t)cur_u64(c);
        e->access_ft = (int64_t)cur_u64(c);
        e->write_ft = (int64_t)cur_u64(c);
        e->change_ft = (int64_t)cur_u64(c);
        e->end_of_file = cur_u64(c);
        e->allocation = cur_u64(c);
        e->attributes = cur_u32(c);
}

static void get_short(struct cursor *c, struct dir_entry *e)
{
        e->short_len = cur_u8(c);
        cur_skip(c, 1); /* Reserved */
        struct bytes field = cur_bytes(c, DIR_SHORT_NAME_BYTES);
        e->short_raw = field.p;
        if (e->short_len > DIR_SHORT_NAME_BYTES)
                cur_fail(c);
        else
                e->short_utf16 = bytes_first(field, e->short_len);
}

static void get_middle(struct cursor *c, uint8_t layout, struct dir_entry *e)
{
        bool is_reparse = e->attributes & FILE_ATTRIBUTE_REPARSE_POINT;
        if (layout & EA)
                e->ea_size = cur_u32(c);
        if (is_reparse)
                e->reparse_tag = e->ea_size;
        if (layout & TAG)
                e->reparse_tag = cur_u32(c);
        if (layout & OLD_BOTH) {
                get_short(c, e);
                e->reserved2 = cur_u16(c);
                e->file_id = cur_u64(c);
                return;
        }
        if (layout & OLD_FULL)
                cur_skip(c, 4);
        if (layout & ID64)
                e->file_id = cur_u64(c);
        if (layout & ID128)
                cur_copy(c, e->file_id128, sizeof e->file_id128);
        if (layout & SHORT)
                get_short(c, e);
}

bool dir_list_next(struct bytes *rest, enum file_class cls, struct dir_entry *out, bool *bad)
{
        struct bytes entry;
        const struct fscc_class *k = fscc_file_class(cls);
        assert(k && k->is_directory);
        if (!cur_chain_next(rest, &entry, k->query_min, 1, bad))
                return false;
        uint8_t layout = layout_of(cls);
        struct dir_entry e = {0};
        struct cursor c = cur_at(entry, 4);
        e.file_index = cur_u32(&c);
        if (layout & TIMES)
                get_times(&c, &e);
        size_t n = cur_u32(&c);
        get_middle(&c, layout, &e);
        e.name_utf16 = cur_bytes(&c, n);
        if (!cur_ok(&c)) {
                *bad = true;
                return false;
        }
        *out = e;
        return true;
}
