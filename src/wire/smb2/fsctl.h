/* The payloads of the control codes that [MS-SMB2] itself defines (2.2.31.1 to 2.2.31.4 and
 * 2.2.32.1 to 2.2.32.6). The codes, and the payloads of all others, are in wire/fscc/fsctl.h.
 *
 * `input` and `output` are the windows that ioctl.h gives; payloads count from their own start.
 * Request decoders take more bytes than they need, as servers do; a longer buffer is not an error.
 */
#ifndef FREVO_WIRE_SMB2_FSCTL_H
#define FREVO_WIRE_SMB2_FSCTL_H

#include "base/limits.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/ids.h"

#define SMB2_RESUME_KEY_LEN 24u

struct srv_copychunk {
        uint64_t source_offset, target_offset; /* bytes */
        uint32_t length;                       /* bytes */
};

struct srv_copychunk_copy {
        uint8_t source_key[SMB2_RESUME_KEY_LEN];
        uint32_t chunk_count; /* as sent, also when above LIMIT_COPY_CHUNKS */
        struct srv_copychunk chunks[LIMIT_COPY_CHUNKS];
};

/* A chunk_count above LIMIT_COPY_CHUNKS decodes to true with no chunk filled in: the answer then
 * is a SRV_COPYCHUNK_RESPONSE with the server's limits ([MS-SMB2] 3.3.5.15.6), which is for the
 * caller to send. A count within the limit whose chunks do not fit the input is false. */
bool srv_copychunk_copy_decode(struct bytes input, struct srv_copychunk_copy *out);
void srv_copychunk_copy_encode(struct writer *w, const struct srv_copychunk_copy *in);

struct srv_copychunk_response {
        uint32_t chunks_written;
        uint32_t chunk_bytes_written;
        uint32_t total_bytes_written;
};
bool srv_copychunk_response_decode(struct bytes output, struct srv_copychunk_response *out);
void srv_copychunk_response_encode(struct writer *w, const struct srv_copychunk_response *in);

/* SRV_REQUEST_RESUME_KEY response: the key, an empty context. */
struct srv_resume_key {
        uint8_t b[SMB2_RESUME_KEY_LEN];
};
bool srv_resume_key_decode(struct bytes output, struct srv_resume_key *out);
void srv_resume_key_encode(struct writer *w, const struct srv_resume_key *in);

/* NETWORK_RESILIENCY_REQUEST. */
bool network_resiliency_request_decode(struct bytes input, uint32_t *ret_timeout_ms);
void network_resiliency_request_encode(struct writer *w, uint32_t timeout_ms);

struct validate_negotiate_info_req {
        uint32_t capabilities;
        struct smb2_guid guid;
        uint16_t security_mode;
        unsigned dialect_count; /* at most LIMIT_DIALECTS */
        uint16_t dialects[LIMIT_DIALECTS];
};
bool validate_negotiate_info_req_decode(struct bytes input,
                                        struct validate_negotiate_info_req *out);
void validate_negotiate_info_req_encode(struct writer *w,
                                        const struct validate_negotiate_info_req *in);

struct validate_negotiate_info_rsp {
        uint32_t capabilities;
        struct smb2_guid guid;
        uint16_t security_mode;
        uint16_t dialect;
};
bool validate_negotiate_info_rsp_decode(struct bytes output,
                                        struct validate_negotiate_info_rsp *out);
void validate_negotiate_info_rsp_encode(struct writer *w,
                                        const struct validate_negotiate_info_rsp *in);

enum network_interface_capability {
        RSS_CAPABLE = 0x00000001,
        RDMA_CAPABLE = 0x00000002,
};

enum network_interface_family {
        NETWORK_INTERFACE_IPV4 = 0x0002,
        NETWORK_INTERFACE_IPV6 = 0x0017,
};

struct network_interface_info {
        uint32_t if_index;
        uint32_t capability;
        uint64_t link_speed; /* bits per second */
        uint16_t family;     /* enum network_interface_family, or another number a peer sends */
        uint16_t port;       /* host order; normally 0 */
        uint8_t address[16]; /* network order; IPv4 in the first four */
        uint32_t scope_id;   /* IPv6 */
};
/* One step along the list in `*rest`: false at its end, or with *bad set. */
bool network_interface_info_next(struct bytes *rest, struct network_interface_info *out, bool *bad);
/* Appends one. `last_at` holds where the previous one started (SIZE_MAX before the first) and is
 * updated; the previous one's Next is set. */
void network_interface_info_encode(struct writer *w, size_t *last_at,
                                   const struct network_interface_info *in);

/* SRV_SNAPSHOT_ARRAY. */
struct srv_snapshot_array {
        uint32_t number_of_snapshots;
        uint32_t number_of_snapshots_returned;
        uint32_t snapshot_array_size; /* bytes; what would be needed when nothing is returned */
        struct bytes snapshots; /* @GMT tokens in UTF-16LE, each NUL-terminated, one more NUL */
};
bool srv_snapshot_array_decode(struct bytes output, struct srv_snapshot_array *out);
void srv_snapshot_array_encode(struct writer *w, const struct srv_snapshot_array *in);

#endif
