/* The COMPRESSION_TRANSFORM_HEADER in front of compressed messages, [MS-SMB2] 2.2.42: decode only;
 * the decompression itself is not of this folder. */
#ifndef FREVO_WIRE_SMB2_COMPRESSION_H
#define FREVO_WIRE_SMB2_COMPRESSION_H

#include "wire/smb2/header.h"
#include "wire/smb2/negotiate_context.h"

enum smb2_compression_flags {
        SMB2_COMPRESSION_FLAG_NONE = 0x0000,
        SMB2_COMPRESSION_FLAG_CHAINED = 0x0001,
};

struct smb2_compression_header {
        bool chained;
        uint32_t
                original_size; /* bytes of the compressed segment (chained: of the whole message) */
        uint16_t algorithm;    /* unchained only: enum smb2_compression_algorithm */
        struct bytes plain;    /* unchained: `Offset` bytes that were left uncompressed, in front */
        struct bytes payload;  /* unchained: compressed data; chained: list of payloads */
};

bool smb2_is_compression(struct bytes frame);
/* OriginalCompressedSegmentSize above LIMIT_FRAME_BYTES fails. */
bool smb2_compression_header_decode(struct bytes frame, struct smb2_compression_header *out);

struct smb2_compression_payload {
        uint16_t algorithm;
        uint32_t original_size; /* bytes after decompression */
        struct bytes data;      /* compressed, or as is for SMB2_COMPRESSION_NONE */
};

/* One step along the payloads of a chained message: false at the end, or with *bad set. */
bool smb2_compression_payload_next(struct bytes *rest, struct smb2_compression_payload *out,
                                   bool *bad);

/* 2.2.42.2.2 SMB2_COMPRESSION_PATTERN_PAYLOAD_V1: `repetitions` times one byte. */
struct smb2_compression_pattern {
        uint8_t pattern;
        uint32_t repetitions;
};
bool smb2_compression_pattern_decode(struct bytes data, struct smb2_compression_pattern *out);

#endif
