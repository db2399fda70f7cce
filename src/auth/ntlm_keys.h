/* NTLMv2's arithmetic ([MS-NLMP] 3.3.2, 3.4): proofs, keys and MICs. For this folder. Any thread.
 */
#ifndef FREVO_AUTH_NTLM_KEYS_H
#define FREVO_AUTH_NTLM_KEYS_H

#include "base/auto.h"
#include "base/bytes.h"

#define NTLM_KEY_LEN 16u

/* NTOWFv2: from the NT hash; names are UTF-8, the user's is upper-cased here. False without memory.
 */
MUST_USE bool ntlm_ntowfv2(const uint8_t nt_hash[16], const char *user, const char *domain,
                           uint8_t out[NTLM_KEY_LEN]);
/* NTProofStr over the server's challenge and the client's blob. */
void ntlm_proof(const uint8_t ntowfv2[NTLM_KEY_LEN], const uint8_t challenge[8], struct bytes blob,
                uint8_t out[16]);
/* SessionBaseKey, which in NTLMv2 is the KeyExchangeKey, too. */
void ntlm_session_base_key(const uint8_t ntowfv2[NTLM_KEY_LEN], const uint8_t proof[16],
                           uint8_t out[NTLM_KEY_LEN]);

/* The keys of an established context with extended session security and 128-bit keys. */
struct ntlm_context_keys {
        bool key_exch; /* checksums of signatures are encrypted */
        uint8_t exported[NTLM_KEY_LEN];
        uint8_t sign[2][NTLM_KEY_LEN], seal[2][NTLM_KEY_LEN]; /* [0] client's, [1] server's */
};
void ntlm_context_keys_init(struct ntlm_context_keys *k, const uint8_t exported[NTLM_KEY_LEN],
                            bool key_exch);

/* The signature numbered 0 from one side, as SPNEGO's mechListMIC needs it: with the RC4 state of
 * the beginning ([MS-SPNG] 3.2.5.1). False without RC4. */
MUST_USE bool ntlm_first_signature(const struct ntlm_context_keys *k, bool from_server,
                                   struct bytes text, uint8_t out[16]);

/* The MIC in AUTHENTICATE, taken over the three messages; the third's MIC field counts as zeros. */
void ntlm_message_mic(const uint8_t exported[NTLM_KEY_LEN], struct bytes negotiate,
                      struct bytes challenge, struct bytes authenticate, uint8_t out[16]);

#endif
