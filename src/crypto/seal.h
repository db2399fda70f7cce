/* Message encryption of SMB 3 ([MS-SMB2] 3.1.4.3): AES-CCM and AES-GCM, in place, one sealer a key.
 *
 * A session has two sealers, one for each direction's key. Contexts are made by sealer_init;
 * sealing allocates nothing. Not thread-safe: a worker that seals needs a sealer of its own.
 */
#ifndef FREVO_CRYPTO_SEAL_H
#define FREVO_CRYPTO_SEAL_H

#include "base/auto.h"
#include "base/bytes.h"

#define SEAL_TAG_LEN 16u
#define SEAL_NONCE_MAX 12u

/* The numbers are those of SMB2_ENCRYPTION_CAPABILITIES ([MS-SMB2] 2.2.3.1.2). */
enum seal_alg {
        SEAL_AES128_CCM = 1,
        SEAL_AES128_GCM = 2,
        SEAL_AES256_CCM = 3,
        SEAL_AES256_GCM = 4
};

struct sealer {
        enum seal_alg alg;
        void *enc, *dec; /* owned: EVP_CIPHER_CTX, each with the key set */
};

/* 16 or 32 bytes; 0 for a number that is no algorithm. */
size_t seal_key_len(enum seal_alg alg);
/* Bytes of TRANSFORM_HEADER.Nonce in use: 11 (CCM) or 12 (GCM); the rest of the 16 stay zero. */
size_t seal_nonce_len(enum seal_alg alg);

/* key.n must be seal_key_len(alg). False on a wrong length, an unknown algorithm or without memory;
 * sealer_fini may be called in any case, and on a zeroed sealer. */
MUST_USE bool sealer_init(struct sealer *s, enum seal_alg alg, struct bytes key);
void sealer_fini(struct sealer *s);

/* Encrypts buf[0..len) in place. nonce: seal_nonce_len bytes, never used before with this key (the
 * caller counts). aad: TRANSFORM_HEADER from Nonce to its end. len <= INT_MAX. */
void seal_encrypt(struct sealer *s, const uint8_t *nonce, struct bytes aad, uint8_t *buf,
                  size_t len, uint8_t tag[SEAL_TAG_LEN]);
/* Decrypts in place. False when anything was tampered with; buf is then zeroed: what did not
 * authenticate is never looked at. */
MUST_USE bool seal_decrypt(struct sealer *s, const uint8_t *nonce, struct bytes aad, uint8_t *buf,
                           size_t len, const uint8_t tag[SEAL_TAG_LEN]);

#endif
