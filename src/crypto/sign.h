/* Message signatures of SMB 2 and 3: one signer per key, made at sign-in, used for every message.
 *
 * [MS-SMB2] 3.1.4.1. Signing allocates nothing and looks up nothing: all contexts are made by
 * signer_init. A signer is *not* thread-safe: it belongs to the loop of its session; a worker that
 * signs needs a signer of its own with the same key.
 */
#ifndef FREVO_CRYPTO_SIGN_H
#define FREVO_CRYPTO_SIGN_H

#include "base/auto.h"
#include "base/bytes.h"

#define SIGN_LEN 16u
#define SIGN_KEY_LEN 16u
#define SIGN_NONCE_LEN 12u

/* The numbers are those of SMB2_SIGNING_CAPABILITIES ([MS-SMB2] 2.2.3.1.7). */
enum sign_alg { SIGN_HMAC_SHA256 = 0, SIGN_AES_CMAC = 1, SIGN_AES_GMAC = 2 };

struct signer {
        enum sign_alg alg;
        void *ctx; /* owned: EVP_MD_CTX (HMAC) or EVP_CIPHER_CTX (CMAC, GMAC) */
        uint8_t inner[64],
                outer[64]; /* HMAC: key xor pads; CMAC: K1 and K2 in the first 16 bytes */
};

/* key.n must be SIGN_KEY_LEN (HMAC takes any length up to 64). False without memory or on a wrong
 * length; signer_fini may be called in any case, and on a zeroed signer. */
MUST_USE bool signer_init(struct signer *s, enum sign_alg alg, struct bytes key);
/* Wipes the key and frees the contexts. */
void signer_fini(struct signer *s);

/* The signature over the concatenation of parts[0..n). The caller has set the signature field of
 * the header to zeros (or passes 16 zero bytes as a part in its place). nonce: GMAC only, else
 * ignored and may be NULL. */
void signer_sign(struct signer *s, const struct bytes *parts, size_t n,
                 const uint8_t nonce[SIGN_NONCE_LEN], uint8_t sig[SIGN_LEN]);
/* Whether sig is right for the parts; in constant time. */
MUST_USE bool signer_check(struct signer *s, const struct bytes *parts, size_t n,
                           const uint8_t nonce[SIGN_NONCE_LEN], const uint8_t sig[SIGN_LEN]);

/* The nonce of GMAC: MessageId, then bit 0 = sent by the server, bit 1 = SMB2 CANCEL. */
void signer_gmac_nonce(uint64_t message_id, bool from_server, bool is_cancel,
                       uint8_t nonce[SIGN_NONCE_LEN]);

#endif
