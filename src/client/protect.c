/* See protect.h. */
#include "client/protect.h"

#include "wire/smb2/transform.h"

static const uint8_t no_signature[SIGN_LEN];

static void sign_one(struct signer *s, struct client_frame *f, unsigned i)
{
        struct bytes body[3], parts[5];
        uint8_t nonce[SIGN_NONCE_LEN], sig[SIGN_LEN];
        uint8_t *hdr = frame_bytes(f) + f->req[i]->hdr_at;
        smb2_header_add_flags(hdr, SMB2_FLAGS_SIGNED);
        unsigned n = frame_parts(f, i, body);
        parts[0] = bytes_first(body[0], SMB2_AT_SIGNATURE);
        parts[1] = bytes_of(no_signature, SIGN_LEN);
        parts[2] = bytes_from(body[0], SMB2_HEADER_LEN);
        for (unsigned k = 1; k < n; k++)
                parts[2 + k] = body[k];
        signer_gmac_nonce(f->req[i]->message_id, false, f->req[i]->command == SMB2_CANCEL, nonce);
        signer_sign(s, parts, 2 + n, nonce, sig);
        smb2_header_set_signature(hdr, sig);
}

void protect_sign(struct signer *s, struct client_frame *f)
{
        for (unsigned i = 0; i < f->n_reqs; i++)
                sign_one(s, f, i);
}

bool protect_verify(struct signer *s, struct bytes msg, const struct smb2_header *h)
{
        uint8_t nonce[SIGN_NONCE_LEN];
        struct bytes parts[3] = {bytes_first(msg, SMB2_AT_SIGNATURE),
                                 bytes_of(no_signature, SIGN_LEN),
                                 bytes_from(msg, SMB2_HEADER_LEN)};
        if (!(h->flags & SMB2_FLAGS_SIGNED))
                return false;
        signer_gmac_nonce(h->message_id, true, h->command == SMB2_CANCEL, nonce);
        return signer_check(s, parts, 3, nonce, h->signature);
}

static void gather(const struct client_frame *f, uint8_t *to)
{
        size_t head = f->payload ? f->payload_at : f->len;
        memcpy(to, frame_bytes(f), head);
        if (!f->payload)
                return;
        memcpy(to + head, f->payload, f->payload_n);
        memcpy(to + head + f->payload_n, frame_bytes(f) + head, f->len - head);
}

struct buf *protect_seal(struct client_session *s, const struct client_frame *f, struct bytes *ret)
{
        size_t n = frame_total(f);
        struct buf *b = buf_get(f->ctx->bufs, SMB2_TRANSFORM_HEADER_LEN + n);
        if (!b)
                return NULL;
        uint8_t *plain = b->p + SMB2_TRANSFORM_HEADER_LEN, tag[SEAL_TAG_LEN];
        struct smb2_transform_header t = {.original_message_size = (uint32_t)n,
                                          .flags = SMB2_TRANSFORM_FLAG_ENCRYPTED,
                                          .session_id = s->id};
        uint64_t nonce = ++s->nonce; /* never repeats within a key's life */
        for (unsigned i = 0; i < 8; i++)
                t.nonce[i] = (uint8_t)(nonce >> 8 * i);
        gather(f, plain);
        struct writer w = wr_into(b->p, SMB2_TRANSFORM_HEADER_LEN);
        smb2_transform_header_encode(&w, &t);
        seal_encrypt(&s->seal_out, t.nonce,
                     bytes_of(b->p + SMB2_TRANSFORM_AT_NONCE, SMB2_TRANSFORM_AAD_LEN), plain, n,
                     tag);
        smb2_transform_header_set_signature(b->p, tag);
        *ret = bytes_of(b->p, SMB2_TRANSFORM_HEADER_LEN + n);
        return b;
}

bool protect_unseal(struct client_session *s, struct bytes *frame)
{
        struct smb2_transform_header t;
        if (!s->can_seal || !smb2_transform_header_decode(*frame, &t) || t.session_id != s->id)
                return false;
        uint8_t *p = (uint8_t *)(uintptr_t)frame->p; /* ours to change: net/conn.h */
        size_t n = frame->n - SMB2_TRANSFORM_HEADER_LEN;
        if (!seal_decrypt(&s->seal_in, t.nonce,
                          bytes_of(p + SMB2_TRANSFORM_AT_NONCE, SMB2_TRANSFORM_AAD_LEN),
                          p + SMB2_TRANSFORM_HEADER_LEN, n, t.signature))
                return false;
        *frame = bytes_of(p + SMB2_TRANSFORM_HEADER_LEN, n);
        return true;
}
