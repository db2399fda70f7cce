/* See response.h. */
#include "wire/ntlm/response.h"

#include "base/cursor.h"

bool ntlmv2_response_decode(struct bytes in, struct ntlmv2_response *out)
{
        struct cursor c = cur_of(in);
        struct ntlmv2_response r = {0};
        cur_copy(&c, r.proof, sizeof r.proof);
        r.blob = bytes_from(in, NTLM_PROOF_LEN);
        uint8_t version = cur_u8(&c), highest = cur_u8(&c);
        cur_skip(&c, 6); /* reserved */
        r.time_ft = cur_u64(&c);
        cur_copy(&c, r.client_challenge, sizeof r.client_challenge);
        cur_skip(&c, 4); /* reserved */
        struct bytes pairs = cur_rest(&c);
        if (!cur_ok(&c) || version != 1 || highest != 1 || !ntlm_av_decode(pairs, &r.av))
                return false;
        *out = r;
        return true;
}

void ntlmv2_blob_encode(struct writer *w, uint64_t time_ft, const uint8_t client_challenge[8],
                        struct bytes av_pairs)
{
        wr_u8(w, 1);
        wr_u8(w, 1);
        wr_zero(w, 6);
        wr_u64(w, time_ft);
        wr_bytes(w, bytes_of(client_challenge, 8));
        wr_u32(w, 0);
        wr_bytes(w, av_pairs);
        ntlm_av_put_end(w);
        wr_u32(w, 0);
}
