/* See rename.h. */
#include "wire/fscc/rename.h"

#include "base/utf16.h"

bool file_rename_decode(struct bytes in, bool ex, struct file_rename *out)
{
        struct cursor c = cur_of(in);
        struct file_rename f = {0};
        if (ex) {
                f.flags = cur_u32(&c);
        } else {
                f.flags = cur_u8(&c) ? FILE_RENAME_REPLACE_IF_EXISTS : 0;
                cur_skip(&c, 3); /* Reserved, any value */
        }
        cur_skip(&c, 4); /* Reserved, any value */
        f.root_directory = cur_u64(&c);
        size_t n = cur_u32(&c);
        f.name_utf16 = cur_bytes(&c, n);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void file_rename_encode(struct writer *w, bool ex, uint32_t flags, const char *name)
{
        size_t start = w->at;
        wr_u32(w, ex ? flags : (flags & FILE_RENAME_REPLACE_IF_EXISTS));
        wr_u32(w, 0); /* Reserved */
        wr_u64(w, 0); /* RootDirectory: none over the network */
        wr_u32(w, (uint32_t)utf16_len(name));
        wr_utf16(w, name);
        if (wr_ok(w) && w->at - start < 24)
                wr_zero(w, 24 - (w->at - start));
}
