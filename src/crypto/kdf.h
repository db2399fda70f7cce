/* Keys of an SMB session, derived from what the sign-in gave ([MS-SMB2] 3.1.4.2, 3.3.5.5.3). */
#ifndef FREVO_CRYPTO_KDF_H
#define FREVO_CRYPTO_KDF_H

#include "base/auto.h"
#include "base/bytes.h"

/* SP800-108 in counter mode with HMAC-SHA256, 32-bit counter, output length in 32 bits at the end:
 * PRF(key, [i] || label || 0x00 || context || [L]). Fills out[0..out_len), out_len <= 64. Label and
 * context are taken as they are: a NUL that belongs to them is part of the view. */
void kdf_sp800_108(struct bytes key, struct bytes label, struct bytes context, uint8_t *out,
                   size_t out_len);

struct session_key_source {
        uint16_t dialect;        /* 0x0202, 0x0210, 0x0300, 0x0302, 0x0311 */
        bool cipher_256;         /* 3.1.1 with AES-256-CCM or AES-256-GCM negotiated */
        uint8_t session_key[16]; /* first 16 bytes of the sign-in's key, zero-filled if shorter */
        struct bytes full_key;   /* the whole of it; used only when cipher_256 */
        const uint8_t *preauth_hash; /* 64 bytes, Session.PreauthIntegrityHashValue; 3.1.1 only */
};

struct session_keys {
        uint8_t signing[16];
        uint8_t application[16];
        uint8_t server_in[32];  /* decrypts what clients send */
        uint8_t server_out[32]; /* encrypts what the server sends */
        size_t cipher_key_len;  /* of the last two: 16 or 32; 0 below dialect 3.0 */
};

/* All keys of a new session. 2.0.2 and 2.1 have only the session key itself: signing and
 * application are that. False for an unknown dialect. Wipe *out when done. */
MUST_USE bool session_keys_derive(const struct session_key_source *src, struct session_keys *out);

/* The signing key of one more channel: session_key is that of the binding's own sign-in,
 * preauth_hash the PreauthSession's (3.1.1, else NULL). Dialects 3.x only. */
MUST_USE bool channel_signing_key_derive(uint16_t dialect, const uint8_t session_key[16],
                                         const uint8_t *preauth_hash, uint8_t out[16]);

#endif
