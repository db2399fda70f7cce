/* Create contexts, [MS-SMB2] 2.2.13.2 and 2.2.14.2: the list, and the data of each known one.
 *
 * The data of SMB2_CREATE_EA_BUFFER and SD_BUFFER belongs to wire/fscc and wire/security; that of
 * AAPL, the POSIX context and SVHDX is handed through as bytes.
 */
#ifndef FREVO_WIRE_SMB2_CREATE_CONTEXT_H
#define FREVO_WIRE_SMB2_CREATE_CONTEXT_H

#include "base/limits.h"
#include "wire/smb2/ids.h"

/* X(suffix, length of the name, the name's bytes as on the wire) */
#define SMB2_CREATE_TAGS(X)                                                                        \
        X(EA_BUFFER, 4, "ExtA")                                                                    \
        X(SD_BUFFER, 4, "SecD")                                                                    \
        X(DURABLE_HANDLE_REQUEST, 4, "DHnQ")                                                       \
        X(DURABLE_HANDLE_RECONNECT, 4, "DHnC")                                                     \
        X(ALLOCATION_SIZE, 4, "AlSi")                                                              \
        X(QUERY_MAXIMAL_ACCESS, 4, "MxAc")                                                         \
        X(TIMEWARP_TOKEN, 4, "TWrp")                                                               \
        X(QUERY_ON_DISK_ID, 4, "QFid")                                                             \
        X(LEASE, 4, "RqLs") /* both versions; the data's length tells them apart */                \
        X(DURABLE_HANDLE_REQUEST_V2, 4, "DH2Q")                                                    \
        X(DURABLE_HANDLE_RECONNECT_V2, 4, "DH2C")                                                  \
        X(AAPL, 4, "AAPL")                                                                         \
        X(APP_INSTANCE_ID, 16, "\x45\xbc\xa6\x6a\xef\xa7\xf7\x4a\x90\x08\xfa\x46\x2e\x14\x4d\x74") \
        X(APP_INSTANCE_VERSION, 16,                                                                \
          "\xb9\x82\xd0\xb7\x3b\x56\x07\x4f\xa0\x7b\x52\x4a\x81\x16\xa0\x10")                      \
        X(SVHDX_OPEN_DEVICE, 16,                                                                   \
          "\x9c\xcb\xcf\x9e\x04\xc1\xe6\x43\x98\x0e\x15\x8d\xa1\xf6\xec\x83")                      \
        X(POSIX, 16, "\x93\xad\x25\x50\x9c\xb4\x11\xe7\xb4\x23\x83\xde\x96\x8b\xcd\x7c")

enum smb2_create_tag {
        SMB2_CREATE_TAG_UNKNOWN,
#define SMB2_CREATE_TAG_ENUM(suffix, len, name) SMB2_CREATE_TAG_##suffix,
        SMB2_CREATE_TAGS(SMB2_CREATE_TAG_ENUM)
#undef SMB2_CREATE_TAG_ENUM
                SMB2_CREATE_TAG_COUNT,
};

struct smb2_create_context {
        enum smb2_create_tag tag;
        struct bytes name; /* as sent; useful for unknown ones */
        struct bytes data;
};

struct smb2_create_context_list {
        unsigned count;
        struct smb2_create_context item[LIMIT_CREATE_CONTEXTS];
};

/* `list` is the window given by CreateContextsOffset/Length; an empty one is a list of none. False
 * when any entry, name or data leaves its bounds or there are too many. */
bool smb2_create_context_list_decode(struct bytes list, struct smb2_create_context_list *out);
/* The first with that tag, or NULL. */
const struct smb2_create_context *smb2_create_context_find(const struct smb2_create_context_list *l,
                                                           enum smb2_create_tag tag);

/* Builds a list in place at the end of a writer:
 *   smb2_create_context_begin(&cw, w);                      (or smb2_create_rsp_begin, create.h)
 *   smb2_create_context_open(&cw, SMB2_CREATE_TAG_X); smb2_create_x_rsp_encode(w, ...);
 *   smb2_create_context_close(&cw);  ... more ...
 *   smb2_create_context_end(&cw);
 */
struct smb2_create_context_writer {
        struct writer *w;
        size_t list_at; /* where the first context starts, once there is one */
        size_t last_at; /* where the newest context starts */
        size_t data_at; /* where the data of the open context starts */
        unsigned count;
        size_t hdr_at;    /* with `has_fields`: list offsets count from here */
        size_t fields_at; /* CreateContextsOffset and -Length, to be filled by _end */
        bool has_fields;
};

void smb2_create_context_begin(struct smb2_create_context_writer *cw, struct writer *w);
/* `tag` is a known one. */
void smb2_create_context_open(struct smb2_create_context_writer *cw, enum smb2_create_tag tag);
void smb2_create_context_close(struct smb2_create_context_writer *cw);
/* open, the data, close. */
void smb2_create_context_add(struct smb2_create_context_writer *cw, enum smb2_create_tag tag,
                             struct bytes data);
