/* Any stored blob: decoded or refused; what was decoded encodes again. */
#include "store/posix/dosattrib.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
        struct dosattrib d, again;
        uint8_t buf[DOSATTRIB_MAX_BYTES];
        if (!dosattrib_decode(bytes_of(p, n), &d))
                return 0;
        struct writer w = wr_into(buf, sizeof buf);
        dosattrib_encode(&w, &d, false);
        if (!wr_ok(&w) || !dosattrib_decode(wr_done(&w), &again) || again.dos != d.dos)
                abort();
        return 0;
}
