/* Stubs of the Server Service, [MS-SRVS] 3.1.4: the calls by which clients list shares and ask who
 * a server is. Request decoders set *out only on true; names in requests are views of UTF-16LE.
 * Reply encoders write a whole stub, from the writer's start.
 */
#ifndef FREVO_WIRE_RPC_SRVSVC_H
#define FREVO_WIRE_RPC_SRVSVC_H

#include "base/cursor.h"
#include "base/writer.h"
#include "wire/rpc/pdu.h"

extern const struct rpc_syntax srvsvc_syntax; /* 4b324fc8-1670-01d3-1278-5a47bf6ee188, 3.0 */

enum srvsvc_opnum {
        SRVSVC_SHARE_ENUM = 15,
        SRVSVC_SHARE_GET_INFO = 16,
        SRVSVC_SERVER_GET_INFO = 21,
        SRVSVC_REMOTE_TOD = 28,
        SRVSVC_NAME_VALIDATE = 33,
        SRVSVC_SHARE_ENUM_STICKY = 36,
};

enum srvsvc_share_type { /* 2.2.2.4 */
                         STYPE_DISKTREE = 0,
                         STYPE_PRINTQ = 1,
                         STYPE_IPC = 3,
};
#define STYPE_SPECIAL 0x80000000u
#define MAX_PREFERRED_LENGTH 0xFFFFFFFFu /* 2.2.2.2 */

struct srvsvc_share {
        const char *name, *remark, *path; /* UTF-8, none NULL */
        uint32_t type;                    /* enum srvsvc_share_type, STYPE_SPECIAL */
        uint32_t permissions, max_uses, uses, flags;
        struct bytes security; /* levels 502 and 503; n == 0: NULL */
};

struct srvsvc_share_enum_req {
        uint32_t level;
        bool level_known; /* else nothing but `level` was decoded */
        uint32_t preferred_max;
        bool has_resume;
        uint32_t resume;
};
/* Clients send the container empty; a buffer with entries in it is refused. */
bool srvsvc_share_enum_req_decode(struct bytes stub, struct srvsvc_share_enum_req *out);
void srvsvc_share_enum_req_encode(struct writer *w, const char *server,
                                  const struct srvsvc_share_enum_req *q);

struct srvsvc_share_enum_reply {
        uint32_t level;
        const struct srvsvc_share *shares; /* borrowed */
        uint32_t count, total;
        bool has_resume;
        uint32_t resume, status; /* enum win32_error */
};
void srvsvc_share_enum_reply_encode(struct writer *w, const struct srvsvc_share_enum_reply *r);

/* One share of a level-1 listing received: views. */
struct srvsvc_share_seen {
        uint32_t type;
        struct bytes name_utf16, remark_utf16;
};
/* For clients: a level-1 reply, up to `max` shares into `seen`. *ret_total is how many came;
 * *ret_status the server's. False for a malformed reply. */
bool srvsvc_share_enum_reply_decode(struct bytes stub, struct srvsvc_share_seen *seen, size_t max,
                                    uint32_t *ret_count, uint32_t *ret_status);

bool srvsvc_share_level_known(uint32_t level, bool in_enum);
/* Bytes that s takes in a reply of this level: what PreferedMaximumLength is compared with. */
size_t srvsvc_share_len(const struct srvsvc_share *s, uint32_t level);

struct srvsvc_share_info_req {
        struct bytes name_utf16;
        uint32_t level;
};
bool srvsvc_share_info_req_decode(struct bytes stub, struct srvsvc_share_info_req *out);
/* `s` may be NULL when status tells of a failure. */
void srvsvc_share_info_reply_encode(struct writer *w, uint32_t level, const struct srvsvc_share *s,
                                    uint32_t status);

/* Also NetrWkstaGetInfo's request, [MS-WKST] 3.2.4.1: a server name and a level. */
bool srvsvc_level_req_decode(struct bytes stub, uint32_t *ret_level);

struct srvsvc_server {
        const char *name, *comment, *user_path; /* UTF-8 */
        uint32_t platform, major, minor, type;  /* platform 500: 2.2.2.6 */
        uint32_t users;                         /* may sign in; the rest as in 2.2.4.42 */
        uint32_t disc, announce, anndelta;
        bool hidden;
};
bool srvsvc_server_level_known(uint32_t level);
void srvsvc_server_info_reply_encode(struct writer *w, uint32_t level,
                                     const struct srvsvc_server *s, uint32_t status);

struct srvsvc_time_of_day { /* 2.2.4.105; GMT */
        uint32_t elapsed_s, uptime_ms, hours, minutes, seconds, hundredths;
        int32_t timezone_min; /* west positive */
        uint32_t tick_100us, day, month, year, weekday;
};
void srvsvc_time_of_day_reply_encode(struct writer *w, const struct srvsvc_time_of_day *t,
                                     uint32_t status);

/* A call that failed and returns nothing but its status. */
void srvsvc_status_reply_encode(struct writer *w, uint32_t status);

#endif
