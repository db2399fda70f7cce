/* See quota.h. */
#include "wire/fscc/quota.h"

#include "wire/fscc/chain.h"

struct quota_list quota_list_into(void *buffer, size_t max)
{
        return (struct quota_list){.w = wr_into(buffer, max)};
}

bool quota_list_append(struct quota_list *l, const struct quota *q)
{
        struct writer *w = &l->w;
        struct chain_mark m = chain_begin(w, 8);
        wr_u32(w, (uint32_t)sid_len(&q->sid));
        wr_u64(w, (uint64_t)q->change_ft);
        wr_u64(w, (uint64_t)q->used);
        wr_u64(w, (uint64_t)q->threshold);
        wr_u64(w, (uint64_t)q->limit);
        sid_put(w, &q->sid);
        return chain_end(w, m, &l->last, &l->count);
}

bool quota_list_next(struct bytes *rest, struct quota *out, bool *bad)
{
        struct bytes entry;
        if (!cur_chain_next(rest, &entry, 40, 8, bad))
                return false;
        struct quota q = {0};
        struct cursor c = cur_at(entry, 4);
        size_t n = cur_u32(&c);
        q.change_ft = (int64_t)cur_u64(&c);
        q.used = (int64_t)cur_u64(&c);
        q.threshold = (int64_t)cur_u64(&c);
        q.limit = (int64_t)cur_u64(&c);
        *bad = !sid_decode(cur_bytes(&c, n), &q.sid);
        if (!*bad)
                *out = q;
        return !*bad;
}

bool quota_get_list_append(struct quota_list *l, const struct sid *sid)
{
        struct writer *w = &l->w;
        struct chain_mark m = chain_begin(w, 4);
        wr_u32(w, (uint32_t)sid_len(sid));
        sid_put(w, sid);
        return chain_end(w, m, &l->last, &l->count);
}

bool quota_get_list_next(struct bytes *rest, struct sid *out, bool *bad)
{
        struct bytes entry;
        if (!cur_chain_next(rest, &entry, 8, 4, bad))
                return false;
        struct cursor c = cur_at(entry, 4);
        size_t n = cur_u32(&c);
        *bad = !sid_decode(cur_bytes(&c, n), out);
        return !*bad;
}
