/* Hashes, MACs, the RC4 that NTLM still wants, randomness and the handling of secrets.
 *
 * One-shot and for set-up work (sign-in, key derivation); per-message work is in sign.h and seal.h.
 * Any thread may call. Functions returning void can fail only when libcrypto itself is broken or
 * out of memory; going on with a wrong digest would be a security hole, so they abort the process
 * then.
 */
#ifndef FREVO_CRYPTO_HASH_H
#define FREVO_CRYPTO_HASH_H

#include "base/auto.h"
#include "base/bytes.h"

#define MD4_LEN 16u
#define MD5_LEN 16u
#define SHA256_LEN 32u
#define SHA512_LEN 64u

/* MD4 and RC4 live in OpenSSL's legacy provider, which a system may lack. True when they work;
 * otherwise *why is a sentence for the administrator. Ask once at start; loads the provider into a
 * library context of our own, so that nothing else in the process gets weak algorithms. */
MUST_USE bool crypto_legacy_ready(const char **why);

/* False only when crypto_legacy_ready() is false; out is zeros then. */
MUST_USE bool md4(struct bytes in, uint8_t out[MD4_LEN]);

void md5(const struct bytes *parts, size_t n, uint8_t out[MD5_LEN]);
void sha256(const struct bytes *parts, size_t n, uint8_t out[SHA256_LEN]);
void sha512(const struct bytes *parts, size_t n, uint8_t out[SHA512_LEN]);

/* Over the concatenation of parts[0..n). Keys of any length, 0 included. */
void hmac_md5(struct bytes key, const struct bytes *parts, size_t n, uint8_t out[MD5_LEN]);
void hmac_sha256(struct bytes key, const struct bytes *parts, size_t n, uint8_t out[SHA256_LEN]);

/* One key stream. Not thread-safe. */
struct rc4 {
        void *ctx; /* owned; an EVP_CIPHER_CTX */
};
/* False without the legacy provider or memory; rc4_fini may be called all the same. 1 <= key.n
 * <= 32. */
MUST_USE bool rc4_init(struct rc4 *r, struct bytes key);
void rc4_fini(struct rc4 *r);
/* Continues the key stream over buf, in place. */
void rc4_apply(struct rc4 *r, uint8_t *buf, size_t n);
/* RC4K of [MS-NLMP] 6: one shot with a fresh stream; in place. False as rc4_init. */
MUST_USE bool rc4_once(struct bytes key, uint8_t *buf, size_t n);

/* Unpredictable bytes. */
void crypto_random(void *buf, size_t n);
/* True when a[0..n) and b[0..n) are the same; takes the same time wherever they differ. */
MUST_USE bool ct_equal(const void *a, const void *b, size_t n);
/* Overwrites memory with zeros in a way that compilers do not remove. */
void secret_wipe(void *p, size_t n);

#endif
