/* Replies and server-initiated messages; every one is also tried as an error reply. */
#include "wire/smb2/error.h"
#include "wire/smb2/roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes msg = bytes_of(data, n);
        struct smb2_header h;
        struct smb2_error_rsp e;
        struct smb2_error_context_list l;
        struct smb2_symlink_error s;
        if (smb2_header_decode(msg, &h))
                (void)smb2_roundtrip_check(h.command, false, msg); /* false is a fine outcome */
        if (!smb2_error_rsp_decode(msg, &e) || !smb2_error_context_list_decode(&e, &l))
                return 0;
        for (unsigned i = 0; i < l.count; i++)
                (void)smb2_symlink_error_decode(l.item[i].data, &s);
        return 0;
}