/* Returns the length of the whole list in bytes, 0 for none. */
uint32_t smb2_create_context_end(struct smb2_create_context_writer *cw);

/* ---- the data of each context: decode from item.data, encode at the writer's end ---- */

enum smb2_lease_state {
        SMB2_LEASE_NONE = 0x00,
        SMB2_LEASE_READ_CACHING = 0x01,
        SMB2_LEASE_HANDLE_CACHING = 0x02,
        SMB2_LEASE_WRITE_CACHING = 0x04,
};

enum smb2_lease_flags {
        SMB2_LEASE_FLAG_BREAK_IN_PROGRESS = 0x00000002, /* replies */
        SMB2_LEASE_FLAG_PARENT_LEASE_KEY_SET = 0x00000004,
};

/* Requests and replies, version 1 (32 bytes of data) and 2 (52 bytes). */
struct smb2_create_lease {
        unsigned version; /* 1 or 2 */
        struct smb2_guid lease_key;
        uint32_t lease_state;
        uint32_t flags;
        struct smb2_guid parent_lease_key; /* version 2 */
        uint16_t epoch;                    /* version 2 */
};
bool smb2_create_lease_decode(struct bytes data, struct smb2_create_lease *out);
void smb2_create_lease_encode(struct writer *w, const struct smb2_create_lease *in);

/* DHnQ: nothing but reserved bytes, 16 in the request, 8 in the reply. */
bool smb2_create_durable_req_decode(struct bytes data);
void smb2_create_durable_req_encode(struct writer *w);
bool smb2_create_durable_rsp_decode(struct bytes data);
void smb2_create_durable_rsp_encode(struct writer *w);

/* DHnC (request only). */
bool smb2_create_reconnect_req_decode(struct bytes data, struct smb2_file_id *out);
void smb2_create_reconnect_req_encode(struct writer *w, struct smb2_file_id id);

enum smb2_durable_v2_flags { SMB2_DHANDLE_FLAG_PERSISTENT = 0x00000002 };

struct smb2_create_durable_v2_req { /* DH2Q */
        uint32_t timeout_ms;
        uint32_t flags;
        struct smb2_guid create_guid;
};
bool smb2_create_durable_v2_req_decode(struct bytes data, struct smb2_create_durable_v2_req *out);
void smb2_create_durable_v2_req_encode(struct writer *w,
                                       const struct smb2_create_durable_v2_req *in);

struct smb2_create_durable_v2_rsp {
        uint32_t timeout_ms;
        uint32_t flags;
};
bool smb2_create_durable_v2_rsp_decode(struct bytes data, struct smb2_create_durable_v2_rsp *out);
void smb2_create_durable_v2_rsp_encode(struct writer *w,
                                       const struct smb2_create_durable_v2_rsp *in);

struct smb2_create_reconnect_v2_req { /* DH2C (request only) */
        struct smb2_file_id file_id;
        struct smb2_guid create_guid;
        uint32_t flags;
};
bool smb2_create_reconnect_v2_req_decode(struct bytes data,
                                         struct smb2_create_reconnect_v2_req *out);
void smb2_create_reconnect_v2_req_encode(struct writer *w,
                                         const struct smb2_create_reconnect_v2_req *in);

/* AlSi: bytes. TWrp: FILETIME of the snapshot. Requests only. */
bool smb2_create_allocation_size_decode(struct bytes data, uint64_t *out);
void smb2_create_allocation_size_encode(struct writer *w, uint64_t size);
bool smb2_create_timewarp_decode(struct bytes data, int64_t *ret_ft);
void smb2_create_timewarp_encode(struct writer *w, int64_t ft);

/* MxAc: the request may carry a timestamp (8 bytes) or nothing: then *ret_ft is 0. */
bool smb2_create_maximal_access_req_decode(struct bytes data, int64_t *ret_ft);
struct smb2_create_maximal_access_rsp {
        uint32_t query_status; /* NTSTATUS */
        uint32_t maximal_access;
};
bool smb2_create_maximal_access_rsp_decode(struct bytes data,
                                           struct smb2_create_maximal_access_rsp *out);
void smb2_create_maximal_access_rsp_encode(struct writer *w,
                                           const struct smb2_create_maximal_access_rsp *in);

/* QFid: the request has no data. */
struct smb2_create_disk_id_rsp {
        uint64_t disk_file_id;
        uint64_t volume_id;
};
bool smb2_create_disk_id_rsp_decode(struct bytes data, struct smb2_create_disk_id_rsp *out);
void smb2_create_disk_id_rsp_encode(struct writer *w, const struct smb2_create_disk_id_rsp *in);

bool smb2_create_app_instance_id_decode(struct bytes data, struct smb2_guid *out);
void smb2_create_app_instance_id_encode(struct writer *w, struct smb2_guid id);

struct smb2_create_app_instance_version {
        uint64_t high, low;
};
bool smb2_create_app_instance_version_decode(struct bytes data,
                                             struct smb2_create_app_instance_version *out);
void smb2_create_app_instance_version_encode(struct writer *w,
                                             const struct smb2_create_app_instance_version *in);

#endif
