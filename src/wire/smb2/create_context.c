/* Create contexts, [MS-SMB2] 2.2.13.2: the list in both directions. The data of the single contexts
 * is in create_context_data.c. */
#include "wire/smb2/create_context.h"

#include <assert.h>

enum {
        CONTEXT_ALIGN = 8,
        CONTEXT_FIXED = 16, /* Next .. DataLength */
        NAME_MIN = 4,
};

struct tag_row {
        enum smb2_create_tag tag;
        size_t len;
        const char *name;
};

static const struct tag_row tags[] = {
#define TAG_ROW(suffix, len, name) {SMB2_CREATE_TAG_##suffix, len, name},
        SMB2_CREATE_TAGS(TAG_ROW)
#undef TAG_ROW
};

static enum smb2_create_tag tag_of(struct bytes name)
{
        for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
                if (bytes_eq(name, bytes_of(tags[i].name, tags[i].len)))
                        return tags[i].tag;
        return SMB2_CREATE_TAG_UNKNOWN;
}

static bool entry_decode(struct bytes entry, struct smb2_create_context *out)
{
        struct cursor c = cur_of(entry);
        cur_skip(&c, 4); /* Next */
        uint16_t name_off = cur_u16(&c);
        uint16_t name_len = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved */
        uint16_t data_off = cur_u16(&c);
        uint32_t data_len = cur_u32(&c);
        if (name_len < NAME_MIN)
                return false;
        out->name = cur_window(&c, name_off, name_len, CONTEXT_FIXED, 1);
        out->data = cur_window(&c, data_off, data_len, CONTEXT_FIXED, 1);
        out->tag = tag_of(out->name);
        return cur_ok(&c);
}

bool smb2_create_context_list_decode(struct bytes list, struct smb2_create_context_list *out)
{
        struct bytes rest = list, entry;
        bool bad = false;
        out->count = 0;
        while (cur_chain_next(&rest, &entry, CONTEXT_FIXED, CONTEXT_ALIGN, &bad)) {
                if (out->count >= LIMIT_CREATE_CONTEXTS ||
                    !entry_decode(entry, &out->item[out->count])) {
                        bad = true;
                        break;
                }
                out->count++;
        }
        if (bad)
                out->count = 0;
        return !bad;
}

const struct smb2_create_context *smb2_create_context_find(const struct smb2_create_context_list *l,
                                                           enum smb2_create_tag tag)
{
        for (unsigned i = 0; i < l->count; i++)
                if (l->item[i].tag == tag)
                        return &l->item[i];
        return NULL;
}

void smb2_create_context_begin(struct smb2_create_context_writer *cw, struct writer *w)
{
        *cw = (struct smb2_create_context_writer){.w = w, .list_at = w->at};
}

/* Each context starts at a multiple of 8 from the first, which itself is aligned by whoever began
 * the list; so are its name and its data. */
void smb2_create_context_open(struct smb2_create_context_writer *cw, enum smb2_create_tag tag)
{
        assert(tag > SMB2_CREATE_TAG_UNKNOWN && tag < SMB2_CREATE_TAG_COUNT);
        const struct tag_row *row = &tags[tag - 1];
        struct writer *w = cw->w;
        assert(row->tag == tag);
        wr_align_from(w, cw->list_at, CONTEXT_ALIGN);
        if (cw->count > 0)
                wr_fill_u32(w, cw->last_at, (uint32_t)(w->at - cw->last_at));
        cw->last_at = w->at;
        wr_u32(w, 0); /* Next, until another one is opened */
        wr_u16(w, CONTEXT_FIXED);
        wr_u16(w, (uint16_t)row->len);
        wr_u16(w, 0); /* Reserved */
        wr_u16(w, 0); /* DataOffset and DataLength: filled by close when there is data */
        wr_u32(w, 0);
        wr_bytes(w, bytes_of(row->name, row->len));
        wr_align_from(w, cw->list_at, CONTEXT_ALIGN);
        cw->data_at = w->at;
        cw->count++;
}

void smb2_create_context_close(struct smb2_create_context_writer *cw)
{
        size_t len = cw->w->at - cw->data_at;
        if (len == 0)
                return;
        wr_fill_u16(cw->w, cw->last_at + 10, (uint16_t)(cw->data_at - cw->last_at));
        wr_fill_u32(cw->w, cw->last_at + 12, (uint32_t)len);
}

void smb2_create_context_add(struct smb2_create_context_writer *cw, enum smb2_create_tag tag,
                             struct bytes data)
{
        smb2_create_context_open(cw, tag);
        wr_bytes(cw->w, data);
        smb2_create_context_close(cw);
}

uint32_t smb2_create_context_end(struct smb2_create_context_writer *cw)
{
        if (cw->count == 0)
                return 0;
        uint32_t len = (uint32_t)(cw->w->at - cw->list_at);
        if (cw->has_fields) {
                wr_fill_u32(cw->w, cw->fields_at, (uint32_t)(cw->list_at - cw->hdr_at));
                wr_fill_u32(cw->w, cw->fields_at + 4, len);
        }
        return len;
}
