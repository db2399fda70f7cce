/* See sign.h. Called for each signed message on a session's loop: the contexts are reset, never
 * made.
 *
 * HMAC feeds the key's padded blocks by hand, because resetting OpenSSL's HMAC duplicates digest
 * contexts (an allocation a message). CMAC runs CBC over a scratch block of a few KiB, because
 * OpenSSL 3.0's own CMAC calls the cipher once for every 16 bytes. */
#include "crypto/sign.h"

#include "crypto/hash.h"
#include "crypto/library.h"

enum { AES_BLOCK = 16, CMAC_CHUNK = 2048 };

/* RFC 4493 2.3: doubling in GF(2^128). */
static void cmac_double(uint8_t out[AES_BLOCK], const uint8_t in[AES_BLOCK])
{
        uint8_t carry = in[0] >> 7;
        for (size_t i = 0; i < AES_BLOCK; i++)
                out[i] = (uint8_t)(in[i] << 1 | (i + 1 < AES_BLOCK ? in[i + 1] >> 7 : 0));
        out[AES_BLOCK - 1] ^= (uint8_t)(0x87 & -carry);
}

static bool cmac_init(struct signer *s, const uint8_t *key)
{
        static const uint8_t zero[AES_BLOCK];
        uint8_t l[AES_BLOCK];
        int len = 0;
        s->ctx = EVP_CIPHER_CTX_new();
        if (!s->ctx ||
            !EVP_EncryptInit_ex2(s->ctx, crypto_library()->aes128_cbc, key, zero, NULL) ||
            !EVP_CIPHER_CTX_set_padding(s->ctx, 0) ||
            !EVP_EncryptUpdate(s->ctx, l, &len, zero, AES_BLOCK))
                return false;
        cmac_double(s->inner, l);
        cmac_double(s->outer, s->inner);
        secret_wipe(l, sizeof l);
        return true;
}

static bool hmac_init(struct signer *s, struct bytes key)
{
        if (key.n > sizeof s->inner)
                return false;
        s->ctx = EVP_MD_CTX_new();
        if (!s->ctx || !EVP_DigestInit_ex2(s->ctx, crypto_library()->sha256, NULL))
                return false;
        if (key.n)
                memcpy(s->inner, key.p, key.n);
        for (size_t i = 0; i < sizeof s->inner; i++) {
                s->outer[i] = s->inner[i] ^ 0x5c;
                s->inner[i] ^= 0x36;
        }
        return true;
}

static bool gmac_init(struct signer *s, const uint8_t *key)
{
        s->ctx = EVP_CIPHER_CTX_new();
        return s->ctx && EVP_EncryptInit_ex2(s->ctx, crypto_library()->aes128_gcm, key, NULL, NULL);
}

bool signer_init(struct signer *s, enum sign_alg alg, struct bytes key)
{
        *s = (struct signer){.alg = alg};
        if (alg == SIGN_HMAC_SHA256)
                return hmac_init(s, key);
        if (key.n != SIGN_KEY_LEN)
                return false;
        if (alg == SIGN_AES_CMAC)
                return cmac_init(s, key.p);
        return alg == SIGN_AES_GMAC && gmac_init(s, key.p);
}

void signer_fini(struct signer *s)
{
        if (s->alg == SIGN_HMAC_SHA256)
                EVP_MD_CTX_free(s->ctx);
        else
                EVP_CIPHER_CTX_free(s->ctx);
        secret_wipe(s, sizeof *s);
}

static void hmac_sign(struct signer *s, const struct bytes *parts, size_t n, uint8_t *sig)
{
        EVP_MD_CTX *c = s->ctx;
        uint8_t sum[SHA256_LEN];
        bool ok = EVP_DigestInit_ex2(c, NULL, NULL) && EVP_DigestUpdate(c, s->inner, 64);
        for (size_t i = 0; i < n && ok; i++)
                ok = EVP_DigestUpdate(c, parts[i].p, parts[i].n);
        ok = ok && EVP_DigestFinal_ex(c, sum, NULL) && EVP_DigestInit_ex2(c, NULL, NULL) &&
             EVP_DigestUpdate(c, s->outer, 64) && EVP_DigestUpdate(c, sum, sizeof sum) &&
             EVP_DigestFinal_ex(c, sum, NULL);
        crypto_must(ok, "HMAC-SHA256 signature");
        memcpy(sig, sum, SIGN_LEN);
}

