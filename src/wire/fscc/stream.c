/* See stream.h. */
#include "wire/fscc/stream.h"

#include "base/utf16.h"
#include "wire/fscc/chain.h"

struct stream_list stream_list_into(void *buffer, size_t max)
{
        return (struct stream_list){.w = wr_into(buffer, max)};
}

bool stream_list_append(struct stream_list *l, const char *name, uint64_t size, uint64_t allocation)
{
        struct writer *w = &l->w;
        struct chain_mark m = chain_begin(w, 8);
        wr_u32(w, (uint32_t)utf16_len(name));
        wr_u64(w, size);
        wr_u64(w, allocation);
        wr_utf16(w, name);
        return chain_end(w, m, &l->last, &l->count);
}

bool stream_list_next(struct bytes *rest, struct stream_entry *out, bool *bad)
{
        struct bytes entry;
        if (!cur_chain_next(rest, &entry, 24, 1, bad))
                return false;
        struct stream_entry e = {0};
        struct cursor c = cur_at(entry, 4);
        size_t n = cur_u32(&c);
        e.size = cur_u64(&c);
        e.allocation = cur_u64(&c);
        e.name_utf16 = cur_bytes(&c, n);
        *bad = !cur_ok(&c);
        if (!*bad)
                *out = e;
        return !*bad;
}
