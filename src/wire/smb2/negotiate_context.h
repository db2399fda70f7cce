/* The negotiate context list of 3.1.1, [MS-SMB2] 2.2.3.1 and 2.2.4.1: one struct for both
 * directions, since the contexts of the reply have the shape of those of the request. */
#ifndef FREVO_WIRE_SMB2_NEGOTIATE_CONTEXT_H
#define FREVO_WIRE_SMB2_NEGOTIATE_CONTEXT_H

#include "base/bytes.h"
#include "base/limits.h"
#include "base/writer.h"

enum smb2_negotiate_context_type {
        SMB2_PREAUTH_INTEGRITY_CAPABILITIES = 0x0001,
        SMB2_ENCRYPTION_CAPABILITIES = 0x0002,
        SMB2_COMPRESSION_CAPABILITIES = 0x0003,
        SMB2_NETNAME_NEGOTIATE_CONTEXT_ID = 0x0005,
        SMB2_TRANSPORT_CAPABILITIES = 0x0006,
        SMB2_RDMA_TRANSFORM_CAPABILITIES = 0x0007,
        SMB2_SIGNING_CAPABILITIES = 0x0008,
        SMB2_CONTEXTTYPE_RESERVED = 0x0100, /* used by peers for the POSIX extensions */
};

enum smb2_hash_id { SMB2_HASH_SHA512 = 0x0001 };

enum smb2_cipher {
        SMB2_CIPHER_NONE = 0x0000, /* reply: no common cipher */
        SMB2_CIPHER_AES128_CCM = 0x0001,
        SMB2_CIPHER_AES128_GCM = 0x0002,
        SMB2_CIPHER_AES256_CCM = 0x0003,
        SMB2_CIPHER_AES256_GCM = 0x0004,
};

enum smb2_compression_algorithm {
        SMB2_COMPRESSION_NONE = 0x0000,
        SMB2_COMPRESSION_LZNT1 = 0x0001,
        SMB2_COMPRESSION_LZ77 = 0x0002,
        SMB2_COMPRESSION_LZ77_HUFFMAN = 0x0003,
        SMB2_COMPRESSION_PATTERN_V1 = 0x0004,
        SMB2_COMPRESSION_LZ4 = 0x0005,
};

enum smb2_compression_capabilities_flags {
        SMB2_COMPRESSION_CAPABILITIES_FLAG_NONE = 0x00000000,
        SMB2_COMPRESSION_CAPABILITIES_FLAG_CHAINED = 0x00000001,
};

enum smb2_transport_flags { SMB2_ACCEPT_TRANSPORT_LEVEL_SECURITY = 0x00000001 };

enum smb2_rdma_transform_id {
        SMB2_RDMA_TRANSFORM_NONE = 0x0000,
        SMB2_RDMA_TRANSFORM_ENCRYPTION = 0x0001,
        SMB2_RDMA_TRANSFORM_SIGNING = 0x0002,
};

enum smb2_signing_algorithm {
        SMB2_SIGNING_HMAC_SHA256 = 0x0000,
        SMB2_SIGNING_AES_CMAC = 0x0001,
        SMB2_SIGNING_AES_GMAC = 0x0002,
};

/* A list of algorithm numbers in the sender's order of preference. */
struct smb2_algorithms {
        bool present; /* the context was there; then count >= 1 */
        unsigned count;
        uint16_t id[LIMIT_NEG_ALGORITHMS];
};

struct smb2_negotiate_contexts {
        struct smb2_algorithms preauth; /* enum smb2_hash_id */
        struct bytes preauth_salt;
        struct smb2_algorithms encryption;  /* enum smb2_cipher */
        struct smb2_algorithms compression; /* enum smb2_compression_algorithm */
        uint32_t compression_flags;
        struct bytes netname; /* UTF-16LE, no NUL; empty when absent */
        bool has_transport;
        uint32_t transport_flags;
        struct smb2_algorithms rdma_transform; /* enum smb2_rdma_transform_id */
        struct smb2_algorithms signing;        /* enum smb2_signing_algorithm */
        bool has_posix;
        struct bytes posix; /* data of the context with type 0x0100, as sent */
};

/* True when `id` is in the list. */
bool smb2_algorithms_has(const struct smb2_algorithms *a, uint16_t id);
/* A list of one, as replies have it. */
struct smb2_algorithms smb2_algorithms_one(uint16_t id);

/* Decodes `count` contexts that fill `list`. Unknown types are skipped. False when a context
 * reaches past the list, when a known one is malformed, has an empty or over-long algorithm list
 * or comes twice ([MS-SMB2] 3.3.5.4), or when count is above LIMIT_NEG_CONTEXTS. */
bool smb2_negotiate_contexts_decode(struct bytes list, uint16_t count,
                                    struct smb2_negotiate_contexts *out);
/* Appends the contexts that are present, each aligned to 8 from hdr_at; returns how many. */
uint16_t smb2_negotiate_contexts_encode(struct writer *w, size_t hdr_at,
                                        const struct smb2_negotiate_contexts *in);

#endif
