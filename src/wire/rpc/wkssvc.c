/* See wkssvc.h. */
#include "wire/rpc/wkssvc.h"

#include "wire/rpc/ndr.h"

const struct rpc_syntax wkssvc_syntax = {.uuid = {0x98, 0xD0, 0xFF, 0x6B, 0x12, 0xA1, 0x10, 0x36,
                                                  0x98, 0x33, 0x46, 0xC3, 0xF8, 0x7E, 0x34, 0x5A},
                                         .version = 1};

bool wkssvc_wksta_level_known(uint32_t level)
{
        return level >= 100 && level <= 102;
}

static void put_wksta(struct ndr_writer *n, uint32_t level, const struct wkssvc_wksta *s)
{
        ndr_put_u32(n, s->platform);
        ndr_put_pointer(n, true); /* computername */
        ndr_put_pointer(n, true); /* langroup */
        ndr_put_u32(n, s->major);
        ndr_put_u32(n, s->minor);
        if (level >= 101)
                ndr_put_pointer(n, false); /* lanroot: NULL, [MS-WKST] 2.2.5.2 */
        if (level == 102)
                ndr_put_u32(n, s->users);
        ndr_put_wstring(n, s->name);
        ndr_put_wstring(n, s->domain);
}

void wkssvc_wksta_info_reply_encode(struct writer *w, uint32_t level, const struct wkssvc_wksta *s,
                                    uint32_t status)
{
        struct ndr_writer n = ndr_into(w);
        bool known = wkssvc_wksta_level_known(level);
        ndr_put_u32(&n, level);
        if (known)
                ndr_put_pointer(&n, s != NULL);
        if (known && s)
                put_wksta(&n, level, s);
        ndr_put_u32(&n, status);
}
