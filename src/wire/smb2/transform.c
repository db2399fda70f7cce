/* The TRANSFORM_HEADER, [MS-SMB2] 2.2.41. The checks here come before any cryptography: a frame
 * that fails them is not worth a decryption and ends the connection ([MS-SMB2] 3.3.5.2.1.1). */
#include "wire/smb2/transform.h"

#include "base/cursor.h"

bool smb2_is_transform(struct bytes frame)
{
        struct cursor c = cur_of(frame);
        return cur_u32(&c) == SMB2_TRANSFORM_PROTOCOL_ID;
}

bool smb2_transform_header_decode(struct bytes frame, struct smb2_transform_header *out)
{
        struct cursor c = cur_of(frame);
        struct smb2_transform_header h = {0};
        if (cur_u32(&c) != SMB2_TRANSFORM_PROTOCOL_ID)
                return false;
        cur_copy(&c, h.signature, sizeof h.signature);
        cur_copy(&c, h.nonce, sizeof h.nonce);
        h.original_message_size = cur_u32(&c);
        cur_skip(&c, 2); /* Reserved */
        h.flags = cur_u16(&c);
        h.session_id = cur_u64(&c);
        if (!cur_ok(&c) || h.flags != SMB2_TRANSFORM_FLAG_ENCRYPTED)
                return false;
        if (cur_left(&c) < SMB2_HEADER_LEN || h.original_message_size != cur_left(&c))
                return false;
        *out = h;
        return true;
}

void smb2_transform_header_encode(struct writer *w, const struct smb2_transform_header *in)
{
        wr_u32(w, SMB2_TRANSFORM_PROTOCOL_ID);
        wr_bytes(w, bytes_of(in->signature, sizeof in->signature));
        wr_bytes(w, bytes_of(in->nonce, sizeof in->nonce));
        wr_u32(w, in->original_message_size);
        wr_u16(w, 0); /* Reserved */
        wr_u16(w, in->flags);
        wr_u64(w, in->session_id);
}

void smb2_transform_header_set_signature(uint8_t *hdr, const uint8_t signature[16])
{
        memcpy(hdr + SMB2_TRANSFORM_AT_SIGNATURE, signature, 16);
}