/* The state of one CMAC: `block` holds back up to one block, because the last is treated apart. */
struct cmac_run {
        EVP_CIPHER_CTX *c;
        uint8_t block[AES_BLOCK];
        size_t held;
};

static void cmac_blocks(EVP_CIPHER_CTX *c, const uint8_t *p, size_t n, uint8_t *last)
{
        uint8_t scratch[CMAC_CHUNK];
        while (n) {
                size_t now = n < CMAC_CHUNK ? n : CMAC_CHUNK;
                int len = 0;
                crypto_must(EVP_EncryptUpdate(c, scratch, &len, p, (int)now), "CMAC signature");
                p += now;
                n -= now;
                if (last && n == 0)
                        memcpy(last, scratch + now - AES_BLOCK, AES_BLOCK);
        }
}

static void cmac_feed(struct cmac_run *r, struct bytes part)
{
        if (part.n == 0)
                return;
        if (r->held) {
                size_t fill = AES_BLOCK - r->held;
                fill = fill < part.n ? fill : part.n;
                memcpy(r->block + r->held, part.p, fill);
                r->held += fill;
                part = bytes_from(part, fill);
                if (part.n == 0)
                        return;
                cmac_blocks(r->c, r->block, AES_BLOCK, NULL);
        }
        size_t whole = (part.n - 1) / AES_BLOCK * AES_BLOCK; /* at least one byte is held back */
        cmac_blocks(r->c, part.p, whole, NULL);
        r->held = part.n - whole;
        memcpy(r->block, part.p + whole, r->held);
}

static void cmac_sign(struct signer *s, const struct bytes *parts, size_t n, uint8_t *sig)
{
        static const uint8_t zero[AES_BLOCK];
        struct cmac_run r = {.c = s->ctx};
        crypto_must(EVP_EncryptInit_ex2(r.c, NULL, NULL, zero, NULL), "CMAC signature");
        for (size_t i = 0; i < n; i++)
                cmac_feed(&r, parts[i]);
        bool complete = r.held == AES_BLOCK;
        if (!complete) {
                memset(r.block + r.held, 0, AES_BLOCK - r.held);
                r.block[r.held] = 0x80;
        }
        for (size_t i = 0; i < AES_BLOCK; i++)
                r.block[i] ^= complete ? s->inner[i] : s->outer[i];
        cmac_blocks(r.c, r.block, AES_BLOCK, sig);
}

/* RFC 4543: GCM with everything as additional data and nothing to encrypt. */
static void gmac_sign(struct signer *s, const struct bytes *parts, size_t n, const uint8_t *nonce,
                      uint8_t *sig)
{
        EVP_CIPHER_CTX *c = s->ctx;
        uint8_t none[AES_BLOCK];
        int len = 0;
        bool ok = nonce && EVP_EncryptInit_ex2(c, NULL, NULL, nonce, NULL);
        for (size_t i = 0; i < n && ok; i++)
                ok = parts[i].n == 0 ||
                     (parts[i].n <= INT32_MAX &&
                      EVP_EncryptUpdate(c, NULL, &len, parts[i].p, (int)parts[i].n));
        ok = ok && EVP_EncryptFinal_ex(c, none, &len) &&
             EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, SIGN_LEN, sig);
        crypto_must(ok, "GMAC signature");
}

void signer_sign(struct signer *s, const struct bytes *parts, size_t n,
                 const uint8_t nonce[SIGN_NONCE_LEN], uint8_t sig[SIGN_LEN])
{
        if (s->alg == SIGN_HMAC_SHA256)
                hmac_sign(s, parts, n, sig);
        else if (s->alg == SIGN_AES_CMAC)
                cmac_sign(s, parts, n, sig);
        else
                gmac_sign(s, parts, n, nonce, sig);
}

bool signer_check(struct signer *s, const struct bytes *parts, size_t n,
                  const uint8_t nonce[SIGN_NONCE_LEN], const uint8_t sig[SIGN_LEN])
{
        uint8_t right[SIGN_LEN];
        signer_sign(s, parts, n, nonce, right);
        return ct_equal(right, sig, SIGN_LEN);
}

void signer_gmac_nonce(uint64_t message_id, bool from_server, bool is_cancel,
                       uint8_t nonce[SIGN_NONCE_LEN])
{
        memset(nonce, 0, SIGN_NONCE_LEN);
        for (size_t i = 0; i < 8; i++)
                nonce[i] = (uint8_t)(message_id >> 8 * i);
        nonce[8] = (uint8_t)((from_server ? 1 : 0) | (is_cancel ? 2 : 0));
}
