/* For the files of this folder only: our own OpenSSL library context and its fetched algorithms. */
#ifndef FREVO_CRYPTO_LIBRARY_H
#define FREVO_CRYPTO_LIBRARY_H

#include <openssl/evp.h>

#include <stdbool.h>

#include "base/auto.h"

/* Algorithms fetched once, for the life of the process. md4 and rc4 are NULL without the legacy
 * provider; the others are never NULL. */
struct crypto_library {
        EVP_MD *md4, *md5, *sha256, *sha512;
        EVP_CIPHER *rc4;
        EVP_CIPHER *aes128_ecb, *aes128_cbc;
        EVP_CIPHER *aes128_gcm, *aes256_gcm, *aes128_ccm, *aes256_ccm;
        const char *legacy_error; /* NULL = md4 and rc4 are there */
};

/* Any thread; loads on first use. */
const struct crypto_library *crypto_library(void);

/* Ends the process unless ok: for calls that fail only when libcrypto is broken or memory is out.
 */
void crypto_must(bool ok, const char *what);

#endif
