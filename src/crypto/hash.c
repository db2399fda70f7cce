/* See hash.h. One-shot digests over OpenSSL's EVP, for everything that is not per message. */
#include "crypto/hash.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include "crypto/library.h"

enum { HMAC_BLOCK = 64, RC4_KEY_MAX = 32 };

bool crypto_legacy_ready(const char **why)
{
        *why = crypto_library()->legacy_error;
        return !*why;
}

static void digest(const EVP_MD *md, const struct bytes *parts, size_t n, uint8_t *out)
{
        EVP_MD_CTX *c = EVP_MD_CTX_new();
        bool ok = c && EVP_DigestInit_ex2(c, md, NULL);
        for (size_t i = 0; i < n && ok; i++)
                ok = EVP_DigestUpdate(c, parts[i].p, parts[i].n);
        ok = ok && EVP_DigestFinal_ex(c, out, NULL);
        EVP_MD_CTX_free(c);
        crypto_must(ok, "digest");
}

bool md4(struct bytes in, uint8_t out[MD4_LEN])
{
        memset(out, 0, MD4_LEN);
        if (crypto_library()->legacy_error)
                return false;
        digest(crypto_library()->md4, &in, 1, out);
        return true;
}

void md5(const struct bytes *parts, size_t n, uint8_t out[MD5_LEN])
{
        digest(crypto_library()->md5, parts, n, out);
}

void sha256(const struct bytes *parts, size_t n, uint8_t out[SHA256_LEN])
{
        digest(crypto_library()->sha256, parts, n, out);
}

void sha512(const struct bytes *parts, size_t n, uint8_t out[SHA512_LEN])
{
        digest(crypto_library()->sha512, parts, n, out);
}

/* RFC 2104; both digests in use have blocks of 64 bytes. */
static void hmac(const EVP_MD *md, struct bytes key, const struct bytes *parts, size_t n,
                 uint8_t *out)
{
        size_t len = (size_t)EVP_MD_get_size(md);
        uint8_t inner[HMAC_BLOCK] = {0}, outer[HMAC_BLOCK], sum[SHA256_LEN];
        if (key.n > HMAC_BLOCK)
                digest(md, &key, 1, inner);
        else if (key.n)
                memcpy(inner, key.p, key.n);
        for (size_t i = 0; i < HMAC_BLOCK; i++) {
                outer[i] = inner[i] ^ 0x5c;
                inner[i] ^= 0x36;
        }
        EVP_MD_CTX *c = EVP_MD_CTX_new();
        bool ok = c && EVP_DigestInit_ex2(c, md, NULL) && EVP_DigestUpdate(c, inner, HMAC_BLOCK);
        for (size_t i = 0; i < n && ok; i++)
                ok = EVP_DigestUpdate(c, parts[i].p, parts[i].n);
        ok = ok && EVP_DigestFinal_ex(c, sum, NULL);
        EVP_MD_CTX_free(c);
        crypto_must(ok, "hmac");
        digest(md, (struct bytes[]){{outer, HMAC_BLOCK}, {sum, len}}, 2, out);
        secret_wipe(inner, sizeof inner);
        secret_wipe(outer, sizeof outer);
        secret_wipe(sum, sizeof sum);
}

void hmac_md5(struct bytes key, const struct bytes *parts, size_t n, uint8_t out[MD5_LEN])
{
        hmac(crypto_library()->md5, key, parts, n, out);
}

void hmac_sha256(struct bytes key, const struct bytes *parts, size_t n, uint8_t out[SHA256_LEN])
{
        hmac(crypto_library()->sha256, key, parts, n, out);
}

bool rc4_init(struct rc4 *r, struct bytes key)
{
        *r = (struct rc4){0};
        if (crypto_library()->legacy_error || key.n < 1 || key.n > RC4_KEY_MAX)
                return false;
        EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
        if (c && EVP_EncryptInit_ex2(c, crypto_library()->rc4, NULL, NULL, NULL) &&
            EVP_CIPHER_CTX_set_key_length(c, (int)key.n) &&
            EVP_EncryptInit_ex2(c, NULL, key.p, NULL, NULL)) {
                r->ctx = c;
                return true;
        }
        EVP_CIPHER_CTX_free(c);
        return false;
}

void rc4_fini(struct rc4 *r)
{
        EVP_CIPHER_CTX_free(r->ctx);
        *r = (struct rc4){0};
}

void rc4_apply(struct rc4 *r, uint8_t *buf, size_t n)
{
        int len = 0;
        crypto_must(r->ctx && n <= INT32_MAX && EVP_EncryptUpdate(r->ctx, buf, &len, buf, (int)n),
                    "rc4");
}

bool rc4_once(struct bytes key, uint8_t *buf, size_t n)
{
        struct rc4 r;
        bool ok = rc4_init(&r, key);
        if (ok)
                rc4_apply(&r, buf, n);
        rc4_fini(&r);
        return ok;
}

void crypto_random(void *buf, size_t n)
{
        uint8_t *p = buf;
        while (n) {
                ssize_t got = getrandom(p, n, 0);
                crypto_must(got > 0 || errno == EINTR, "getrandom");
                if (got > 0) {
                        p += got;
                        n -= (size_t)got;
                }
        }
}

bool ct_equal(const void *a, const void *b, size_t n)
{
        return n == 0 || CRYPTO_memcmp(a, b, n) == 0;
}

void secret_wipe(void *p, size_t n)
{
        OPENSSL_cleanse(p, n);
}
