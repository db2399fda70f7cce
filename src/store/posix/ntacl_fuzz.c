/* Any stored blob: decoded or refused; what was decoded encodes again. */
#include "store/posix/ntacl.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
        static uint8_t sd[64 * 1024], blob[64 * 1024 + NTACL_OVERHEAD_BYTES], back[64 * 1024];
        struct writer w = wr_into(sd, sizeof sd);
        if (!ntacl_decode(bytes_of(p, n), &w))
                return 0;
        struct writer v = wr_into(blob, sizeof blob), u = wr_into(back, sizeof back);
        if (!ntacl_encode(&v, wr_done(&w)) || !ntacl_decode(wr_done(&v), &u) ||
            !bytes_eq(wr_done(&w), wr_done(&u)))
                abort();
        return 0;
}
