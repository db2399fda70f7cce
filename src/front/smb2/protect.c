/* See protect.h. Keys and algorithms are the session's and the channel's; this file knows only
 * where signatures, nonces and headers stand. */
#include "front/smb2/protect.h"

#include "wire/smb2/header.h"
#include "wire/smb2/transform.h"

static const uint8_t no_signature[SIGN_LEN];

/* The message with zeros where its signature stands. */
static void signed_parts(struct bytes msg, struct bytes parts[3])
{
        parts[0] = bytes_first(msg, SMB2_AT_SIGNATURE);
        parts[1] = bytes_of(no_signature, SIGN_LEN);
        parts[2] = bytes_from(msg, SMB2_HEADER_LEN);
}

bool smb2_protect_verify(struct signer *s, struct bytes msg, const struct smb2_header *h)
{
        struct bytes parts[3];
        uint8_t nonce[SIGN_NONCE_LEN];
        signed_parts(msg, parts);
        signer_gmac_nonce(h->message_id, false, h->command == SMB2_CANCEL, nonce);
        return signer_check(s, parts, 3, nonce, h->signature);
}

void smb2_protect_sign(struct signer *s, uint8_t *p, size_t n)
{
        struct bytes parts[3];
        uint8_t nonce[SIGN_NONCE_LEN], sig[SIGN_LEN];
        struct smb2_header h;
        smb2_header_add_flags(p, SMB2_FLAGS_SIGNED);
        if (!smb2_header_decode(bytes_of(p, n), &h))
                return; /* not reached: we encoded it */
        signed_parts(bytes_of(p, n), parts);
        signer_gmac_nonce(h.message_id, true, false, nonce);
        signer_sign(s, parts, 3, nonce, sig);
        smb2_header_set_signature(p, sig);
}

struct smb2_session *smb2_protect_unseal(struct smb2_conn *c, struct bytes *frame)
{
        struct smb2_transform_header t;
        if (c->negotiation != SMB2_NEGOTIATED || !smb2_transform_header_decode(*frame, &t))
                return NULL;
        struct smb2_session *s = smb2_session_lookup(c->local, t.session_id);
        if (!s || !s->can_seal || !smb2_channel_lookup(s, c))
                return NULL;
        /* The frame is ours to change: net/conn.h. */
        uint8_t *p = (uint8_t *)(uintptr_t)frame->p;
        struct bytes aad = bytes_of(p + SMB2_TRANSFORM_AT_NONCE, SMB2_TRANSFORM_AAD_LEN);
        uint8_t *plain = p + SMB2_TRANSFORM_HEADER_LEN;
        size_t n = frame->n - SMB2_TRANSFORM_HEADER_LEN;
        if (!seal_decrypt(&s->seal_in, t.nonce, aad, plain, n, t.signature))
                return NULL;
        *frame = bytes_of(plain, n);
        return s;
}

void smb2_protect_seal(struct smb2_session *s, uint8_t *p, size_t n)
{
        struct smb2_transform_header t = {
                .original_message_size = (uint32_t)n,
                .flags = SMB2_TRANSFORM_FLAG_ENCRYPTED,
                .session_id = s->id,
        };
        /* A counter never repeats within a key's life: 2^64 messages. */
        uint64_t nonce = ++s->next_nonce;
        for (unsigned i = 0; i < 8; i++)
                t.nonce[i] = (uint8_t)(nonce >> 8 * i);
        uint8_t *head = p - SMB2_TRANSFORM_HEADER_LEN;
        struct writer w = wr_into(head, SMB2_TRANSFORM_HEADER_LEN);
        smb2_transform_header_encode(&w, &t);
        uint8_t tag[SEAL_TAG_LEN];
        seal_encrypt(&s->seal_out, t.nonce,
                     bytes_of(head + SMB2_TRANSFORM_AT_NONCE, SMB2_TRANSFORM_AAD_LEN), p, n, tag);
        smb2_transform_header_set_signature(head, tag);
}
