/* Stubs of the Workstation Service, [MS-WKST] 3.2.4. Conventions as in srvsvc.h. */
#ifndef FREVO_WIRE_RPC_WKSSVC_H
#define FREVO_WIRE_RPC_WKSSVC_H

#include "base/cursor.h"
#include "base/writer.h"
#include "wire/rpc/pdu.h"

extern const struct rpc_syntax wkssvc_syntax; /* 6bffd098-a112-3610-9833-46c3f87e345a, 1.0 */

enum wkssvc_opnum {
        WKSSVC_WKSTA_GET_INFO = 0,
};

struct wkssvc_wksta {              /* 2.2.5.1-2.2.5.3 */
        const char *name, *domain; /* UTF-8 */
        uint32_t platform, major, minor, users;
};
bool wkssvc_wksta_level_known(uint32_t level);
/* `s` may be NULL when status tells of a failure. The request is srvsvc_level_req_decode()'s. */
void wkssvc_wksta_info_reply_encode(struct writer *w, uint32_t level, const struct wkssvc_wksta *s,
                                    uint32_t status);

#endif
