/* Requests: the whole message; its header says the command. */
#include "wire/smb2/roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes msg = bytes_of(data, n);
        struct smb2_header h;
        if (smb2_header_decode(msg, &h))
                (void)smb2_roundtrip_check(h.command, true, msg); /* false is a fine outcome */
        return 0;
}
