/* The COMPRESSION_TRANSFORM_HEADER, [MS-SMB2] 2.2.42. Sizes are bounded here, before anybody
 * allocates for a decompression. */
#include "wire/smb2/compression.h"

#include "base/cursor.h"
#include "base/limits.h"

enum { CHAIN_AT = 8 }; /* where the first payload header of the chained form stands */

bool smb2_is_compression(struct bytes frame)
{
        struct cursor c = cur_of(frame);
        return cur_u32(&c) == SMB2_COMPRESSION_PROTOCOL_ID;
}

/* Both forms have their Flags at the same place: in the chained one it is the first payload's. */
bool smb2_compression_header_decode(struct bytes frame, struct smb2_compression_header *out)
{
        struct cursor c = cur_of(frame);
        struct smb2_compression_header h = {0};
        if (cur_u32(&c) != SMB2_COMPRESSION_PROTOCOL_ID)
                return false;
        h.original_size = cur_u32(&c);
        h.algorithm = cur_u16(&c);
        uint16_t flags = cur_u16(&c);
        uint32_t offset = cur_u32(&c);
        if (!cur_ok(&c) || flags > SMB2_COMPRESSION_FLAG_CHAINED ||
            h.original_size > LIMIT_FRAME_BYTES)
                return false;
        h.chained = flags == SMB2_COMPRESSION_FLAG_CHAINED;
        if (h.chained) {
                h.algorithm = 0;
                h.payload = bytes_from(frame, CHAIN_AT);
        } else {
                h.plain = cur_bytes(&c, offset);
                h.payload = cur_rest(&c);
        }
        if (!cur_ok(&c) || h.plain.n > LIMIT_FRAME_BYTES - h.original_size)
                return false;
        *out = h;
        return true;
}

static bool has_original_size(uint16_t algorithm)
{
        return algorithm == SMB2_COMPRESSION_LZNT1 || algorithm == SMB2_COMPRESSION_LZ77 ||
               algorithm == SMB2_COMPRESSION_LZ77_HUFFMAN || algorithm == SMB2_COMPRESSION_LZ4;
}

static bool original_size_of(struct cursor *body, uint16_t algorithm, uint32_t len, uint32_t *out)
{
        struct smb2_compression_pattern p;
        if (has_original_size(algorithm)) {
                *out = cur_u32(body);
        } else if (algorithm == SMB2_COMPRESSION_PATTERN_V1) {
                if (!smb2_compression_pattern_decode(body->b, &p))
                        return false;
                *out = p.repetitions;
        } else if (algorithm == SMB2_COMPRESSION_NONE) {
                *out = len;
        } else {
                return false;
        }
        return cur_ok(body) && *out <= LIMIT_FRAME_BYTES;
}

bool smb2_compression_payload_next(struct bytes *rest, struct smb2_compression_payload *out,
                                   bool *bad)
{
        if (rest->n == 0)
                return false;
        struct cursor c = cur_of(*rest);
        struct smb2_compression_payload p = {0};
        p.algorithm = cur_u16(&c);
        cur_skip(&c, 2); /* Flags: set in the first, which the header's decoder looked at */
        uint32_t len = cur_u32(&c);
        struct cursor body = cur_of(cur_bytes(&c, len));
        if (!cur_ok(&c) || !original_size_of(&body, p.algorithm, len, &p.original_size)) {
                *bad = true;
                return false;
        }
        p.data = cur_rest(&body);
        *rest = cur_rest(&c);
        *out = p;
        return true;
}

bool smb2_compression_pattern_decode(struct bytes data, struct smb2_compression_pattern *out)
{
        struct cursor c = cur_of(data);
        struct smb2_compression_pattern p = {0};
        p.pattern = cur_u8(&c);
        cur_skip(&c, 1 + 2); /* Reserved1, Reserved2 */
        p.repetitions = cur_u32(&c);
        if (!cur_ok(&c) || cur_left(&c) != 0)
                return false;
        *out = p;
        return true;
}
