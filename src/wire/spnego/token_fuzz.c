/* Any bytes as SPNEGO's tokens; what decodes must encode, unless it names mechanisms we do not
 * know. */
#include <assert.h>

#include "wire/spnego/token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint8_t buf[4 * 65536];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes in = bytes_of(data, n);
        struct writer w = wr_into(buf, sizeof buf);
        struct spnego_init t;
        struct spnego_resp r;
        if (n > 65536)
                return 0;
        if (spnego_init_decode(in, &t)) {
                assert(t.mech_count > 0 && t.mech_count <= LIMIT_MECH_TYPES);
                for (size_t i = 0; i < t.mech_count; i++)
                        if (t.mechs[i] == SPNEGO_MECH_OTHER)
                                return 0;
                spnego_init_encode(&w, &t);
                assert(wr_ok(&w) && spnego_init_decode(wr_done(&w), &t));
        } else if (spnego_resp_decode(in, &r) && (!r.has_mech || r.mech != SPNEGO_MECH_OTHER)) {
                spnego_resp_encode(&w, &r);
                assert(wr_ok(&w) && spnego_resp_decode(wr_done(&w), &r));
        }
        return 0;
}
