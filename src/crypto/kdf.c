/* See kdf.h. The labels and contexts, with their trailing NULs, are those of [MS-SMB2] 3.3.5.5.3.
 */
#include "crypto/kdf.h"

#include <assert.h>

#include "crypto/hash.h"

static void put_be32(uint8_t p[4], uint32_t v)
{
        for (size_t i = 4; i-- > 0; v >>= 8)
                p[i] = (uint8_t)v;
}

void kdf_sp800_108(struct bytes key, struct bytes label, struct bytes context, uint8_t *out,
                   size_t out_len)
{
        assert(out_len <= 64);
        uint8_t counter[4], bits[4], block[SHA256_LEN];
        put_be32(bits, (uint32_t)out_len * 8);
        for (uint32_t i = 1; out_len; i++) {
                put_be32(counter, i);
                const struct bytes parts[] = {bytes_of(counter, 4), label, bytes_of("", 1), context,
                                              bytes_of(bits, 4)};
                hmac_sha256(key, parts, 5, block);
                size_t n = out_len < sizeof block ? out_len : sizeof block;
                memcpy(out, block, n);
                out += n;
                out_len -= n;
        }
        secret_wipe(block, sizeof block);
}

/* What 3.0 and 3.0.2 use, and what 3.1.1 uses as label; there the context is the pre-auth hash. */
struct key_name {
        const char *label, *context, *label311;
};
static const struct key_name SIGNING = {"SMB2AESCMAC", "SmbSign", "SMBSigningKey"};
static const struct key_name APPLICATION = {"SMB2APP", "SmbRpc", "SMBAppKey"};
static const struct key_name SERVER_IN = {"SMB2AESCCM", "ServerIn ", "SMBC2SCipherKey"};
static const struct key_name SERVER_OUT = {"SMB2AESCCM", "ServerOut", "SMBS2CCipherKey"};

static struct bytes with_nul(const char *s)
{
        return bytes_of(s, strlen(s) + 1);
}

static void derive(const struct key_name *k, struct bytes key, const uint8_t *preauth_hash,
                   uint8_t *out, size_t len)
{
        if (preauth_hash)
                kdf_sp800_108(key, with_nul(k->label311), bytes_of(preauth_hash, 64), out, len);
        else
                kdf_sp800_108(key, with_nul(k->label), with_nul(k->context), out, len);
}

static bool is_smb3(uint16_t dialect)
{
        return dialect == 0x0300 || dialect == 0x0302 || dialect == 0x0311;
}

/* The 128 or 256 bits of the cipher apply to the cipher keys; signing algorithms all take 128. */
bool session_keys_derive(const struct session_key_source *src, struct session_keys *out)
{
        *out = (struct session_keys){0};
        if (src->dialect == 0x0202 || src->dialect == 0x0210) {
                memcpy(out->signing, src->session_key, sizeof out->signing);
                memcpy(out->application, src->session_key, sizeof out->application);
                return true;
        }
        const uint8_t *hash = src->dialect == 0x0311 ? src->preauth_hash : NULL;
        if (!is_smb3(src->dialect) || (src->dialect == 0x0311 && !hash))
                return false;
        bool wide = src->cipher_256 && src->dialect == 0x0311;
        struct bytes key = bytes_of(src->session_key, sizeof src->session_key);
        struct bytes cipher_key = wide ? src->full_key : key;
        out->cipher_key_len = wide ? 32 : 16;
        derive(&SIGNING, key, hash, out->signing, sizeof out->signing);
        derive(&APPLICATION, key, hash, out->application, sizeof out->application);
        derive(&SERVER_IN, cipher_key, hash, out->server_in, out->cipher_key_len);
        derive(&SERVER_OUT, cipher_key, hash, out->server_out, out->cipher_key_len);
        return true;
}

bool channel_signing_key_derive(uint16_t dialect, const uint8_t session_key[16],
                                const uint8_t *preauth_hash, uint8_t out[16])
{
        const uint8_t *hash = dialect == 0x0311 ? preauth_hash : NULL;
        if (!is_smb3(dialect) || (dialect == 0x0311 && !hash))
                return false;
        derive(&SIGNING, bytes_of(session_key, 16), hash, out, 16);
        return true;
}
