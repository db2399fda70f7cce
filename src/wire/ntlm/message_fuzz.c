/* Any bytes as each of NTLM's messages; what decodes must encode and decode again. */
#include <assert.h>

#include "wire/ntlm/message.h"
#include "wire/ntlm/response.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint8_t buf[8 * 65536];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes in = bytes_of(data, n);
        struct writer w = wr_into(buf, sizeof buf);
        struct ntlm_negotiate neg;
        struct ntlm_challenge cha;
        struct ntlm_authenticate aut;
        struct ntlm_av_list av;
        struct ntlmv2_response r;
        bool any = false;
        if (ntlm_negotiate_decode(in, &neg)) {
                ntlm_negotiate_encode(&w, &neg);
                assert(wr_ok(&w) && ntlm_negotiate_decode(wr_done(&w), &neg));
        } else if (ntlm_challenge_decode(in, &cha)) {
                ntlm_challenge_encode(&w, &cha);
                assert(wr_ok(&w) && ntlm_challenge_decode(wr_done(&w), &cha));
                any = ntlm_av_decode(cha.target_info, &av);
        } else if (ntlm_authenticate_decode(in, &aut)) {
                ntlm_authenticate_encode(&w, &aut);
                assert(wr_ok(&w) && ntlm_authenticate_decode(wr_done(&w), &aut));
                any = ntlmv2_response_decode(aut.nt_response, &r);
        }
        any |= ntlm_av_decode(in, &av);
        any |= ntlmv2_response_decode(in, &r);
        (void)any; /* either is fine */
        return 0;
}
