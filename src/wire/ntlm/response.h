/* The NTLMv2 response inside AUTHENTICATE ([MS-NLMP] 2.2.2.7, 2.2.2.8). */
#ifndef FREVO_WIRE_NTLM_RESPONSE_H
#define FREVO_WIRE_NTLM_RESPONSE_H

#include "wire/ntlm/av_pair.h"

#define NTLM_PROOF_LEN 16u
#define NTLM_V1_RESPONSE_LEN 24u /* an NT response of this length is NTLMv1 or NTLM2-session */

struct ntlmv2_response {
        uint8_t proof[NTLM_PROOF_LEN]; /* NTProofStr */
        struct bytes blob; /* "temp" of 3.3.2: all after the proof, which the proof covers */
        uint64_t time_ft;
        uint8_t client_challenge[8];
        struct ntlm_av_list av;
};

/* False for anything that is not version 1 of this structure. *out is set only on true. */
MUST_USE bool ntlmv2_response_decode(struct bytes in, struct ntlmv2_response *out);

/* Appends the blob that the proof covers: time, challenge, then av_pairs (without EOL), EOL and the
 * four zero bytes of 3.3.2. */
void ntlmv2_blob_encode(struct writer *w, uint64_t time_ft, const uint8_t client_challenge[8],
                        struct bytes av_pairs);

#endif
