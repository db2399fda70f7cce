/* See av_pair.h. Pairs are not aligned and follow each other without padding. */
#include "wire/ntlm/av_pair.h"

#include "base/cursor.h"
#include "base/limits.h"
#include "base/utf16.h"

static bool length_fits(uint16_t id, uint16_t len)
{
        if (id == NTLM_AV_FLAGS)
                return len == 4;
        if (id == NTLM_AV_TIMESTAMP)
                return len == 8;
        return id != NTLM_AV_CHANNEL_BINDINGS || len == 16;
}

bool ntlm_av_decode(struct bytes in, struct ntlm_av_list *out)
{
        struct cursor c = cur_of(in);
        struct ntlm_av_list l = {0};
        for (unsigned n = 0; n < LIMIT_AV_PAIRS; n++) {
                size_t start = c.at;
                uint16_t id = cur_u16(&c);
                uint16_t len = cur_u16(&c);
                struct bytes value = cur_bytes(&c, len);
                if (!cur_ok(&c) || !length_fits(id, len))
                        return false;
                if (id == NTLM_AV_EOL) {
                        l.pairs = bytes_first(in, start);
                        *out = l;
                        return len == 0;
                }
                if (id >= NTLM_AV_IDS)
                        continue;
                if (l.has[id])
                        return false;
                l.has[id] = true;
                l.value[id] = value;
                struct cursor v = cur_of(value);
                if (id == NTLM_AV_FLAGS)
                        l.flags = cur_u32(&v);
                if (id == NTLM_AV_TIMESTAMP)
                        l.time_ft = cur_u64(&v);
        }
        return false;
}

void ntlm_av_put(struct writer *w, enum ntlm_av_id id, struct bytes value)
{
        wr_u16(w, (uint16_t)id);
        wr_u16(w, (uint16_t)value.n);
        wr_bytes(w, value);
}

void ntlm_av_put_text(struct writer *w, enum ntlm_av_id id, const char *text)
{
        wr_u16(w, (uint16_t)id);
        wr_u16(w, (uint16_t)utf16_len(text));
        wr_utf16(w, text);
}

void ntlm_av_put_flags(struct writer *w, uint32_t flags)
{
        wr_u16(w, NTLM_AV_FLAGS);
        wr_u16(w, 4);
        wr_u32(w, flags);
}

void ntlm_av_put_time(struct writer *w, uint64_t time_ft)
{
        wr_u16(w, NTLM_AV_TIMESTAMP);
        wr_u16(w, 8);
        wr_u64(w, time_ft);
}

void ntlm_av_put_end(struct writer *w)
{
        wr_u32(w, NTLM_AV_EOL);
}
