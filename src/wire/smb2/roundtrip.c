/* One row a command and direction: the codec pair behind one signature. */
#include "wire/smb2/roundtrip.h"

#include <assert.h>

#include "wire/smb2/cancel.h"
#include "wire/smb2/change_notify.h"
#include "wire/smb2/close.h"
#include "wire/smb2/create.h"
#include "wire/smb2/echo.h"
#include "wire/smb2/error.h"
#include "wire/smb2/flush.h"
#include "wire/smb2/ioctl.h"
#include "wire/smb2/lock.h"
#include "wire/smb2/logoff.h"
#include "wire/smb2/negotiate.h"
#include "wire/smb2/oplock_break.h"
#include "wire/smb2/query_directory.h"
#include "wire/smb2/query_info.h"
#include "wire/smb2/read.h"
#include "wire/smb2/session_setup.h"
#include "wire/smb2/set_info.h"
#include "wire/smb2/tree_connect.h"
#include "wire/smb2/tree_disconnect.h"
#include "wire/smb2/write.h"

/* Messages whose encoder needs to know where the header starts, those that need not, and those
 * without content. */
#define WITH_OFFSETS(name)                                                                         \
        static bool rt_##name(struct bytes msg, struct writer *w)                                  \
        {                                                                                          \
                struct smb2_##name v;                                                              \
                if (!smb2_##name##_decode(msg, &v))                                                \
                        return false;                                                              \
                smb2_##name##_encode(w, 0, &v);                                                    \
                return true;                                                                       \
        }
#define PLAIN(name)                                                                                \
        static bool rt_##name(struct bytes msg, struct writer *w)                                  \
        {                                                                                          \
                struct smb2_##name v;                                                              \
                if (!smb2_##name##_decode(msg, &v))                                                \
                        return false;                                                              \
                smb2_##name##_encode(w, &v);                                                       \
                return true;                                                                       \
        }
#define EMPTY(name)                                                                                \
        static bool rt_##name(struct bytes msg, struct writer *w)                                  \
        {                                                                                          \
                if (!smb2_##name##_decode(msg))                                                    \
                        return false;                                                              \
                smb2_##name##_encode(w);                                                           \
                return true;                                                                       \
        }

WITH_OFFSETS(negotiate_req)
WITH_OFFSETS(negotiate_rsp)
WITH_OFFSETS(session_setup_req)
WITH_OFFSETS(session_setup_rsp)
EMPTY(logoff_req)
EMPTY(logoff_rsp)
WITH_OFFSETS(tree_connect_req)
WITH_OFFSETS(tree_connect_rsp)
EMPTY(tree_disconnect_req)
EMPTY(tree_disconnect_rsp)
WITH_OFFSETS(create_req)
WITH_OFFSETS(create_rsp)
PLAIN(close_req)
PLAIN(close_rsp)
PLAIN(flush_req)
EMPTY(flush_rsp)
WITH_OFFSETS(read_req)
WITH_OFFSETS(read_rsp)
WITH_OFFSETS(write_req)
PLAIN(write_rsp)
PLAIN(lock_req)
EMPTY(lock_rsp)
WITH_OFFSETS(ioctl_req)
WITH_OFFSETS(ioctl_rsp)
EMPTY(cancel_req)
EMPTY(echo_req)
EMPTY(echo_rsp)
WITH_OFFSETS(query_directory_req)
PLAIN(change_notify_req)
WITH_OFFSETS(query_info_req)
WITH_OFFSETS(set_info_req)
EMPTY(set_info_rsp)
PLAIN(oplock_break)
PLAIN(lease_break)
PLAIN(lease_break_notify)
PLAIN(error_rsp)

static bool rt_output_buffer(struct bytes msg, struct writer *w)
{
        struct bytes b;
        if (!smb2_output_buffer_decode(msg, &b))
                return false;
        smb2_output_buffer_encode(w, 0, b);
        return true;
}

static bool rt_any_break(struct bytes msg, struct writer *w)
{
        switch (smb2_break_kind_of(msg)) {
        case SMB2_BREAK_OPLOCK:
                return rt_oplock_break(msg, w);
        case SMB2_BREAK_LEASE:
                return rt_lease_break(msg, w);
        case SMB2_BREAK_LEASE_NOTIFY:
                return rt_lease_break_notify(msg, w);
        default:
                return false;
        }
}

typedef bool roundtrip_fn(struct bytes msg, struct writer *w);
static roundtrip_fn *const table[SMB2_SERVER_TO_CLIENT_NOTIFICATION][2] = {
        [SMB2_NEGOTIATE] = {rt_negotiate_rsp, rt_negotiate_req},
        [SMB2_SESSION_SETUP] = {rt_session_setup_rsp, rt_session_setup_req},
        [SMB2_LOGOFF] = {rt_logoff_rsp, rt_logoff_req},
        [SMB2_TREE_CONNECT] = {rt_tree_connect_rsp, rt_tree_connect_req},
        [SMB2_TREE_DISCONNECT] = {rt_tree_disconnect_rsp, rt_tree_disconnect_req},
        [SMB2_CREATE] = {rt_create_rsp, rt_create_req},
        [SMB2_CLOSE] = {rt_close_rsp, rt_close_req},
        [SMB2_FLUSH] = {rt_flush_rsp, rt_flush_req},
        [SMB2_READ] = {rt_read_rsp, rt_read_req},
        [SMB2_WRITE] = {rt_write_rsp, rt_write_req},
        [SMB2_LOCK] = {rt_lock_rsp, rt_lock_req},
        [SMB2_IOCTL] = {rt_ioctl_rsp, rt_ioctl_req},
        [SMB2_CANCEL] = {NULL, rt_cancel_req},
        [SMB2_ECHO] = {rt_echo_rsp, rt_echo_req},
        [SMB2_QUERY_DIRECTORY] = {rt_output_buffer, rt_query_directory_req},
        [SMB2_CHANGE_NOTIFY] = {rt_output_buffer, rt_change_notify_req},
        [SMB2_QUERY_INFO] = {rt_output_buffer, rt_query_info_req},
        [SMB2_SET_INFO] = {rt_set_info_rsp, rt_set_info_req},
        [SMB2_OPLOCK_BREAK] = {rt_any_break, rt_any_break},
};

bool smb2_roundtrip(uint16_t command, bool is_request, struct bytes msg, struct writer *w)
{
        if (command >= sizeof table / sizeof table[0] || !table[command][is_request])
                return false;
        wr_bytes(w, bytes_first(msg, SMB2_HEADER_LEN));
        return table[command][is_request](msg, w);
}

bool smb2_roundtrip_error(struct bytes msg, struct writer *w)
{
        wr_bytes(w, bytes_first(msg, SMB2_HEADER_LEN));
        return rt_error_rsp(msg, w);
}

bool smb2_roundtrip_check(uint16_t command, bool is_request, struct bytes msg)
{
        /* Alignment may add bytes, overlapping windows may come apart. */
        static uint8_t first[1 << 18], second[1 << 18];
        struct writer a = wr_into(first, sizeof first);
        struct writer b = wr_into(second, sizeof second);
        if (!smb2_roundtrip(command, is_request, msg, &a))
                return false;
        if (!wr_ok(&a))
                return true; /* larger than this check has room for */
        if (!smb2_roundtrip(command, is_request, wr_done(&a), &b) || !wr_ok(&b) ||
            !bytes_eq(wr_done(&a), wr_done(&b)))
                abort();
        return true;
}
