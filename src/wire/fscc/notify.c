/* See notify.h. */
#include "wire/fscc/notify.h"

#include "base/utf16.h"
#include "wire/fscc/chain.h"

struct notify_list notify_list_into(void *buffer, size_t max)
{
        return (struct notify_list){.w = wr_into(buffer, max)};
}

bool notify_list_append(struct notify_list *l, enum notify_action action, const char *name)
{
        struct writer *w = &l->w;
        struct chain_mark m = chain_begin(w, 4);
        wr_u32(w, action);
        wr_u32(w, (uint32_t)utf16_len(name));
        wr_utf16(w, name);
        return chain_end(w, m, &l->last, &l->count);
}

bool notify_list_next(struct bytes *rest, struct notify_entry *out, bool *bad)
{
        struct bytes entry;
        if (!cur_chain_next(rest, &entry, 12, 4, bad))
                return false;
        struct notify_entry e = {0};
        struct cursor c = cur_at(entry, 4);
        e.action = cur_u32(&c);
        size_t n = cur_u32(&c);
        e.name_utf16 = cur_bytes(&c, n);
        *bad = !cur_ok(&c);
        if (!*bad)
                *out = e;
        return !*bad;
}
