/* See seal.h. Called for each encrypted message; contexts keep their key and take a new nonce. */
#include "crypto/seal.h"

#include <limits.h>

#include "crypto/hash.h"
#include "crypto/library.h"

static bool is_ccm(enum seal_alg alg)
{
        return alg == SEAL_AES128_CCM || alg == SEAL_AES256_CCM;
}

size_t seal_key_len(enum seal_alg alg)
{
        switch (alg) {
        case SEAL_AES128_CCM:
        case SEAL_AES128_GCM:
                return 16;
        case SEAL_AES256_CCM:
        case SEAL_AES256_GCM:
                return 32;
        }
        return 0;
}

size_t seal_nonce_len(enum seal_alg alg)
{
        return is_ccm(alg) ? 11 : 12;
}

static const EVP_CIPHER *cipher_of(enum seal_alg alg)
{
        const struct crypto_library *l = crypto_library();
        switch (alg) {
        case SEAL_AES128_CCM:
                return l->aes128_ccm;
        case SEAL_AES128_GCM:
                return l->aes128_gcm;
        case SEAL_AES256_CCM:
                return l->aes256_ccm;
        case SEAL_AES256_GCM:
                return l->aes256_gcm;
        }
        return NULL;
}

static EVP_CIPHER_CTX *context(enum seal_alg alg, const uint8_t *key, int encrypt)
{
        EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
        int nonce_len = (int)seal_nonce_len(alg);
        bool ok = c && EVP_CipherInit_ex2(c, cipher_of(alg), NULL, NULL, encrypt, NULL) &&
                  EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, nonce_len, NULL) &&
                  (!is_ccm(alg) ||
                   EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, SEAL_TAG_LEN, NULL)) &&
                  EVP_CipherInit_ex2(c, NULL, key, NULL, encrypt, NULL);
        if (!ok) {
                EVP_CIPHER_CTX_free(c);
                c = NULL;
        }
        return c;
}

bool sealer_init(struct sealer *s, enum seal_alg alg, struct bytes key)
{
        *s = (struct sealer){.alg = alg};
        if (seal_key_len(alg) == 0 || key.n != seal_key_len(alg))
                return false;
        s->enc = context(alg, key.p, 1);
        s->dec = context(alg, key.p, 0);
        return s->enc && s->dec;
}

void sealer_fini(struct sealer *s)
{
        EVP_CIPHER_CTX_free(s->enc); /* wipes the key schedule */
        EVP_CIPHER_CTX_free(s->dec);
        *s = (struct sealer){0};
}

/* CCM has to know the length of the text before the additional data. */
static bool begin(EVP_CIPHER_CTX *c, bool ccm, struct bytes aad, size_t len)
{
        int got = 0;
        if (ccm && !EVP_CipherUpdate(c, NULL, &got, NULL, (int)len))
                return false;
        return EVP_CipherUpdate(c, NULL, &got, aad.p, (int)aad.n);
}

void seal_encrypt(struct sealer *s, const uint8_t *nonce, struct bytes aad, uint8_t *buf,
                  size_t len, uint8_t tag[SEAL_TAG_LEN])
{
        EVP_CIPHER_CTX *c = s->enc;
        uint8_t none[16];
        int got = 0;
        bool ok = len <= INT_MAX && EVP_EncryptInit_ex2(c, NULL, NULL, nonce, NULL) &&
                  begin(c, is_ccm(s->alg), aad, len) &&
                  EVP_EncryptUpdate(c, buf, &got, buf, (int)len) &&
                  EVP_EncryptFinal_ex(c, none, &got) &&
                  EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, SEAL_TAG_LEN, tag);
        crypto_must(ok, "encryption");
}

bool seal_decrypt(struct sealer *s, const uint8_t *nonce, struct bytes aad, uint8_t *buf,
                  size_t len, const uint8_t tag[SEAL_TAG_LEN])
{
        EVP_CIPHER_CTX *c = s->dec;
        uint8_t want[SEAL_TAG_LEN], none[16];
        int got = 0;
        memcpy(want, tag, sizeof want); /* the ctrl call wants it writable */
        bool ok = len <= INT_MAX && EVP_DecryptInit_ex2(c, NULL, NULL, nonce, NULL) &&
                  EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, SEAL_TAG_LEN, want) &&
                  begin(c, is_ccm(s->alg), aad, len) &&
                  EVP_DecryptUpdate(c, buf, &got, buf, (int)len) &&
                  (is_ccm(s->alg) || EVP_DecryptFinal_ex(c, none, &got));
        if (!ok && len)
                secret_wipe(buf, len);
        return ok;
}
