/* See ntlm_keys.h. */
#include "auth/ntlm_keys.h"

#include <assert.h>

#include "base/utf16.h"
#include "crypto/hash.h"
#include "wire/ntlm/message.h"

/* Hashed with their NUL ([MS-NLMP] 3.4.5.2, 3.4.5.3). */
static const char *const SIGN_MAGIC[2] = {
        "session key to client-to-server signing key magic constant",
        "session key to server-to-client signing key magic constant"};
static const char *const SEAL_MAGIC[2] = {
        "session key to client-to-server sealing key magic constant",
        "session key to server-to-client sealing key magic constant"};

bool ntlm_ntowfv2(const uint8_t nt_hash[16], const char *user, const char *domain,
                  uint8_t out[NTLM_KEY_LEN])
{
        AUTO_FREE char *upper = utf8_upcase_new(user);
        if (!upper)
                return false;
        size_t max = utf16_len(upper) + utf16_len(domain);
        AUTO_FREE uint8_t *text = malloc(max + 1); /* never malloc(0) */
        if (!text)
                return false;
        struct writer w = wr_into(text, max);
        wr_utf16(&w, upper);
        wr_utf16(&w, domain);
        const struct bytes all = wr_done(&w);
        hmac_md5(bytes_of(nt_hash, 16), &all, 1, out);
        return wr_ok(&w);
}

void ntlm_proof(const uint8_t ntowfv2[NTLM_KEY_LEN], const uint8_t challenge[8], struct bytes blob,
                uint8_t out[16])
{
        const struct bytes parts[] = {bytes_of(challenge, 8), blob};
        hmac_md5(bytes_of(ntowfv2, NTLM_KEY_LEN), parts, 2, out);
}

void ntlm_session_base_key(const uint8_t ntowfv2[NTLM_KEY_LEN], const uint8_t proof[16],
                           uint8_t out[NTLM_KEY_LEN])
{
        const struct bytes p = bytes_of(proof, 16);
        hmac_md5(bytes_of(ntowfv2, NTLM_KEY_LEN), &p, 1, out);
}

static void magic_key(const uint8_t *exported, const char *magic, uint8_t *out)
{
        const struct bytes parts[] = {bytes_of(exported, NTLM_KEY_LEN),
                                      bytes_of(magic, strlen(magic) + 1)};
        md5(parts, 2, out);
}

void ntlm_context_keys_init(struct ntlm_context_keys *k, const uint8_t exported[NTLM_KEY_LEN],
                            bool key_exch)
{
        *k = (struct ntlm_context_keys){.key_exch = key_exch};
        memcpy(k->exported, exported, NTLM_KEY_LEN);
        for (size_t side = 0; side < 2; side++) {
                magic_key(exported, SIGN_MAGIC[side], k->sign[side]);
                magic_key(exported, SEAL_MAGIC[side], k->seal[side]);
        }
}

bool ntlm_first_signature(const struct ntlm_context_keys *k, bool from_server, struct bytes text,
                          uint8_t out[16])
{
        uint8_t sum[MD5_LEN];
        const struct bytes parts[] = {bytes_of("\0\0\0\0", 4), text}; /* SeqNum 0 */
        hmac_md5(bytes_of(k->sign[from_server], NTLM_KEY_LEN), parts, 2, sum);
        if (k->key_exch && !rc4_once(bytes_of(k->seal[from_server], NTLM_KEY_LEN), sum, 8))
                return false;
        struct writer w = wr_into(out, 16);
        wr_u32(&w, 1); /* version */
        wr_bytes(&w, bytes_of(sum, 8));
        wr_u32(&w, 0); /* SeqNum */
        return wr_ok(&w);
}

void ntlm_message_mic(const uint8_t exported[NTLM_KEY_LEN], struct bytes negotiate,
                      struct bytes challenge, struct bytes authenticate, uint8_t out[16])
{
        static const uint8_t zero[NTLM_MIC_LEN];
        assert(authenticate.n >= NTLM_MIC_OFFSET + NTLM_MIC_LEN);
        const struct bytes parts[] = {negotiate, challenge,
                                      bytes_first(authenticate, NTLM_MIC_OFFSET),
                                      bytes_of(zero, sizeof zero),
                                      bytes_from(authenticate, NTLM_MIC_OFFSET + NTLM_MIC_LEN)};
        hmac_md5(bytes_of(exported, NTLM_KEY_LEN), parts, 5, out);
}
