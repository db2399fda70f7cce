/* The ERROR response and what can stand in it, [MS-SMB2] 2.2.2. */
#include "wire/smb2/error.h"

#include "wire/smb2/body.h"

enum {
        CONTEXT_ALIGN = 8,
        SYMLINK_ERROR_TAG = 0x4c4d5953, /* "SYML" */
        SYMLINK_NAMES_FIXED = 12,       /* what ReparseDataLength counts besides PathBuffer */
};
#define REPARSE_TAG_SYMLINK 0xa000000cu

bool smb2_error_rsp_decode(struct bytes msg, struct smb2_error_rsp *out)
{
        struct cursor c = smb2_body_get(msg, 9);
        struct smb2_error_rsp r = {0};
        r.error_context_count = cur_u8(&c);
        cur_skip(&c, 1); /* Reserved */
        uint32_t len = cur_u32(&c);
        r.error_data = cur_bytes(&c, len);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void smb2_error_rsp_encode(struct writer *w, const struct smb2_error_rsp *in)
{
        wr_u16(w, 9);
        wr_u8(w, in->error_context_count);
        wr_u8(w, 0); /* Reserved */
        smb2_len32_put(w, in->error_data.n);
        wr_bytes(w, in->error_data);
        if (in->error_data.n == 0)
                wr_u8(w, 0); /* ErrorData has one byte even when ByteCount is 0 */
}

bool smb2_error_context_list_decode(const struct smb2_error_rsp *r,
                                    struct smb2_error_context_list *out)
{
        struct cursor c = cur_of(r->error_data);
        out->count = 0;
        if (r->error_context_count == 0) {
                if (r->error_data.n)
                        out->item[out->count++] = (struct smb2_error_context){
                                .error_id = SMB2_ERROR_ID_DEFAULT, .data = r->error_data};
                return true;
        }
        if (r->error_context_count > LIMIT_ERROR_CONTEXTS)
                return false;
        for (unsigned i = 0; i < r->error_context_count; i++) {
                if (i > 0)
                        cur_align(&c, CONTEXT_ALIGN);
                uint32_t len = cur_u32(&c);
                out->item[i].error_id = cur_u32(&c);
                out->item[i].data = cur_bytes(&c, len);
                if (!cur_ok(&c))
                        return false;
        }
        out->count = r->error_context_count;
        return true;
}

void smb2_error_context_encode(struct writer *w, size_t from, const struct smb2_error_context *in)
{
        wr_align_from(w, from, CONTEXT_ALIGN);
        smb2_len32_put(w, in->data.n);
        wr_u32(w, in->error_id);
        wr_bytes(w, in->data);
}

bool smb2_symlink_error_decode(struct bytes data, struct smb2_symlink_error *out)
{
        struct cursor c = cur_of(data);
        struct smb2_symlink_error s = {0};
        uint32_t len = cur_u32(&c);
        struct cursor b = cur_of(cur_bytes(&c, len));
        if (!cur_ok(&c) || cur_u32(&b) != SYMLINK_ERROR_TAG || cur_u32(&b) != REPARSE_TAG_SYMLINK)
                return false;
        cur_skip(&b, 2); /* ReparseDataLength: SymLinkLength bounds the same bytes */
        s.unparsed_path_length = cur_u16(&b);
        uint16_t substitute_off = cur_u16(&b);
        uint16_t substitute_len = cur_u16(&b);
        uint16_t print_off = cur_u16(&b);
        uint16_t print_len = cur_u16(&b);
        s.flags = cur_u32(&b);
        struct cursor path = cur_of(cur_rest(&b));
        s.substitute_name = cur_window(&path, substitute_off, substitute_len, 0, 1);
        s.print_name = cur_window(&path, print_off, print_len, 0, 1);
        if (!cur_ok(&b) || !cur_ok(&path))
                return false;
        *out = s;
        return true;
}

void smb2_symlink_error_encode(struct writer *w, const struct smb2_symlink_error *in)
{
        size_t len_mark = wr_u32_later(w);
        size_t start = w->at;
        wr_u32(w, SYMLINK_ERROR_TAG);
        wr_u32(w, REPARSE_TAG_SYMLINK);
        smb2_len16_put(w, in->substitute_name.n + in->print_name.n + SYMLINK_NAMES_FIXED);
        wr_u16(w, in->unparsed_path_length);
        wr_u16(w, 0); /* SubstituteNameOffset */
        smb2_len16_put(w, in->substitute_name.n);
        smb2_len16_put(w, in->substitute_name.n); /* PrintNameOffset */
        smb2_len16_put(w, in->print_name.n);
        wr_u32(w, in->flags);
        wr_bytes(w, in->substitute_name);
        wr_bytes(w, in->print_name);
        wr_fill_u32(w, len_mark, (uint32_t)(w->at - start));
}

bool smb2_buffer_too_small_decode(struct bytes data, uint32_t *ret_needed)
{
        struct cursor c = cur_of(data);
        uint32_t needed = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *ret_needed = needed;
        return true;
}
