/* What stands around messages: compounds, encryption and compression headers, SMB 1 NEGOTIATE. */
#include "wire/smb2/compound.h"
#include "wire/smb2/compression.h"
#include "wire/smb2/smb1_negotiate.h"
#include "wire/smb2/transform.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes frame = bytes_of(data, n);
        struct smb2_compound c;
        struct bytes msg;
        struct smb2_header h;
        size_t total = 0;
        smb2_compound_init(&c, frame);
        while (smb2_compound_next(&c, &msg, &h) == SMB2_COMPOUND_ELEMENT)
                total += msg.n;
        if (total > n)
                abort();

        struct smb2_transform_header t;
        if (smb2_transform_header_decode(frame, &t) &&
            t.original_message_size + SMB2_TRANSFORM_HEADER_LEN != n)
                abort();

        struct smb2_compression_header z;
        struct smb2_compression_payload p;
        bool bad = false;
        if (smb2_compression_header_decode(frame, &z) && z.chained)
                while (smb2_compression_payload_next(&z.payload, &p, &bad))
                        ;

        struct smb1_negotiate_req q;
        (void)smb1_negotiate_req_decode(frame, &q); /* false is a fine outcome */
        return 0;
}
