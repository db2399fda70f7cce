/* Connection-oriented DCE/RPC fragments: [C706] chapter 12 with [MS-RPCE] 2.2.2. Little-endian data
 * representation only (every client of named pipes sends it). Both directions of each fragment.
 * Decoders set *out only on true; views live as long as the fragment.
 */
#ifndef FREVO_WIRE_RPC_PDU_H
#define FREVO_WIRE_RPC_PDU_H

#include "base/cursor.h"
#include "base/limits.h"
#include "base/writer.h"

#define RPC_HEADER_BYTES 16u
#define RPC_FRAGMENT_MIN 1432u /* [C706] 12.6.3.1: everybody can receive that much */

enum rpc_pdu_type {
        RPC_REQUEST = 0,
        RPC_RESPONSE = 2,
        RPC_FAULT = 3,
        RPC_BIND = 11,
        RPC_BIND_ACK = 12,
        RPC_BIND_NAK = 13,
        RPC_ALTER_CONTEXT = 14,
        RPC_ALTER_CONTEXT_RESP = 15,
        RPC_AUTH3 = 16,
        RPC_CANCEL = 18,
        RPC_ORPHANED = 19,
};

enum rpc_pdu_flags {
        RPC_FIRST_FRAG = 0x01,
        RPC_LAST_FRAG = 0x02,
        RPC_DID_NOT_EXECUTE = 0x20,
        RPC_OBJECT_UUID = 0x80,
};

enum rpc_fault_status { /* [C706] appendix E, [MS-RPCE] 2.2.2.11 */
                        RPC_FAULT_ACCESS_DENIED = 0x00000005,
                        RPC_FAULT_BAD_STUB = 0x000006F7,
                        RPC_FAULT_OP_RANGE = 0x1C010002,
                        RPC_FAULT_UNKNOWN_IF = 0x1C010003,
                        RPC_FAULT_PROTOCOL = 0x1C01000B,
                        RPC_FAULT_NO_MEMORY = 0x1C00001B, /* nca_s_fault_remote_no_memory */
};

enum rpc_nak_reason {
        RPC_NAK_UNSPECIFIED = 0,
        RPC_NAK_VERSION = 4,
        RPC_NAK_AUTH_TYPE = 8, /* authentication_type_not_recognized */
};

struct rpc_pdu {
        uint8_t minor, type, flags; /* the major version is always 5 */
        uint16_t frag_len;          /* whole fragment, bytes */
        uint16_t auth_len;          /* credentials behind the body; 0 = none */
        uint32_t call_id;
        struct bytes body; /* behind the header, without an authentication verifier */
};

/* The length of the fragment that starts `in`: 0 while fewer than RPC_HEADER_BYTES are there.
 * False for anything that is no fragment that we take: version, big-endian, length outside
 * [RPC_HEADER_BYTES, LIMIT_RPC_FRAGMENT]. */
bool rpc_fragment_len(struct bytes in, size_t *ret_len);
/* A whole fragment: in.n must be its frag_len. */
bool rpc_pdu_decode(struct bytes in, struct rpc_pdu *out);
/* Writes the header; rpc_pdu_end() fills in the length. One fragment to a mark. */
size_t rpc_pdu_begin(struct writer *w, enum rpc_pdu_type type, uint8_t flags, uint32_t call_id);
void rpc_pdu_end(struct writer *w, size_t mark);

struct rpc_syntax {
        uint8_t uuid[16];        /* as on the wire */
        uint16_t version, minor; /* one 32-bit number on the wire */
};
extern const struct rpc_syntax rpc_ndr32;
bool rpc_syntax_eq(const struct rpc_syntax *a, const struct rpc_syntax *b);
/* The pseudo syntax by which a client asks for bind-time features, [MS-RPCE] 3.3.1.5.3. */
bool rpc_syntax_is_features(const struct rpc_syntax *s);

struct rpc_bind_context {
        uint16_t id;
        uint8_t transfers; /* 1..LIMIT_RPC_TRANSFERS */
        struct rpc_syntax abstract;
        struct rpc_syntax transfer[LIMIT_RPC_TRANSFERS];
};
struct rpc_bind {                    /* also ALTER_CONTEXT */
        uint16_t max_xmit, max_recv; /* the sender's, bytes */
        uint32_t assoc_group;
        uint8_t count; /* contexts, 1..LIMIT_RPC_CONTEXTS */
        struct rpc_bind_context context[LIMIT_RPC_CONTEXTS];
};
bool rpc_bind_decode(struct bytes body, struct rpc_bind *out);
void rpc_bind_encode(struct writer *w, const struct rpc_bind *b);

enum rpc_bind_result {
        RPC_ACCEPTED = 0,
        RPC_USER_REJECTED = 1,
        RPC_PROVIDER_REJECTED = 2,
        RPC_FEATURES_ACK = 3
};
enum rpc_bind_reason {
        RPC_REASON_NONE = 0,
        RPC_REASON_ABSTRACT_SYNTAX = 1,
        RPC_REASON_TRANSFER_SYNTAXES = 2,
        RPC_REASON_LOCAL_LIMIT = 3,
};
struct rpc_bind_verdict {
        uint16_t result;            /* enum rpc_bind_result */
        uint16_t reason;            /* enum rpc_bind_reason; for FEATURES_ACK the feature bits */
        struct rpc_syntax transfer; /* zeros unless accepted */
};
struct rpc_bind_ack { /* also ALTER_CONTEXT_RESP */
        uint16_t max_xmit, max_recv;
        uint32_t assoc_group;
        struct bytes address; /* secondary address without NUL; empty in ALTER_CONTEXT_RESP */
        uint8_t count;
        struct rpc_bind_verdict verdict[LIMIT_RPC_CONTEXTS];
};
bool rpc_bind_ack_decode(struct bytes body, struct rpc_bind_ack *out);
void rpc_bind_ack_encode(struct writer *w, const struct rpc_bind_ack *a);

void rpc_bind_nak_encode(struct writer *w, enum rpc_nak_reason reason);
bool rpc_bind_nak_decode(struct bytes body, uint16_t *ret_reason);

struct rpc_request {
        uint32_t alloc_hint; /* untrusted; never sizes anything */
        uint16_t context_id, opnum;
        struct bytes stub;
};
bool rpc_request_decode(const struct rpc_pdu *pdu, struct rpc_request *out);
void rpc_request_encode(struct writer *w, const struct rpc_request *r);

struct rpc_response {
        uint32_t alloc_hint;
        uint16_t context_id;
        struct bytes stub;
};
bool rpc_response_decode(struct bytes body, struct rpc_response *out);
void rpc_response_encode(struct writer *w, const struct rpc_response *r);

bool rpc_fault_decode(struct bytes body, uint16_t *ret_context_id, uint32_t *ret_status);
void rpc_fault_encode(struct writer *w, uint16_t context_id, uint32_t status);

#endif
