/* The SMB2 header, [MS-SMB2] 2.2.1. It knows nothing of what stands behind it. */
#include "wire/smb2/header.h"

#include "base/cursor.h"

enum { HEADER_STRUCTURE_SIZE = 64 };

bool smb2_header_decode(struct bytes msg, struct smb2_header *out)
{
        struct cursor c = cur_of(msg);
        struct smb2_header h = {0};
        if (cur_u32(&c) != SMB2_PROTOCOL_ID || cur_u16(&c) != HEADER_STRUCTURE_SIZE)
                return false;
        h.credit_charge = cur_u16(&c);
        h.status = cur_u32(&c);
        h.command = cur_u16(&c);
        h.credits = cur_u16(&c);
        h.flags = cur_u32(&c);
        h.next_command = cur_u32(&c);
        h.message_id = cur_u64(&c);
        if (smb2_header_is_async(&h)) {
                h.async_id = cur_u64(&c);
        } else {
                h.process_id = cur_u32(&c);
                h.tree_id = cur_u32(&c);
        }
        h.session_id = cur_u64(&c);
        cur_copy(&c, h.signature, sizeof h.signature);
        if (!cur_ok(&c))
                return false;
        *out = h;
        return true;
}

void smb2_header_encode(struct writer *w, const struct smb2_header *in)
{
        wr_u32(w, SMB2_PROTOCOL_ID);
        wr_u16(w, HEADER_STRUCTURE_SIZE);
        wr_u16(w, in->credit_charge);
        wr_u32(w, in->status);
        wr_u16(w, in->command);
        wr_u16(w, in->credits);
        wr_u32(w, in->flags);
        wr_u32(w, in->next_command);
        wr_u64(w, in->message_id);
        if (smb2_header_is_async(in)) {
                wr_u64(w, in->async_id);
        } else {
                wr_u32(w, in->process_id);
                wr_u32(w, in->tree_id);
        }
        wr_u64(w, in->session_id);
        wr_bytes(w, bytes_of(in->signature, sizeof in->signature));
}

static struct writer field(uint8_t *hdr, enum smb2_header_offset at)
{
        return wr_into(hdr + at, SMB2_HEADER_LEN - (size_t)at);
}

void smb2_header_set_status(uint8_t *hdr, uint32_t status)
{
        struct writer w = field(hdr, SMB2_AT_STATUS);
        wr_u32(&w, status);
}

void smb2_header_set_credits(uint8_t *hdr, uint16_t credits)
{
        struct writer w = field(hdr, SMB2_AT_CREDITS);
        wr_u16(&w, credits);
}

void smb2_header_set_credit_charge(uint8_t *hdr, uint16_t charge)
{
        struct writer w = field(hdr, SMB2_AT_CREDIT_CHARGE);
        wr_u16(&w, charge);
}

void smb2_header_set_next_command(uint8_t *hdr, uint32_t next_command)
{
        struct writer w = field(hdr, SMB2_AT_NEXT_COMMAND);
        wr_u32(&w, next_command);
}

void smb2_header_set_message_id(uint8_t *hdr, uint64_t message_id)
{
        struct writer w = field(hdr, SMB2_AT_MESSAGE_ID);
        wr_u64(&w, message_id);
}

void smb2_header_set_session_id(uint8_t *hdr, uint64_t session_id)
{
        struct writer w = field(hdr, SMB2_AT_SESSION_ID);
        wr_u64(&w, session_id);
}

void smb2_header_add_flags(uint8_t *hdr, uint32_t flags)
{
        struct cursor c = cur_at(bytes_of(hdr, SMB2_HEADER_LEN), SMB2_AT_FLAGS);
        uint32_t now = cur_u32(&c);
        struct writer w = field(hdr, SMB2_AT_FLAGS);
        wr_u32(&w, now | flags);
}

void smb2_header_set_signature(uint8_t *hdr, const uint8_t signature[16])
{
        struct writer w = field(hdr, SMB2_AT_SIGNATURE);
        if (signature)
                wr_bytes(&w, bytes_of(signature, 16));
        else
                wr_zero(&w, 16);
}
